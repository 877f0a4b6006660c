"""How the lists of a replayed system move: inflation, stability, and how they order the players.

Whole numbers throughout, so the figures are the same on any number of threads. The mean of the players from 35 to 45
years is a gauge of inflation: their strength hardly changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import isqrt

import polars as pl

from ratinglist.analysis.inflation import inflation_rows
from ratinglist.analysis.list_statistics import rounded_mean
from ratinglist.period import Period
from ratinglist.schemas import Column, Table

ENOUGH_GAMES = 10
"""A change counts for stability where it rests on at least as many games of the month."""

_COHORT = (35, 45)
_MILLION = 1_000_000

MOVEMENT_TABLE = Table(
    "movement",
    "system and list",
    {
        "system": Column(pl.String(), "the system"),
        "list_month": Column(pl.String(), "the list; the first is the one that the replay starts from"),
        "players": Column(pl.Int32(), "players on it"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "same_players": Column(pl.Int32(), "players on every list of the system"),
        "same_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "top_players": Column(pl.Int32(), "the best players: 100, or all where there are fewer"),
        "top_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "cohort_players": Column(pl.Int32(), "players on every list, 35 to 45 years old with the first one"),
        "cohort_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "entered": Column(pl.Int32(), "players who were not on the list before", null=True),
        "entered_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "entered_12_before": Column(pl.Int32(), "players who entered 12 lists before and are on this one", null=True),
        "mean_at_entry_hundredths": Column(pl.Int32(), "their mean rating when they entered", null=True),
        "mean_now_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "busy_players": Column(pl.Int32(), "players with 10 games or more, on the list before too", null=True),
        "busy_change_hundredths": Column(pl.Int32(), "their mean change, without its sign", null=True),
        "changed_twice": Column(pl.Int32(), "players whose rating changed on this list and the one before", null=True),
        "reversals": Column(pl.Int32(), "of these, changes in the other direction", null=True),
        "official_players": Column(pl.Int32(), "players on the office's list too", null=True),
        "official_difference_hundredths": Column(pl.Int32(), "their mean rating less that of the office", null=True),
        "rank_correlation_millionths": Column(pl.Int64(), "Spearman's, with the office's list", null=True),
    },
    key=("system", "list_month"),
)


def movement_rows(
    name: str,
    lists: Mapping[Period, pl.DataFrame],
    official: Mapping[Period, pl.DataFrame],
    births: pl.DataFrame,
) -> pl.DataFrame:
    """Return :data:`MOVEMENT_TABLE` of one system.

    In, by month: ``lists``: ``fide_id``, ``rating`` and ``games`` of the period; ``official``: ``fide_id`` and
    ``rating``. ``births``: ``fide_id`` and ``birth_year``. Frames sorted by ``fide_id`` (:func:`by_fide_id`) are joined
    in a tenth of the time.
    """
    months = sorted(lists)
    ratings = {month: rows.select("fide_id", "rating") for month, rows in lists.items()}
    entered = {
        month: ratings[month].join(ratings[before], on="fide_id", how="anti") for before, month in pairwise(months)
    }
    inflation = inflation_rows(ratings, entered, {}).drop("games", strict=False)
    cohort = _cohort(ratings, births)
    rows = []
    for place, month in enumerate(months):
        row: dict[str, object] = {"list_month": str(month)}
        row |= _mean_of(ratings[month].join(cohort, on="fide_id"), "cohort_players", "cohort_mean_hundredths")
        if place:
            row |= _stability(lists[month], ratings, months[max(place - 2, 0) : place])
        if month in official:
            row |= _compared(ratings[month], official[month])
        rows.append(row)
    schema = {one: column.dtype for one, column in MOVEMENT_TABLE.columns.items() if one not in inflation.columns}
    schema.pop("system")
    found = pl.DataFrame(rows, schema={"list_month": pl.String(), **schema})
    joined = inflation.join(found, on="list_month", how="left", maintain_order="left")
    return MOVEMENT_TABLE.sorted(MOVEMENT_TABLE.conform(joined.with_columns(pl.lit(name).alias("system"))))


def rank_correlation(rows: pl.DataFrame) -> int | None:
    """Return Spearman's rank correlation of two columns of ratings in millionths; equal ratings have the mean rank.

    None where one of the columns has one value only.
    """
    # Twice the rank less its mean: whole numbers whose products stay within 64 bits for millions of players.
    first, second = (_twice_mean_rank(rating) - (rows.height + 1) for rating in rows.get_columns())
    variances = int((first * first).sum()) * int((second * second).sum())
    if not variances:
        return None
    covariance = int((first * second).sum())
    scaled = _MILLION**2 * covariance**2 * 4 // variances
    found = (isqrt(scaled) + 1) // 2
    return found if covariance >= 0 else -found


def _twice_mean_rank(ratings: pl.Series) -> pl.Series:
    """Return twice the mean rank of every rating: twice the number of lower ones, plus that of equal ones, plus 1.

    There are few different ratings, so they are counted and not sorted.
    """
    counts = ratings.alias("rating").value_counts(name="equal").sort("rating")
    equal = counts["equal"].cast(pl.Int64)
    return ratings.replace_strict(counts["rating"], 2 * equal.cum_sum() - equal + 1)


def _cohort(ratings: Mapping[Period, pl.DataFrame], births: pl.DataFrame) -> pl.DataFrame:
    months = sorted(ratings)
    youngest, oldest = _COHORT
    age = months[0].first_day.year - pl.col("birth_year")
    found = births.filter(age.is_between(youngest, oldest)).select("fide_id")
    for month in months:
        found = found.join(ratings[month].select("fide_id"), on="fide_id")
    return found


def _mean_of(rows: pl.DataFrame, count: str, mean: str) -> dict[str, object]:
    number = rows.height
    return {count: number, mean: rows.select(rounded_mean(pl.col("rating").sum(), pl.lit(number))).item()}


def _stability(listed: pl.DataFrame, ratings: Mapping[Period, pl.DataFrame], before: list[Period]) -> dict[str, object]:
    """Return the mean change of players with many games, and how many changes go back on the one before."""
    change = (pl.col("rating") - pl.col("rating_before")).cast(pl.Int64)
    stayed = listed.join(ratings[before[-1]], on="fide_id", suffix="_before").with_columns(change.alias("change"))
    busy = stayed.filter(pl.col("games") >= ENOUGH_GAMES)
    found: dict[str, object] = {
        "busy_players": busy.height,
        "busy_change_hundredths": busy.select(rounded_mean(pl.col("change").abs().sum(), pl.lit(busy.height))).item(),
    }
    if len(before) > 1:
        earlier = ratings[before[0]].select("fide_id", rating_earlier="rating")
        twice = (
            stayed.join(earlier, on="fide_id")
            .with_columns((pl.col("rating_before") - pl.col("rating_earlier")).alias("change_before"))
            .filter((pl.col("change") != 0) & (pl.col("change_before") != 0))
        )
        found |= {
            "changed_twice": twice.height,
            "reversals": twice.filter(pl.col("change").sign() != pl.col("change_before").sign()).height,
        }
    return found


def _compared(ratings: pl.DataFrame, official: pl.DataFrame) -> dict[str, object]:
    both = ratings.join(official, on="fide_id", suffix="_official")
    difference = (pl.col("rating") - pl.col("rating_official")).cast(pl.Int64).sum()
    return {
        "official_players": both.height,
        "official_difference_hundredths": both.select(rounded_mean(difference, pl.lit(both.height))).item(),
        "rank_correlation_millionths": rank_correlation(both.select("rating", "rating_official"))
        if both.height
        else None,
    }
