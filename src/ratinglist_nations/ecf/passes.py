"""Rate the games of one month of play by the sections of a rule file, in three passes.

New and partial players are rated twice, then the full ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.change import change_hundredths, expected_hundredths
from ratinglist.rating.entry import mean_and_difference, share_hundredths
from ratinglist.rating.rules import SystemSections
from ratinglist.rating.systems.month import half_up
from ratinglist.strict_toml import Text, Whole


@dataclass(frozen=True, slots=True)
class ExpectedRules:
    """The expected score by the difference, which is not cut: a table in hundredths."""

    table: Text


@dataclass(frozen=True, slots=True)
class CoefficientRules:
    """K of a full player; ``junior`` under the age of ``junior_under``. Halved against a partial opponent."""

    k: Whole
    junior: Whole
    junior_under: Whole
    against_partial: Literal["halved", "whole"]


@dataclass(frozen=True, slots=True)
class PerformanceRules:
    """The rating of new and partial players: a performance with one fictional draw, until ``full_games`` games.

    The fictional opponent has the rating ``nominal``, a junior's ``nominal_per_year`` for each year of age.
    """

    table: Text
    full_games: Whole
    nominal: Whole
    nominal_per_year: Whole


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """The new rating is rounded once a month of play, a half upwards."""

    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class CategoryRules:
    """Who leaves the list after ``lapse_months`` months without a game, and who is active."""

    lapse_months: Whole
    active_months: Whole
    active_games: Whole


@dataclass(frozen=True, slots=True)
class EcfRules(SystemSections):
    """The rating of the English Chess Federation."""

    SYSTEM: ClassVar = "ecf"
    expected_score: ExpectedRules
    development_coefficient: CoefficientRules
    performance: PerformanceRules
    change: ChangeRules
    category: CategoryRules


Tables = Mapping[str, pl.Series]

PLAYER = {
    "fide_id": pl.Int64(),
    "rating": pl.Int64(),
    "is_full": pl.Boolean(),
    "stored_games": pl.Int64(),
    "stored_opponents": pl.Int64(),
    "stored_halves": pl.Int64(),
    "last_full": pl.Int64(),
    "last_month": pl.Int64(),
    "is_junior": pl.Boolean(),
    "nominal": pl.Int64(),
}
"""The columns of the players: ``rating`` is null where unlisted; the stored games of a partial player are sums.

``last_full``: the last full rating, also of one who left the list. ``last_month``: of the last rated game, as a number.
``nominal``: the rating of the fictional opponent.
"""


def performance(games: pl.Expr, opponents: pl.Expr, halves: pl.Expr, nominal: pl.Expr, table: pl.Series) -> pl.Expr:
    """Return the performance of some games and one draw against the fictional opponent, rounded half up once.

    In: ``opponents``: the sum of their ratings; ``halves``: the score in half points; ``table``: dp by hundredths of p.
    """
    with_draw = games + 1
    dp = pl.lit(table.cast(pl.Int64)).gather(share_hundredths(halves + 1, with_draw))
    return mean_and_difference(opponents + nominal, dp, with_draw)


def with_nominal(players: pl.DataFrame, age: pl.Expr, rules: EcfRules) -> pl.DataFrame:
    """Return players with ``is_junior`` and ``nominal``; ``age``: null where unknown, which is an adult's."""
    own: PerformanceRules = rules.performance
    is_junior = (age < rules.development_coefficient.junior_under).fill_null(value=False)
    by_age = pl.when(is_junior).then(own.nominal_per_year * age.clip(lower_bound=0)).otherwise(own.nominal)
    return players.with_columns(is_junior.alias("is_junior"), pl.max_horizontal(by_age, "last_full").alias("nominal"))


