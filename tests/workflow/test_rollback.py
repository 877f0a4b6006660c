"""Rolling a list back: what readers see, what is kept, and what can no longer be published by mistake."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from ratinglist import tables
from ratinglist.cli.main import program
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.doubts import doubts_about, named
from ratinglist.publication.published_files import verify
from ratinglist.settings import Settings
from ratinglist.tables import BOTH_NUMBERS, ROLLED_BACK
from ratinglist.workflows import sql, undo
from tests.published_sample import (
    ANNA,
    FACTS,
    NOVEMBER,
    listed,
    noted,
    november,
    publish_in,
    replace_parquet,
    rows,
)
from tests.stores import open_store

DECEMBER = Period.parse("2025-12")
WHY = "K was four times too small"


def version(number: int) -> dict[str, pl.DataFrame]:
    """November as it was published the ``number``-th time: Anna has another rating each time."""
    blitz = rows(tables.PUBLISHED["blitz"], listed(NOVEMBER, "blitz", ANNA, 1949 + number))
    return {**november(), "blitz": blitz}


def at(home: Path) -> Settings:
    return Settings(home=home, family="fide", today=date(2025, 11, 20))


@pytest.fixture(scope="module")
def published_twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("twice") / "home"
    for number in (1, 2):
        publish_in(at(home), NOVEMBER, version(number), FACTS)
    return home


@pytest.fixture
def office(published_twice: Path, tmp_path: Path) -> Settings:
    """An office that has published November twice."""
    shutil.copytree(published_twice, tmp_path / "home")
    return at(tmp_path / "home")


def current(settings: Settings) -> str:
    folder = revisions.latest(settings.published, NOVEMBER)
    assert folder is not None
    return folder.name


def stored_rollbacks(settings: Settings) -> list[dict[str, object]]:
    with open_store(settings.store) as store:
        return ROLLED_BACK.conform(store.read("select * from rolled_back order by all")).to_dicts()


def test_no_byte_of_any_revision_changes(office):
    files = {path: path.read_bytes() for path in office.published.rglob("r*/*")}
    undo.rollback(office, NOVEMBER, WHY)
    assert {path: path.read_bytes() for path in office.published.rglob("r*/*")} == files


def test_the_store_keeps_person_revisions_and_reason(office):
    done = undo.rollback(office, NOVEMBER, WHY, by="M. Rossi")
    (row,) = stored_rollbacks(office)
    assert row == {
        "rollback_no": 1,
        "month": "2025-11",
        "from_revision": 2,
        "to_revision": 1,
        "from_digest": verify(office.published / "2025-11" / "r2").revisions.popitem()[1][0],
        "to_digest": done.values["digest"],
        "reason": WHY,
        "who": "M. Rossi",
        "rolled_back_on": date(2025, 11, 20),
    }


def test_rollbacks_csv_has_the_rows_of_the_store(office):
    undo.rollback(office, NOVEMBER, 'wrong "K", they say')
    month = office.published / "2025-11"
    assert revisions.read_rollbacks(month).to_dicts() == stored_rollbacks(office)
    assert (
        (month / "rollbacks.csv")
        .read_text(encoding="utf-8")
        .splitlines()[1]
        .endswith(',"wrong ""K"", they say",,2025-11-20')
    )
    assert verify(office.published).wrong == []


def test_sql_shows_what_is_current(office):
    undo.rollback(office, NOVEMBER, WHY)
    rating = "select revision, rating from lists where time_control = 'blitz'"
    assert sql.run(office.published, rating).rows() == [(1, 1950)]
    assert sql.run(
        office.published, "select as_published, as_now_known from both_numbers where time_control = 'blitz'"
    ).rows() == [(1950, 1950)]


def test_both_numbers_are_written_again(office):
    stale = rows(
        BOTH_NUMBERS,
        {"list_month": "2025-11", "time_control": "blitz", "fide_id": ANNA, "as_published": 1950, "as_now_known": 1951},
    )
    path = office.published / "2025-11" / "both_numbers.parquet"
    replace_parquet(path, BOTH_NUMBERS, stale)
    noted(office, NOVEMBER, 2)
    undo.rollback(office, NOVEMBER, WHY)
    blitz = pl.read_parquet(path).filter(time_control="blitz")
    assert blitz.select("as_published", "as_now_known").rows() == [(1950, 1950)]


def test_a_revision_can_be_named_also_a_later_one(office):
    undo.rollback(office, NOVEMBER, WHY)
    undo.rollback(office, NOVEMBER, "it was right after all", to="r2")
    assert current(office) == "r2"
    assert [(row["from_revision"], row["to_revision"]) for row in stored_rollbacks(office)] == [(2, 1), (1, 2)]


def test_later_lists_are_named(rated):
    done = undo.rollback(rated, NOVEMBER - 1, WHY)
    assert done.values["later"] == ["2025-11 (r1)", "2025-12 (r1)"]


def test_the_revision_before_is_one_that_was_not_rolled_back(office):
    undo.rollback(office, NOVEMBER, WHY)
    publish_in(office, NOVEMBER, version(3), FACTS)
    assert current(office) == "r3"
    undo.rollback(office, NOVEMBER, WHY)
    assert current(office) == "r1"


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ("r2", "is the current revision"),
        ("r3", "no such revision"),
        ("latest", "no such"),
        ("../2025-11/r1", "no such"),
    ],
)
def test_a_wrong_revision_is_refused(office, to, message):
    with pytest.raises(CommandLineError, match=message):
        undo.rollback(office, NOVEMBER, WHY, to=to)
    assert current(office) == "r2"


def test_a_revision_that_is_not_whole_does_not_become_current(office):
    path = office.published / "2025-11" / "r1" / "blitz.csv"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"1950", b"2950"))
    with pytest.raises(CheckError, match=r"blitz\.csv: was altered"):
        undo.rollback(office, NOVEMBER, WHY)
    assert (current(office), stored_rollbacks(office)) == ("r2", [])


# --------------------------------------------------------------------------------------------- not by mistake again


def test_a_content_that_was_rolled_back_is_not_published_again(office):
    undo.rollback(office, NOVEMBER, WHY)
    with pytest.raises(CheckError, match=r"exactly r2 of 2025-11, which was rolled back on 2025-11-20 \(K was four"):
        publish_in(office, NOVEMBER, version(2), FACTS)
    assert current(office) == "r1"
    assert not list((office.published / "2025-11").glob(".tmp-*"))


def test_a_content_that_was_rolled_back_is_not_published_with_other_facts(office):
    undo.rollback(office, NOVEMBER, WHY)
    with pytest.raises(CheckError, match="exactly r2"):
        publish_in(office, NOVEMBER, version(2), {**FACTS, "code_version": "9"})


def test_a_damaged_file_of_rollbacks_is_refused_with_the_remedy(office):
    (office.published / "2025-11" / "rollbacks.csv").write_bytes(b'"\xff\n1,2\n')
    with pytest.raises(NothingReadError, match=r"not the file of rollbacks .*Put it back: ratinglist doctor --rebuild"):
        revisions.read_rollbacks(office.published / "2025-11")


_CHECK = "no_list_before_was_rolled_back"


def insert_rollback(settings: Settings, back: int, to: int) -> None:
    row = {"month": "2025-11", "from_revision": back, "to_revision": to, "from_digest": "", "to_digest": ""}
    with open_store(settings.store) as store:
        store.record("rollback", settings.today, **row, reason="K", who="")


def offences(settings: Settings) -> list[tuple[str, str]]:
    with open_store(settings.store) as store:
        raised = doubts_about(store, settings, DECEMBER, asked=[named(_CHECK)])
    return [(row["revision"], doubt.remedy.text()) for doubt in raised if doubt.remedy for row in doubt.rows]


def test_a_list_calculated_on_a_rolled_back_one_is_not_published(rated):
    insert_rollback(rated, 1, 2)
    assert offences(rated) == [("r1", "ratinglist rerate --from 2025-11")]


def test_a_list_is_published_once_the_revision_before_is_current_again(rated):
    insert_rollback(rated, 1, 2)
    insert_rollback(rated, 2, 1)
    assert offences(rated) == []


def test_a_list_is_published_once_the_list_before_has_other_figures(rated):
    insert_rollback(rated, 1, 2)
    with open_store(rated.store) as store:
        newest = store.log.history.newest_calculations()["2025-11"]
        number = store.log.history.last_calculation + 1
        shutil.copytree(store.folder(NOVEMBER, newest.number).path, store.folder(NOVEMBER, number).path)
        store.record("calculate", rated.today, **{**newest.facts, "calculation": number, "calculation_id": "another"})
    assert offences(rated) == []


# ------------------------------------------------------------------------------------------------- the same one again


def test_the_same_rollback_to_the_same_revision_is_made_once(office):
    undo.rollback(office, NOVEMBER, WHY, to="r1")
    assert undo.rollback(office, NOVEMBER, WHY, to="r1").values["already"]
    assert len(stored_rollbacks(office)) == 1


def test_a_month_that_is_withdrawn_is_not_withdrawn_again(office):
    undo.rollback(office, NOVEMBER, WHY, to="none")
    again = undo.rollback(office, NOVEMBER, WHY, to="none")
    assert again.values["already"]
    assert again.values["before"] == "r2"
    with pytest.raises(NothingReadError, match=r'nothing to take back.*--to r2 --because "\.\.\."'):
        undo.rollback(office, NOVEMBER, "another reason", to="none")
    assert len(stored_rollbacks(office)) == 1


# --------------------------------------------------------------------------------------------------- command line


def test_the_command_prints_the_current_revision_and_the_next_command(office):
    done = CliRunner().invoke(program, ["rollback", "2025-11", "--because", WHY, "--home", str(office.home)])
    assert done.exit_code == 0
    assert "The list of 2025-11: r1 is current again" in done.stdout
    assert "ratinglist rerate --from 2025-11" in done.stdout
