"""A home made by an earlier version is taken over, and what it calculated is published as it was."""

from __future__ import annotations

import duckdb

from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.store.database import open_store
from ratinglist.workflows import publish, run
from tests.conftest import MONTHS, published_bytes

SINCE = "0003_sides.sql"

AS_BEFORE = f"""
    create table game_before as select * from game order by month, time_control, event_id, round, fide_id;
    create table event_before as select * exclude (event_no, rule_set) from event;
    drop view game;
    drop view game_line;
    drop table side;
    drop table event;
    drop type side_reason;
    alter table game_before rename to game;
    alter table event_before rename to event;
    delete from migration where name = '{SINCE}';
"""
"""The store as version 2 of its layout had it: the words of an event beside every side of its games."""


def _taken_back(settings: Settings) -> None:
    with duckdb.connect(str(settings.store)) as connection:
        connection.execute(AS_BEFORE).fetchall()


def test_sides_are_taken_over_from_the_games_of_an_earlier_version(rated: Settings) -> None:
    query = "select * from game order by month, time_control, event_id, round, fide_id"
    with open_store(rated.store) as store:
        before, events = store.read(query), store.read("select * exclude (event_no) from event order by all")
    _taken_back(rated)
    with open_store(rated.store) as store:
        assert store.read(query).equals(before)
        assert store.read("select * exclude (event_no) from event order by all").equals(events)
        assert store.read("select name from migration")["name"].to_list()[-1] == SINCE


def test_the_months_of_an_earlier_version_are_published_unchanged(rated: Settings) -> None:
    before = published_bytes(rated.home)
    _taken_back(rated)
    for month in MONTHS:
        assert not publish.publish(rated, Period.parse(month)).is_new
    assert published_bytes(rated.home) == before


def test_a_month_is_calculated_anew_over_one_of_an_earlier_version(rated: Settings) -> None:
    before = published_bytes(rated.home)
    _taken_back(rated)
    run.run(rated, Period.parse(MONTHS[-1]))
    assert published_bytes(rated.home) == before
