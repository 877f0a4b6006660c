"""Statistics of lists: groups of players, bands, years of birth, the flow of points, and a reference list.

Of one list: number, mean and spread of groups of players, bands of 100 points, years of birth. Between two lists: where
each point of the later one comes from. With a reference list, such as FIDE's: differences, and the line of best fit.

Everything is a whole number, and exact until it is rounded, half up, in the last step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt

import polars as pl

from ratinglist.tables import Column, Table

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
    "grouping": Column(pl.String(), "all, active, title, with_reference, born_after, category"),
    "value": Column(pl.String(), "the title, the year, or the category; else empty"),
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
        "lower_limit": Column(pl.Int32(), "the rating that the title or category requires once", null=True),
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
PARTS = ("before", "games", "other_changes", "entering", "leaving", "after")
"""The parts of the flow: before + games + other_changes + entering − leaving = after."""

FLOW_TABLE = Table(
    "flow",
    "part of the flow of points between two lists",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "from_month": Column(pl.String(), "the earlier list"),
        "list_month": Column(pl.String(), "the later list"),
        "part": Column(
            pl.String(),
            "before, after: all players of a list; games: changes by games of players on both lists; other_changes: "
            "the rest of their changes, such as a one-time step or a correction; entering, leaving: ratings of players "
            "on the later, on the earlier list alone",
        ),
        "players": Column(pl.Int32(), "number of players; for the changes those whose rating they moved"),
        "points": Column(pl.Int64(), "sum of ratings, or of changes"),
        "mean_hundredths": Column(pl.Int32(), "points per player; null without players", null=True),
    },
    key=("time_control", "part"),
)
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
        "reverse_slope_ten_thousandths": Column(
            pl.Int32(), "the other direction: reference points for an own point; null in a band", null=True
        ),
        "reverse_intercept_hundredths": Column(
            pl.Int64(), "reference rating at an own rating of 0 on that line", null=True
        ),
    },
    key=("time_control", "band"),
)


def rounded_mean(total: pl.Expr, count: pl.Expr) -> pl.Expr:
    """Return ``total`` / ``count`` in hundredths, half up; null where there is nothing to count."""
    return pl.when(count > 0).then((2 * 100 * total.cast(pl.Int64) + count) // (2 * count))


def mean_hundredths(points: pl.Series) -> int | None:
    """Return the mean in hundredths, halves rounded away from zero; None without values."""
    number, total = len(points.drop_nulls()), int(points.sum())
    if not number:
        return None
    rounded = (200 * abs(total) + number) // (2 * number)
    return rounded if total >= 0 else -rounded


def spread(count: int, total: int, squares: int) -> tuple[int, int]:
    """Return the standard deviation over ``count``, and the standard error of the mean, in hundredths.

    In: the number of values, their sum, and the sum of their squares.
    """
    scaled = 100**2 * (count * squares - total**2)
    deviation = (isqrt(4 * scaled) + count) // (2 * count)
    return deviation, (isqrt(4 * scaled * count) + count**2) // (2 * count**2)


def members(players: pl.DataFrame, born_after: int) -> Mapping[tuple[str, str], pl.DataFrame]:
    """Return the groups of a list by grouping and value; a player with two titles is in the group of each.

    In: ``rating``, ``title``, ``women_title``, ``birth_year``, ``flag`` and ``has_reference``; where players are shown
    by it, ``category`` (null: none).
    """
    groups = {
        ("all", ""): players,
        ("active", ""): players.filter(~pl.col("flag").fill_null("").str.contains("i", literal=True)),
    }
    for title in LOWER_LIMITS:
        groups["title", title] = players.filter((pl.col("title") == title) | (pl.col("women_title") == title))
    groups["with_reference", ""] = players.filter("has_reference")
    groups["born_after", str(born_after)] = players.filter(pl.col("birth_year") > born_after)
    if "category" in players.columns:
        for category in players["category"].drop_nulls().unique().sort():
            groups["category", category] = players.filter(pl.col("category") == category)
    return {name: rows for name, rows in groups.items() if rows.height}


def group_rows(
    groups: Mapping[tuple[str, str], pl.DataFrame], year: int, of_categories: Mapping[str, int] | None = None
) -> pl.DataFrame:
    """Return :data:`GROUP_TABLE` without the columns of the list.

    ``year``: the one of the list, for ages. ``of_categories``: the lower limit of each category.
    """
    limits = {"title": LOWER_LIMITS, "category": of_categories or {}}
    rows = []
    for (grouping, value), players in groups.items():
        rating, birth = pl.col("rating").cast(pl.Int64), pl.col("birth_year").cast(pl.Int64)
        count, total, squares, ages, births = players.select(
            pl.len(), rating.sum(), (rating**2).sum().alias("squares"), birth.count().alias("n"), birth.sum()
        ).row(0)
        limit = limits.get(grouping, {}).get(value)
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


def birth_year_rows(players: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`BIRTH_YEAR_TABLE` without the columns of the list."""
    return (
        players.drop_nulls("birth_year")
        .group_by("birth_year")
        .agg(pl.len().cast(pl.Int32).alias("players"), pl.col("rating").cast(pl.Int64).sum().alias("rating_sum"))
        .sort("birth_year")
        .with_columns(rounded_mean(pl.col("rating_sum"), pl.col("players")).alias("mean_hundredths"))
    )


