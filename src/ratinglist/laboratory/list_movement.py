"""How the lists of a replayed system move: inflation, stability, and how they order the players.

And who moves, enters and leaves between two lists of one month: the regulation as it is, and a changed one.

Whole numbers throughout, so the figures are the same on any number of threads. The mean of the players from 35 to 45
years is a gauge of inflation: their strength hardly changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isqrt

import polars as pl

from ratinglist.analysis.inflation import LISTS_LATER, TOP
from ratinglist.analysis.list_statistics import rounded_mean
from ratinglist.period import Period
from ratinglist.tables import Column, Table

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
    name: str, lists: Mapping[Period, pl.DataFrame], official: Mapping[Period, pl.DataFrame], births: pl.DataFrame
) -> pl.DataFrame:
    """Return :data:`MOVEMENT_TABLE` of one system.

    In: ``lists``: the months in order, each with ``fide_id``, ``rating`` and ``games`` of the period; ``official``:
    ``fide_id`` and ``rating`` of the office's lists; ``births``: ``fide_id`` and ``birth_year``.
    """
    ids = pl.concat(listed["fide_id"] for listed in lists.values()).unique().sort()
    players = ids.to_frame().join(births, on="fide_id", how="left", maintain_order="left")

    def aligned(listed: pl.DataFrame, column: str = "rating") -> pl.Series:
        """Return a column of a list for each of the players; null: not on it."""
        return players.select("fide_id").join(listed, on="fide_id", how="left", maintain_order="left")[column]

    ratings = {month: aligned(listed) for month, listed in lists.items()}
    busy = {month: aligned(listed, "games") >= ENOUGH_GAMES for month, listed in lists.items()}
    months = list(ratings)
    entered = {month: ratings[month].is_not_null() & ratings[before].is_null() for before, month in pairwise(months)}
    on_every_list = pl.Series("on_every_list", [True]).new_from_index(0, players.height)
    for rating in ratings.values():
        on_every_list &= rating.is_not_null()
    youngest, oldest = _COHORT
    age = months[0].first_day.year - players["birth_year"]
    cohort = on_every_list & age.is_between(youngest, oldest).fill_null(value=False)
    rows = []
    for place, month in enumerate(months):
        rating = ratings[month]
        row: dict[str, object] = {"system": name, "list_month": str(month)}
        row |= _mean_of(rating, "players", "mean_hundredths")
        row |= _mean_of(rating.filter(on_every_list), "same_players", "same_mean_hundredths")
        row |= _mean_of(rating.top_k(TOP), "top_players", "top_mean_hundredths")
        row |= _mean_of(rating.filter(cohort), "cohort_players", "cohort_mean_hundredths")
        if place:
            row |= _mean_of(rating.filter(entered[month]), "entered", "entered_mean_hundredths")
            row |= _stability(rating, busy[month].fill_null(value=False), ratings, months[:place])
        if (entry := month - LISTS_LATER) in entered:
            listed_still = entered[entry] & rating.is_not_null()
            row |= _mean_of(rating.filter(listed_still), "entered_12_before", "mean_now_hundredths")
            row |= _mean_of(ratings[entry].filter(listed_still), "entered_12_before", "mean_at_entry_hundredths")
        if month in official:
            row |= _compared(rating, aligned(official[month]))
        rows.append(row)
    return MOVEMENT_TABLE.sorted(pl.DataFrame(rows, schema=MOVEMENT_TABLE.schema))


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


def _mean_of(rating: pl.Series, count: str, mean: str) -> dict[str, object]:
    """Return how many ratings there are and their mean under these names; null is no rating."""
    # The ratings of a million players are more than 32 bits hold.
    return {count: rating.count(), mean: _hundredths(int(rating.cast(pl.Int64).sum()), rating.count())}


def _hundredths(total: int, count: int) -> int | None:
    found: int | None = pl.select(rounded_mean(pl.lit(total), pl.lit(count))).item()
    return found


def _stability(
    rating: pl.Series, is_busy: pl.Series, ratings: Mapping[Period, pl.Series], before: Sequence[Period]
) -> dict[str, object]:
    """Return the mean change of players with many games, and how many changes go back on the one before."""
    change = rating - ratings[before[-1]]
    found = _mean_of(change.abs().filter(is_busy), "busy_players", "busy_change_hundredths")
    if len(before) > 1:
        change_before = ratings[before[-1]] - ratings[before[-2]]
        directions = change.sign() * change_before.sign()
        found |= {"changed_twice": (directions != 0).sum(), "reversals": (directions < 0).sum()}
    return found


def _compared(rating: pl.Series, official: pl.Series) -> dict[str, object]:
    both = pl.DataFrame({"rating": rating, "official": official}).drop_nulls()
    difference = both.select((pl.col("rating") - pl.col("official")).cast(pl.Int64).sum()).item()
    return {
        "official_players": both.height,
        "official_difference_hundredths": _hundredths(difference, both.height),
        "rank_correlation_millionths": rank_correlation(both) if both.height else None,
    }


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
