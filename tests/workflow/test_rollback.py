"""Rolling a list back or taking it back: what readers see, what is kept, and what is no longer published by mistake."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist import tables
from ratinglist.errors import CheckError, CommandLineError, NothingReadError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.doubts import doubts_about, named
from ratinglist.publication.published_files import verify
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.tables import BOTH_NUMBERS, ROLLED_BACK
from ratinglist.workflows import (
    correct,
    doctor,
    explain,
    for_readers,
    load,
    publish,
    quarantine,
    rerate,
    run,
    sql,
    status,
    undo,
)
from tests import conftest
from tests.conftest import CHAIN, copied, delivery_of, published_bytes
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
from tests.workflow.test_rerate import correction

pytestmark = pytest.mark.asks_only(*CHAIN, "missing_month", "months_between")

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


def test_readers_see_the_revision_before_and_no_byte_of_any_revision_changes(office):
    files = {path: path.read_bytes() for path in office.published.rglob("r*/*")}
    done = undo.rollback(office, NOVEMBER, 'wrong "K", they say', by="M. Rossi")
    assert {path: path.read_bytes() for path in office.published.rglob("r*/*")} == files
    expected = {
        "rollback_no": 1,
        "month": "2025-11",
        "from_revision": 2,
        "to_revision": 1,
        "from_digest": verify(office.published / "2025-11" / "r2").revisions.popitem()[1][0],
        "to_digest": done.values["digest"],
        "reason": 'wrong "K", they say',
        "who": "M. Rossi",
        "rolled_back_on": date(2025, 11, 20),
    }
    month = office.published / "2025-11"
    assert [stored_rollbacks(office), revisions.read_rollbacks(month).to_dicts()] == [[expected]] * 2
    line = (month / "rollbacks.csv").read_text(encoding="utf-8").splitlines()[1]
    assert line.endswith(',"wrong ""K"", they say",M. Rossi,2025-11-20')
    assert verify(office.published).wrong == []
    blitz = "select revision, rating from lists where time_control = 'blitz'"
    assert sql.run(office.published, blitz).rows() == [(1, 1950)]


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


def test_a_content_that_was_rolled_back_is_not_published_again_with_other_facts_either(office):
    undo.rollback(office, NOVEMBER, WHY)
    for facts in (FACTS, {**FACTS, "code_version": "9"}):
        with pytest.raises(
            CheckError, match=r"exactly r2 of 2025-11, which was rolled back on 2025-11-20 \(K was four"
        ):
            publish_in(office, NOVEMBER, version(2), facts)
    assert current(office) == "r1"
    assert not list((office.published / "2025-11").glob(".tmp-*"))


def test_a_damaged_file_of_rollbacks_is_refused_with_the_remedy(office):
    (office.published / "2025-11" / "rollbacks.csv").write_bytes(b'"\xff\n1,2\n')
    with pytest.raises(NothingReadError, match=r"not the file of rollbacks .*Put it back: ratinglist doctor --rebuild"):
        revisions.read_rollbacks(office.published / "2025-11")


def insert_rollback(settings: Settings, back: int, to: int) -> None:
    row = {"month": "2025-11", "from_revision": back, "to_revision": to, "from_digest": "", "to_digest": ""}
    with open_store(settings.store) as store:
        store.record("rollback", settings.today, **row, reason="K", who="")


def offences(settings: Settings) -> list[tuple[str, str]]:
    with open_store(settings.store) as store:
        raised = doubts_about(store, settings, DECEMBER, asked=[named("no_list_before_was_rolled_back")])
    return [(row["revision"], doubt.remedy) for doubt in raised if doubt.remedy for row in doubt.rows]


def test_a_list_is_published_once_the_revision_before_is_current_again(rated):
    insert_rollback(rated, 1, 2)
    assert offences(rated) == [("r1", "ratinglist rerate --from 2025-11")]
    insert_rollback(rated, 2, 1)
    assert offences(rated) == []


def test_a_list_is_published_once_the_list_before_has_other_figures(rated):
    insert_rollback(rated, 1, 2)
    with open_store(rated.store) as store:
        newest = store.log.history.newest_calculations()["2025-11"]
        number = store.log.history.last_calculation + 1
        folder = CalculationFolder.of(store.folders, newest).path
        shutil.copytree(folder, folder.with_name(f"c{number}"))
        store.record("calculate", rated.today, **{**newest.facts, "calculation": number, "calculation_id": "another"})
    assert offences(rated) == []


# ------------------------------------------------------------------------------------------------- the same one again


def test_the_same_rollback_is_made_once_and_a_month_that_is_withdrawn_is_not_withdrawn_again(office):
    for to, before in (("r1", "r2"), ("none", "r1")):
        undo.rollback(office, NOVEMBER, WHY, to=to)
        again = undo.rollback(office, NOVEMBER, WHY, to=to)
        assert (again.values["already"], again.values["before"]) == (True, before)
    with pytest.raises(NothingReadError, match=r'nothing to take back.*--to r1 --because "\.\.\."'):
        undo.rollback(office, NOVEMBER, "another reason", to="none")
    assert len(stored_rollbacks(office)) == 2


# ------------------------------------------------------------------------------------------------ a list taken back

CLOSED = "the hall was closed"


def taken_back(home: Path, folder: Path, *months: Period) -> Settings:
    settings = copied(home, folder)
    for month in months:
        undo.rollback(settings, month, CLOSED)
    return settings


@pytest.fixture(scope="module")
def december_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office that withdrew its newest list; look, do not touch."""
    return taken_back(homes / "2025-12", tmp_path_factory.mktemp("newest"), DECEMBER).home


