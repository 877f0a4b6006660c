"""The figures of the report with charts."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.analysis.report_figures import calibration, rating_bands, wilson


@pytest.mark.parametrize(
    ("halves", "games", "interval"),
    [
        # 50 of 100: (0.5 + 0.019208 ± 1.96 × √(0.0025 + 0.00009604)) / 1.038416 = 0.4038 and 0.5962.
        (100, 100, (40, 60)),
        (0, 10, (0, 28)),
        (20, 10, (72, 100)),
        # One drawn game: (1 + 3.8416 ± 1.96 × √4.8416) / 9.6832 = 0.0546 and 0.9454.
        (1, 1, (5, 95)),
    ],
)
def test_the_interval_of_a_score_is_wilsons(halves, games, interval):
    assert wilson(halves, games) == interval


def test_a_band_without_players_between_two_others_is_there():
    assert rating_bands(pl.Series([1450, 1499, 1750]), pl.Series([1600], dtype=pl.Int32)) == [
        (1400, 2, 0),
        (1500, 0, 0),
        (1600, 0, 1),
        (1700, 1, 0),
    ]
    assert rating_bands(pl.Series([], dtype=pl.Int32), pl.Series([], dtype=pl.Int32)) == []


def test_a_game_counts_once_from_the_higher_rated_side_and_only_where_it_is_rated():
    games = pl.DataFrame(
        {
            "rated": [True, True, True, True, False],
            "colour": ["w", "b", "w", "b", "w"],
            "difference": [120, -120, 0, 0, 130],
            "expected_hundredths": [66, 34, 50, 50, 67],
            "score_halves": [2, 0, 1, 1, 0],
        }
    )
    bands = calibration(games)
    assert [(one.difference, one.games, one.expected, one.score) for one in bands] == [
        (0, 1, 50, 50),
        (100, 1, 66, 100),
    ]
