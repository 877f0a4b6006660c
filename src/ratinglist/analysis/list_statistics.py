"""Statistics of lists: groups of players, bands, years of birth, the flow of points, inflation, and a reference list.

Everything is a whole number, and exact until it is rounded, half up, in the last step.
"""

from __future__ import annotations

from collections.abc import Sequence
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

LISTS_LATER = 12
"""After how many lists newcomers are looked at again."""

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
INFLATION_TABLE = Table(
    "inflation",
    "list of the series",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "list_month": Column(pl.String(), "the list"),
        "players": Column(pl.Int32(), "players on it"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "same_players": Column(pl.Int32(), "players on every list of the series"),
        "same_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "top_players": Column(pl.Int32(), "the best players: 100, or all where there are fewer"),
        "top_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "entered": Column(pl.Int32(), "players who entered with this list; null: it was imported", null=True),
        "entered_mean_hundredths": Column(pl.Int32(), "their mean rating on it", null=True),
        "entered_12_before": Column(
            pl.Int32(), "players who entered 12 lists before and are on this one; null: not known", null=True
        ),
        "mean_at_entry_hundredths": Column(pl.Int32(), "their mean rating when they entered", null=True),
        "mean_now_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "games": Column(pl.Int32(), "games that changed both ratings; null: not published", null=True),
        "points_gained_hundredths": Column(
            pl.Int64(), "changes of both players of these games together, before rounding", null=True
        ),
        "games_of_one_side": Column(pl.Int32(), "games that changed one rating alone", null=True),
        "points_of_one_side_hundredths": Column(pl.Int64(), "the changes of these, before rounding", null=True),
        "deviation_hundredths": Column(pl.Int32(), "standard deviation of all players", null=True),
        "standard_error_hundredths": Column(pl.Int32(), "of their mean rating", null=True),
    },
    key=("time_control", "list_month"),
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
TABLES = (GROUP_TABLE, BAND_TABLE, BIRTH_YEAR_TABLE, FLOW_TABLE, INFLATION_TABLE, REFERENCE_TABLE)
"""The tables of the command `ratinglist statistics`."""


def mean_hundredths(points: pl.Series) -> int | None:
    """Return the mean in hundredths, halves rounded away from zero; None without values."""
    number, total = len(points.drop_nulls()), int(points.sum())
    if not number:
        return None
    rounded = (200 * abs(total) + number) // (2 * number)
    return rounded if total >= 0 else -rounded


def pooled(groups: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    """Return number, mean and standard deviation of several groups together, the last two in hundredths.

    In: number, mean and standard deviation of each group, without decimals. The deviation is that over the number:
    its square is the mean of sd² + (m − mean)² over all players.
    """
    count = sum(number for number, _, _ in groups)
    total = sum(number * mean for number, mean, _ in groups)
    squares = sum(number * (deviation**2 + mean**2) for number, mean, deviation in groups)
    deviation = (isqrt(4 * 100**2 * (count * squares - total**2)) + count) // (2 * count)
    return count, (200 * total + count) // (2 * count), deviation