@pytest.fixture(scope="module")
def november_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office that withdrew November, which December was calculated on; look, do not touch."""
    return taken_back(homes / "2025-12", tmp_path_factory.mktemp("before"), NOVEMBER).home


@pytest.fixture
def without_december(december_home: Path, tmp_path: Path) -> Settings:
    return taken_back(december_home, tmp_path)


@pytest.fixture
def without_november(november_home: Path, tmp_path: Path) -> Settings:
    return taken_back(november_home, tmp_path)


# ---------------------------------------------------------------------------------------------------- what readers see


def test_the_folder_stays_and_latest_is_gone(december_home: Path, homes: Path) -> None:
    month = december_home / "published" / "2025-12"
    assert sorted(path.name for path in month.iterdir()) == ["r1", "rollbacks.csv"]
    before = published_bytes(homes / "2025-12")
    kept = {name: data for name, data in published_bytes(december_home).items() if name in before}
    assert {name for name in kept if kept[name] != before[name]} == {"events.parquet"}
    assert set(before) - set(kept) == {"2025-12/latest"}


def test_no_command_shows_the_month_as_published(december_home: Path) -> None:
    settings = conftest.office(december_home)
    assert sql.run(settings.published, "select newest_list() as newest").item() == "2025-11"
    assert sql.run(settings.published, "select count(*) as n from lists where list_month = '2025-12'").item() == 0
    assert (
        sql.run(settings.published, "select count(*) as n from both_numbers where list_month = '2025-12'").item() == 0
    )
    assert revisions.months(settings.published)[-1] == NOVEMBER
    with pytest.raises(NothingReadError, match=rf"was withdrawn on 2025-12-01: {CLOSED}.*--revision r1"):
        explain.explain(settings, 900000113, DECEMBER)
    with pytest.raises(NothingReadError, match="was withdrawn"):
        for_readers.known_list(settings, DECEMBER, "standard")
    with pytest.raises(NothingReadError, match="was withdrawn"):
        quarantine.quarantined(settings, DECEMBER)
    assert explain.explain(settings, 900000113, DECEMBER, revision="r1").content["revision"] == "r1"


def test_what_is_left_is_whole_and_the_list_taken_back_is_the_next_one(
    december_home: Path, november_home: Path
) -> None:
    settings = conftest.office(december_home)
    text = status.status(settings).text()
    assert "Next list: 2025-12, taken back, to be calculated again; closing date" in text
    assert "To recalculate: nothing" in text
    assert set(quarantine.event(settings, "ORV25104").reports["status"]) == {"deferred"}
    assert "2025-12" not in pl.read_parquet(settings.published / "events.parquet")["list_month"]
    verdict = verify(settings.published)
    assert (verdict.wrong, any("withdrawn" in note for note in verdict.notes)) == ([], True)
    assert doctor.check(settings).problems == []
    assert status.status(conftest.office(november_home)).to_do == [
        "the list of 2025-12 used that of 2025-11, which was withdrawn. Publish 2025-11 again, or leave it without a "
        "list, then: ratinglist rerate --from 2025-12"
    ]


# ------------------------------------------------------------------------------------------------------- what is next


def test_another_list_is_published_as_the_next_revision_without_a_diff(
    without_december: Settings, moves_nothing: None
) -> None:
    correct.type_correction(without_december, correction("withdraw_event", 'event_id = "ORV25104"'))
    run.rate(without_december, DECEMBER)
    done = publish.publish(without_december, DECEMBER)
    assert (done.revision, done.is_new) == ("r2", True)
    assert not (Path(done.path) / "DIFF.md").exists()
    with open_store(without_december.store) as store:
        assert store.log.history.first["2025-12"] == 2
    assert sql.run(without_december.published, "select newest_list() as newest").item() == "2025-12"
    assert doctor.check(without_december).problems == []


def test_the_same_file_with_other_facts_of_its_manifest_makes_another_list(
    without_december: Settings, tmp_path: Path
) -> None:
    again = delivery_of(tmp_path, "2025-12", "lantern-open")
    manifest = again / "manifest.csv"
    manifest.write_text(manifest.read_text().replace("ORV25116,1", "ORV25116,2").replace("2025-10-15", "2025-11-25"))
    load.load(without_december, [again])
    run.rate(without_december, DECEMBER)
    assert "Next list: 2025-12, calculated" in status.status(without_december).text()
    assert publish.publish(without_december, DECEMBER).revision == "r2"


def test_it_can_be_made_current_again(without_december: Settings, homes: Path) -> None:
    done = undo.rollback(without_december, DECEMBER, "it was right", to="r1")
    assert (done.values["before"], done.values["revision"]) == ("", "r1")
    before, now = published_bytes(homes / "2025-12"), published_bytes(without_december.home)
    assert {name for name in now if before.get(name) != now[name]} == {"2025-12/rollbacks.csv"}
    assert not publish.publish(without_december, DECEMBER).is_new


def test_later_lists_are_calculated_without_it(without_november: Settings) -> None:
    (row,) = (note for note in run.rate(without_november, DECEMBER).notes if "list before is that of" in note)
    assert "2025-10" in row
    with pytest.raises(UnansweredError, match="missing 2025-11, newest before 2025-10"):
        rerate.rerate(without_november, NOVEMBER)
    done = rerate.rerate(without_november, NOVEMBER, because={"missing_month": "the hall was closed"})
    assert [(month.month, month.revision) for month in done.months] == [("2025-12", "r2")]
