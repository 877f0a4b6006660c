from __future__ import annotations

import polars as pl
import pytest

from ratinglist.simulation import participation
from ratinglist.simulation.deliveries import with_plants
from ratinglist.simulation.events import events_of, round_day
from ratinglist.simulation.participation import entrants_of
from ratinglist.simulation.plan import SYSTEMS, world_of
from tests.unit.simulation.worlds import FIRST

WORLD = world_of(30_000, FIRST, reports=400, federations=("ORV", "KEL", "ZYM"))


@pytest.fixture(scope="module")
def requests() -> pl.DataFrame:
    return participation.entry_requests(WORLD, 1)


@pytest.fixture(scope="module")
def events(requests: pl.DataFrame) -> pl.DataFrame:
    return with_plants(events_of(WORLD, 1, requests), WORLD)


@pytest.fixture(scope="module")
def entrants(events: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    return entrants_of(WORLD, 1, events, requests)


def test_every_kind_of_event_is_held_and_most_are_swiss(events):
    counts = events["system"].value_counts().sort("count", descending=True)
    assert sorted(counts["system"]) == sorted(SYSTEMS)
    assert counts["system"][0] == "swiss"


def test_no_player_enters_an_event_twice_or_two_events_of_one_slot(events, entrants):
    slot = events.select("event_no", slot=participation.slot_of(pl.col("group")))
    registered = entrants.filter(pl.col("number") < WORLD.registered(1)).join(slot, on="event_no")
    assert not registered.select(pl.struct("number", "slot").is_duplicated().any()).item()


def test_an_event_has_as_many_entrants_as_places(events, entrants):
    fields = entrants.group_by("event_no").agg(pl.len().cast(pl.Int64).alias("entered"))
    assert (
        events.join(fields, on="event_no", how="left").filter(pl.col("entered").ne_missing(pl.col("size"))).is_empty()
    )


def test_start_numbers_go_by_rating(entrants):
    ordered = entrants.sort("event_no", "start_number").with_columns(pl.col("rating").fill_null(0))
    rises = ordered.select((pl.col("rating").diff() > 0) & (pl.col("event_no").diff() == 0)).to_series()
    assert not rises.any()


def test_a_team_event_has_full_teams(events, entrants):
    teams = entrants.drop_nulls("team").group_by("event_no", "team").agg(pl.col("board").sort())
    boards = teams.join(events.select("event_no", "boards"), on="event_no")
    assert boards.height > 10
    assert (boards["board"].list.len().cast(pl.Int64) == boards["boards"]).all()


def test_some_enter_late_and_some_withdraw_from_swiss_events_alone(events, entrants):
    system = entrants.join(events.select("event_no", "system", "rounds"), on="event_no")
    odd = system.filter((pl.col("enters_round") > 1) | (pl.col("leaves_after") < pl.col("rounds")))
    assert 0 < odd.height < entrants.height // 10
    assert odd["system"].unique().to_list() == ["swiss"]


def test_an_unregistered_player_plays_where_one_is_planted(events, entrants):
    unregistered = entrants.filter(pl.col("number") >= WORLD.registered(1))
    assert sorted(unregistered["event_no"]) == sorted(events.filter("has_unregistered")["event_no"])
    assert unregistered.height > 0


def test_no_day_has_more_than_twelve_hours_of_standard_play(events):
    rounds = (
        events.filter(pl.col("time_control") == "standard")
        .with_columns(pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int64).alias("round"))
        .explode("round")
        .with_columns(day=round_day(pl.col("round")))
        .group_by("event_no", "day", "minutes")
        .len()
    )
    assert (rounds["len"] * rounds["minutes"] * 2).max() <= 12 * 60
