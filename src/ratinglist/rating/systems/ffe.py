"""The French Elo: the performance of a period weighs like its games against 16; newcomers enter after 8 games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.rules import SystemSections
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changes_of,
    half_up,
    linear_performance,
    next_state,
)
from ratinglist.rating.systems.system import OwnState, RatingSystem
from ratinglist.strict_toml import Whole
from ratinglist.tables import POOL, Column


@dataclass(frozen=True, slots=True)
class FfeUpdateRules:
    """The old rating weighs ``weight_games`` games; a game counts against an opponent within ``compatible``."""

    weight_games: Whole
    compatible: Whole
    points: Whole
    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class IteratedEntryRules:
    """Entry by iterated performances: all start at ``start``; a player who moves by less than ``settled_below`` stays.

    ``min_games`` compatible games are needed, and at most ``rounds`` are calculated.
    """

    start: Whole
    settled_below: Whole
    rounds: Whole
    min_games: Whole


@dataclass(frozen=True, slots=True)
class FfeRules(SystemSections):
    """The French Elo."""

    SYSTEM: ClassVar = "ffe"
    update: FfeUpdateRules
    entry: IteratedEntryRules


GAME_COLUMNS = {
    name: Column(pl.Int32(), f"of a game that waits: the value of {whose} after the last round", null=True)
    for name, whose in (("value", "the unlisted player"), ("opponent_value", "the opponent, or their rating"))
}
"""What the published games have of the rounds."""

STATE = OwnState(
    1,
    {
        "fide_id": Column(pl.Int64(), "an unlisted player whose games wait on"),
        "value": Column(pl.Int32(), "the performance after the last round"),
    },
)
"""The values of those who wait."""


def rate(month: SystemMonth, rules: FfeRules) -> SystemResult:
    """Calculate the list of ``month``.

    A listed player's games against listed opponents within ``update.compatible`` points count. All games of unlisted
    players wait, and every list calculates their performances from all of them.
    """
    sides = _sides(month, rules)
    # A player with waiting games may be on an imported list since.
    before = month.pooled_games.join(month.before, on="fide_id", how="anti").select(_POOLED)
    pooled = pl.concat([before, _waiting_now(sides, month)])
    performances = iterated_performances(_with_listed(pooled, month), rules.entry, rules.update.points)
    entering = _entering(pooled, performances, month, rules)
    computed = pl.concat([_updated(_sums(sides, rules), month, rules), entering], how="diagonal")
    changes = changes_of(month, computed)
    own_state = STATE.table.conform(performances.join(entering, on="fide_id", how="anti"))
    return SystemResult(
        changes=changes,
        list_state=next_state(month, computed, pl.lit(None, dtype=pl.Int32)),
        sides=as_sides(_with_values(sides, changes, own_state, rules), GAME_COLUMNS),
        pool=_pool(pooled.filter(~pl.col("fide_id").is_in(entering["fide_id"].implode())), performances, month),
        own_state=own_state,
    )


def _sides(month: SystemMonth, rules: FfeRules) -> pl.DataFrame:
    """Return the sides with their reason."""
    reason = month.sides.schema["reason"]
    own, opponent = pl.col("rating"), pl.col("opponent_rating")
    return month.sides.with_columns(
        pl.when(pl.col("reason") == "")
        .then(
            pl.when(own.is_null())
            .then(pl.lit("counts_for_entry", dtype=reason))
            .when(opponent.is_null())
            .then(pl.lit("opponent_unrated", dtype=reason))
            .when((own - opponent).abs() > rules.update.compatible)
            .then(pl.lit("incompatible", dtype=reason))
            .otherwise(pl.lit("", dtype=reason))
        )
        .otherwise("reason")
        .alias("reason")
    )


def _with_values(sides: pl.DataFrame, changes: pl.DataFrame, own_state: pl.DataFrame, rules: FfeRules) -> pl.DataFrame:
    """Return the sides with :data:`GAME_COLUMNS`: an opponent's rating on the list before, else the last value."""
    entered = changes.filter(status="entered").select("fide_id", value="new_rating")
    values = pl.concat([own_state.select("fide_id", "value"), entered])
    of_opponent = values.rename({"fide_id": "opponent_id", "value": "opponent_value"})
    waits = pl.when(pl.col("reason") == "counts_for_entry")
    return (
        sides.join(values, on="fide_id", how="left", maintain_order="left")
        .join(of_opponent, on="opponent_id", how="left", maintain_order="left")
        .with_columns(
            waits.then("value").alias("value"),
            waits.then(pl.coalesce("opponent_rating", "opponent_value", pl.lit(rules.entry.start))).alias(
                "opponent_value"
            ),
        )
    )


