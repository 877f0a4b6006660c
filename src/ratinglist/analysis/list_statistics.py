"""Statistics of one list: number, mean and spread of groups of players, bands of 100 points, years of birth.

Everything is a whole number, and exact until it is rounded, half up, in the last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isqrt

import polars as pl

from ratinglist.schemas import Column, Table

LOWER_LIMITS = {
    "GM": 2500,
    "IM": 2400,
    "FM": 2300,
    "CM": 2200,
    "WGM": 2300,
    "WIM": 2200,
    "WFM": 2100,
    "WCM": 2000,
}
"""The rating that each title requires of a player once (FIDE Title Regulations)."""

BAND = 100
"""Width of a band, in points; a band is named by its lowest rating."""

_LIST = {
    "time_control": Column(pl.String(), "standard, rapid, blitz"),
    "list_month": Column(pl.String(), "the list"),
}
_GROUP = {
    "grouping": Column(pl.String(), "all, active, title, with_reference, born_after"),
    "value": Column(pl.String(), "the title, or the year; else empty"),
}
GROUP_TABLE = Table(
    "groups",
    "group of players on a list",
    {
        **_LIST,
        **_GROUP,
        "players": Column(pl.Int32(), "number of players"),
        "rating_sum": Column(pl.Int64(), "sum of their ratings"),
        "mean_hundredths": Column(pl.Int32(), "mean rating"),
        "deviation_hundredths": Column(pl.Int32(), "standard deviation, over the number of players"),
        "standard_error_hundredths": Column(pl.Int32(), "of the mean: the deviation over the root of the number"),
        "mean_age_hundredths": Column(pl.Int32(), "mean age in years; null: no year of birth is known", null=True),
        "lower_limit": Column(pl.Int32(), "the rating that the title requires once; null without a title", null=True),
        "below_limit": Column(pl.Int32(), "players rated below it", null=True),
        "share_below_hundredths": Column(pl.Int32(), "their share", null=True),
    },
    key=("time_control", "grouping", "value"),
)
BAND_TABLE = Table(
    "bands",
    "group of players on a list, and band of 100 points that has any of them",
    {
        **_LIST,
        **_GROUP,
        "band": Column(pl.Int32(), "the lowest rating of the band"),
        "players": Column(pl.Int32(), "players in it"),
    },
    key=("time_control", "grouping", "value", "band"),
)
BIRTH_YEAR_TABLE = Table(
    "birth_years",
    "year of birth of players on a list",
    {
        **_LIST,
        "birth_year": Column(pl.Int32(), "the year"),
        "players": Column(pl.Int32(), "players born in it"),
        "rating_sum": Column(pl.Int64(), "sum of their ratings"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating"),
    },
    key=("time_control", "birth_year"),
)


def rounded_mean(total: pl.Expr, count: pl.Expr) -> pl.Expr:
    """Return ``total`` / ``count`` in hundredths, half up; null where there is nothing to count."""
    return pl.when(count > 0).then((2 * 100 * total.cast(pl.Int64) + count) // (2 * count))


def spread(count: int, total: int, squares: int) -> tuple[int, int]:
    """Return the standard deviation over ``count``, and the standard error of the mean, in hundredths.

    In: the number of values, their sum, and the sum of their squares.
    """
    scaled = 100**2 * (count * squares - total**2)
    deviation = (isqrt(4 * scaled) + count) // (2 * count)
    return deviation, (isqrt(4 * scaled * count) + count**2) // (2 * count**2)


def pooled(groups: Iterable[tuple[int, int, int]]) -> tuple[int, int]:
    """Return mean and standard deviation of groups together, rounded half up.

    In: number, mean and standard deviation of each. The variance is Σ n (sd² + (m − mean)²) / Σ n.
    """
    rows = list(groups)
    count, total = sum(n for n, _, _ in rows), sum(n * mean for n, mean, _ in rows)
    # Count × the variance × count², in whole numbers.
    scaled = sum(n * (deviation**2 * count**2 + (mean * count - total) ** 2) for n, mean, deviation in rows)
    deviation = (isqrt(4 * scaled * count) + count**2) // (2 * count**2)
    return (2 * total + count) // (2 * count), deviation


def members(players: pl.DataFrame, born_after: int) -> Mapping[tuple[str, str], pl.DataFrame]:
    """Return the groups of a list by grouping and value; a player with two titles is in the group of each.

    In: ``rating``, ``title``, ``women_title``, ``birth_year``, ``flag`` and ``has_reference``.
    """
    groups = {
        ("all", ""): players,
        ("active", ""): players.filter(~pl.col("flag").fill_null("").str.contains("i", literal=True)),
    }
    for title in LOWER_LIMITS:
        groups["title", title] = players.filter((pl.col("title") == title) | (pl.col("women_title") == title))
    groups["with_reference", ""] = players.filter("has_reference")
    groups["born_after", str(born_after)] = players.filter(pl.col("birth_year") > born_after)
    return {name: rows for name, rows in groups.items() if rows.height}


def group_rows(groups: Mapping[tuple[str, str], pl.DataFrame], year: int) -> pl.DataFrame:
    """Return :data:`GROUP_TABLE` without the columns of the list; ``year``: the one of the list, for ages."""
    rows = []
    for (grouping, value), players in groups.items():
        rating, birth = pl.col("rating").cast(pl.Int64), pl.col("birth_year").cast(pl.Int64)
        count, total, squares, ages, births = players.select(
            pl.len(), rating.sum(), (rating**2).sum().alias("squares"), birth.count().alias("n"), birth.sum()
        ).row(0)
        limit = LOWER_LIMITS.get(value) if grouping == "title" else None
        below = None if limit is None else players.filter(pl.col("rating") < limit).height
        rows.append(
            {
                "grouping": grouping,
                "value": value,
                "players": count,
                "rating_sum": total,
                "mean_hundredths": (200 * total + count) // (2 * count),
                **dict(
                    zip(
                        ("deviation_hundredths", "standard_error_hundredths"),
                        spread(count, total, squares),
                        strict=True,
                    )
                ),
                "mean_age_hundredths": (200 * (ages * year - births) + ages) // (2 * ages) if ages else None,
                "lower_limit": limit,
                "below_limit": below,
                "share_below_hundredths": None if below is None else (200 * below + count) // (2 * count),
            }
        )
    return pl.DataFrame(
        rows, schema={name: one.dtype for name, one in GROUP_TABLE.columns.items() if name not in _LIST}
    )


def band_rows(groups: Mapping[tuple[str, str], pl.DataFrame]) -> pl.DataFrame:
    """Return :data:`BAND_TABLE` without the columns of the list."""
    parts = [
        rows.group_by((pl.col("rating") // BAND * BAND).alias("band"))
        .agg(pl.len().cast(pl.Int32).alias("players"))
        .sort("band")
        .select(pl.lit(grouping).alias("grouping"), pl.lit(value).alias("value"), "band", "players")
        for (grouping, value), rows in groups.items()
    ]
    return pl.concat(parts)


def birth_year_rows(players: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`BIRTH_YEAR_TABLE` without the columns of the list."""
    return (
        players.drop_nulls("birth_year")
        .group_by("birth_year")
        .agg(pl.len().cast(pl.Int32).alias("players"), pl.col("rating").cast(pl.Int64).sum().alias("rating_sum"))
        .sort("birth_year")
        .with_columns(rounded_mean(pl.col("rating_sum"), pl.col("players")).alias("mean_hundredths"))
    )
