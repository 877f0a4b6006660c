"""Performance ratings: the rating at which a result would have been expected, by every method of the literature.

A performance is a description of a result. No list is calculated from it. ``linear`` and ``linear_850`` are exact, and
rounded from whole numbers; the other methods are computed in doubles. Sums over games are taken in whole numbers of
1e-14, so they do not depend on the order of the games or the number of threads.
"""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl

from ratinglist.rating.expected_models import LOGISTIC_SCALE, logistic, logistic_difference

COMPATIBLE = 350
"""The largest difference of compatible opponents."""

LOGISTIC_CUTS = {"logistic_cut_90": 90, "logistic_cut_95": 95}
"""The share in hundredths to which ``logistic_cut`` limits the score, and at the other end to 100 − it."""

SLOPE_TENTHS = {"linear": 80, "linear_850": 85}
"""Points per hundredth of the score, in tenths, of the linear methods."""

METHODS = ("linear", "linear_850", "logistic", *LOGISTIC_CUTS, "mixed", "newton", "likelihood", "glickman")

POINTS = 400
"""What a win is worth above the opponent's rating, and a loss below it, in :func:`iterated`."""

EVERY_POINT, NO_POINT, NO_GAME = "every_point", "no_point", "no_game"
"""Why there is no performance: it is higher or lower than any rating, or no game counts."""

_COLUMNS = (
    *("method", "games", "score_halves", "opponent_rating_sum"),
    *("performance", "value", "standard_error", "log_likelihood", "reason"),
)
_SUM_UNITS = 10**14
_ENOUGH = 1e-7
_MOST_STEPS = 200
_SMALLEST_E = 1e-12


def performances(
    games: pl.DataFrame, by: list[str], opponents: str = "all", *, single_results: bool = True
) -> pl.DataFrame:
    """Return the performances of each group of games by each of :data:`METHODS`.

    In: one row per game with the columns ``by``, ``opponent_rating`` and ``score_halves``, and ``rating``, the own one,
    unless ``opponents`` is ``all``. A game without a rating that is needed does not count. Without ``single_results``
    only the sum of a group's scores has a meaning: then there is no ``log_likelihood``, and ``opponents`` must not be
    ``compatible``. ``opponents``: which of them count: ``all``; ``compatible``, those within :data:`COMPATIBLE` points
    of the own rating; ``clamped``, all, each moved to at most so many points from it.

    Out: one row per group and method, in this order: ``by``, ``method``, ``games``, ``score_halves``,
    ``opponent_rating_sum``, ``performance`` (rounded half up), ``value`` (a double), ``standard_error`` (of
    ``likelihood`` alone), ``log_likelihood`` (of the single results at ``value``) and ``reason``, one of
    :data:`EVERY_POINT`, :data:`NO_POINT` and :data:`NO_GAME` where there is no performance, else empty.
    """
    groups = games.select(by).unique().sort(by).with_row_index("no")
    counted = _counted(games, opponents).join(groups, on=by).select("no", "opponent_rating", "score_halves")
    sums = (
        groups.join(
            counted.group_by("no").agg(
                pl.len().cast(pl.Int64).alias("games"),
                pl.col("score_halves").sum().cast(pl.Int64),
                pl.col("opponent_rating").sum().cast(pl.Int64).alias("opponent_rating_sum"),
            ),
            on="no",
            how="left",
        )
        .sort("no")
        .with_columns(pl.col("games", "score_halves", "opponent_rating_sum").fill_null(0))
    )
    values = _closed_formulas(sums)
    values |= _iterated(sums, counted, values)
    scored = counted if single_results else None
    rows = pl.concat([_of_method(method, sums, values, scored) for method in METHODS])
    return rows.sort("no", pl.col("method").cast(pl.Enum(METHODS))).select(*by, *_COLUMNS)


def log_likelihood(games: pl.DataFrame, ratings: pl.Series) -> pl.Series:
    """Return Σ s ln p + (1 − s) ln(1 − p) of the games of each group ``no``, p the logistic expected score.

    In: ``no``, ``opponent_rating``, ``score_halves`` (0, 1, 2); ``ratings``: by ``no``, null where there is none. Out:
    by ``no``; null where the rating is, or where no game counts.
    """
    difference = pl.lit(ratings).gather(pl.col("no")) - pl.col("opponent_rating")
    score = pl.col("score_halves") / 2
    term = score * logistic(difference).log() + (1 - score) * logistic(-difference).log()
    sums = games.group_by("no").agg(_sum(term).alias("sum"), difference.is_null().any().alias("is_null"))
    found = pl.DataFrame({"no": pl.int_range(len(ratings), eager=True, dtype=pl.UInt32)}).join(sums, "no", how="left")
    return found.sort("no").select(pl.when(~pl.col("is_null")).then("sum")).to_series()


