"""Matches: two rated players of similar strength, alternating colours, an end after the decision."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.simulation import participation, people
from ratinglist.simulation.events import events_of as all_events_of
from ratinglist.simulation.matches import MATCH, PLAYED_OUT_CHANCE, play_matches, shorten_matches
from ratinglist.simulation.months import play_month
from ratinglist.simulation.participation import entrants_of
from ratinglist.simulation.plan import Plan, world_of
from ratinglist.simulation.play import play
from tests.unit.simulation.fields import EXPECTED, assert_mirrored, events_of
from tests.unit.simulation.fields import entrants_of as field_of
from tests.unit.simulation.worlds import FIRST

HALVES = {"1": 2, "+": 2, "=": 1, "0": 0, "-": 0}
ROUNDS = 6
WORLD = world_of(3_000, FIRST, reports=120, plan=Plan(systems=(500, 0, 0, 0, 0, 500)))


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


def test_a_match_has_a_cell_for_every_round_up_to_its_last(cells):
    rounds = cells.group_by("event_no", "start_number").agg(last=pl.col("round").max(), cells=pl.len())
    assert (rounds["last"].cast(pl.Int64) == rounds["cells"].cast(pl.Int64)).all()


def test_a_match_that_ends_early_is_decided_by_its_last_game(leads):
    early = leads.filter(pl.col("games") < ROUNDS)
    assert early.height > 20
    assert early.filter((pl.col("halves") <= ROUNDS) | (pl.col("before") > ROUNDS)).is_empty()


def test_of_the_decided_matches_some_are_played_out(leads):
    decided = leads.filter((pl.col("before") > ROUNDS) | (pl.col("games") < ROUNDS))
    played_out = decided.filter(pl.col("games") == ROUNDS)
    assert 0 < played_out.height * 1000 < 2 * PLAYED_OUT_CHANCE * decided.height


def test_an_undecided_match_has_all_its_games(leads):
    assert set(leads.filter(pl.col("halves") <= ROUNDS)["games"]) == {ROUNDS}


def test_matches_are_among_the_cells_of_all_events():
    events = events_of(MATCH, 5, 4)
    entrants = field_of(events, 2)
    alone = play_matches(events, entrants, 1, EXPECTED).sort("event_no", "round", "start_number")
    assert play(events, entrants, 1, EXPECTED).equals(alone)


def test_a_match_is_over_four_to_eight_rounds_at_the_standard_time_control(held):
    matches = held[0].filter(pl.col("system") == MATCH)
    assert matches["rounds"].min() >= 4
    assert matches["rounds"].max() <= 8
    assert set(matches["time_control"]) == {"standard"}
    assert set(matches["event_type"]) == {"match"}


def test_two_rated_players_play_a_match(held):
    events, entrants = held
    fields = entrants.join(events.filter(pl.col("system") == MATCH), on="event_no", how="semi")
    assert fields.height > 40
    assert set(fields["event_no"].value_counts()["count"]) == {2}
    assert fields["rating"].min() > people.FLOOR


def test_the_two_players_are_of_similar_strength(held):
    events, entrants = held
    fields = entrants.join(events.filter(pl.col("system") == MATCH), on="event_no", how="semi")
    apart = fields.group_by("event_no").agg(pl.col("rating").max() - pl.col("rating").min())
    assert apart["rating"].median() < 50


def test_no_player_of_a_match_plays_another_event_at_the_same_time(held):
    events, entrants = held
    slots = entrants.join(events.select("event_no", slot=participation.slot_of(pl.col("group"))), on="event_no")
    assert not slots.select(pl.struct("number", "slot").is_duplicated().any()).item()


def test_a_group_without_two_rated_players_holds_no_match():
    world = world_of(3_000, FIRST, reports=50, plan=Plan(unrated=1000, unrated_at_home=0, systems=(0, 0, 0, 0, 0, 1)))
    assert all_events_of(world, 1, participation.entry_requests(world, 1)).is_empty()


def test_a_match_is_over_on_the_day_of_its_last_game():
    events = events_of(MATCH, 1, 6).with_columns(days=pl.lit(6, dtype=pl.Int64))
    cells = play_matches(events, field_of(events, 2), 1, EXPECTED).filter(pl.col("round") <= 4)
    assert shorten_matches(events, cells).select("rounds", "days").rows() == [(4, 4)]


@pytest.mark.thorough
def test_the_report_of_a_match_contains_the_rounds_that_were_played():
    month = play_month(WORLD, 1, EXPECTED)
    played = month.cells.group_by("event_no").agg(pl.col("round").max().alias("played"))
    matches = month.events.filter(pl.col("system") == MATCH).join(played, on="event_no")
    reports = month.deliveries.join(matches, on="event_no", suffix="_of_event")
    assert reports.height > 20
    assert (reports["last_round"] == reports["played"]).all()
    last_day = [start.toordinal() + rounds - 1 for start, rounds in reports.select("start_date", "played").rows()]
    assert reports["end_date"].to_list() == [date.fromordinal(day) for day in last_day]
