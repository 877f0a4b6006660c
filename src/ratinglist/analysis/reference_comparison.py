"""A list compared with a reference list, such as a national one with FIDE's: differences, and the line of best fit."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.list_statistics import BAND, rounded_mean
from ratinglist.schemas import Column, Table

REFERENCE_TABLE = Table(
    "reference",
    "band of the own rating; the first row, without a band, has all players on both lists",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "list_month": Column(pl.String(), "the list"),
        "band": Column(pl.Int32(), "the lowest rating of the band; null: all players", null=True),
        "players": Column(pl.Int32(), "players on both lists"),
        "difference_sum": Column(pl.Int64(), "sum of own rating − reference rating"),
        "mean_difference_hundredths": Column(pl.Int32(), "their mean difference"),
        "slope_ten_thousandths": Column(
            pl.Int32(), "own points for a reference point on the line of best fit; null in a band", null=True
        ),
        "intercept_hundredths": Column(pl.Int64(), "own rating at a reference rating of 0 on that line", null=True),
    },
    key=("time_control", "band"),
)


def reference_rows(players: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`REFERENCE_TABLE` without the columns of the list; no row where no player is on both lists.

    In: ``rating`` and ``reference_rating`` of the players on both.
    """
    own, other = pl.col("rating").cast(pl.Int64), pl.col("reference_rating").cast(pl.Int64)
    sums = [pl.len().cast(pl.Int32).alias("players"), (own - other).sum().alias("difference_sum")]
    bands = players.group_by((pl.col("rating") // BAND * BAND).cast(pl.Int32).alias("band")).agg(sums).sort("band")
    every = players.select(pl.lit(None, dtype=pl.Int32).alias("band"), *sums).filter(pl.col("players") > 0)
    slope, intercept = _line(players)
    return pl.concat([every, bands]).select(
        "band",
        "players",
        "difference_sum",
        rounded_mean(pl.col("difference_sum"), pl.col("players")).alias("mean_difference_hundredths"),
        pl.when(pl.col("band").is_null()).then(pl.lit(slope, dtype=pl.Int32)).alias("slope_ten_thousandths"),
        pl.when(pl.col("band").is_null()).then(pl.lit(intercept, dtype=pl.Int64)).alias("intercept_hundredths"),
    )


def _line(players: pl.DataFrame) -> tuple[int | None, int | None]:
    """Return slope and intercept of own on reference rating by least squares; None where one reference rating occurs.

    The sums exceed 64 bits when they are multiplied, so that is done with Python's whole numbers.
    """
    own, other = pl.col("rating").cast(pl.Int64), pl.col("reference_rating").cast(pl.Int64)
    n, x, y, xx, xy = players.select(
        pl.len(), other.sum(), own.sum(), (other**2).sum().alias("xx"), (other * own).sum().alias("xy")
    ).row(0)
    across = n * xx - x * x
    if not across:
        return None, None
    rise, start = n * xy - x * y, y * xx - x * xy
    return (2 * 10_000 * rise + across) // (2 * across), (2 * 100 * start + across) // (2 * across)
