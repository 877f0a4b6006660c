"""Matches: two rated players of similar strength, alternating colours, an end after the decision."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.simulation import participation
from ratinglist.simulation.events import events_of as all_events_of
from ratinglist.simulation.matches import MATCH, play_matches
from ratinglist.simulation.participation import entrants_of
from ratinglist.simulation.plan import Plan, world_of
from tests.unit.simulation.fields import EXPECTED, assert_mirrored, events_of
from tests.unit.simulation.fields import entrants_of as field_of
from tests.unit.simulation.worlds import FIRST

HALVES = {"1": 2, "+": 2, "=": 1, "0": 0, "-": 0}
ROUNDS = 6
WORLD = world_of(3_000, FIRST, reports=120, plan=Plan(systems=(500, 0, 0, 0, 500)))


@pytest.fixture(scope="module")
def cells() -> pl.DataFrame:
    """200 matches over six games, the first a little stronger than the second."""
    events = events_of(MATCH, 200, ROUNDS)
    entrants = field_of(events, 2).with_columns(strength=2000 - 40 * pl.col("start_number"))
    return play_matches(events, entrants, 1, EXPECTED).sort("event_no", "start_number", "round")


@pytest.fixture(scope="module")
def leads(cells: pl.DataFrame) -> pl.DataFrame:
    """Return by match: games played, the leader's half points, and those before the last game."""
    points = cells.with_columns(halves=pl.col("result").replace_strict(HALVES))
    of_players = points.group_by("event_no", "start_number").agg(
        games=pl.len(), halves=pl.col("halves").sum(), before=pl.col("halves").sum() - pl.col("halves").last()
    )
    return of_players.group_by("event_no").agg(pl.all().exclude("start_number").max())


@pytest.fixture(scope="module")
def held() -> tuple[pl.DataFrame, pl.DataFrame]:
    """The events of a month, half of them matches, and their entrants."""
    requests = participation.entry_requests(WORLD, 1)
    events = all_events_of(WORLD, 1, requests).with_columns(has_unregistered=pl.lit(value=False))
    return events, entrants_of(WORLD, 1, events, requests)


def test_the_cells_of_both_players_agree(cells):
    assert_mirrored(cells)


def test_the_colours_change_with_every_game(cells):
    colours = cells.group_by("event_no", "start_number", maintain_order=True).agg(pl.col("colour").str.join(""))
    assert {colour[:4] for colour in colours["colour"]} == {"wbwb", "bwbw"}
    assert not colours["colour"].str.contains("ww|bb").any()


def test_a_match_that_ends_early_is_decided_by_its_last_game(leads):
    early = leads.filter(pl.col("games") < ROUNDS)
    assert early.height > 20
    assert early.filter((pl.col("halves") <= ROUNDS) | (pl.col("before") > ROUNDS)).is_empty()


def test_no_player_of_a_match_plays_another_event_at_the_same_time(held):
    events, entrants = held
    slots = entrants.join(events.select("event_no", slot=participation.slot_of(pl.col("group"))), on="event_no")
    assert not slots.select(pl.struct("number", "slot").is_duplicated().any()).item()