def rate_months(
    sides: pl.DataFrame, players: pl.DataFrame, tables: Tables, rules: EcfRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rate the months of play one after another.

    In: ``sides`` of the games that count: ``row``, ``month``, ``fide_id``, ``opponent_id``, ``score_halves``;
    ``players`` (:data:`PLAYER`): at least those of the sides. Out: the sides with the figures of each, and the players
    after the last month.
    """
    rated = [_rate_month(sides.clear(), players, tables, rules)[0]]
    for part in sides.sort("month").partition_by("month"):
        scored, players = _rate_month(part, players, tables, rules)
        rated.append(scored)
    return pl.concat(rated), players


def _rate_month(
    sides: pl.DataFrame, players: pl.DataFrame, tables: Tables, rules: EcfRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    facts = players.with_columns((pl.col("is_full") & pl.col("rating").is_not_null()).alias("is_full"))
    of_opponent = facts.select(
        *(pl.col(name).alias(f"opponent_{name}") for name in ("fide_id", "rating", "is_full")),
    ).rename({"opponent_fide_id": "opponent_id"})
    joined = sides.join(facts, on="fide_id", how="left").join(of_opponent, on="opponent_id", how="left")
    table = tables[rules.performance.table]
    # The first pass leaves out games against new players, the second counts them at the result of the first.
    first = _performances(joined.filter(~pl.col("is_full")), "opponent_rating", facts, table)
    of_first = first.select(pl.col("fide_id").alias("opponent_id"), opponent_first="value")
    used = pl.when("opponent_is_full").then("opponent_rating").otherwise("opponent_first")
    joined = joined.join(of_first, on="opponent_id", how="left").with_columns(used.alias("used"))
    second = _performances(joined.filter(~pl.col("is_full")), "used", facts, table)
    is_partial = pl.col("games") < rules.performance.full_games
    of_second = second.select(pl.col("fide_id").alias("opponent_id"), is_partial.alias("partial"), second="value")
    own = first.select("fide_id", first_performance="value").join(
        second.select("fide_id", performance_rating="value"), on="fide_id"
    )
    scored = _scored(
        joined.join(own, on="fide_id", how="left").join(of_second, on="opponent_id", how="left"), tables, rules
    )
    return scored, _after(scored, second, players, rules)


def _performances(sides: pl.DataFrame, opponent: str, players: pl.DataFrame, table: pl.Series) -> pl.DataFrame:
    """Return for every player of ``sides`` the stored games together with these, and the performance: ``value``.

    Out: ``fide_id``, ``games``, ``opponents``, ``halves``, ``value``; games whose ``opponent`` is null are left out.
    """
    is_used = pl.col(opponent).is_not_null()
    sums = sides.group_by("fide_id").agg(
        is_used.sum().cast(pl.Int64).alias("games"),
        pl.col(opponent).sum().cast(pl.Int64).alias("opponents"),
        pl.col("score_halves").filter(is_used).cast(pl.Int64).sum().alias("halves"),
    )
    stored = players.select("fide_id", "stored_games", "stored_opponents", "stored_halves", "nominal")
    return (
        sums.join(stored, on="fide_id")
        .select(
            "fide_id",
            "nominal",
            *(pl.col(name) + pl.col(f"stored_{name}") for name in ("games", "opponents", "halves")),
        )
        .with_columns(
            performance(pl.col("games"), pl.col("opponents"), pl.col("halves"), pl.col("nominal"), table).alias("value")
        )
    )


def _scored(sides: pl.DataFrame, tables: Tables, rules: EcfRules) -> pl.DataFrame:
    """Return the sides with what is published of each; K, expected score and change are those of full players."""
    own = rules.development_coefficient
    full = pl.when("is_full")
    k = pl.when("is_junior").then(own.junior).otherwise(own.k)
    halved = pl.col("partial").fill_null(value=False) & (own.against_partial == "halved")
    opponent = full.then(pl.when("opponent_is_full").then("opponent_rating").otherwise("second")).otherwise("used")
    return (
        sides.with_columns(
            opponent.alias("opponent_rating"), full.then(pl.when(halved).then(k // 2).otherwise(k)).alias("k")
        )
        .with_columns(full.then(pl.col("rating") - pl.col("opponent_rating")).alias("difference_used"))
        .with_columns(
            expected_hundredths(pl.col("difference_used"), tables[rules.expected_score.table])
            .cast(pl.Int64)
            .alias("expected_hundredths")
        )
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths"))
            .cast(pl.Int64)
            .alias("change_hundredths")
        )
        .select(*SIDE)
    )


SIDE = (
    *("row", "month", "fide_id", "score_halves", "rating", "opponent_rating", "difference_used", "k"),
    *("expected_hundredths", "change_hundredths", "first_performance", "performance_rating"),
)
"""What a rated side has. ``performance_rating``: of new and partial players after the second pass, null for others."""


def new_rating(rating: pl.Expr, change: pl.Expr) -> pl.Expr:
    """Return the rating of a full player after a month: the change in hundredths, rounded half up once."""
    return half_up(100 * rating + change, 100)


def _after(scored: pl.DataFrame, second: pl.DataFrame, players: pl.DataFrame, rules: EcfRules) -> pl.DataFrame:
    """Return the players after a month of play."""
    sums = scored.group_by("fide_id").agg(pl.col("change_hundredths").sum().alias("change"), pl.col("month").first())
    results = second.drop("nominal")
    after = players.join(sums, on="fide_id", how="left").join(results, on="fide_id", how="left")
    played, by_performance = pl.col("month").is_not_null(), pl.col("value").is_not_null()
    becomes_full = by_performance & (pl.col("games") >= rules.performance.full_games)
    rating = (
        pl.when(by_performance)
        .then("value")
        .when(played)
        .then(new_rating(pl.col("rating"), pl.col("change")))
        .otherwise("rating")
    )
    is_full = pl.when(by_performance).then(becomes_full).otherwise("is_full")
    return (
        after.with_columns(
            rating.alias("rating"),
            is_full.alias("is_full"),
            pl.max_horizontal("month", "last_month").alias("last_month"),
            *(
                pl.when(becomes_full)
                .then(0)
                .when(by_performance)
                .then(name)
                .otherwise(f"stored_{name}")
                .alias(f"stored_{name}")
                for name in ("games", "opponents", "halves")
            ),
        )
        .with_columns(pl.when(played & pl.col("is_full")).then("rating").otherwise("last_full").alias("last_full"))
        .select(*PLAYER)
    )
