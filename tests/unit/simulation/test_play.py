"""Whole events of every system: what must hold of all cells, whatever the field, the order of rows and the threads."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglist.simulation.play import play, rounds_needed
from tests.unit.simulation.fields import (
    EXPECTED,
    assert_mirrored,
    assert_one_cell_each,
    entrants_of,
    events_of,
    fields,
    met,
)

ALLOCATED = ["U", "F"]


def digest(cells: pl.DataFrame) -> str:
    return hashlib.sha256(cells.write_csv().encode()).hexdigest()


@pytest.mark.long
@settings(max_examples=200)
@given(data=st.data(), seed=st.integers(0, 9))
def test_every_invariant_holds_in_hundreds_of_fields(data, seed):
    assert_every_invariant(*data.draw(fields("swiss")), seed)


def assert_every_invariant(events: pl.DataFrame, entrants: pl.DataFrame, seed: int) -> None:
    cells = play(events, entrants, seed, EXPECTED)
    assert_one_cell_each(cells, events, entrants)
    assert_mirrored(cells)
    assert set(met(cells)["len"]) <= {1}
    allocated = cells.filter(pl.col("result").is_in(ALLOCATED))
    assert allocated.select("event_no", "start_number").is_unique().all()
    assert allocated.select("event_no", "round").is_unique().all()
    away = cells.join(entrants, on=["event_no", "start_number"]).filter(
        ~pl.col("round").is_between("enters_round", "leaves_after")
    )
    assert set(away["result"]) <= {"Z"}
    alone = cells.filter(pl.col("opponent").is_null())
    assert set(alone["colour"]) <= {"-"}
    assert set(alone["result"]) <= {"U", "F", "H", "Z"}


def test_a_player_without_a_new_opponent_is_free_without_a_point():
    events = events_of("swiss", 4, 5)
    cells = play(events, entrants_of(events, 4), 1, EXPECTED)
    assert set(met(cells)["len"]) == {1}
    last = cells.filter(pl.col("round") == 5, pl.col("opponent").is_null(), pl.col("result") != "H")
    assert "Z" in set(last["result"])


def test_the_bye_goes_to_the_last_player_without_a_point_without_playing():
    events = events_of("swiss", 1, 3)
    cells = play(events, entrants_of(events, 5), 5, EXPECTED)
    points = {"1": 2, "+": 2, "U": 2, "F": 2, "=": 1, "H": 1}
    score = dict.fromkeys(range(1, 6), 0)
    had: set[int] = set()
    for round_no in (1, 2, 3):
        codes = {cell["start_number"]: cell["result"] for cell in cells.filter(round=round_no).to_dicts()}
        free = [number for number, code in codes.items() if code in ALLOCATED]
        candidates = [number for number, code in codes.items() if code not in ("H", "Z") and number not in had]
        assert free == [min(candidates, key=lambda number: (score[number], -number))]
        score = {number: score[number] + points.get(codes[number], 0) for number in score}
        had |= {number for number, code in codes.items() if code in (*ALLOCATED, "+")}


def test_one_event_writes_its_byes_with_one_code():
    events = events_of("swiss", 200, 5)
    cells = play(events, entrants_of(events, 11), 1, EXPECTED)
    codes = cells.filter(pl.col("result").is_in(ALLOCATED)).group_by("event_no").agg(pl.col("result").unique())
    assert set(codes["result"].list.len()) == {1}
    assert {code for event in codes["result"].to_list() for code in event} == {"U", "F"}


def test_an_event_may_have_no_players_in_a_round():
    events = events_of("swiss", 1, 3)
    entrants = entrants_of(events, 3).with_columns(leaves_after=pl.lit(1, dtype=pl.Int32))
    cells = play(events, entrants, 1, EXPECTED)
    assert set(cells.filter(pl.col("round") > 1)["result"]) == {"Z"}


def test_events_of_different_length_are_played_side_by_side():
    events = pl.concat([events_of("swiss", 1, 3), events_of("swiss", 1, 6, first=2)])
    cells = play(events, entrants_of(events, 12), 1, EXPECTED)
    assert cells.group_by("event_no").agg(pl.col("round").max()).sort("event_no").rows() == [(1, 3), (2, 6)]


@pytest.mark.parametrize(
    ("system", "players", "rounds"),
    [
        ("swiss", 2, 1),
        ("swiss", 6, 3),
        ("swiss", 30, 7),
        ("swiss", 100, 9),
        ("swiss", 5000, 11),
        ("round_robin", 9, 9),
        ("round_robin", 10, 9),
        ("double_round_robin", 6, 10),
        ("team", 8, 7),
    ],
)
def test_the_rounds_an_event_is_played_over(system, players, rounds):
    assert pl.select(rounds_needed(pl.lit(system), pl.lit(players))).item() == rounds
