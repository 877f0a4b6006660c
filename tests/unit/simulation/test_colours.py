"""The colour preference: by the difference, by the run, by the last colour."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.simulation.exchanges import clash, first_is_white, preference, run_after


def value(expression: pl.Expr) -> object:
    return pl.select(expression).item()


def after(colours: str) -> int:
    """Return the preference after the colours of some rounds."""
    balance, run = pl.lit(0, dtype=pl.Int32), pl.lit(0, dtype=pl.Int32)
    for colour in colours:
        had = pl.lit({"w": 1, "b": -1, "-": 0}[colour], dtype=pl.Int32)
        balance, run = balance + had, run_after(run, had)
    return int(pl.select(preference(balance, run)).item())


@pytest.mark.parametrize(
    ("colours", "expected"),
    [
        ("", 0),
        ("--", 0),
        ("w", -2),
        ("b", 2),
        ("wb", 1),
        ("bw", -1),
        ("wb-", 1),
        ("ww", -3),
        ("bb", 3),
        ("b-b", 3),
        ("wbb", 3),
        ("bww", -3),
        ("wbw", -2),
        ("wbwb", 1),
        ("wwbw", -3),
        ("wwbwb", -2),
    ],
)
def test_the_colour_preference_after_some_rounds(colours, expected):
    assert after(colours) == expected


def test_a_difference_of_two_is_evened_out_even_after_the_other_colour():
    assert value(preference(pl.lit(2), pl.lit(-1))) == -3


@pytest.mark.parametrize(
    ("one", "other", "expected"), [(3, 3, 3), (3, 2, 2), (-1, -3, 1), (3, -3, 0), (0, 3, 0), (2, 2, 2), (0, 0, 0)]
)
def test_two_preferences_clash_as_badly_as_the_weaker_one(one, other, expected):
    assert value(clash(pl.lit(one), pl.lit(other))) == expected


@pytest.mark.parametrize(
    ("preferences", "difference", "white"),
    [((1, -1), 0, True), ((-1, 1), 0, False), ((3, 2), 9, True), ((-3, -2), -9, False), ((3, 3), -1, True)],
)
def test_the_stronger_preference_then_the_larger_difference_gets_its_colour(preferences, difference, white):
    first, second = preferences
    assert value(first_is_white(pl.lit(first), pl.lit(second), pl.lit(difference), pl.lit(value=not white))) is white


@pytest.mark.parametrize("otherwise", [True, False])
def test_between_equal_players_the_last_argument_decides(otherwise):
    assert value(first_is_white(pl.lit(2), pl.lit(2), pl.lit(0), pl.lit(value=otherwise))) is otherwise
