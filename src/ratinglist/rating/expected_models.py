"""Models of the expected score: what share of the points a rating difference is worth.

No list is calculated with them, except by a regulation that names one: FIDE's lists use the table of the regulations in
whole numbers (:mod:`ratinglist.rating.change`). A difference is always own rating − opponent's. With an advantage of
White of ``a`` points, White's difference is ``a`` points greater and Black's ``a`` points less.

``linear`` and ``table`` are exact. The others are computed in doubles, element by element, and agree with their formula
to 1e-9, relative to the smaller of the two players' shares.
"""

from __future__ import annotations

import math
from functools import cache

import polars as pl

LOGISTIC_SCALE = 400 / math.log(10)
"""Points per unit of the logistic curve: 173.7178. Its slope at a difference of 0 is a quarter of its inverse."""

NORMAL_SIGMA = 200 * math.sqrt(2)
"""Standard deviation of the difference of two players' performances, where each has one of 200 points."""

LINEAR_CUT = 350
"""The largest difference that ``linear`` looks at, by default."""

LINEAR_UNITS = 800
"""The parts of a point that :func:`linear_units` counts."""

INGO_ORIGIN, INGO_SLOPE = 2840, 8
"""Rating of Ingo number 0, and points per Ingo number. A convention: regulations do not define the conversion."""

_WHOLE_DIFFERENCES = 8000


def logistic(difference: pl.Expr) -> pl.Expr:
    """Return 1 / (1 + 10^(−difference/400)), the model of Bradley and Terry."""
    return 1 / (1 + (-difference / LOGISTIC_SCALE).exp())


def logistic_difference(share: pl.Expr) -> pl.Expr:
    """Return the difference at which :func:`logistic` is ``share``: −infinity at 0, infinity at 1."""
    return LOGISTIC_SCALE * (share / (1 - share)).log()


def normal(difference: pl.Expr, sigma: float = NORMAL_SIGMA) -> pl.Expr:
    """Return Φ(difference/sigma), the model of Thurstone and Mosteller.

    Polars has no Φ. It is looked up at the nearest whole difference, and from there the first terms of the Taylor
    series are added; a difference beyond 8000 points counts as 8000.
    """
    kept = difference.cast(pl.Float64).clip(-_WHOLE_DIFFERENCES, _WHOLE_DIFFERENCES)
    nearest = kept.round()
    at, step = nearest / sigma, (kept - nearest) / sigma
    density = (-at * at / 2).exp() / math.sqrt(2 * math.pi)
    # Derivatives of the density: the polynomials of Hermite.
    terms = (1, -at, at**2 - 1, 3 * at - at**3, at**4 - 6 * at**2 + 3)
    added = sum((term * step**n / math.factorial(n) for n, term in enumerate(terms, 1)), pl.lit(0))
    return pl.lit(_normal_shares(sigma)).gather((nearest + _WHOLE_DIFFERENCES).cast(pl.UInt32)) + density * added


@cache
def _normal_shares(sigma: float) -> pl.Series:
    """Return Φ(d/sigma) of every whole difference from −8000 to 8000."""
    whole = range(-_WHOLE_DIFFERENCES, _WHOLE_DIFFERENCES + 1)
    return pl.Series([math.erfc(-one / (sigma * math.sqrt(2))) / 2 for one in whole])


def linear_units(difference: pl.Expr, cut: int = LINEAR_CUT) -> pl.Expr:
    """Return ½ + difference/800 in 800ths of a point; the difference is first cut to ±``cut``. Exact."""
    return difference.clip(-cut, cut) + LINEAR_UNITS // 2


def strength(rating: float) -> float:
    """Return w = 10^(rating/400): A beats B with the share w(A) / (w(A) + w(B))."""
    return math.exp(rating / LOGISTIC_SCALE)


def composed(first: pl.Expr, second: pl.Expr) -> pl.Expr:
    """Return A's share against B from A's (``first``) and B's (``second``) against the same third player."""
    won, lost = first * (1 - second), second * (1 - first)
    return won / (won + lost)


def ingo_percent(own: pl.Expr, opponent: pl.Expr) -> pl.Expr:
    """Return the own share in per cent by Ingo numbers, of which the lower is the stronger; within 0 and 100."""
    return (50 + opponent - own).clip(0, 100)


def rating_of_ingo(ingo: pl.Expr, origin: int = INGO_ORIGIN, slope: int = INGO_SLOPE) -> pl.Expr:
    """Return the rating that an Ingo number is worth."""
    return origin - slope * ingo


def draw_probability(share: pl.Expr) -> pl.Expr:
    """Return how probable a draw is where the expected score is ``share``; a win is ``share`` − half of it.

    It is the root of share × (1 − share), but no more than what leaves neither player a negative chance to win.
    """
    return pl.min_horizontal((share * (1 - share)).sqrt(), 2 * pl.min_horizontal(share, 1 - share))
