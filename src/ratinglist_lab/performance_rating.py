"""Performance ratings: the rating at which a result would have been expected, by every method of the literature.

A performance is a description of a result. No list is calculated from it. ``fide``, ``linear`` and ``linear_850`` are
exact, and rounded from fractions; the other methods are computed in doubles, whose sums do not depend on the order of
the games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from ratinglist.rating.expected_models import LOGISTIC_SCALE
from ratinglist_lab.expected_score import logistic, logistic_difference

COMPATIBLE = 350
"""The largest difference of compatible opponents."""

LOGISTIC_CUTS = {"logistic_cut_90": 90, "logistic_cut_95": 95}
"""The share in hundredths to which ``logistic_cut`` limits the score, and at the other end to 100 − it."""

SLOPES = {"linear": Fraction(8), "linear_850": Fraction(17, 2)}
"""Points per hundredth of the score of the linear methods."""

METHODS = ("linear", "linear_850", "logistic", *LOGISTIC_CUTS, "mixed", "newton", "likelihood", "glickman", "fide")

POINTS = 400
"""What a win is worth above the opponent's rating, and a loss below it, in :func:`iterated`."""

EVERY_POINT, NO_POINT, NO_GAME = "every_point", "no_point", "no_game"
"""Why there is no performance: it is higher or lower than any rating, or no game counts."""

_FIGURES: dict[str, pl.DataType] = {
    "method": pl.String(),
    **dict.fromkeys(("games", "score_halves", "opponent_rating_sum"), pl.Int64()),
    "performance": pl.Int32(),
    **dict.fromkeys(("value", "standard_error", "log_likelihood"), pl.Float64()),
    "reason": pl.String(),
}
_MIXED = (Fraction(1579, 10_000), Fraction(8421, 10_000))
"""The shares at which the logistic and the steeper linear curve cross."""
_ENOUGH = 1e-7
_MOST_STEPS = 200
_SMALLEST_E = 1e-12

Games = Sequence[tuple[int, int]]
"""Opponent's rating and own half points of each game."""


def performances(
    games: pl.DataFrame,
    by: list[str],
    opponents: str = "all",
    *,
    differences: pl.Series,
    single_results: bool = True,
) -> pl.DataFrame:
    """Return the performances of each group of games by each of :data:`METHODS`.

    In: one row per game with the columns ``by``, ``opponent_rating`` and ``score_halves``, and ``rating``, the own one,
    unless ``opponents`` is ``all``. A game without a rating that is needed does not count. Without ``single_results``
    only the sum of a group's scores has a meaning: then there is no ``log_likelihood``, and ``opponents`` must not be
    ``compatible``. ``opponents``: which of them count: ``all``; ``compatible``, those within :data:`COMPATIBLE` points
    of the own rating; ``clamped``, all, each moved to at most so many points from it. ``differences``: FIDE's rating
    differences by share of the points in hundredths (8.1.1).

    Out: one row per group and method, in this order: ``by``, ``method``, ``games``, ``score_halves``,
    ``opponent_rating_sum``, ``performance`` (rounded half up), ``value`` (a double), ``standard_error`` (of
    ``likelihood`` alone), ``log_likelihood`` (of the single results at ``value``) and ``reason``, one of
    :data:`EVERY_POINT`, :data:`NO_POINT` and :data:`NO_GAME` where there is no performance, else empty.
    """
    rows = []
    for key, group in games.sort(by).group_by(by, maintain_order=True):
        counted = _counted(group, opponents).select("opponent_rating", "score_halves").sort(pl.all()).rows()
        named = dict(zip(by, key, strict=True))
        rows += [named | row for row in _rows(counted, differences, single_results=single_results)]
    return pl.DataFrame(rows, schema={**{name: games.schema[name] for name in by}, **_FIGURES})


def _counted(games: pl.DataFrame, opponents: str) -> pl.DataFrame:
    """Return the games that count, the opponents' ratings as ``opponents`` states."""
    rating = pl.col("opponent_rating").cast(pl.Int64)
    if opponents == "all":
        return games.with_columns(rating).drop_nulls("opponent_rating")
    own = pl.col("rating").cast(pl.Int64)
    if opponents == "compatible":
        return games.with_columns(rating).filter((own - rating).abs() <= COMPATIBLE)
    return games.with_columns(rating.clip(own - COMPATIBLE, own + COMPATIBLE)).drop_nulls(["opponent_rating", "rating"])


