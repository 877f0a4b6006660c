"""Compute the figures that an officer looks at before signing a list. Frames in, whole numbers out.

Points are whole; means and scores are in hundredths.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isqrt

import polars as pl

from ratinglist.analysis.list_statistics import flow_rows, mean_hundredths
from ratinglist.period import Period

Bars = list[tuple[str, int]]

BAND = 100
_CHANGE_BAND = 200
_AGES = (0, 10, 12, 14, 16, 18, 20, 25, 30, 40, 50, 60, 70, 200)
_DIFFERENCE_BAND = 50
_LARGEST_DIFFERENCE = 800
_FEDERATIONS = 15
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


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """The figures of one time control.

    ``flow``: where the points went (:func:`~ratinglist.analysis.list_statistics.flow_rows`).
    """

    bands: list[tuple[int, int, int]]
    change_by_rating: Bars
    change_by_age: Bars
    calibration: list[CalibrationBand]
    by_k: Bars
    by_federation: Bars
    flow: pl.DataFrame


def report_figures(
    period: Period, now: pl.DataFrame, before: pl.DataFrame, changes: pl.DataFrame, games: pl.DataFrame
) -> ReportFigures:
    """Return the figures of a time control.

    In: ``LISTED``; ``before``: ``fide_id`` and ``rating`` of the list before; ``CHANGE`` and ``GAME`` of the time
    control.
    """
    moved = changes.filter((pl.col("status") != "entered") & (pl.col("games") > 0))
    return ReportFigures(
        bands=rating_bands(now["rating"], before["rating"]),
        change_by_rating=_change_by_rating(moved),
        change_by_age=_change_by_age(period, moved, now),
        calibration=calibration(games),
        by_k=_counts(now.drop_nulls("k"), pl.format("K {}", "k"), pl.col("k")),
        by_federation=_by_federation(games, now),
        flow=flow_rows(
            before.select("fide_id", "rating"), now.select("fide_id", "rating"), moved.select("fide_id", "change")
        ),
    )


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


def _change_by_rating(moved: pl.DataFrame) -> Bars:
    band = (pl.col("old_rating") // _CHANGE_BAND * _CHANGE_BAND).alias("band")
    return [
        (f"{band_of[0]}", mean_hundredths(rows["change"]) or 0)
        for band_of, rows in moved.drop_nulls("old_rating").sort("old_rating").group_by(band, maintain_order=True)
    ]


def _change_by_age(period: Period, moved: pl.DataFrame, now: pl.DataFrame) -> Bars:
    born = moved.join(now.select("fide_id", "birth_year"), on="fide_id").drop_nulls("birth_year")
    age = pl.lit(period.first_day.year) - pl.col("birth_year")
    bars = []
    for first, after in pairwise(_AGES):
        rows = born.filter((age >= first) & (age < after))
        label = f"{first}+" if after == _AGES[-1] else f"{first}–{after - 1}"
        if rows.height:
            bars.append((label, mean_hundredths(rows["change"]) or 0))
    return bars


def _counts(rows: pl.DataFrame, label: pl.Expr, order: pl.Expr) -> Bars:
    counted = rows.group_by(label.alias("label"), order.alias("order")).agg(pl.len().alias("count")).sort("order")
    return [(str(text), int(count)) for text, count in counted.select("label", "count").iter_rows()]


def _by_federation(games: pl.DataFrame, now: pl.DataFrame) -> Bars:
    """Return the federations whose players have most rated results, the largest first."""
    rated = games.filter("rated").join(now.select("fide_id", "federation"), on="fide_id")
    counted = rated.group_by("federation").agg(pl.len().alias("results"))
    most = counted.sort("results", "federation", descending=[True, False]).head(_FEDERATIONS)
    return [(str(code or "–"), int(results)) for code, results in most.iter_rows()]
