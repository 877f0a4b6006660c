"""Compute the figures that an officer looks at before signing a list. Frames in, whole numbers out.

Scores are in hundredths.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import polars as pl

BAND = 100
_DIFFERENCE_BAND = 50
_LARGEST_DIFFERENCE = 800
_Z_SQUARED = 38_416
"""The square of 1.96, the bound of 95 %, in ten-thousandths."""


@dataclass(frozen=True, slots=True)
class CalibrationBand:
    """The rated games of one band of differences, from the side of the higher rated player; all in hundredths.

    ``low`` and ``high``: the interval of Wilson, 95 %, around ``score``.
    """

    difference: int
    games: int
    expected: int
    score: int
    low: int
    high: int


def rating_bands(now: pl.Series, before: pl.Series) -> list[tuple[int, int, int]]:
    """Return the players by bands of 100 points, the lowest first: first rating of the band, players now, before.

    A band without players between two others is there, so that a line over it goes down to zero.
    """

    def counted(ratings: pl.Series, name: str) -> pl.DataFrame:
        bands = pl.DataFrame({"band": ratings.drop_nulls() // BAND * BAND}, schema={"band": pl.Int32})
        return bands.group_by("band").agg(pl.len().alias(name))

    both = counted(now, "now").join(counted(before, "before"), on="band", how="full", coalesce=True)
    if both.is_empty():
        return []
    first, last = both.select(pl.col("band").min().alias("first"), pl.col("band").max().alias("last")).row(0)
    every = pl.select(pl.int_range(first, last + 1, BAND, dtype=pl.Int32).alias("band"))
    whole = every.join(both, on="band", how="left", maintain_order="left").fill_null(0)
    return [(int(band), int(new), int(old)) for band, new, old in whole.select("band", "now", "before").iter_rows()]


def calibration(games: pl.DataFrame) -> list[CalibrationBand]:
    """Return scores against expectation by rating difference: each rated game once, from the higher rated side."""
    sides = games.filter(
        pl.col("rated")
        & pl.col("expected_hundredths").is_not_null()
        & ((pl.col("difference") > 0) | ((pl.col("difference") == 0) & (pl.col("colour") == "w")))
    )
    band = pl.min_horizontal(pl.col("difference"), _LARGEST_DIFFERENCE) // _DIFFERENCE_BAND * _DIFFERENCE_BAND
    sums = (
        sides.group_by(band.alias("band"))
        .agg(pl.len().alias("games"), pl.col("expected_hundredths").sum(), pl.col("score_halves").sum())
        .sort("band")
    )
    return [
        CalibrationBand(
            int(difference),
            int(number),
            _divided(int(expected), int(number)),
            _divided(50 * int(halves), int(number)),
            *wilson(int(halves), int(number)),
        )
        for difference, number, expected, halves in sums.iter_rows()
    ]


def wilson(halves: int, games: int) -> tuple[int, int]:
    """Return the interval of Wilson (95 %) of a score of ``halves`` half points in ``games``, in hundredths.

    A draw counts as half a success. With z = 1.96, s half points and n games the bounds are
    (s + z² ± z √(s (2n − s) / n + z²)) / 2 (n + z²).
    """
    middle, size = 10_000 * halves + _Z_SQUARED, 2 * (10_000 * games + _Z_SQUARED)
    root = isqrt(_Z_SQUARED * (10_000 * halves * (2 * games - halves) // games + _Z_SQUARED))
    return _divided(100 * (middle - root), size), _divided(100 * (middle + root), size)


def _divided(total: int, number: int) -> int:
    """Return ``total / number``, rounded half up."""
    return (2 * total + number) // (2 * number)
