"""What was done in an office, and what `ratinglist retract` undoes of it."""

from __future__ import annotations

import getpass
import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.home.history import described
from ratinglist.home.log import Entry, Log
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load
from ratinglist.workflows.opening import open_to_read
from tests.command_line import Shown, ratinglist
from tests.conftest import MONTHS, SAMPLE, office, published_bytes

FIRST, SECOND = MONTHS[:2]
FACTS = ("report", "report_player", "report_game", "finding", "player", "imported_list")


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    """The office after its first month; yours to change."""
    shutil.copytree(homes / FIRST, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def typed(home: Path) -> Callable[..., Shown]:
    """Types a command of that office."""
    return lambda *arguments: ratinglist(*arguments, home=home)


def facts(settings: Settings) -> dict[str, list[dict[str, object]]]:
    """Every row that was received, without the numbers of entries."""
    with open_to_read(settings) as store:
        tables = {name: store.read(f"select * from {name}") for name in FACTS}
    without = {name: rows.drop("source_no", "report_no", strict=False) for name, rows in tables.items()}
    return {name: rows.sort(pl.all()).to_dicts() for name, rows in without.items()}


def number_of(home: Path, kind: str) -> str:
    """The number of the newest entry of a kind."""
    return str([entry.number for entry in Log.open(home).entries if entry.kind == kind][-1])


def test_the_log_shows_each_change_with_its_day_and_person(
    home: Path, typed: Callable[..., Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATINGLIST_BY", "Anna Berg")
    assert typed("import-players", SAMPLE / f"players-{SECOND}.csv").returncode == 0
    *_, last = typed("log").stdout.splitlines()
    assert last.split(maxsplit=2) == [
        number_of(home, "import-players"),
        "2025-12-01",
        f"Anna Berg  Players were registered or changed from players-{SECOND}.csv",
    ]
    rows = json.loads(typed("log", "--json").stdout)
    assert [row["entry"] for row in rows] == list(range(1, len(rows) + 1))
    assert (rows[-1]["by"], rows[-1]["retracted_by"]) == ("Anna Berg", None)
    # Each report has its own day of receipt, which the manifest states.
    (loaded,) = (row for row in rows if str(row["entry"]) == number_of(home, "load"))
    assert (loaded["day"], "2025-12-01" in loaded["what"]) == ("2025-12-01", False)
    assert typed("log", "--since", "2025-12-02").stdout == "Nothing was done since that day.\n"


def test_the_person_is_the_account_where_no_variable_names_one(
    home: Path, typed: Callable[..., Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("RATINGLIST_BY", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    before = published_bytes(home)
    assert typed("import-players", SAMPLE / f"players-{SECOND}.csv").returncode == 0
    assert json.loads(typed("log", "--json").stdout)[-1]["by"] == getpass.getuser()
    assert published_bytes(home) == before


@pytest.mark.parametrize(
    ("kind", "facts", "sentence"),
    [
        ("publish", {"published": [{"month": "2025-09", "revision": 1}]}, "The list of 2025-09 (r1) was published"),
        (
            "revise",
            {"published": [{"month": f"2025-{month}", "revision": 2} for month in ("09", "10", "11")]},
            "The lists of 2025-09 (r2), 2025-10 (r2) and 2025-11 (r2) were calculated again and published",
        ),
        ("preview", {"previews": [{"month": "2025-09"}]}, "The preview of 2025-09 was made"),
        (
            "preview",
            {"previews": [{"month": "2025-09"}, {"month": "2025-10"}]},
            "The previews of 2025-09 and 2025-10 were made",
        ),
        (
            "approve",
            {"approvals": [{"month": "2025-09", "name": "Anna Berg"}, {"month": "2025-10", "name": "Anna Berg"}]},
            "The lists of 2025-09 and 2025-10 were approved by Anna Berg",
        ),
    ],
)
def test_a_change_of_several_lists_is_described_in_the_plural(
    kind: str, facts: dict[str, object], sentence: str
) -> None:
    assert described(Entry(1, kind, date(2025, 12, 1), "", "0.1.0", "", facts, "", "")) == sentence


def test_an_import_that_was_undone_was_never_made(home: Path, typed: Callable[..., Shown]) -> None:
    settings = office(home)
    before = facts(settings)
    import_files.import_players(settings, SAMPLE / f"players-{SECOND}.csv")
    number = number_of(home, "import-players")
    assert facts(settings) != before
    # Without a reason: none is required.
    shown = typed("retract", number)
    assert f"entry: {number}\nwhat: Players were registered or changed" in shown.stdout
    assert facts(settings) == before
    assert f"(undone by {int(number) + 1})" in typed("log").stdout
    assert f"Entry {number} was undone\n" in typed("log").stdout
    assert doctor.check(settings).problems == []
    again = typed("retract", number)
    assert (again.returncode, again.stderr) == (
        2,
        f"ratinglist: Entry {number} was undone before: nothing was changed.\n",
    )
    import_files.import_players(settings, SAMPLE / f"players-{SECOND}.csv")
    assert facts(settings) != before


def test_a_load_is_undone_and_status_names_the_list_that_stands_on_it(home: Path, typed: Callable[..., Shown]) -> None:
    settings = office(home)
    number, bytes_before = number_of(home, "load"), published_bytes(home)
    shown = typed("retract", number, "--because", "the folder of another month")
    assert f"ratinglist rerate --from {FIRST} --preview" in shown.stdout
    assert facts(settings)["report"] == []
    assert published_bytes(home) == bytes_before
    undone = f"the list of {FIRST} was calculated with what was undone since: ratinglist rerate --from {FIRST}"
    assert undone in typed("status").stdout
    rerated = typed("rerate", "--from", FIRST, "--because", "no_events=the reports come again")
    assert rerated.returncode == 0, rerated.stderr
    assert undone not in typed("status").stdout
    # The reports are the same originals, and may be loaded again.
    assert load.load(settings, [SAMPLE / "reports" / FIRST]).accepted > 0
    assert undone not in typed("status").stdout
    assert doctor.check(settings).problems == []


def test_a_dismissal_is_undone(home: Path, typed: Callable[..., Shown]) -> None:
    settings = office(home)
    import_files.import_players(settings, SAMPLE / f"players-{SECOND}.csv")
    load.load(settings, [SAMPLE / "reports" / SECOND])
    assert "vale-weekend.trf" in typed("quarantine").stdout
    assert typed("dismiss", "vale-weekend.trf", "--because", "no report").returncode == 0
    assert "vale-weekend.trf" not in typed("quarantine").stdout
    assert typed("retract", number_of(home, "dismiss")).returncode == 0
    assert "vale-weekend.trf" in typed("quarantine").stdout


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("import-list", f"the list of {FIRST} was calculated from the list of 2025-08"),
        ("calculate", "Only an import, a load and a dismissal can"),
        ("publish", "taken back with ratinglist rollback"),
    ],
)
def test_what_something_stands_on_is_not_undone(
    kind: str, message: str, home: Path, typed: Callable[..., Shown]
) -> None:
    entries = len(Log.open(home).entries)
    shown = typed("retract", number_of(home, kind))
    assert shown.returncode == 2
    assert message in shown.stderr
    assert len(Log.open(home).entries) == entries


def test_an_entry_that_is_not_there_is_named(typed: Callable[..., Shown]) -> None:
    shown = typed("retract", "99")
    assert (shown.returncode, "The log has no entry 99" in shown.stderr) == (3, True)


@pytest.mark.parametrize(("reason", "message"), [("", "--because is empty"), ("born 2 November 1983", "date of birth")])
def test_a_reason_is_checked_as_other_texts_are(
    reason: str, message: str, home: Path, typed: Callable[..., Shown]
) -> None:
    entries = len(Log.open(home).entries)
    shown = typed("retract", number_of(home, "load"), "--because", reason)
    assert shown.returncode == 2
    assert message in shown.stderr
    assert len(Log.open(home).entries) == entries


def test_a_correction_holds_where_the_corrected_reports_were_undone_and_loaded_again(
    home: Path, typed: Callable[..., Shown]
) -> None:
    settings = office(home)
    corrected = typed("correct", "withdraw", "ORV25081", "--because", "never played", "--by", "M. Rossi")
    assert corrected.returncode == 0, corrected.stderr
    assert typed("retract", number_of(home, "load")).returncode == 0
    assert doctor.check(settings).problems == []
    before = facts(settings)
    settings.store.unlink()
    assert facts(settings) == before
    load.load(settings, [SAMPLE / "reports" / FIRST])
    with open_to_read(settings) as store:
        assert store.rows("select distinct withdrawn from current_report where event_id = 'ORV25081'") == [(True,)]