def _rows(games: Games, differences: pl.Series, *, single_results: bool) -> list[dict[str, object]]:
    """Return the row of each method."""
    halves = sum(half for _, half in games)
    values = _values(games, halves, differences) if games else {}
    sums = {"games": len(games), "score_halves": halves, "opponent_rating_sum": sum(rating for rating, _ in games)}
    rows = []
    for method in METHODS:
        value = values.get(method)
        known = value is not None and math.isfinite(value)
        row: dict[str, object] = {"method": method, **sums, "reason": ""}
        if value is None or not known:
            row["reason"] = NO_GAME if not games else NO_POINT if halves == 0 else EVERY_POINT
        else:
            row |= {"value": float(value), "performance": math.floor(value + Fraction(1, 2))}
            row["standard_error"] = _standard_error(games, float(value)) if method == "likelihood" else None
            row["log_likelihood"] = log_likelihood(games, float(value)) if single_results else None
        rows.append(row)
    return rows


def _values(games: Games, halves: int, differences: pl.Series) -> dict[str, Fraction | float]:
    """Return the performance of some games by each method: infinite where no rating is."""
    count = len(games)
    mean, share = Fraction(sum(rating for rating, _ in games), count), Fraction(halves, 2 * count)
    # Rp = Ra + dp: the rating difference of the share of the points, rounded half up to hundredths (8.1.1).
    difference = differences[(100 * halves + count) // (2 * count)]
    linear = {method: mean + slope * (100 * share - 50) for method, slope in SLOPES.items()}
    logistic = float(mean) + logistic_difference(float(share))
    cuts = {
        method: float(mean) + logistic_difference(float(min(max(share, 1 - Fraction(cut, 100)), Fraction(cut, 100))))
        for method, cut in LOGISTIC_CUTS.items()
    }
    is_between = _MIXED[0] <= share <= _MIXED[1]
    start = float(linear["linear"])
    a, b, e = _expected(games, start)
    score = halves / 2
    root = math.sqrt(max(b * b + 2 * e * (score - a), 0))
    return {
        "fide": mean + difference,
        **linear,
        "logistic": logistic,
        **cuts,
        "mixed": logistic if is_between else linear["linear_850"],
        "newton": start + LOGISTIC_SCALE * (score - a) / b,
        "likelihood": _likelihood(games, score, logistic, float(mean)),
        "glickman": start + LOGISTIC_SCALE * ((score - a) / b if abs(e) < _SMALLEST_E else (root - b) / e),
    }


def _likelihood(games: Games, score: float, start: float, mean: float) -> float:
    """Return the rating at which the sum of expected scores is the score.

    Newton's steps, kept within the bounds known so far: at the lowest opponent + the logistic difference of the score
    too little is expected, at the highest opponent + it too much. A step beyond a bound becomes the middle.
    """
    if not math.isfinite(start):
        return start
    at = start
    low, high = (limit + start - mean for limit in (games[0][0], games[-1][0]))
    for _ in range(_MOST_STEPS):
        expected, information, _skew = _expected(games, at)
        low, high = (at if score > expected else low), (at if score < expected else high)
        following = at + LOGISTIC_SCALE * (score - expected) / information
        if not low <= following <= high:
            following = (low + high) / 2
        moved, at = abs(following - at), following
        if moved < _ENOUGH:
            break
    return at


def _expected(games: Games, at: float) -> tuple[float, float, float]:
    """Return Σp, Σp(1−p) and Σp(1−p)(1−2p) of the games of a player rated ``at``."""
    shares = [logistic(at - rating) for rating, _ in games]
    return (
        math.fsum(shares),
        math.fsum(p * (1 - p) for p in shares),
        math.fsum(p * (1 - p) * (1 - 2 * p) for p in shares),
    )


def _standard_error(games: Games, at: float) -> float:
    return LOGISTIC_SCALE / math.sqrt(_expected(games, at)[1])


def log_likelihood(games: Games, at: float) -> float:
    """Return Σ s ln p + (1 − s) ln(1 − p) of games, p the logistic expected score at the rating ``at``."""
    return math.fsum(
        half / 2 * math.log(logistic(at - rating)) + (1 - half / 2) * math.log(logistic(rating - at))
        for rating, half in games
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
        found.append({player: round(float(value), 4) if exact else int(value) for player, value in values.items()})
        if values == before:
            break
    return found
