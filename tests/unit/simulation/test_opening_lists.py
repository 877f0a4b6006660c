from __future__ import annotations

import polars as pl
import pytest

from ratinglist.simulation.opening_lists import LIST_COLUMNS, PLAYER_COLUMNS, registrations, starting_list
from ratinglist.simulation.plan import FIRST_FIDE_ID, world_of
from tests.unit.simulation.worlds import FIRST, hard_luck

WORLD = world_of(5_000, FIRST)


@pytest.fixture(scope="module")
def listed() -> pl.DataFrame:
    return starting_list(WORLD)


def test_every_player_is_on_the_starting_list_once_for_each_time_control(listed):
    assert listed.columns == list(LIST_COLUMNS)
    assert listed["fide_id"].n_unique() == 5_000
    assert not listed.select(pl.struct("fide_id", "time_control").is_duplicated().any()).item()


def test_k_follows_from_the_state(listed):
    rated = listed.drop_nulls("rating")
    junior = (FIRST.first_day.year - pl.col("birth_year") <= 18) & (pl.col("reached_2300") == 0)
    k = (
        pl.when(pl.col("reached_2400") == 1)
        .then(10)
        .when(junior | (pl.col("games_played") < 30))
        .then(40)
        .otherwise(20)
    )
    assert rated.filter(pl.col("k") != k).is_empty()
    assert rated["k"].n_unique() == 3


def test_newcomers_are_registered_for_the_first_time_in_their_month():
    world = hard_luck()
    new = registrations(world, 2).filter(pl.col("fide_id") >= FIRST_FIDE_ID + world.registered(1))
    assert new["fide_id"].to_list() == [FIRST_FIDE_ID + number for number in range(306, 312)]
    assert new.columns == list(PLAYER_COLUMNS)
