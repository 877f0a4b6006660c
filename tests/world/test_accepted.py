"""An office loads a simulated federation: what should be rated is, and only planted problems are not."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.settings import Settings
from ratinglist.workflows import import_files, quarantine, run, sql
from ratinglist_world.people import world_of
from ratinglist_world.simulate import simulate
from tests.world.worlds import FIRST, MONTHS_WRITTEN, broken_files, hard_luck, should_be_rated

pytestmark = pytest.mark.long

MONTHS = MONTHS_WRITTEN
LATER_PART = "/"
"""Follows the code of an event if two of its parts are in the same list."""


def office_of(out: Path, home: Path) -> Settings:
    """Return an office that has rated the months of the world written into ``out``."""
    settings = Settings(home=home, family="fide", today=date(2026, 3, 1))
    import_files.import_list(settings, out / f"list-{FIRST - 1}.csv", FIRST - 1)
    for number in range(MONTHS):
        month = FIRST + number
        import_files.import_players(settings, out / f"players-{month}.csv")
        run.run(settings, month, [out / "reports" / str(month)])
    return settings


@pytest.fixture(scope="module")
def office(world_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return office_of(world_folder, tmp_path_factory.mktemp("office") / "home")


def events(settings: Settings) -> pl.DataFrame:
    return sql.run(settings.published, "select * from events order by list_month, event_id")


def rated(settings: Settings) -> set[tuple[str, str, str]]:
    rated_events = events(settings).filter(pl.col("status") == "rated").select("list_month", "event_id", "start_date")
    return {(month, code.split(LATER_PART)[0], str(start)) for month, code, start in rated_events.iter_rows()}


def test_everything_that_is_meant_to_be_rated_is_rated_by_its_list_and_nothing_else(office):
    expected = should_be_rated(hard_luck(), MONTHS)
    assert len(expected) > 20
    assert rated(office) == expected


def test_the_refused_reports_are_those_that_were_broken(office, world_folder):
    """A broken report that a second version replaced may be listed: as refused by the list that came before it.

    One whose last list has passed is late.
    """
    rows = quarantine.quarantined(office, None)
    refused = {
        Path(str(row["file"])).name for row in rows if row["status"] == "refused" or row["reason"] == "third_list_limit"
    }
    broken, came = broken_files(hard_luck(), MONTHS), {path.name for path in world_folder.rglob("*.trf")}
    assert refused
    assert {file for file in broken if f"{Path(file).stem}-v2.trf" not in came} <= refused <= broken


def test_an_event_under_another_code_is_a_duplicate(office):
    duplicates = events(office).filter(pl.col("status") == "duplicate")
    assert duplicates.height > 0
    assert duplicates["event_id"].str.ends_with("X").all()
    assert set(duplicates["reason"]) == {"same_games"}


def test_a_federation_of_sixty_is_rated_whole(tmp_path):
    world = world_of(60, FIRST)
    simulate(tmp_path / "world", world, MONTHS)
    assert rated(office_of(tmp_path / "world", tmp_path / "home")) == should_be_rated(world, MONTHS)