def _sums(sides: pl.DataFrame, rules: FfeRules) -> pl.DataFrame:
    """Return ``fide_id``, ``games`` and ``performance_sum`` of the players with counted games.

    The sum is N times the performance: Σ opponents + 400 × (2 × points − N).
    """
    performance = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), rules.update.points)
    return (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("fide_id")
        .agg(pl.len().cast(pl.Int32).alias("games"), performance.sum().alias("performance_sum"))
        .collect()
    )


def _updated(sums: pl.DataFrame, month: SystemMonth, rules: FfeRules) -> pl.DataFrame:
    """Return the listed players with counted games, and their new ratings; in: :func:`_sums` of all events."""
    n, old = pl.col("games"), pl.col("old_rating")
    numerator, denominator = quotient(n, pl.col("performance_sum"), old, rules)
    return (
        sums.join(month.before.select("fide_id", pl.col("rating").alias("old_rating")), on="fide_id")
        .with_columns(half_up(numerator, denominator).cast(pl.Int32).alias("new_rating"))
        .with_columns(
            n.alias("performance_games"),
            (pl.col("new_rating") - old).alias("change"),
        )
    )


def quotient(n: pl.Expr, x: pl.Expr, old: pl.Expr, rules: FfeRules) -> tuple[pl.Expr, pl.Expr]:
    """Return the numerator and the denominator of the new rating.

    X is N times the performance. Where X < N × R the old rating weighs 16 games together with the N; else N of 16 parts
    are the performance, all of them from 16 games on.
    """
    weight = rules.update.weight_games
    loses = x < n * old
    numerator = pl.when(loses).then(weight * old + x).when(n >= weight).then(x).otherwise((weight - n) * old + x)
    denominator = pl.when(loses).then(weight + n).when(n >= weight).then(n).otherwise(weight)
    return numerator, denominator


_POOLED = ("fide_id", "event_id", "opponent_id", "score_halves", "counted_month")
"""The columns of the games of unlisted players: ``event_id`` as the pool names it."""


def _waiting_now(sides: pl.DataFrame, month: SystemMonth) -> pl.DataFrame:
    """Return the games of unlisted players of this period (:data:`_POOLED`)."""
    return (
        sides.filter(pl.col("reason") == "counts_for_entry")
        .join(month.events.select("event_no", pl.col("pool_id").alias("event_id")), on="event_no", how="left")
        .select(*_POOLED[:-1], pl.lit(str(month.period)).alias("counted_month"))
    )


def _with_listed(pooled: pl.DataFrame, month: SystemMonth) -> pl.DataFrame:
    """Return the pooled games with ``listed``: the opponent's rating on the list before; null: unlisted."""
    listed = month.before.select(pl.col("fide_id").alias("opponent_id"), pl.col("rating").alias("listed"))
    return pooled.join(listed, on="opponent_id", how="left")


