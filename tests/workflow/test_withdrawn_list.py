"""A list that was withdrawn by a rollback of its first revision: readers have none, later lists do without it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CheckError, NothingReadError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.published_files import verify
from ratinglist.settings import Settings
from ratinglist.workflows import (
    correct,
    doctor,
    explain,
    for_readers,
    publish,
    quarantine,
    rerate,
    run,
    sql,
    status,
    undo,
)
from tests.conftest import copied, office, published_bytes
from tests.stores import open_store
from tests.workflow.test_rerate import correction

NOVEMBER, DECEMBER, JANUARY = (Period.parse(month) for month in ("2025-11", "2025-12", "2026-01"))
WHY = "the hall was closed"
WITHDRAW_EVENT = correction("withdraw_event", 'event_id = "ORV25104"')


def taken_back(home: Path, folder: Path, *months: Period) -> Settings:
    settings = copied(home, folder)
    for month in months:
        undo.rollback(settings, month, WHY)
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
def december(december_home: Path, tmp_path: Path) -> Settings:
    return taken_back(december_home, tmp_path)


@pytest.fixture
def november(november_home: Path, tmp_path: Path) -> Settings:
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
    settings = office(december_home)
    assert sql.run(settings.published, "select newest_list() as newest").item() == "2025-11"
    assert sql.run(settings.published, "select count(*) as n from lists where list_month = '2025-12'").item() == 0
    assert (
        sql.run(settings.published, "select count(*) as n from both_numbers where list_month = '2025-12'").item() == 0
    )
    assert revisions.months(settings.published)[-1] == NOVEMBER
    with pytest.raises(NothingReadError, match=rf"was withdrawn on 2025-12-01: {WHY}.*--revision r1"):
        explain.explain(settings, 900000113, DECEMBER)
    with pytest.raises(NothingReadError, match="was withdrawn"):
        for_readers.known_list(settings, DECEMBER, "standard")
    with pytest.raises(NothingReadError, match="was withdrawn"):
        quarantine.quarantined(settings, DECEMBER)
    assert explain.explain(settings, 900000113, DECEMBER, revision="r1").content["revision"] == "r1"


def test_the_list_taken_back_is_the_next_one(december_home: Path) -> None:
    text = status.status(office(december_home)).text()
    assert "Next list: 2025-12, taken back, to be calculated again; closing date" in text
    assert "To recalculate: nothing" in text


def test_a_list_that_used_the_one_taken_back_is_named_once(november_home: Path) -> None:
    assert status.status(office(november_home)).to_do == [
        "the list of 2025-12 used that of 2025-11, which was withdrawn. Publish 2025-11 again, or leave it without a "
        "list, then: ratinglist rerate --from 2025-12"
    ]


def test_its_events_are_not_rated_any_more(december_home: Path) -> None:
    rows = quarantine.event(office(december_home), "ORV25104").reports
    assert set(rows["status"]) == {"deferred"}
    published = pl.read_parquet(december_home / "published" / "events.parquet")
    assert "2025-12" not in published["list_month"]


def test_everything_published_is_whole(december_home: Path) -> None:
    found = verify(december_home / "published")
    assert found.wrong == []
    assert any("withdrawn" in note for note in found.notes)
    assert doctor.check(office(december_home)).problems == []


def test_a_latest_that_is_put_back_by_hand_is_found(december: Settings) -> None:
    (december.published / "2025-12" / "latest").write_text("r1\n", encoding="utf-8")
    (problem,) = doctor.check(december).problems
    assert (Path(problem.file).name, problem.remedy.startswith(doctor.REMOVE)) == ("latest", True)
    with pytest.raises(CheckError, match="latest: was not published"):
        run.rate(december, DECEMBER)


# ------------------------------------------------------------------------------------------------------- what is next


def test_another_list_is_published_as_the_next_revision_without_a_diff(december: Settings) -> None:
    file = december.home.parent / "corrections.toml"
    file.write_text(WITHDRAW_EVENT, encoding="utf-8")
    correct.correct(december, file)
    run.rate(december, DECEMBER)
    done = publish.publish(december, DECEMBER)
    assert (done.revision, done.is_new) == ("r2", True)
    assert not (Path(done.path) / "DIFF.md").exists()
    with open_store(december.store) as store:
        assert store.log.history.first["2025-12"] == 2
    assert sql.run(december.published, "select newest_list() as newest").item() == "2025-12"
    assert doctor.check(december).problems == []


def test_it_can_be_made_current_again(december: Settings, homes: Path) -> None:
    done = undo.rollback(december, DECEMBER, "it was right", to="r1")
    assert (done.values["before"], done.values["revision"]) == ("", "r1")
    before, now = published_bytes(homes / "2025-12"), published_bytes(december.home)
    assert {name for name in now if before.get(name) != now[name]} == {"2025-12/rollbacks.csv"}
    assert not publish.publish(december, DECEMBER).is_new


def test_a_list_on_a_withdrawn_one_is_not_published(november: Settings) -> None:
    with pytest.raises(CheckError, match=r"list_before_was_withdrawn: [^\n]+\n +list before 2025-11"):
        publish.publish(november, DECEMBER)


def test_later_lists_are_calculated_without_it(november: Settings) -> None:
    (row,) = (one for one in run.rate(november, DECEMBER).notes if "list before is that of" in one)
    assert "2025-10" in row
    with pytest.raises(UnansweredError, match="missing 2025-11, newest before 2025-10"):
        rerate.rerate(november, NOVEMBER)
    done = rerate.rerate(november, NOVEMBER, because={"missing_month": "the hall was closed"})
    assert [(one.month, one.revision) for one in done.months] == [("2025-12", "r2")]
