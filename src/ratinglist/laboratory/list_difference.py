"""Who moves, enters and leaves between two lists of one month: the regulation as it is, and a changed one."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.list_statistics import rounded_mean
from ratinglist.schemas import Column, Table

BAND = 200
LARGEST = 100

MOVED_TABLE = Table(
    "moved",
    "group of players",
    {
        "grouping": Column(pl.String(), "all, band (of 200 points of the rating as it is), federation"),
        "value": Column(pl.String(), "the group; empty for all; of a band its lower end"),
        "players": Column(pl.Int32(), "players on both lists"),
        "moved": Column(pl.Int32(), "of these, players with another rating"),
        "entering": Column(pl.Int32(), "players on the changed list alone, by their rating there"),
        "leaving": Column(pl.Int32(), "players on the list as it is alone"),
        "mean_hundredths": Column(pl.Int32(), "mean difference of the players on both lists", null=True),
        "lower_hundredths": Column(pl.Int32(), "difference that 5 % of them stay below", null=True),
        "median_hundredths": Column(pl.Int32(), "median of the differences", null=True),
        "upper_hundredths": Column(pl.Int32(), "difference that 5 % of them exceed", null=True),
    },
    key=("grouping", "value"),
)

LARGEST_TABLE = Table(
    "largest",
    "player with one of the hundred largest differences",
    {
        "fide_id": Column(pl.Int64(), "the player"),
        "name": Column(pl.String(), "name"),
        "federation": Column(pl.String(), "three letters"),
        "rating": Column(pl.Int32(), "rating on the list as it is"),
        "changed_rating": Column(pl.Int32(), "rating on the changed list"),
        "difference": Column(pl.Int32(), "the changed rating less the one as it is"),
    },
    key=("fide_id",),
)


def compared_lists(as_it_is: pl.DataFrame, changed: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return every player of either list: ``rating`` and ``changed_rating`` (null: not on it), ``difference``, facts.

    In: ``fide_id`` and ``rating`` of both lists; ``players``: ``fide_id``, ``name`` and ``federation``.
    """
    return (
        as_it_is.select("fide_id", "rating")
        .join(changed.select("fide_id", changed_rating="rating"), on="fide_id", how="full", coalesce=True)
        .join(players.select("fide_id", "name", "federation"), on="fide_id", how="left")
        .with_columns(
            pl.col("name", "federation").fill_null(""),
            (pl.col("changed_rating") - pl.col("rating")).alias("difference"),
        )
        .sort("fide_id")
    )


def moved_rows(compared: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`MOVED_TABLE`; the bands go up, the federations by name."""
    band = pl.coalesce("rating", "changed_rating") // BAND * BAND
    parts = []
    groups = {"all": pl.lit(0), "band": band, "federation": pl.col("federation")}
    for grouping, value in groups.items():
        difference = pl.col("difference")
        text = pl.lit("") if grouping == "all" else pl.col("group").cast(pl.String)
        parts.append(
            compared.with_columns(value.alias("group"))
            .group_by("group")
            .agg(
                difference.count().alias("players"),
                (difference != 0).sum().alias("moved"),
                pl.col("rating").is_null().sum().alias("entering"),
                pl.col("changed_rating").is_null().sum().alias("leaving"),
                difference.cast(pl.Int64).sum().alias("total"),
                *(
                    (100 * _ranked(difference, per_cent)).cast(pl.Int32).alias(f"{name}_hundredths")
                    for name, per_cent in _PER_CENT.items()
                ),
            )
            .sort("group")
            .with_columns(
                pl.lit(grouping).alias("grouping"),
                text.alias("value"),
                rounded_mean(pl.col("total"), pl.col("players").cast(pl.Int64)).alias("mean_hundredths"),
            )
        )
    return pl.concat([MOVED_TABLE.conform(part) for part in parts])


_PER_CENT = {"lower": 5, "median": 50, "upper": 95}


def _ranked(difference: pl.Expr, per_cent: int) -> pl.Expr:
    """Return the value that so many per cent of the others are not above; null where there is none."""
    values = difference.drop_nulls().sort()
    return values.slice((values.len().cast(pl.Int64) - 1) * per_cent // 100, 1).first()


def largest_rows(compared: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`LARGEST_TABLE`: the largest difference first, whatever its sign; equal ones by FIDE ID."""
    moved = compared.filter(pl.col("difference") != 0)
    ordered = moved.sort(pl.col("difference").abs(), "fide_id", descending=[True, False])
    return LARGEST_TABLE.conform(ordered.head(LARGEST))
