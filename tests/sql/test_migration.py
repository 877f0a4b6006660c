"""A home of an earlier version is migrated, and its calculated lists are published unchanged."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist import readings, resources
from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.store.calculation_log import state_after
from ratinglist.store.calculations import calculation
from ratinglist.store.database import Store
from ratinglist.store.opening import open_store
from ratinglist.workflows import publish, rate, run
from tests.conftest import MONTHS, office, published_bytes, rate_sample

LAST = Period.parse(MONTHS[-1])

MADE_OLD = """
    create type ratinglist.side_reason as enum (
        '', 'same_game', 'opponent_unrated', 'rating_gap', 'time_limit', 'counts_for_entry', 'zero_first_event',
        'tranche_too_small'
    );
    create table ratinglist.main.list_state as select * from temp.list_state;
    create table ratinglist.main.list_state_past as
        select * exclude (source_no), false as is_absent, 0 as replaced_by from temp.list_state limit 0;
    create table ratinglist.main.event as
        select * replace ((1000 * dense_rank() over (order by month) + event_no)::uinteger as event_no) from temp.event;
    create table ratinglist.main.side as
        select side.* exclude (month) replace (old.event_no as event_no, side.reason::ratinglist.side_reason as reason)
        from temp.side join temp.event using (month, event_no)
        join ratinglist.main.event as old using (month, event_id)
        order by old.event_no, round, fide_id;
    create table ratinglist.main.change as select * from temp.change;
    create table ratinglist.main.entry as select * from temp.entry;
    create table ratinglist.main.pool as select * from temp.pool;
    drop table imported_list;
    alter table calculation drop column calculation_no;
    drop table journal;
    drop table approval_signature;
    drop table dismissal;
    drop table published_index;
    drop table reference_list;
    drop table notice;
    drop table intention;
    drop table current_revision;
    alter table publication drop column digest;
    alter table publication drop column manifest_sha256;
    alter table publication drop column bytes;
    delete from migration where name >= '0009';
"""
"""Statements that make the store of version 8: calculated rows are in tables."""

GAMES = "select * from game order by month, time_control, event_id, round, fide_id"
EVENTS = "select * from event order by month, event_id"
LISTS = "select * from list_state order by month, time_control, fide_id"


def make_old_version(settings: Settings) -> None:
    with open_store(settings.store) as store:
        for statement in MADE_OLD.split(";\n"):
            if statement.strip():
                store.execute(statement)
    shutil.rmtree(settings.home / "calculations")
    shutil.rmtree(settings.home / "archive")


@pytest.fixture(scope="module")
def first_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has published all months by the first readings; look, do not touch."""
    home = tmp_path_factory.mktemp("first") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readings, "NEWEST", readings.FIRST)
        rate_sample(office(home))
    return home


@pytest.fixture(scope="module")
def old_home(first_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an earlier version that has published all months; look, do not touch."""
    home = tmp_path_factory.mktemp("old") / "home"
    shutil.copytree(first_home, home)
    make_old_version(office(home))
    return home


@pytest.fixture
def old(old_home: Path, tmp_path: Path) -> Settings:
    """An office with a home of an earlier version; yours to break."""
    return office(Path(shutil.copytree(old_home, tmp_path / "home")))


def everything(store: Store) -> list[pl.DataFrame]:
    return [store.read(query) for query in (GAMES, EVENTS, LISTS)]


@pytest.mark.thorough
def test_calculated_tables_are_moved_into_files(rated: Settings) -> None:
    with open_store(rated.store) as store:
        before = everything(store)
    make_old_version(rated)
    with open_store(rated.store) as store:
        assert all(now.equals(then) for now, then in zip(everything(store), before, strict=True))
        tables = set(store.read("select table_name from duckdb_tables() where not temporary")["table_name"])
        assert {"list_state", "list_state_past", "event", "side", "change", "entry", "pool"} & tables == set()


def test_the_store_is_copied_before_it_is_migrated(rated: Settings) -> None:
    old = rated.home / "ratinglist.duckdb.before-0005_new_facts"
    old.touch()
    make_old_version(rated)
    with open_store(rated.store):
        copies = list(rated.home.glob("ratinglist.duckdb.before-*"))
    newest_file = max(resources.sql("migrations").glob("*.sql")).stem
    assert [one.name for one in copies] == [f"ratinglist.duckdb.before-{newest_file}"]
    with duckdb.connect(str(copies[0]), read_only=True) as copy:
        newest = copy.execute("select max(name) from migration").fetchall()
        assert (newest, copy.execute("select count(*) > 0 from side").fetchall()) == (
            [("0008_found_by_number.sql",)],
            [(True,)],
        )


def test_a_store_that_is_not_migrated_is_not_copied(rated: Settings) -> None:
    with open_store(rated.store):
        assert list(rated.home.glob("*before*")) == []


@pytest.mark.thorough
def test_the_files_are_those_of_the_calculation(first_home: Path, tmp_path: Path) -> None:
    settings = office(Path(shutil.copytree(first_home, tmp_path / "home")))

    def digests() -> dict[str, object]:
        with open_store(settings.store) as store:
            found = calculation(store, LAST)
            assert found is not None
            return {name: entry["sha256"] for name, entry in found.folder.files().items()}

    before = digests()
    make_old_version(settings)
    assert digests() == before


@pytest.mark.thorough
@pytest.mark.parametrize("month", MONTHS)
def test_the_months_of_an_earlier_version_are_published_unchanged(old: Settings, first_home: Path, month: str) -> None:
    assert not publish.publish(old, Period.parse(month)).is_new
    assert published_bytes(old.home) == published_bytes(first_home)


@pytest.mark.thorough
def test_a_month_is_calculated_again_over_one_of_an_earlier_version(old: Settings, first_home: Path) -> None:
    run.run(old, LAST)
    assert published_bytes(old.home) == published_bytes(first_home)


def test_a_list_calculated_again_can_be_read_as_it_was(rated: Settings) -> None:
    rate.rate(rated, LAST)
    with open_store(rated.store) as store:
        found = calculation(store, LAST)
        assert found is not None
    make_old_version(rated)
    with duckdb.connect(str(rated.store)) as old:
        old.execute(
            """
            insert into list_state_past by name
            select * exclude (source_no) replace (rating + 1 as rating), false as is_absent, $number as replaced_by
            from list_state where month = $month and rating is not null order by time_control, fide_id limit 1
            """,
            {"number": found.number, "month": str(LAST)},
        )
    with open_store(rated.store) as store:
        then, now = (state_after(store, LAST, number) for number in (found.number - 1, found.number))
    differs = then["rating"].ne_missing(now["rating"])
    assert (then["rating"] - now["rating"]).filter(differs).to_list() == [1]
