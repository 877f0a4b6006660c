"""The rule on large differences, the gap from which a rapid or blitz game is not rated, and the table."""

from dataclasses import replace

import polars as pl
import pytest

from ratinglist.rating.change import difference_used, expected_hundredths, is_gap_not_rated
from ratinglist.rating.rules import ExpectedScoreRules

RULES = ExpectedScoreRules(
    table="expected_score",
    cap=400,
    cap_applies_to="every_game",
    cap_players_below=2650,
    gap_not_rated=0,
    gap_needs_player_above=0,
)


def used(applies_to: str, *games: tuple[str, int, int, int]) -> list[int]:
    """Return the differences used for ``games``: event, round, own rating, opponent's rating."""
    frame = pl.DataFrame(games, schema=["event_id", "round", "rating", "opponent_rating"], orient="row").with_columns(
        pl.lit(7).alias("fide_id"), (100 + pl.col("round")).alias("opponent_id")
    )
    return (
        frame.select(
            difference_used(
                replace(RULES, cap_applies_to=applies_to),
                pl.col("rating") - pl.col("opponent_rating"),
                rating=pl.col("rating"),
                player_of_event=["fide_id", "event_id"],
            )
        )
        .to_series()
        .to_list()
    )


@pytest.mark.parametrize(
    ("applies_to", "games", "differences"),
    [
        # A player of 2650 has the real difference against a stronger one too.
        ("players_below", [("Open", 1, 2650, 3100)], [-450]),
        ("players_below", [("Open", 1, 2650, 2300)], [350]),
        # In 2022, of two equal largest differences that of the earlier round is cut.
        ("best_game_per_event", [("Open", 2, 2500, 2000), ("Open", 1, 2500, 2000)], [500, 400]),
        ("best_game_per_event", [("Open", 1, 2500, 2150), ("Open", 2, 2500, 2200)], [350, 300]),
    ],
)
def test_a_large_difference_is_cut_for_whom_the_text_says(applies_to, games, differences):
    assert used(applies_to, *games) == differences


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_in_2022_a_game_that_is_not_rated_is_not_the_one_that_is_cut(left_out):
    differences = [None if number == left_out else difference for number, difference in ((1, 450), (2, 500), (3, 550))]
    games = pl.DataFrame({"difference": differences, "round": [1, 2, 3], "opponent_id": 9, "player": 7, "rating": 2500})
    cut = difference_used(
        replace(RULES, cap_applies_to="best_game_per_event"),
        pl.col("difference"),
        rating=pl.col("rating"),
        player_of_event=["player"],
    )
    expected = {1: [None, 500, 400], 2: [450, None, 400], 3: [450, 400, None]}
    assert games.select(cut).to_series().to_list() == expected[left_out]


# -------------------------------------------------------------------------------------------------------- gap


@pytest.mark.parametrize(
    ("rating", "opponent", "gap", "above", "is_left_out"),
    [(2800, 1400, 0, 0, False), (2700, 2699, 1, 2600, True), (2700, 2700, 1, 2600, False)],
)
def test_every_gap_but_0_is_a_rule(rating, opponent, gap, above, is_left_out):
    rules = replace(RULES, gap_not_rated=gap, gap_needs_player_above=above)
    left_out = is_gap_not_rated(rules, pl.lit(rating), pl.lit(opponent))
    assert pl.select(left_out).item() is is_left_out


# ---------------------------------------------------------------------------------------------------- table


STEEP = pl.Series("steep", [50, 60, 70], dtype=pl.Int32)
"""A made-up table in which every point counts; in the printed one 0 to 3 are the same."""


@pytest.mark.parametrize(
    ("difference", "hundredths"), [(0, 50), (1, 60), (-1, 40), (2, 70), (-2, 30), (3, 70), (-3, 30)]
)
def test_a_difference_is_looked_up_as_it_is_from_0_on(difference, hundredths):
    assert pl.select(expected_hundredths(pl.lit(difference), STEEP)).item() == hundredths