def flow_rows(before: pl.DataFrame, after: pl.DataFrame, changes: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`FLOW_TABLE` without the columns of the lists, in the order of :data:`PARTS`.

    In: ``fide_id`` and ``rating`` of both lists; ``changes``: ``fide_id`` and ``change`` of the lists after the earlier
    one up to the later one, several rows of a player where there are several lists between.
    """
    stayed = (
        after.join(before, on="fide_id", suffix="_before")
        .join(changes.group_by("fide_id").agg(pl.col("change").sum()), on="fide_id", how="left")
        .with_columns(pl.col("change").fill_null(0).cast(pl.Int64))
        .with_columns((pl.col("rating") - pl.col("rating_before") - pl.col("change")).cast(pl.Int64).alias("other"))
    )
    parts = {
        "before": before["rating"],
        "games": stayed["change"].filter(stayed["change"] != 0),
        "other_changes": stayed["other"].filter(stayed["other"] != 0),
        "entering": after.join(before, on="fide_id", how="anti")["rating"],
        "leaving": before.join(after, on="fide_id", how="anti")["rating"],
        "after": after["rating"],
    }
    rows = [(name, len(parts[name]), int(parts[name].cast(pl.Int64).sum())) for name in PARTS]
    schema = {"part": pl.String, "players": pl.Int32, "points": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        rounded_mean(pl.col("points"), pl.col("players")).cast(pl.Int32).alias("mean_hundredths")
    )


def adds_up(flow: pl.DataFrame) -> bool:
    """Return whether the parts of a flow add up."""
    points = dict(flow.select("part", "points").iter_rows())
    gained = points["games"] + points["other_changes"] + points["entering"] - points["leaving"]
    return bool(points["before"] + gained == points["after"])


def reference_rows(players: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`REFERENCE_TABLE` without the columns of the list; no row where no player is on both lists.

    In: ``rating`` and ``reference_rating`` of the players on both.
    """
    own, other = pl.col("rating").cast(pl.Int64), pl.col("reference_rating").cast(pl.Int64)
    sums = [pl.len().cast(pl.Int32).alias("players"), (own - other).sum().alias("difference_sum")]
    bands = players.group_by((pl.col("rating") // BAND * BAND).cast(pl.Int32).alias("band")).agg(sums).sort("band")
    every = players.select(pl.lit(None, dtype=pl.Int32).alias("band"), *sums).filter(pl.col("players") > 0)
    lines: dict[str, int | None] = {}
    for direction, column, of in (("", "reference_rating", "rating"), ("reverse_", "rating", "reference_rating")):
        slope, intercept = _line(players.select(x=column, y=of))
        lines |= {f"{direction}slope_ten_thousandths": slope, f"{direction}intercept_hundredths": intercept}
    return pl.concat([every, bands]).select(
        "band",
        "players",
        "difference_sum",
        rounded_mean(pl.col("difference_sum"), pl.col("players")).alias("mean_difference_hundredths"),
        *(
            pl.when(pl.col("band").is_null()).then(pl.lit(value, REFERENCE_TABLE.columns[name].dtype)).alias(name)
            for name, value in lines.items()
        ),
    )


def _line(points: pl.DataFrame) -> tuple[int | None, int | None]:
    """Return slope and intercept of y on x by least squares; None where there is one x alone.

    The sums exceed 64 bits when they are multiplied, so that is done with Python's whole numbers.
    """
    one, other = pl.col("x").cast(pl.Int64), pl.col("y").cast(pl.Int64)
    n, x, y, xx, xy = points.select(
        pl.len(), one.sum(), other.sum(), (one**2).sum().alias("xx"), (one * other).sum().alias("xy")
    ).row(0)
    across = n * xx - x * x
    if not across:
        return None, None
    rise, start = n * xy - x * y, y * xx - x * xy
    return (2 * 10_000 * rise + across) // (2 * across), (2 * 100 * start + across) // (2 * across)


def pooled(groups: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    """Return number, mean and standard deviation of several groups together, the last two in hundredths.

    In: number, mean and standard deviation of each group, without decimals. The deviation is that over the number:
    its square is the mean of sd² + (m − mean)² over all players.
    """
    count = sum(number for number, _, _ in groups)
    total = sum(number * mean for number, mean, _ in groups)
    squares = sum(number * (deviation**2 + mean**2) for number, mean, deviation in groups)
    return count, (200 * total + count) // (2 * count), spread(count, total, squares)[0]
