"""Ways to calculate a new rating from a result: general Elo, and its rules of thumb.

No list is calculated from them. S points of N games against opponents of mean rating M; E is the old rating, K the
development coefficient, N0 = 800 / K the games that make a rating. Numbers are doubles, and few.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ratinglist.rating.expected_models import LOGISTIC_SCALE
from ratinglist_lab.expected_score import LINEAR_CUT, Model, logistic, logistic_difference

SCALE = 800
"""N0 × K."""
NEWCOMER_K = 150
"""K of the first event of a player whose rating is a guess."""

Number = float
"""A rating, a share or a weight that is no whole number."""


@dataclass(frozen=True, slots=True)
class Result:
    """N games: the opponents' ratings and the points scored against all of them."""

    opponents: tuple[int, ...]
    points: float

    @property
    def games(self) -> int:
        """Return N."""
        return len(self.opponents)

    @property
    def mean(self) -> int:
        """Return the mean rating of the opponents, half up."""
        return (2 * sum(self.opponents) + self.games) // (2 * self.games)

    @property
    def performance(self) -> float:
        """Return the linear performance."""
        return sum(self.opponents) / self.games + 400 * (2 * self.points - self.games) / self.games


def updates(rating: int, result: Result, k: float, models: Mapping[str, Model]) -> list[dict[str, object]]:
    """Return the new rating by every rule: ``rule``, ``model``, ``expected`` points, ``k``, ``new_rating`` exactly."""
    n0 = SCALE / k
    rows = []
    for name, model in models.items():
        each = sum(model(rating - one) for one in result.opponents)
        of_mean = result.games * model(rating - result.mean)
        for rule, expected in (("by K", each), ("by K, mean of opponents", of_mean)):
            rows.append(_row(rule, name, expected, k, rating + k * (result.points - expected)))
    cut = sum(max(-LINEAR_CUT, min(LINEAR_CUT, one - rating)) for one in result.opponents)
    closed = rating + k / 2 * (2 * result.points - result.games + cut / 400)
    rows.append(_row("linear, closed form", "linear", None, k, closed))
    weighed = rating + share_of_period(result.games, k) * (result.performance - rating)
    rows.append(_row("by weights", "linear", None, k, weighed))
    shares = [logistic(rating - one) for one in result.opponents]
    second = LOGISTIC_SCALE * (result.games / n0) / sum(one * (1 - one) for one in shares)
    rows.append(_row("second order", "logistic", sum(shares), second, rating + second * (result.points - sum(shares))))
    return rows


def _row(rule: str, model: str, expected: float | None, k: float, new: float) -> dict[str, object]:
    return {"rule": rule, "model": model, "expected": expected, "k": k, "new_rating": new}


def facts(result: Result, k: float) -> dict[str, float]:
    """Return what K means for N games, by name."""
    n0, share = SCALE / k, share_of_period(result.games, k)
    root = math.sqrt(result.games)
    return {
        "games_that_make_a_rating": n0,
        "games_that_weigh_like_the_old_rating": n0 / 2,
        "linear_performance": result.performance,
        "weight_of_the_old_rating": 1 - share,
        "weight_of_the_performance": share,
        "least_k_of_a_first_period": SCALE / (2 * result.games),
        "largest_k_of_a_first_period": SCALE / result.games,
        "rounding_error_of_hundredths": k * 0.005 * root,
        "rounding_error_of_twentieths": k * 0.025 * root,
        "rounding_error_of_the_mean_in_hundredths": k * 0.005 * result.games,
    }


def share_of_period(games: int, k: float) -> float:
    """Return the weight that the performance of N games has against the old rating: N / N0, at most 1."""
    return min(1.0, games * k / SCALE)


def weights_per_event(share: float, events: int) -> list[float]:
    """Return the weights after several events, each of this share: first that of the start."""
    return [(1 - share) ** events, *(share * (1 - share) ** (events - 1 - one) for one in range(events))]


def weights_per_period(share: float, events: int) -> list[float]:
    """Return the weights after several events that are one period: first that of the start."""
    total = share * events
    return [0.0, *[1 / events] * events] if total >= 1 else [1 - total, *[share] * events]


def against_provisional(k: float, opponent_games: int, opponent_k: float | None) -> dict[str, float]:
    """Return K against an opponent with a provisional rating of so many games, by rule."""
    by_ratio = {} if opponent_k is None else {"ratio": k * k / opponent_k if opponent_k > k else k}
    crude = k * opponent_games / (opponent_games + 1)
    return {**by_ratio, "crude": crude, "g": k / math.sqrt(1 + 1.2 / opponent_games) if opponent_games else 0.0}


def mutual(rating: int, opponent: int, games: int, points: float, n0: float) -> dict[str, float]:
    """Return both players' performances and new ratings where each is the other's only opponent.

    Raises :class:`ValueError` where every point or no point was scored, or N is N0: then there are none.
    """
    share = games / n0
    if not 0 < points < games:
        raise ValueError("every point or no point was scored: the performance is higher or lower than any rating")
    if math.isclose(share, 1):
        raise ValueError("as many games as make a rating: the two performances do not follow from each other")
    gap = logistic_difference(points / games)
    first = opponent + gap
    second = rating - gap
    # aN = aP + x (bN − b), bN = bP + x (aN − a)
    settled = (first + share * (second - opponent) - share * share * rating) / (1 - share * share)
    other = second + share * (settled - rating)
    return {
        "performance": first,
        "opponent_performance": second,
        "mutual_performance": settled,
        "opponent_mutual_performance": other,
        "new_rating": rating + share * (settled - rating),
        "opponent_new_rating": opponent + share * (other - opponent),
    }


def guessed_rating(age: int | None) -> int:
    """Return the rating that a newcomer is guessed to have."""
    return 1300 if age is None else min(1300, 50 * age)


def attenuation(deviation: float) -> float:
    """Return g of a deviation."""
    return 1 / math.sqrt(1 + 3 * (deviation / (math.pi * LOGISTIC_SCALE)) ** 2)


def single_update(
    rating: float, opponent: float, deviation: float, opponent_deviation: float
) -> list[dict[str, float]]:
    """Return rating and deviation of the first player after one game: a row for a win, a draw and a loss.

    ``new_rating``: of the first order; ``mode``: of the exact distribution after the game.
    """
    q, g = 1 / LOGISTIC_SCALE, attenuation(opponent_deviation)
    share = logistic(g * (rating - opponent))
    precision = 1 / deviation**2 + (q * g) ** 2 * share * (1 - share)
    rows = []
    for score in (1.0, 0.5, 0.0):
        mode = float(rating)
        # Newton's method: the function falls and is nearly straight, so that few steps are enough.
        for _ in range(50):
            at = logistic(g * (mode - opponent))
            slope = -1 / deviation**2 - (q * g) ** 2 * at * (1 - at)
            step = ((rating - mode) / deviation**2 + q * g * (score - at)) / slope
            mode -= step
        rows.append(
            {
                "score": score,
                "expected": share,
                "new_rating": rating + q * g * (score - share) / precision,
                "new_deviation": math.sqrt(1 / precision),
                "mode": mode,
            }
        )
    return rows
