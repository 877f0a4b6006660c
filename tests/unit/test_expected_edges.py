"""Edges of the expected score and of the gap that the figures of the regulations hide."""

import polars as pl
import pytest

from ratinglist.rating.expected import difference_used, expected_hundredths, is_gap_not_rated

STEEP = pl.Series("steep", [50, 60, 70], dtype=pl.Int32)
"""A made-up table in which every point counts; in the printed one 0 to 3 are the same."""


@pytest.mark.parametrize(
    ("difference", "hundredths"), [(0, 50), (1, 60), (-1, 40), (2, 70), (-2, 30), (3, 70), (-3, 30)]
)
def test_a_difference_is_looked_up_as_it_is_from_0_on(difference, hundredths):
    assert pl.select(expected_hundredths(pl.lit(difference), STEEP)).item() == hundredths


def is_left_out(rating: int, opponent: int, gap: int) -> bool:
    found = is_gap_not_rated(pl.lit(rating), pl.lit(opponent), gap=pl.lit(gap), needs_player_above=pl.lit(2600))
    return pl.select(found).item()


@pytest.mark.parametrize("stronger", [1900, 2599, 2600])
def test_a_game_600_apart_counts_where_neither_is_above_2600(stronger):
    assert not is_left_out(stronger, stronger - 600, gap=600)


def test_every_gap_but_0_is_a_rule():
    assert is_left_out(2700, 2699, gap=1)
    assert not is_left_out(2700, 2700, gap=1)


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_in_2022_a_game_that_is_not_rated_is_not_the_one_that_is_cut(left_out):
    differences = [None if number == left_out else difference for number, difference in ((1, 450), (2, 500), (3, 550))]
    games = pl.DataFrame({"difference": differences, "round": [1, 2, 3], "player": 7, "rating": 2500})
    used = difference_used(
        pl.col("difference"),
        rating=pl.col("rating"),
        cap=pl.lit(400),
        applies_to="best_game_per_event",
        players_below=pl.lit(0),
        game_of_event=["player"],
        order=["round"],
    )
    expected = {1: [None, 500, 400], 2: [450, None, 400], 3: [450, 400, None]}
    assert games.select(used).to_series().to_list() == expected[left_out]
