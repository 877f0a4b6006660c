"""Months delivered as tables: published as from TRF, made again from the originals, corrected and set aside."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, replay, run
from ratinglist_lab.standings import standings
from tests.as_tables import deliver_as_tables
from tests.conftest import MONTHS, SAMPLE, copied, office, published_bytes
from tests.stores import open_store

pytestmark = pytest.mark.asks_only()

DIFFERENT = {"events.parquet", *(f"{MONTHS[0]}/r1/{name}" for name in ("events.parquet", "manifest.json"))}
"""What differs where the same month came in other files: the digests of the reports are in it."""
EVENTS = "event_id,version,name,start_date,end_date,time_control,federation,received_on\n"
OPEN = "T1,{version},Table Open,2025-08-20,2025-08-22,standard,ORV,2025-08-23\n"
GAMES = "event_id,round,date,white_id,black_id,white_result,black_result\n"


@pytest.fixture(scope="module")
def tabled(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office whose first month came in tables; look, do not touch."""
    folder = tmp_path_factory.mktemp("tabled")
    settings = copied(homes / "2025-08", folder)
    import_files.import_players(settings, SAMPLE / f"players-{MONTHS[0]}.csv")
    deliver_as_tables(SAMPLE / "reports" / MONTHS[0], folder / "inbox", ".parquet")
    run.run(settings, Period.parse(MONTHS[0]), [folder / "inbox"])
    return settings


@pytest.fixture
def fresh(homes: Path, tmp_path: Path) -> Settings:
    """An office with the first list alone; yours to break."""
    shutil.copytree(homes / "2025-08", tmp_path / "home", symlinks=True)
    return replace(office(tmp_path / "home"), today=date(2025, 8, 25))


@pytest.fixture
def deliver(fresh: Settings, tmp_path: Path) -> Callable[[str, str], Path]:
    """Write the two tables and return their folder."""

    def written(events: str, games: str) -> Path:
        inbox = tmp_path / "inbox"
        inbox.mkdir(exist_ok=True)
        (inbox / "events.csv").write_text(EVENTS + events, encoding="utf-8")
        (inbox / "games.csv").write_text(GAMES + games, encoding="utf-8")
        return inbox

    return written


def listed(settings: Settings, number: int) -> list[int]:
    with open_store(settings.store) as store:
        return store.read("select fide_id from player order by fide_id")["fide_id"].head(number).to_list()


def test_a_month_in_tables_publishes_the_lists_of_the_same_month_in_trf(tabled, homes):
    from_trf, from_tables = published_bytes(homes / MONTHS[0]), published_bytes(tabled.home)
    assert {name for name in from_trf if from_trf[name] != from_tables.get(name)} == DIFFERENT
    trf_events, table_events = (
        pl.read_parquet(home / "published" / MONTHS[0] / "r1" / "events.parquet").drop("report_sha256")
        for home in (homes / MONTHS[0], tabled.home)
    )
    assert trf_events.equals(table_events)


def test_a_home_with_tables_is_rebuilt_from_its_originals(tabled, tmp_path):
    settings = copied(tabled.home, tmp_path)
    before = published_bytes(settings.home)
    shutil.rmtree(settings.store.parent / "calculations")
    settings.store.unlink()
    replay.rebuild(settings)
    assert published_bytes(settings.home) == before
    assert doctor.check(settings).problems == []


def test_an_unknown_player_waits_and_the_row_is_named(fresh, deliver):
    white, black = listed(fresh, 2)
    inbox = deliver(OPEN.format(version=1), f"T1,1,2025-08-20,{white},{black},1,0\nT1,2,2025-08-21,{white},777,1,0\n")
    (waiting,) = load.load(fresh, [inbox]).refused
    assert [waiting[name] for name in ("file", "line", "value", "reason", "status")] == [
        *(f"{inbox.as_posix()}/games.csv/T1", 3, "777", "unknown_player", "waiting")
    ]
    assert "777 (white_id or black_id)" in str(waiting["says"])


def test_a_corrected_delivery_of_the_same_event_is_a_new_version(fresh, deliver):
    white, black = listed(fresh, 2)
    first = load.load(fresh, [deliver(OPEN.format(version=1), f"T1,1,2025-08-20,{white},{black},1,0\n")])
    assert (first.accepted, first.games, first.refused) == (1, 1, [])
    again = load.load(fresh, [deliver(OPEN.format(version=1), f"\nT1,1,2025-08-20,{white},{black},1,0\n")])
    assert (again.accepted, again.known_already) == (0, 1)
    load.load(fresh, [deliver(OPEN.format(version=2), f"T1,1,2025-08-20,{white},{black},0,1\n")])
    run.rate(replace(fresh, today=date(2025, 9, 1)), Period.parse("2025-09"))
    with open_store(fresh.store) as store:
        games = store.read("select fide_id, score_halves from game where event_id = 'T1' and reason = ''")
        assert dict(games.iter_rows()) == {white: 0, black: 2}
        versions = store.rows("select version, accepted, report_format from report where event_id = 'T1' order by 1")
        assert versions == [(1, True, "table"), (2, True, "table")]
    assert standings(fresh, "T1").values["players"]["fide_id"].to_list() == [black, white]