def _counted(games: pl.DataFrame, opponents: str) -> pl.DataFrame:
    """Return the games that count, the opponents' ratings as ``opponents`` states."""
    rating = pl.col("opponent_rating").cast(pl.Int64)
    if opponents == "all":
        return games.with_columns(rating).drop_nulls("opponent_rating")
    own = pl.col("rating").cast(pl.Int64)
    if opponents == "compatible":
        return games.with_columns(rating).filter((own - rating).abs() <= COMPATIBLE)
    return games.with_columns(rating.clip(own - COMPATIBLE, own + COMPATIBLE)).drop_nulls(["opponent_rating", "rating"])


def _closed_formulas(sums: pl.DataFrame) -> dict[str, pl.Series]:
    games, halves = pl.col("games"), pl.col("score_halves")
    mean, share = pl.col("opponent_rating_sum") / games, halves / (2 * games)
    logistic_value = mean + logistic_difference(share)
    linear = {method: _linear_numerator(tenths) / games for method, tenths in SLOPE_TENTHS.items()}
    cuts = {
        method: mean + logistic_difference(share.clip(1 - cut / 100, cut / 100))
        for method, cut in LOGISTIC_CUTS.items()
    }
    # The lines cross at 15.79 and 84.21 per cent; compared as whole numbers.
    between = (10_000 * halves).is_between(1579 * 2 * games, 8421 * 2 * games)
    mixed = pl.when(between).then(logistic_value).otherwise(linear["linear_850"])
    formulas = {**linear, "logistic": logistic_value, **cuts, "mixed": mixed}
    return {method: sums.select(formula.fill_nan(None)).to_series() for method, formula in formulas.items()}


def _linear_numerator(slope_tenths: int) -> pl.Expr:
    """Return games × the linear performance, a whole number: the sum of ratings + 50 × slope × (wins − losses)."""
    return pl.col("opponent_rating_sum") + 5 * slope_tenths * (pl.col("score_halves") - pl.col("games"))


def _iterated(sums: pl.DataFrame, games: pl.DataFrame, values: dict[str, pl.Series]) -> dict[str, pl.Series]:
    """Return the values of ``newton``, ``glickman`` and ``likelihood``, and the ``standard_error`` of the last."""
    points = sums["score_halves"] / 2
    linear = values["linear"]
    at = _expected(games, linear)
    newton = linear + _newton_step(at, points)
    change = pl.DataFrame({"a": at["points"], "b": at["information"], "e": at["skew"], "s": points}).select(
        pl.when(pl.col("e").abs() < _SMALLEST_E)
        .then((pl.col("s") - pl.col("a")) / pl.col("b"))
        .otherwise(
            (
                (pl.col("b") ** 2 + 2 * pl.col("e") * (pl.col("s") - pl.col("a"))).clip(lower_bound=0).sqrt()
                - pl.col("b")
            )
            / pl.col("e")
        )
    )
    likelihood = _likelihood(sums, games, values["logistic"])
    error = LOGISTIC_SCALE / _expected(games, likelihood)["information"].sqrt()
    glickman = linear + LOGISTIC_SCALE * change.to_series()
    return {"newton": newton, "glickman": glickman, "likelihood": likelihood, "standard_error": error}


def _likelihood(sums: pl.DataFrame, games: pl.DataFrame, start: pl.Series) -> pl.Series:
    """Return the ratings at which the sum of expected scores is the score; null where no rating is.

    Newton's steps, kept within the bounds known so far: at the lowest opponent + the logistic difference of the score
    too little is expected, at the highest opponent + it too much. A step beyond a bound becomes the middle.
    """
    points = sums["score_halves"] / 2
    at = start.replace([math.inf, -math.inf], [None, None])
    bounds = games.group_by("no").agg(
        pl.col("opponent_rating").min().alias("low"), pl.col("opponent_rating").max().alias("high")
    )
    bounds = sums.select("no", "opponent_rating_sum", "games").join(bounds, on="no", how="left").sort("no")
    shift = at - bounds["opponent_rating_sum"] / bounds["games"]
    low, high = bounds["low"] + shift, bounds["high"] + shift
    for _ in range(_MOST_STEPS):
        expected = _expected(games, at)
        frame = pl.DataFrame(
            {"at": at, "low": low, "high": high, "error": points - expected["points"]},
        ).with_columns((pl.col("at") + _newton_step(expected, points)).alias("next"))
        frame = frame.with_columns(
            pl.when(pl.col("error") > 0).then("at").otherwise("low").alias("low"),
            pl.when(pl.col("error") < 0).then("at").otherwise("high").alias("high"),
        ).with_columns(
            pl.when(pl.col("next").is_between("low", "high"))
            .then("next")
            .otherwise((pl.col("low") + pl.col("high")) / 2)
            .alias("next")
        )
        moved = (frame["next"] - at).abs().max()
        at, low, high = frame["next"], frame["low"], frame["high"]
        if moved is None or pl.select(pl.lit(moved) < _ENOUGH).item():
            break
    return at