def iterated_performances(games: pl.DataFrame, rules: IteratedEntryRules, points: int) -> pl.DataFrame:
    """Return the value of every unlisted player by rounds of simultaneous performances: ``fide_id``, ``value``.

    In: ``games`` of unlisted players: ``fide_id``, ``opponent_id``, ``score_halves``, ``listed`` (the opponent's
    rating, null where unlisted). All start at ``rules.start``. Every round computes the linear performance of all of a
    player's games, with the unlisted opponents' values of the round before, half up. A player who moves by less than
    ``rules.settled_below`` keeps the new value. An unlisted opponent without games of their own here keeps the start.
    """
    values = games.select("fide_id").unique().sort("fide_id")
    values = values.with_columns(
        pl.lit(rules.start, dtype=pl.Int64).alias("value"), pl.lit(value=False).alias("is_settled")
    )
    scored = (
        games.lazy()
        .group_by("fide_id")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            linear_performance(pl.col("listed").fill_null(0).cast(pl.Int64), pl.col("score_halves"), points)
            .sum()
            .alias("fixed"),
        )
        .collect()
    )
    between = games.filter(pl.col("listed").is_null()).select("fide_id", "opponent_id")
    for _ in range(rules.rounds):
        if values["is_settled"].all():
            break
        of_opponents = (
            between.join(values.select(pl.col("fide_id").alias("opponent_id"), "value"), on="opponent_id", how="left")
            .group_by("fide_id")
            .agg(pl.col("value").fill_null(rules.start).sum().alias("of_unlisted"))
        )
        values = (
            values.join(scored, on="fide_id", how="left", maintain_order="left")
            .join(of_opponents, on="fide_id", how="left", maintain_order="left")
            .with_columns(
                half_up(pl.col("fixed") + pl.col("of_unlisted").fill_null(0), pl.col("games")).alias("performance")
            )
            .select(
                "fide_id",
                pl.when("is_settled").then("value").otherwise("performance").alias("value"),
                pl.col("is_settled") | ((pl.col("performance") - pl.col("value")).abs() < rules.settled_below),
            )
        )
    return values.select("fide_id", "value")


def _entering(pooled: pl.DataFrame, performances: pl.DataFrame, month: SystemMonth, rules: FfeRules) -> pl.DataFrame:
    """Return the players who enter: those with enough games against opponents near their value."""
    games = _final_opponents(pooled, performances, month, rules.entry.start)
    is_compatible = (pl.col("opponent_value") - pl.col("value")).abs() <= rules.update.compatible
    return (
        games.join(performances, on="fide_id")
        .group_by("fide_id")
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            is_compatible.sum().alias("compatible"),
            pl.col("value").first().cast(pl.Int32).alias("new_rating"),
            linear_performance(pl.col("opponent_value"), pl.col("score_halves"), rules.update.points)
            .sum()
            .cast(pl.Int32)
            .alias("performance_sum"),
        )
        .filter(pl.col("compatible") >= rules.entry.min_games)
        .select(
            "fide_id",
            "games",
            pl.col("games").alias("performance_games"),
            "performance_sum",
            "new_rating",
        )
    )


def _final_opponents(pooled: pl.DataFrame, performances: pl.DataFrame, month: SystemMonth, start: int) -> pl.DataFrame:
    """Return the pooled games with ``opponent_value``: the listed rating, or the final value of the rounds."""
    finals = performances.select(pl.col("fide_id").alias("opponent_id"), pl.col("value").alias("final"))
    return (
        _with_listed(pooled, month)
        .join(finals, on="opponent_id", how="left")
        .with_columns(pl.coalesce("listed", "final", pl.lit(start)).cast(pl.Int64).alias("opponent_value"))
    )


def _pool(waiting: pl.DataFrame, performances: pl.DataFrame, month: SystemMonth) -> pl.DataFrame:
    """Return the results that go on waiting (``POOL``), which do not expire."""
    results = (
        _final_opponents(waiting, performances, month, 0)
        .group_by("fide_id", "event_id")
        .agg(
            pl.len().alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_value").sum().alias("opponent_rating_sum"),
            pl.col("counted_month").min(),
        )
        .with_columns(pl.lit(month.time_control).alias("time_control"), pl.lit("").alias("expires_month"))
    )
    return POOL.sorted(POOL.conform(results))


SYSTEM = RatingSystem(
    FfeRules,
    rate,
    state=STATE,
    game_columns=GAME_COLUMNS,
)
"""The system as the program knows it."""
