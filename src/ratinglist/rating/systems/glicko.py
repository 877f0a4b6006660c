"""Glicko, and the ranking of the PCA and WCC: a rating with a deviation, all games of a period at once.

The one exception to whole numbers: doubles game by game, each term rounded to 1e-9 before it is summed as an integer.
So the result is the same in any order of the games and on any number of threads. The state is in hundredths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.rules import FixedEntryRules, SystemSections
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changes_of,
    counted,
    next_state,
    only_counted,
    with_facts,
    with_opponents_facts,
)
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole
from ratinglist.tables import SYSTEM_STATE

LOGISTIC_SCALE = 400 / math.log(10)
"""Points per unit of the logistic curve: 173.7178. Its slope at a difference of 0 is a quarter of its inverse."""


def logistic(difference: pl.Expr) -> pl.Expr:
    """Return 1 / (1 + 10^(−difference/400)), the model of Bradley and Terry."""
    return 1 / (1 + (-difference / LOGISTIC_SCALE).exp())


Q = 1 / LOGISTIC_SCALE
"""What a difference of one point is worth in the natural logarithm of the odds."""

_UNIT = 1_000_000_000
"""The parts of 1 that a term is rounded to before it is summed."""


@dataclass(frozen=True, slots=True)
class GlickoExpectedRules:
    """``white``: points added to White's rating. ``weights`` of a player's games, the last one first."""

    white: Whole
    weights: Literal["equal", "harmonic", "harmonic_raw"]


@dataclass(frozen=True, slots=True)
class DeviationRules:
    """The deviation: at most ``initial``, at least ``least``; its square grows by ``variance_per_month``.

    ``imported_from_games``: an imported player's deviation follows from the games played, at most this many.
    """

    initial: Whole
    least: Whole
    variance_per_month: Whole
    imported_from_games: Whole


@dataclass(frozen=True, slots=True)
class GlickoRules(SystemSections):
    """Glicko, and the ranking of the PCA and WCC."""

    SYSTEM: ClassVar = "glicko"
    expected_score: GlickoExpectedRules
    entry: FixedEntryRules
    deviation: DeviationRules


def rate(month: SystemMonth, rules: GlickoRules) -> SystemResult:
    """Calculate the list of ``month``: step 1 grows the deviations, steps 2 and 3 learn from the games."""
    known = _grown(month, rules)
    sides = _sides(month, known, rules)
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("fide_id")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("information", "surplus").sum())
        .collect()
    )
    newcomers = sums.join(known, on="fide_id", how="anti").select("fide_id")
    entry = pl.lit(100 * rules.entry.rating, dtype=pl.Int32)
    before = pl.concat([known, newcomers], how="diagonal").with_columns(
        pl.col("rating_hundredths").fill_null(entry),
        pl.col("variance").fill_null(float(rules.deviation.initial**2)),
    )
    after = before.join(sums, on="fide_id", how="left").with_columns(*learned(rules))
    new_rating = ((pl.col("rating_hundredths") + 50) // 100).cast(pl.Int32)
    computed = (
        after.filter(pl.col("games").is_not_null())
        .join(month.before.select("fide_id", pl.col("rating").alias("old_rating")), on="fide_id", how="left")
        .with_columns(new_rating.alias("new_rating"))
        .with_columns((pl.col("new_rating") - pl.col("old_rating").fill_null(rules.entry.rating)).alias("change"))
    )
    state = after.sort("fide_id").with_columns(pl.lit(month.time_control).alias("time_control"))
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, pl.lit(None, dtype=pl.Int32)),
        system_state=SYSTEM_STATE.completed(state, blank_texts=True),
    )


def _grown(month: SystemMonth, rules: GlickoRules) -> pl.DataFrame:
    """Return every listed player as the period begins: ``fide_id``, ``rating_hundredths``, ``variance`` after step 1.

    An imported player's deviation follows from the number of games: 350 divided by the root of 25 at most.
    """
    months = month.period.index - month.month_before.index
    deviation = pl.coalesce("deviation_hundredths", imported_deviation(pl.col("games_played"), rules))
    return month.before.select(
        "fide_id",
        pl.coalesce("rating_hundredths", 100 * pl.col("rating")).cast(pl.Int32).alias("rating_hundredths"),
        grown_variance(deviation, months, rules).alias("variance"),
    )


def imported_deviation(games_played: pl.Expr, rules: GlickoRules) -> pl.Expr:
    """Return the deviation of imported players, in hundredths, before it grows."""
    own = rules.deviation
    games = games_played.clip(1, own.imported_from_games).cast(pl.Float64)
    return half_up_hundredths(pl.lit(float(own.initial)) / games.sqrt())


def grown_variance(deviation_hundredths: pl.Expr, months: int, rules: GlickoRules) -> pl.Expr:
    """Return the variance of a deviation, ``months`` after the list that has it (step 1)."""
    deviation = deviation_hundredths.cast(pl.Float64) / 100
    growth = float(rules.deviation.variance_per_month * months)
    return (deviation * deviation + growth).clip(upper_bound=float(rules.deviation.initial**2))


def _sides(month: SystemMonth, known: pl.DataFrame, rules: GlickoRules) -> pl.DataFrame:
    """Return the sides with the terms of both sums, ``information`` and ``surplus``, in units of 1e-9 (step 2).

    A game's terms are g²E(1 - E) and g(s - E), each multiplied by the weight of the game; g and E are those of the
    opponent's deviation.
    """
    facts = known.rename({"rating_hundredths": "hundredths"})
    weighted = month.sides.with_columns(_weights(month, rules).alias("weight"))
    sides = with_opponents_facts(with_facts(weighted, facts), facts)
    entry, initial, white = rules.entry.rating, float(rules.deviation.initial**2), rules.expected_score.white
    g, expected, weight = pl.col("g"), pl.col("expected"), pl.col("weight")
    points = (pl.col("hundredths") - pl.col("opponent_hundredths")) / 100
    has_weights = rules.expected_score.weights != "equal"
    return (
        sides.lazy()
        .with_columns(
            pl.col("hundredths", "opponent_hundredths").fill_null(100 * entry),
            pl.col("variance", "opponent_variance").fill_null(initial),
            pl.when(pl.col("reason").is_not_null()).then(pl.col("rating", "opponent_rating").fill_null(entry)),
        )
        .with_columns(g=attenuation(pl.col("opponent_variance")))
        .with_columns(expected=logistic(g * (points + pl.when("is_white").then(white).otherwise(-white))))
        .with_columns(
            information=only_counted(_units(weight * g * g * expected * (1 - expected))),
            surplus=only_counted(_units(weight * g * (pl.col("score_halves") / 2 - expected))),
            expected_thousandths=only_counted(half_up_thousandths(expected)),
            rating_hundredths=only_counted(pl.col("hundredths")),
            opponent_rating_hundredths=only_counted(pl.col("opponent_hundredths")),
            deviation_hundredths=only_counted(half_up_hundredths(pl.col("variance").sqrt())),
            opponent_deviation_hundredths=only_counted(half_up_hundredths(pl.col("opponent_variance").sqrt())),
            weight_thousandths=only_counted(half_up_thousandths(weight)) if has_weights else None,
        )
        .collect()
    )


def attenuation(variance: pl.Expr) -> pl.Expr:
    """Return g of an opponent's variance: 1 / √(1 + 3q²v/π²)."""
    return 1 / (1 + 3 * Q * Q / (math.pi * math.pi) * variance).sqrt()


