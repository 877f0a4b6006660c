"""`ratinglist log` shows what was done; `ratinglist retract` undoes it, as if it had never been made."""

from __future__ import annotations

import getpass
import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.home.history import described
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, quarantine, replay, rerate, undo
from ratinglist.workflows.opening import open_to_read
from tests.command_line import Shown, did, ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, office, published_bytes
from tests.parameters import long_but
from tests.stores import open_store

OCTOBER, NOVEMBER = Period.parse(MONTHS[1]), Period.parse(MONTHS[2])
JUNK = "vale-weekend.trf"


@pytest.fixture
def october(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published October."""
    return copied(homes / MONTHS[1], tmp_path)


def newest(settings: Settings) -> int:
    entry = Log.open(settings.home).newest
    assert entry is not None
    return entry.number


def facts(settings: Settings) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of the store, but for what it was made from."""
    with open_store(settings.store) as store:
        names = store.rows("select table_name from duckdb_tables() where not temporary and table_name <> 'made_from'")
        assert names
        return {name: sorted(store.rows(f"select * from {name}"), key=repr) for (name,) in names}


def entry_of(settings: Settings, kind: str) -> int:
    """The number of the newest entry of a kind."""
    return [one.number for one in Log.open(settings.home).entries if one.kind == kind][-1]


@pytest.mark.parametrize("kind", long_but(["load", "import-players", "import-list", "dismiss"], "import-players"))
def test_after_a_retract_the_store_is_one_that_never_had_it(october: Settings, kind: str) -> None:
    before, published = facts(october), published_bytes(october.home)
    refused = quarantine.quarantined(october)
    if kind == "load":
        load.load(october, [SAMPLE / "reports" / MONTHS[2]])
    elif kind == "import-players":
        import_files.import_players(october, SAMPLE / f"players-{NOVEMBER - 1}.csv")
        file = october.home.parent / "players.csv"
        file.write_text("fide_id,name,federation\n99900901,One,SOL\n", encoding="utf-8")
        import_files.import_players(october, file)
    elif kind == "import-list":
        file = october.home.parent / "list.csv"
        file.write_text("fide_id,name,federation,time_control,rating,k\n99900901,One,SOL,standard,1800,20\n")
        import_files.import_list(october, file, NOVEMBER, because={"older_list": "one club left"})
    else:
        undo.dismiss(october, JUNK, "a test file")
    changed = facts(october) != before or quarantine.quarantined(october) != refused
    assert changed
    number = newest(october)
    done = undo.retract(october, number, "a mistake")
    assert (done.values["entry"], done.values["months"]) == (number, [])
    assert facts(october) == before
    assert quarantine.quarantined(october) == refused
    assert published_bytes(october.home) == published
    assert doctor.check(october).problems == []
    assert f"(undone by {number + 1})" in ratinglist("log", home=october.home).stdout
    with pytest.raises(CommandLineError, match=f"Entry {number} was undone before"):
        undo.retract(october, number)
    (october.home / "ratinglist.duckdb").unlink()
    assert facts(october) == before


def test_a_list_that_was_made_from_it_is_named_and_rated_again_without_it(october: Settings) -> None:
    number = entry_of(october, "load")
    done = undo.retract(october, number, "the delivery of another federation")
    assert done.values["months"] == ["2025-10"]
    assert "ratinglist rerate --from 2025-10 --preview" in done.text()
    undone = "the list of 2025-10 was calculated with what was undone since: ratinglist rerate --from 2025-10"
    assert undone in did(october.home, "status")
    rerate.rerate(october, OCTOBER, because={"no_events": "the delivery was of another federation"})
    assert undone not in did(october.home, "status")
    assert (october.published / MONTHS[1] / "latest").read_text(encoding="utf-8") == "r2\n"
    after = published_bytes(october.home)
    assert doctor.check(october).problems == []
    shutil.rmtree(october.published / MONTHS[1] / "r2")
    shutil.rmtree(october.home / "calculations")
    replay.rebuild(october)
    assert published_bytes(october.home) == after
    assert doctor.check(october).problems == []


def test_what_cannot_be_undone_says_why(october: Settings) -> None:
    before = newest(october)
    with pytest.raises(NothingReadError, match="The log has no entry 999"):
        undo.retract(october, 999)
    with pytest.raises(CommandLineError, match=r"cannot be undone: The list of 2025-10 \(r1\) was published\. Only an"):
        undo.retract(october, entry_of(october, "publish"))
    with pytest.raises(CommandLineError, match="2025-09 was calculated from the list of 2025-08"):
        undo.retract(october, 1)
    with pytest.raises(CommandLineError, match="'x' is no reason that a reader understands"):
        undo.retract(october, entry_of(october, "load"), "x")
    assert newest(october) == before


FIRST, SECOND = MONTHS[:2]


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    """The office after its first month; yours to change."""
    shutil.copytree(homes / FIRST, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def typed(home: Path) -> Callable[..., Shown]:
    """Types a command of that office."""
    return lambda *arguments: ratinglist(*arguments, home=home)


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
