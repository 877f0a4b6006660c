"""Round robins: the rows of the Berger tables, every pair once or twice, teams by their boards."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglist.simulation.round_robin import berger, play_round_robins
from tests.unit.simulation import fields
from tests.unit.simulation.fields import (
    EXPECTED,
    assert_mirrored,
    entrants_of,
    events_of,
    teams_of,
)

# As the handbook prints them, White first; the game of the last number comes first in each round.
TABLES = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ],
    10: [
        "1-10 2-9 3-8 4-7 5-6",
        "10-6 7-5 8-4 9-3 1-2",
        "2-10 3-1 4-9 5-8 6-7",
        "10-7 8-6 9-5 1-4 2-3",
        "3-10 4-2 5-1 6-9 7-8",
        "10-8 9-7 1-6 2-5 3-4",
        "4-10 5-3 6-2 7-1 8-9",
        "10-9 1-8 2-7 3-6 4-5",
        "5-10 6-4 7-3 8-2 9-1",
    ],
}


def schedule(table: int) -> pl.DataFrame:
    """``number``, ``opponent``, ``white`` of every round of a table."""
    cells = pl.DataFrame({"number": range(1, table + 1)}).join(pl.DataFrame({"round": range(1, table)}), how="cross")
    opponent, white = berger(pl.col("number"), pl.lit(table), pl.col("round"))
    return cells.with_columns(opponent=opponent, white=white)


def played(system: str, players: int, rounds: int, seed: int = 1, late: int = 0, gone: int = 0) -> pl.DataFrame:
    events = events_of(system, 3, rounds)
    return play_round_robins(events, entrants_of(events, players, late, gone), seed, EXPECTED)


@pytest.mark.parametrize("table", TABLES)
def test_the_tables_are_those_of_the_handbook(table):
    for round_no, row in enumerate(TABLES[table], start=1):
        games = schedule(table).filter(pl.col("white") & (pl.col("round") == round_no))
        assert {f"{white}-{black}" for white, black in games.select("number", "opponent").rows()} == set(row.split())


@pytest.mark.parametrize("table", [2, 4, 6, 12, 30, 64])
def test_all_players_meet_each_other_once_and_both_sides_agree(table):
    cells = schedule(table)
    assert cells.select("number", "opponent").is_unique().all()
    assert (cells["number"] != cells["opponent"]).all()
    both = cells.join(cells, left_on=["round", "opponent"], right_on=["round", "number"])
    assert len(both) == len(cells)
    assert both["opponent_right"].to_list() == both["number"].to_list()
    assert (both["white"] != both["white_right"]).all()


@settings(max_examples=25)
@given(st.integers(2, 15), st.integers(0, 50))
def test_in_a_round_robin_each_pair_meets_once(players, seed):
    cells = played("round_robin", players, players + players % 2 - 1, seed, late=200, gone=200)
    pairs = fields.met(cells)
    assert len(pairs) == 3 * players * (players - 1)
    assert set(pairs["len"]) == {1}
    assert_mirrored(cells)


@settings(max_examples=25)
@given(st.integers(2, 11), st.integers(0, 50))
def test_in_a_double_round_robin_each_pair_meets_twice_with_both_colours(players, seed):
    cells = played("double_round_robin", players, 2 * (players + players % 2 - 1), seed, late=200, gone=200)
    pairs = fields.games(cells).group_by("event_no", "start_number", "opponent").agg(pl.col("colour").sort())
    assert len(pairs) == 3 * players * (players - 1)
    assert all(colours == ["b", "w"] for colours in pairs["colour"].to_list())
    assert_mirrored(cells)


@pytest.mark.parametrize("players", [4, 5, 6, 9, 10])
def test_no_player_of_a_double_round_robin_has_the_same_colour_three_times_in_a_row(players):
    cells = played("double_round_robin", players, 2 * (players + players % 2 - 1)).sort("start_number", "round")
    for (_, _), cell in cells.group_by("event_no", "start_number"):
        colours = "".join(cell.sort("round")["colour"]).replace("-", "")
        assert "www" not in colours
        assert "bbb" not in colours


def test_with_an_odd_number_every_player_is_free_once_without_a_point():
    free = played("round_robin", 7, 7).filter(pl.col("opponent").is_null())
    assert free.group_by("event_no", "start_number").len()["len"].to_list() == [1] * 21
    assert set(free["result"]) == {"Z"}
    assert set(free["colour"]) == {"-"}


def test_a_withdrawn_player_loses_by_forfeit():
    events = events_of("round_robin", 1, 5)
    entrants = entrants_of(events, 6).with_columns(
        leaves_after=pl.when(pl.col("start_number") == 3).then(2).otherwise(5).cast(pl.Int32)
    )
    cells = play_round_robins(events, entrants, 1, EXPECTED)
    gone = cells.filter(pl.col("start_number") == 3, pl.col("round") > 2)
    against = cells.filter(pl.col("opponent") == 3, pl.col("round") > 2)
    assert gone["result"].to_list() == ["-"] * 3
    assert set(against["result"]) <= {"+", "-"}
    assert "+" in set(against["result"])


def league(teams: int = 4, boards: int = 4, rounds: int = 3) -> tuple[pl.DataFrame, pl.DataFrame]:
    events = events_of("team", 2, rounds)
    return events, teams_of(events, teams, boards)


def with_teams(cells: pl.DataFrame, entrants: pl.DataFrame) -> pl.DataFrame:
    own = entrants.select("event_no", "start_number", "team", "board")
    return cells.join(own, on=["event_no", "start_number"]).join(
        own, left_on=["event_no", "opponent"], right_on=["event_no", "start_number"], how="left", suffix="_opponent"
    )


def test_a_team_meets_a_team_board_by_board():
    events, entrants = league()
    cells = with_teams(play_round_robins(events, entrants, 1, EXPECTED), entrants)
    assert cells["board"].to_list() == cells["board_opponent"].to_list()
    met = cells.group_by("event_no", "round", "team").agg(pl.col("team_opponent").unique())
    assert set(met["team_opponent"].list.len()) == {1}
    pairs = cells.filter(pl.col("board") == 1).select("event_no", "team", "team_opponent")
    assert pairs.is_unique().all()


def test_the_teams_are_paired_by_the_tables():
    events, entrants = league()
    cells = with_teams(play_round_robins(events, entrants, 1, EXPECTED), entrants)
    top = cells.filter(pl.col("event_no") == 1, pl.col("board") == 1, pl.col("colour") == "w").sort("round", "team")
    assert top.select("round", "team", "team_opponent").rows() == [
        *((1, 1, 4), (1, 2, 3)),
        *((2, 1, 2), (2, 4, 3)),
        *((3, 2, 4), (3, 3, 1)),
    ]


def test_a_board_without_an_opponent_is_won_by_forfeit():
    events, entrants = league()
    short = entrants.filter(~((pl.col("team") == 2) & (pl.col("board") == 4)))
    cells = with_teams(play_round_robins(events, short, 1, EXPECTED), short)
    alone = cells.filter(pl.col("opponent").is_null())
    assert alone.select("board", "colour", "result").unique().rows() == [(4, "-", "+")]
    assert len(alone) == 2 * 3


def test_a_substitute_without_a_board_does_not_play():
    events, entrants = league()
    bench = entrants.with_columns(board=pl.when(pl.col("start_number") != 1).then("board"))
    cells = play_round_robins(events, bench, 1, EXPECTED).filter(pl.col("start_number") == 1)
    assert cells.select("opponent", "colour", "result").unique().rows() == [(None, "-", "Z")]
