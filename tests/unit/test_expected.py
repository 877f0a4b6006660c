"""The rule on large differences, the gap from which a rapid or blitz game is not rated, and the table."""

import polars as pl
import pytest

from ratinglist.rating.change import difference_used, expected_hundredths, is_gap_not_rated


def used(applies_to: str, *games: tuple[str, int, int, int], players_below: int = 0) -> list[int]:
    """Return the differences used for ``games``: event, round, own rating, opponent's rating."""
    frame = pl.DataFrame(games, schema=["event_id", "round", "rating", "opponent_rating"], orient="row").with_columns(
        pl.lit(7).alias("fide_id"), (100 + pl.col("round")).alias("opponent_id")
    )
    return (
        frame.select(
            difference_used(
                pl.col("rating") - pl.col("opponent_rating"),
                rating=pl.col("rating"),
                cap=pl.lit(400),
                applies_to=applies_to,
                players_below=pl.lit(players_below),
                player_of_event=["fide_id", "event_id"],
                order=["round", "opponent_id"],
            )
        )
        .to_series()
        .to_list()
    )


# ---------------------------------------------------------------------------------------------- players below


def test_a_2650_player_has_the_real_difference_against_a_stronger_one_too():
    assert used("players_below", ("Open", 1, 2650, 3100), players_below=2650) == [-450]


def test_at_2650_a_difference_below_400_is_the_same_as_ever():
    assert used("players_below", ("Open", 1, 2650, 2300), players_below=2650) == [350]


# ------------------------------------------------------------------------------------------ best game of event


def test_in_2022_of_two_equal_largest_differences_the_earlier_round_is_cut():
    assert used("best_game_per_event", ("Open", 2, 2500, 2000), ("Open", 1, 2500, 2000)) == [500, 400]


def test_in_2022_a_largest_difference_below_400_stays_what_it_is():
    assert used("best_game_per_event", ("Open", 1, 2500, 2150), ("Open", 2, 2500, 2200)) == [350, 300]


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_in_2022_a_game_that_is_not_rated_is_not_the_one_that_is_cut(left_out):
    differences = [None if number == left_out else difference for number, difference in ((1, 450), (2, 500), (3, 550))]
    games = pl.DataFrame({"difference": differences, "round": [1, 2, 3], "player": 7, "rating": 2500})
    cut = difference_used(
        pl.col("difference"),
        rating=pl.col("rating"),
        cap=pl.lit(400),
        applies_to="best_game_per_event",
        players_below=pl.lit(0),
        player_of_event=["player"],
        order=["round"],
    )
    expected = {1: [None, 500, 400], 2: [450, None, 400], 3: [450, 400, None]}
    assert games.select(cut).to_series().to_list() == expected[left_out]


# -------------------------------------------------------------------------------------------------------- gap


def is_left_out(rating: int, opponent: int, gap: int = 600, above: int = 2600) -> bool:
    found = is_gap_not_rated(pl.lit(rating), pl.lit(opponent), gap=pl.lit(gap), needs_player_above=pl.lit(above))
    return pl.select(found).item()


def test_without_such_a_rule_every_game_counts():
    assert not is_left_out(2800, 1400, gap=0, above=0)


def test_every_gap_but_0_is_a_rule():
    assert is_left_out(2700, 2699, gap=1)
    assert not is_left_out(2700, 2700, gap=1)


# ---------------------------------------------------------------------------------------------------- table


STEEP = pl.Series("steep", [50, 60, 70], dtype=pl.Int32)
"""A made-up table in which every point counts; in the printed one 0 to 3 are the same."""


@pytest.mark.parametrize(
    ("difference", "hundredths"), [(0, 50), (1, 60), (-1, 40), (2, 70), (-2, 30), (3, 70), (-3, 30)]
)
def test_a_difference_is_looked_up_as_it_is_from_0_on(difference, hundredths):
    assert pl.select(expected_hundredths(pl.lit(difference), STEEP)).item() == hundredths
