<<<<<<< HEAD
"""What was done in an office, and what `ratinglist retract` undoes of it."""
=======
"""`ratinglist log` shows what was done; `ratinglist retract` undoes it, as if it had never been made."""
>>>>>>> t-publication

from __future__ import annotations

import json
import shutil
<<<<<<< HEAD
from collections.abc import Callable
=======
from dataclasses import replace
>>>>>>> t-publication
from pathlib import Path

import pytest

from ratinglist.config import Settings
<<<<<<< HEAD
from ratinglist.home.log import Log
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
        tables = {name: store.read(f"select * from {name} order by all") for name in FACTS}
    return {name: rows.drop("source_no", "report_no", strict=False).to_dicts() for name, rows in tables.items()}


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
    assert typed("log", "--since", "2025-12-02").stdout == "Nothing was done since that day.\n"


def test_an_import_that_was_undone_was_never_made(home: Path, typed: Callable[..., Shown]) -> None:
    settings = office(home)
    before = facts(settings)
    import_files.import_players(settings, SAMPLE / f"players-{SECOND}.csv")
    number = number_of(home, "import-players")
    assert facts(settings) != before
    # Without a reason: none is required.
    shown = typed("retract", number)
    assert shown.stdout.startswith(f"Undone: entry {number}: Players were registered or changed")
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
    rerated = typed("rerate", "--from", FIRST)
    assert rerated.returncode == 0, rerated.stderr
    assert undone not in typed("status").stdout
    # The reports are the same originals, and may be loaded again.
    assert load.load(settings, [SAMPLE / "reports" / FIRST]).accepted > 0
    assert undone not in typed("status").stdout
    assert typed("doctor", "--rebuild").returncode == 0
    assert doctor.check(settings).problems == []


def test_a_dismissal_is_undone(home: Path, typed: Callable[..., Shown]) -> None:
    settings = office(home)
    import_files.import_players(settings, SAMPLE / f"players-{SECOND}.csv")
    load.load(settings, [SAMPLE / "reports" / SECOND])
    assert "vale-weekend.trf" in typed("quarantine").stdout
    assert typed("dismiss", "vale-weekend.trf", "--because", "junk").returncode == 0
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


@pytest.mark.parametrize(("reason", "message"), [("", "--because is empty"), ("born 3 May 1990", "date of birth")])
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
=======
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.workflows import dismiss, doctor, import_files, load, quarantine, rate, rebuild, rerate, retract
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, office, published_bytes
from tests.stores import open_store

OCTOBER, NOVEMBER = Period.parse(MONTHS[1]), Period.parse(MONTHS[2])
JUNK = "vale-weekend.trf"


@pytest.fixture
def october(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published October."""
    return office(Path(shutil.copytree(homes / MONTHS[1], tmp_path / "home")))


def newest(settings: Settings) -> int:
    entry = Log.open(settings.home).newest
    assert entry is not None
    return entry.number


def facts(settings: Settings) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of the store, but for what it was made from."""
    with open_store(settings.store) as store:
        names = store.rows(
            "select table_name from duckdb_tables() where database_name = 'ratinglist' and table_name <> 'made_from'"
        )
        return {name: sorted(store.rows(f"select * from {name}"), key=repr) for (name,) in names}


def entry_of(settings: Settings, kind: str) -> int:
    """The number of the newest entry of a kind."""
    return [one.number for one in Log.open(settings.home).entries if one.kind == kind][-1]


def test_the_log_says_in_words_what_was_done_and_by_whom(october: Settings) -> None:
    load.load(replace(october, person="M. Rossi"), [SAMPLE / "reports" / MONTHS[2]])
    shown = ratinglist("log", home=october.home)
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert "The list of 2025-08 was imported from list-2025-08.csv" in shown.stdout
    assert "The list of 2025-10 (r1) was published" in shown.stdout
    assert "M. Rossi" in lines[-1]
    assert "received on 2025-12-01 loaded" in lines[-1]
    rows = json.loads(ratinglist("log", "--since", "2025-12-02", "--json", home=october.home).stdout)
    assert rows in ([], {"changes": []})


@pytest.mark.parametrize("kind", ["load", "import-players", "import-list", "dismiss"])
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
        import_files.import_list(october, file, NOVEMBER)
    else:
        dismiss.dismiss(october, JUNK, "a test file")
    changed = facts(october) != before or quarantine.quarantined(october) != refused
    assert changed
    number = newest(october)
    done = retract.retract(october, number, "a mistake")
    assert (done.entry, done.months) == (number, [])
    assert facts(october) == before
    assert quarantine.quarantined(october) == refused
    assert published_bytes(october.home) == published
    assert doctor.check(october).problems == []
    assert f"(undone by {number + 1})" in ratinglist("log", home=october.home).stdout
    with pytest.raises(CommandLineError, match=f"Entry {number} was undone before"):
        retract.retract(october, number)
    (october.home / "ratinglist.duckdb").unlink()
    assert facts(october) == before


def test_what_was_undone_can_be_given_again(october: Settings) -> None:
    load.load(october, [SAMPLE / "reports" / MONTHS[2]])
    after = facts(october)["report"]
    retract.retract(october, newest(october))
    load.load(october, [SAMPLE / "reports" / MONTHS[2]])
    assert len(facts(october)["report"]) == len(after)


def test_a_list_that_was_made_from_it_is_named_and_rated_again_without_it(october: Settings) -> None:
    number = entry_of(october, "load")
    done = retract.retract(october, number, "the delivery of another federation")
    assert done.months == ["2025-10"]
    assert "ratinglist rerate --from 2025-10 --preview" in done.text()
    rerate.rerate(october, OCTOBER, because={})
    assert (october.published / MONTHS[1] / "latest").read_text(encoding="utf-8") == "r2\n"
    after = published_bytes(october.home)
    assert doctor.check(october).problems == []
    shutil.rmtree(october.published / MONTHS[1] / "r2")
    shutil.rmtree(october.home / "calculations")
    rebuild.rebuild(october)
    assert published_bytes(october.home) == after
    assert doctor.check(october).problems == []


def test_what_cannot_be_undone_says_why(october: Settings) -> None:
    before = newest(october)
    with pytest.raises(NothingReadError, match="The log has no entry 999"):
        retract.retract(october, 999)
    with pytest.raises(CommandLineError, match=r"cannot be undone: The list of 2025-10 \(r1\) was published\. Only an"):
        retract.retract(october, entry_of(october, "publish"))
    with pytest.raises(CommandLineError, match="2025-09 was calculated from the list of 2025-08"):
        retract.retract(october, 1)
    assert newest(october) == before


def test_the_command_undoes_an_entry_and_says_what_is_next(october: Settings) -> None:
    load.load(october, [SAMPLE / "reports" / MONTHS[2]])
    shown = ratinglist("retract", newest(october), "--because", "sent by mistake", home=october.home)
    assert shown.returncode == 0
    assert "Undone: entry" in shown.stdout
    assert "The files that were received are kept." in shown.stdout
    rate.rate(october, OCTOBER)
>>>>>>> t-publication
