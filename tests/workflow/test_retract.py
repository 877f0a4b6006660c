"""`ratinglist log` shows what was done; `ratinglist retract` undoes it, as if it had never been made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, quarantine, rate, rebuild, rerate, status, undo
from tests.command_line import did, ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, published_bytes
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
    assert (done.entry, done.months) == (number, [])
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
    assert done.months == ["2025-10"]
    assert "ratinglist rerate --from 2025-10 --preview" in done.text()
    rerate.rerate(october, OCTOBER, because={"no_events": "the delivery was of another federation"})
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
        undo.retract(october, 999)
    with pytest.raises(CommandLineError, match=r"cannot be undone: The list of 2025-10 \(r1\) was published\. Only an"):
        undo.retract(october, entry_of(october, "publish"))
    with pytest.raises(CommandLineError, match="2025-09 was calculated from the list of 2025-08"):
        undo.retract(october, 1)
    offered = [line.rpartition(" ")[2] for line in status.status(october).imported]
    assert offered == [str(entry_of(october, "import-players")), "2"]
    with pytest.raises(CommandLineError, match="'x' is no reason that a reader understands"):
        undo.retract(october, entry_of(october, "load"), "x")
    assert newest(october) == before


def test_the_command_undoes_an_entry_and_says_what_is_next(october: Settings) -> None:
    load.load(october, [SAMPLE / "reports" / MONTHS[2]])
    shown = did(october.home, "retract", newest(october), "--because", "sent by mistake")
    assert "Undone: entry" in shown
    assert "The files that were received are kept." in shown
    rate.rate(october, OCTOBER)
