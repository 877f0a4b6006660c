"""Every check of sql/checks passes on the sample and finds a planted fault."""

from __future__ import annotations

import pytest

from ratinglist import pipeline, resources
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import open_store

CHECKS = {path.stem: path for path in resources.sql("checks").glob("*.sql")}
NOVEMBER = Period.parse("2025-11")
NOVEMBERS = "event_no in (select event_no from event where month = '2025-11')"

FAULTS = {
    "change_is_the_sum_of_its_games": "update change set change_hundredths = change_hundredths + 1 "
    "where month = '2025-11' and status = 'rated'",
    "every_game_from_both_sides": f"delete from side where {NOVEMBERS} and is_white and round = 1",
    "games_received_add_up": "update event set games = games + 1 where month = '2025-11' and status = 'rated'",
    "rated_or_a_reason": f"update side set reason = 'opponent_unrated' where {NOVEMBERS} and k is not null",
    "rated_only_against_rated": f"update side set opponent_rating = null where {NOVEMBERS} and k is not null",
    "new_rating_is_on_the_list": "update list_state set rating = rating + 1 where month = '2025-11'",
    "nobody_moved_without_games": "delete from change where month = '2025-11' and change > 0",
    "players_add_up": "delete from list_state where month = '2025-11' and rating = "
    "(select max(rating) from list_state where month = '2025-11')",
    "one_row_each": "insert into list_state select * from list_state where month = '2025-11' limit 1",
    "no_game_rated_twice": "insert into event select '2025-11' as month, * exclude (month) from event "
    "where month = '2025-10' and status = 'rated' limit 1",
    "the_list_before_still_stands": "update calculation set calculation_id = 'another' where month = '2025-10'",
    "every_listed_player_is_known": "delete from player where fide_id in "
    "(select fide_id from list_state where month = '2025-11' and rating > 2600)",
}


def test_every_check_has_a_planted_fault() -> None:
    assert set(FAULTS) == set(CHECKS)


def test_every_check_passes_on_the_sample(rated: Settings) -> None:
    with open_store(rated.store) as store:
        for month in ("2025-09", "2025-10", "2025-11", "2025-12"):
            assert store.check(Period.parse(month)) == []


@pytest.mark.parametrize("check", sorted(FAULTS))
def test_a_planted_fault_is_found_and_stops_the_publication(check: str, rated: Settings) -> None:
    with open_store(rated.store) as store:
        store._connection.execute(FAULTS[check]).fetchall()
        offences = store.check(NOVEMBER, [CHECKS[check]])
    assert [one.check for one in offences] == [check]
    assert offences[0].count >= 1
    assert offences[0].why
    with pytest.raises(CheckError, match=check):
        pipeline.publish(rated, NOVEMBER)


TWICE = {
    "side": f"insert into side select * from side where {NOVEMBERS} limit 1",
    "side, out of the order they are kept in": f"insert into side select * from side where {NOVEMBERS} "
    "order by event_no desc, round desc, fide_id desc limit 1",
    "change": "insert into change select * from change where month = '2025-11' limit 1",
    "pool": "insert into pool select * from pool where month = '2025-11' limit 1",
}


@pytest.mark.parametrize("table", TWICE)
def test_a_row_that_stands_twice_is_found_in_every_table(table: str, rated: Settings) -> None:
    with open_store(rated.store) as store:
        store._connection.execute(TWICE[table]).fetchall()
        (offence,) = store.check(NOVEMBER, [CHECKS["one_row_each"]])
    assert (offence.count, offence.rows[0]["rows"]) == (1, 2)


def test_rows_kept_in_another_order_are_no_offence(rated: Settings) -> None:
    with open_store(rated.store) as store:
        for table, key in (("side", "event_no, round, fide_id"), ("list_state", "month, time_control, fide_id")):
            store._connection.execute(f"create table kept as select * from {table} order by ({key}) desc").fetchall()
            store._connection.execute(f"delete from {table}").fetchall()
            store._connection.execute(f"insert into {table} select * from kept").fetchall()
            store._connection.execute("drop table kept").fetchall()
        assert store.check(NOVEMBER) == []


def test_a_game_with_two_white_players_is_found(rated: Settings) -> None:
    with open_store(rated.store) as store:
        store._connection.execute(
            f"update side set is_white = true where {NOVEMBERS} and round = 1 and fide_id = "
            f"(select min(fide_id) from side where {NOVEMBERS} and round = 1 and not is_white)"
        ).fetchall()
        (offence,) = store.check(NOVEMBER, [CHECKS["every_game_from_both_sides"]])
    assert offence.count == 2