def expected_of_white(rules: GlickoRules) -> pl.Expr:
    """Return White's expected score where both ratings are uncertain: the curve is flatter by g of both variances."""
    variance = pl.lit(0)
    for colour in ("white", "black"):
        games = pl.col(f"{colour}_games").clip(1, rules.deviation.imported_from_games)
        imported = pl.lit(rules.deviation.initial) / games.sqrt()
        deviation = pl.coalesce(pl.col(f"{colour}_deviation_hundredths") / 100, imported)
        variance = variance + deviation * deviation
    rating = [
        pl.coalesce(f"{colour}_rating_hundredths", 100 * pl.col(f"{colour}_rating")) for colour in ("white", "black")
    ]
    points = (rating[0] - rating[1]) / 100 + rules.expected_score.white
    return logistic(attenuation(variance) * points)


def _weights(month: SystemMonth, rules: GlickoRules) -> pl.Series:
    """Return the weight of every side among the player's counted games: 1, ½, ⅓ ... from the last one back.

    ``harmonic`` scales the weights of a player to the mean 1. Games go by date (that of the event's end where a report
    has none), event end, code and round.
    """
    sides = month.sides.with_row_index("row")
    if rules.expected_score.weights == "equal":
        return pl.Series("weight", [1.0]).new_from_index(0, len(sides))
    ends = month.events.select("event_no", "event_id", "end_date")
    order = pl.struct(pl.coalesce("date", "end_date").alias("day"), "end_date", "event_id", "round")
    placed = (
        counted(sides)
        .join(ends, on="event_no")
        .select("row", "fide_id", order.rank("ordinal", descending=True).over("fide_id").alias("from_last"))
    )
    weight = 1 / pl.col("from_last").cast(pl.Float64)
    if rules.expected_score.weights == "harmonic":
        weight = weight * pl.len().over("fide_id") / (_units(weight).sum().over("fide_id") / _UNIT)
    weights = placed.select("row", weight.alias("weight"))
    return sides.select("row").join(weights, on="row", how="left", maintain_order="left")["weight"]


def learned(rules: GlickoRules) -> tuple[pl.Expr, pl.Expr]:
    """Return rating and deviation in hundredths after the games (step 3), without games R and the grown deviation.

    From ``rating_hundredths``, ``variance``, ``games`` and the sums ``information`` and ``surplus``.
    """
    has_games = pl.col("games").is_not_null()
    variance = 1 / (1 / pl.col("variance") + Q * Q * pl.col("information") / _UNIT)
    rating = half_up_hundredths(pl.col("rating_hundredths") / 100 + variance * Q * pl.col("surplus") / _UNIT)
    deviation = pl.max_horizontal(variance.sqrt(), pl.lit(float(rules.deviation.least)))
    return (
        pl.when(has_games).then(rating).otherwise("rating_hundredths").alias("rating_hundredths"),
        half_up_hundredths(pl.when(has_games).then(deviation).otherwise(pl.col("variance").sqrt())).alias(
            "deviation_hundredths"
        ),
    )


def half_up_hundredths(value: pl.Expr) -> pl.Expr:
    """Return a double as a whole number of hundredths, halves upwards."""
    return (100 * value + 0.5).floor().cast(pl.Int32)


def half_up_thousandths(value: pl.Expr) -> pl.Expr:
    """Return a double as a whole number of thousandths, halves upwards."""
    return (1000 * value + 0.5).floor().cast(pl.Int32)


def _units(value: pl.Expr) -> pl.Expr:
    """Return a double as a whole number of units of 1e-9."""
    return (_UNIT * value).round().cast(pl.Int64)


SYSTEM = RatingSystem(
    GlickoRules,
    rate,
    expected_of_white=expected_of_white,
)
"""The system as the program knows it."""
