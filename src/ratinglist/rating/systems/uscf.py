"""The rating of the US Chess Federation: the mean of the first 20 games, then K 32 or 16."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from ratinglist.rating.rules import ChangeUpRules, SystemSections, ThousandthsRules
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changes_of,
    counted,
    half_up,
    linear_performance,
    next_state,
    plus_thousandths,
    scored,
    with_facts,
)
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class UscfCoefficientRules:
    """K of an established player: ``master`` from ``master_from``, judged after the provisional games."""

    normal: Whole
    master: Whole
    master_from: Whole


@dataclass(frozen=True, slots=True)
class ProvisionalRules:
    """The first ``games`` of a player are averaged: a game is worth the opponent's rating and ``points`` up or down."""

    games: Whole
    points: Whole


@dataclass(frozen=True, slots=True)
class UscfRules(SystemSections):
    """The rating of the US Chess Federation."""

    SYSTEM: ClassVar = "uscf"
    expected_score: ThousandthsRules
    development_coefficient: UscfCoefficientRules
    change: ChangeUpRules
    provisional: ProvisionalRules


def rate(month: SystemMonth, rules: UscfRules) -> SystemResult:
    """Calculate the list of ``month``.

    The first games of a player, up to ``provisional.games`` in all, are averaged with the old rating; the others, in
    the order of event and round, change that average by K. A game against an unlisted opponent counts for neither
    player. A listed player without a game counted so far is established.
    """
    sides = _sides(month)
    provisional = _provisional(sides, month, rules)
    sides = _established(sides, provisional, month, rules)
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "", pl.col("change_thousandths").is_not_null())
        .group_by("fide_id")
        .agg(pl.col("change_thousandths").sum(), pl.col("k").first())
        .collect()
    )
    computed = (
        provisional.lazy()
        .join(sums.lazy(), on="fide_id", how="left")
        .with_columns(
            plus_thousandths(pl.col("average"), pl.col("change_thousandths").fill_null(0)).alias("new_rating")
        )
        .with_columns(
            (pl.col("new_rating") - pl.col("old_rating")).alias("change"),
            # One K only where every game was rated by it.
            pl.when(pl.col("performance_games") == 0).then("k").alias("k"),
            pl.when(pl.col("performance_games") > 0).then("performance_games").alias("performance_games"),
            pl.when(pl.col("performance_games") > 0).then("performance_sum").alias("performance_sum"),
        )
        .collect()
    )
    return SystemResult(
        sides=as_sides(sides.drop("place")),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, _k_of_list(rules)),
    )


def _k_of_list(rules: UscfRules) -> pl.Expr:
    """Return K from this list on; null while the player is provisional."""
    is_provisional = (pl.col("games_played") > 0) & (pl.col("games_played") < rules.provisional.games)
    return pl.when(~is_provisional).then(coefficient(rules, pl.col("rating")))


def coefficient(rules: UscfRules, rating: pl.Expr) -> pl.Expr:
    """Return K of an established player, by the rating after the provisional games."""
    k = rules.development_coefficient
    return pl.when(rating >= k.master_from).then(k.master).otherwise(k.normal).cast(pl.Int32)


def _sides(month: SystemMonth) -> pl.DataFrame:
    """Return the sides with their reason, and ``place``: the game's number among the player's counted games, from 0."""
    sides = month.with_event_rank(month.sides)
    unrated = pl.lit("opponent_unrated", dtype=sides.schema["reason"])
    counts = pl.col("reason") == ""
    sides = sides.with_columns(
        pl.when(counts & pl.col("opponent_rating").is_null()).then(unrated).otherwise("reason").alias("reason")
    )
    order = pl.struct("event_rank", "round").rank("ordinal").over("fide_id") - 1
    places = counted(sides.with_row_index("row")).select("row", order.cast(pl.Int32).alias("place"))
    return (
        sides.with_row_index("row").join(places, on="row", how="left", maintain_order="left").drop("row", "event_rank")
    )


def _provisional(sides: pl.DataFrame, month: SystemMonth, rules: UscfRules) -> pl.DataFrame:
    """Average the first games of every player with counted games.

    Out: ``fide_id``, ``old_rating`` (null: unlisted), ``games`` (all counted), ``performance_games`` (those averaged),
    ``performance_sum``, ``average`` (the rating after them; the old one where there are none).
    """
    state = month.before.select("fide_id", "games_played", old_rating="rating")
    points = rules.provisional.points
    played = pl.col("games_played").fill_null(0)
    left = games_left(pl.col("old_rating"), played, rules)
    performance = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), points)
    return (
        with_facts(counted(sides), state)
        .lazy()
        .with_columns(left.cast(pl.Int32).alias("left"), played.alias("played"))
        .group_by("fide_id")
        .agg(
            pl.col("old_rating", "left", "played").first(),
            pl.len().cast(pl.Int32).alias("games"),
            (pl.col("place") < pl.col("left")).sum().cast(pl.Int32).alias("performance_games"),
            performance.filter(pl.col("place") < pl.col("left")).sum().alias("performance_sum"),
        )
        .with_columns(
            average(
                pl.col("old_rating"), pl.col("played"), pl.col("performance_games"), pl.col("performance_sum")
            ).alias("average")
        )
        .collect()
    )


def games_left(old_rating: pl.Expr, played: pl.Expr, rules: UscfRules) -> pl.Expr:
    """Return how many games of a player are still averaged.

    A listed player without games is established: their rating comes from another list.
    """
    is_established = old_rating.is_not_null() & (played == 0)
    return pl.when(is_established).then(0).otherwise(pl.max_horizontal(rules.provisional.games - played, 0))


def average(old_rating: pl.Expr, played: pl.Expr, games: pl.Expr, performance_sum: pl.Expr) -> pl.Expr:
    """Return the rating after the first games: the mean of the games played before and of these; R without these."""
    mean = half_up(played * old_rating.fill_null(0) + performance_sum, pl.max_horizontal(played + games, 1))
    return pl.when(games == 0).then(old_rating).otherwise(mean)


def _established(sides: pl.DataFrame, provisional: pl.DataFrame, month: SystemMonth, rules: UscfRules) -> pl.DataFrame:
    """Compute expected score, K and change of the games after the averaged ones.

    K is judged once, on the average, and the expected score is that of the average too.
    """
    of_player = provisional.select("fide_id", "performance_games", "average")
    is_established = (pl.col("reason") == "") & (pl.col("place") >= pl.col("performance_games"))
    table = month.tables[rules.expected_score.table]
    k = pl.when(is_established).then(coefficient(rules, pl.col("average")))
    with_average = with_facts(sides, of_player).with_columns(pl.when(is_established).then("average").alias("average"))
    return scored(with_average, k, table, "thousandths", own="average").drop("performance_games", "average")


SYSTEM = RatingSystem(UscfRules, rate, needs_rated=True)
"""The system as the program knows it."""
