"""Models of the expected score: what share of the points a rating difference is worth, for one game at a time.

No list is calculated with them. A difference is always own rating − opponent's. With an advantage of White of ``a``
points, White's difference is ``a`` points greater and Black's ``a`` points less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from ratinglist.rating.systems.glicko import LOGISTIC_SCALE

NORMAL_SIGMA = 200 * math.sqrt(2)
"""Standard deviation of the difference of two players' performances, where each has one of 200 points."""

LINEAR_CUT = 350
"""The largest difference that ``linear`` looks at."""

INGO_ORIGIN, INGO_SLOPE = 2840, 8
"""Rating of Ingo number 0, and points per Ingo number. A convention: regulations do not define the conversion."""

Model = Callable[[int], float]
"""From a difference of ratings to the expected score."""


def logistic(difference: float) -> float:
    """Return 1 / (1 + 10^(−difference/400)), the model of Bradley and Terry."""
    return 1 / (1 + math.exp(-difference / LOGISTIC_SCALE))


def logistic_difference(share: float) -> float:
    """Return the difference at which :func:`logistic` is ``share``: −infinity at 0, infinity at 1."""
    if share in (0, 1):
        return math.inf if share else -math.inf
    return LOGISTIC_SCALE * math.log(share / (1 - share))


def normal(difference: float) -> float:
    """Return Φ(difference/σ), the model of Thurstone and Mosteller."""
    return math.erfc(-difference / (NORMAL_SIGMA * math.sqrt(2))) / 2


def linear(difference: float) -> float:
    """Return ½ + difference/800, the difference cut."""
    return 0.5 + max(-LINEAR_CUT, min(LINEAR_CUT, difference)) / 800


def by_table(table: Sequence[int], cut: int, difference: int) -> float:
    """Return the expected score of a table of hundredths by the difference, which is cut first."""
    share = table[min(cut, abs(difference), len(table) - 1)]
    return (share if difference >= 0 else 100 - share) / 100


def models(table: Sequence[int]) -> dict[str, Model]:
    """Return the models by name; ``table``: the one of the regulations."""
    return {
        "logistic": logistic,
        "normal": normal,
        "linear": linear,
        "table": partial(by_table, table, len(table)),
        "table_350": partial(by_table, table, 350),
        "table_400": partial(by_table, table, 400),
    }


def strength(share: float) -> float:
    """Return the strength w of a player who expects ``share`` against one of strength 1: w / (w + 1)."""
    return share / (1 - share)


def composed(first: float, second: float) -> float:
    """Return A's share against B from A's (``first``) and B's (``second``) against the same third player."""
    won, lost = first * (1 - second), second * (1 - first)
    return won / (won + lost)


def ingo_share(own: int, opponent: int) -> float:
    """Return the own share by Ingo numbers, of which the lower is the stronger; within 0 and 1."""
    return max(0, min(100, 50 + opponent - own)) / 100


def rating_of_ingo(ingo: int) -> int:
    """Return the rating that an Ingo number is worth."""
    return INGO_ORIGIN - INGO_SLOPE * ingo


def draw_probability(share: float) -> float:
    """Return how probable a draw is where the expected score is ``share``; a win is ``share`` − half of it.

    It is the root of share × (1 − share), but no more than what leaves neither player a negative chance to win.
    """
    return min(math.sqrt(share * (1 - share)), 2 * min(share, 1 - share))
