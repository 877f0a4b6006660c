"""The rating of the US Chess Federation: the mean of the first 20 games, then K 32 or 16."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from ratinglist.rating.expected import expected_units
from ratinglist.rating.system_rules import ChangeUpRules, SystemSections, ThousandthsRules
from ratinglist.rating.systems.account import (
    CHANGE,
    Calculated,
    SystemAccount,
    expected_of_game,
    of_players,
)
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    counted,
    gathered,
    half_up,
    linear_performance,
    only_counted,
    places_of_games,
    plus_thousandths,
)
from ratinglist.rating.systems.new_list import changes_of, next_state
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
    old = pl.col("old_rating")
    computed = (
        provisional.lazy()
        .join(sums.lazy(), on="fide_id", how="left")
        .with_columns(
            plus_thousandths(pl.col("average"), pl.col("change_thousandths").fill_null(0)).alias("new_rating")
        )
        .with_columns(
            pl.col("games").alias("counted_games"),
            pl.when(old.is_null()).then(pl.lit("entered")).otherwise(pl.lit("rated")).alias("status"),
            (pl.col("new_rating") - old).alias("change"),
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
    sides = month.sides.with_columns(month.event_rank().gather(month.sides["event_no"]))
    unrated = pl.lit("opponent_unrated", dtype=sides.schema["reason"])
    counts = pl.col("reason") == ""
    sides = sides.with_columns(
        pl.when(counts & pl.col("opponent_rating").is_null()).then(unrated).otherwise("reason").alias("reason")
    )
    rows = sides.select(counts.fill_null(value=False).arg_true()).to_series()
    counted_sides = sides.select("player_row", "round", "event_rank")[rows]
    places = places_of_games(counted_sides, month, counted_sides["event_rank"])
    place = pl.Series("place", [None], dtype=pl.Int32).new_from_index(0, len(sides))
    return sides.drop("event_rank").with_columns(place.scatter(rows.gather(places["row"]), places["place"]))


_OF_FIRST_GAMES = ("reason", "player_row", "fide_id", "place", "opponent_rating", "score_halves")


def _provisional(sides: pl.DataFrame, month: SystemMonth, rules: UscfRules) -> pl.DataFrame:
    """Average the first games of every player with counted games.

    Out: ``fide_id``, ``old_rating`` (null: unlisted), ``games`` (all counted), ``performance_games`` (those averaged),
    ``performance_sum``, ``average`` (the rating after them; the old one where there are none).
    """
    state = month.of_participants(month.before.select("fide_id", "games_played", old_rating="rating"))
    points = rules.provisional.points
    played = pl.col("games_played").fill_null(0)
    left = games_left(pl.col("old_rating"), played, rules)
    performance = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), points)
    return (
        gathered(counted(sides.select(*_OF_FIRST_GAMES)), "player_row", state)
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
    of_player = month.of_participants(provisional.select("fide_id", "performance_games", "average"))
    is_established = (pl.col("reason") == "") & (pl.col("place") >= pl.col("performance_games"))
    table = month.tables[rules.expected_score.table]
    difference = pl.when(is_established).then(pl.col("average") - pl.col("opponent_rating"))
    return (
        gathered(sides, "player_row", of_player)
        .lazy()
        .with_columns(
            difference.alias("difference_used"),
            pl.when(is_established).then(coefficient(rules, pl.col("average"))).alias("k"),
        )
        .with_columns(expected_units(pl.col("difference_used"), table, 1000).alias("expected_thousandths"))
        .with_columns(only_counted(CHANGE["thousandths"]).alias("change_thousandths"))
        .drop("performance_games", "average")
        .collect()
    )


def _figures(calculated: Calculated, rules: UscfRules) -> pl.DataFrame:
    is_averaged = pl.col("k").is_null()
    worth = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), rules.provisional.points)
    exact = pl.col("change_thousandths")
    left = games_left(pl.col("old_rating"), pl.col("games_before"), rules)
    first = pl.min_horizontal(left, "due_games")
    return (
        of_players(
            calculated,
            worth.filter(is_averaged).sum().cast(pl.Int64).alias("worth"),
            exact.sum().alias("others"),
            (~is_averaged).sum().cast(pl.Int64).alias("established_games"),
        )
        .with_columns(
            average(
                pl.col("old_rating"),
                pl.col("games_before"),
                pl.col("performance_games").fill_null(0),
                pl.col("performance_sum").fill_null(0),
            ).alias("average")
        )
        .select(
            *("fide_id", "games_before", "performance_games", "performance_sum", "average", "established_games"),
            (1000 * pl.col("average") + exact).alias("exact_thousandths"),
            "due_games",
            pl.when(first > 0).then(first).alias("due_performance_games"),
            pl.when(first > 0).then("worth").alias("due_performance_sum"),
            pl.when(pl.col("established_games") > 0).then("others").alias("due_change_thousandths"),
            plus_thousandths(pl.col("average"), exact.fill_null(0)).alias("due_new_rating"),
        )
    )


def _due_of_games(calculated: Calculated, rules: UscfRules) -> dict[str, pl.Expr]:
    figures = {
        "difference_used": pl.col("average") - pl.col("opponent_rating"),
        "k": coefficient(rules, pl.col("average")),
        "expected_thousandths": expected_of_game(calculated, rules.expected_score.table, 1000),
        "change_thousandths": CHANGE["thousandths"],
    }
    return {name: pl.when(pl.col("k").is_not_null()).then(value) for name, value in figures.items()}


SYSTEM = RatingSystem(UscfRules, rate, SystemAccount(_figures, _due_of_games), needs_rated=True)
"""The system as the program knows it."""
