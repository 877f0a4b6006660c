"""The figures of the charts of a list."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.report_figures import rating_bands


def test_a_band_without_players_between_two_others_is_there():
    assert rating_bands(pl.Series([1450, 1499, 1750]), pl.Series([1600], dtype=pl.Int32)) == [
        (1400, 2, 0),
        (1500, 0, 0),
        (1600, 0, 1),
        (1700, 1, 0),
    ]
    assert rating_bands(pl.Series([], dtype=pl.Int32), pl.Series([], dtype=pl.Int32)) == []