def _newton_step(expected: pl.DataFrame, points: pl.Series) -> pl.Series:
    """Return the next step of each group towards the rating at which ``points`` would be expected."""
    return LOGISTIC_SCALE * (points - expected["points"]) / expected["information"]


def _expected(games: pl.DataFrame, at: pl.Series) -> pl.DataFrame:
    """Return, for each group at its rating, ``points`` Σp, ``information`` Σp(1−p) and ``skew`` Σp(1−p)(1−2p).

    One row for each value of ``at``; null where it is null, or no game counts.
    """
    p = logistic(pl.lit(at).gather(pl.col("no")) - pl.col("opponent_rating"))
    sums = games.group_by("no").agg(
        p.is_null().any().alias("is_null"),
        _sum(p).alias("points"),
        _sum(p * (1 - p)).alias("information"),
        _sum(p * (1 - p) * (1 - 2 * p)).alias("skew"),
    )
    every = pl.DataFrame({"no": pl.int_range(len(at), eager=True, dtype=pl.UInt32)})
    shown = [pl.when(~pl.col("is_null")).then(name).alias(name) for name in ("points", "information", "skew")]
    return every.join(sums, on="no", how="left").sort("no").select(shown)


def _sum(terms: pl.Expr) -> pl.Expr:
    """Return a sum that does not depend on the order of the terms: whole numbers of 1e-14 are added."""
    return (terms * _SUM_UNITS).round().cast(pl.Int64, strict=False).sum() / _SUM_UNITS


def _of_method(
    method: str, sums: pl.DataFrame, values: dict[str, pl.Series], games: pl.DataFrame | None
) -> pl.DataFrame:
    """Return the rows of one method; ``games``: those that count, None where their single results are not known."""
    value = values[method].replace([math.inf, -math.inf], [None, None])
    numerator, count = _linear_numerator(SLOPE_TENTHS.get(method, 0)), pl.col("games")
    exact = (2 * numerator + count) // (2 * count)
    half_up = (pl.col("value") + 1 / 2).floor().cast(pl.Int64)
    lowest, highest = pl.col("score_halves") == 0, pl.col("score_halves") == 2 * count
    nothing = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(value))
    return sums.with_columns(
        pl.lit(method).alias("method"),
        value.alias("value"),
        (values["standard_error"] if method == "likelihood" else nothing).alias("standard_error"),
        (nothing if games is None else log_likelihood(games, value)).alias("log_likelihood"),
    ).with_columns(
        pl.when(pl.col("value").is_not_null())
        .then(exact if method in SLOPE_TENTHS else half_up)
        .cast(pl.Int32)
        .alias("performance"),
        pl.when(count == 0)
        .then(pl.lit(NO_GAME))
        .when(pl.col("value").is_null() & lowest)
        .then(pl.lit(NO_POINT))
        .when(pl.col("value").is_null() & highest)
        .then(pl.lit(EVERY_POINT))
        .otherwise(pl.lit(""))
        .alias("reason"),
    )


def iterated(games: pl.DataFrame, start: int, rounds: int, *, exact: bool = False) -> list[dict[str, float]]:
    """Return the values of all players without a rating after each round, by player; they stop when none moves.

    All begin at ``start``. Every round calculates the linear performance of all games of such a player, with the
    opponents' ratings or their values of the round before, half up to a whole number, or exactly and shown to 0.0001.
    In: a row per player and game: ``player``, ``rating`` (null: none), ``opponent``, ``opponent_rating``,
    ``score_halves``.
    """
    own = games.filter(pl.col("rating").is_null())
    worth = pl.col("opponent_rating").fill_null(0) + POINTS * (pl.col("score_halves") - 1)
    sums = own.group_by("player").agg(pl.len().alias("games"), worth.sum().alias("fixed")).sort("player")
    fixed = {player: (count, total) for player, count, total in sums.iter_rows()}
    others = own.filter(pl.col("opponent_rating").is_null()).group_by("player").agg("opponent")
    against: dict[str, list[str]] = dict(others.iter_rows())
    values = dict.fromkeys(fixed, Fraction(start))
    found: list[dict[str, float]] = []
    for _ in range(rounds):
        before = values
        values = {
            player: Fraction(total + sum(before.get(other, Fraction(start)) for other in against.get(player, ())))
            / count
            for player, (count, total) in fixed.items()
        }
        if not exact:
            values = {player: Fraction((2 * value + 1) // 2) for player, value in values.items()}
        found.append({player: round(float(value), 4) for player, value in values.items()})
        if values == before:
            break
    return found
