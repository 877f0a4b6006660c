"""What is calculated from numbers typed in alone: the commands `ratinglist expected`, `update` and `rounds`.

No list is calculated from it: models of the expected score for one game at a time, general Elo and its rules of thumb.
S points of N games against opponents of mean rating M; E is the old rating, K the development coefficient, N0 = 800 / K
the games that make a rating. Numbers are doubles, and few. A difference is always own rating − opponent's. With an
advantage of White of ``a`` points, White's difference is ``a`` points greater and Black's ``a`` points less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.rating.systems.glicko import LOGISTIC_SCALE
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist.text import counted

SCALE = 800
"""N0 × K."""
NEWCOMER_K = 150
"""K of the first event of a player whose rating is a guess."""
NEWCOMER_RATING, NEWCOMER_POINTS_A_YEAR = 1300, 50
"""The rating that a newcomer is guessed to have at most, and for each year of age."""

NORMAL_SIGMA = 200 * math.sqrt(2)
"""Standard deviation of the difference of two players' performances, where each has one of 200 points."""

LINEAR_CUT = 350
"""The largest difference that ``linear`` looks at."""

INGO_SLOPE = 8
"""Rating points per Ingo number. A convention: regulations do not define the conversion."""

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


def ingo_share(own: int, opponent: int) -> float:
    """Return the own share by Ingo numbers, of which the lower is the stronger; within 0 and 1."""
    return max(0, min(100, 50 + opponent - own)) / 100


def draw_probability(share: float) -> float:
    """Return how probable a draw is where the expected score is ``share``; a win is ``share`` − half of it.

    It is the root of share × (1 − share), but no more than what leaves neither player a negative chance to win.
    """
    return min(math.sqrt(share * (1 - share)), 2 * min(share, 1 - share))


def models() -> dict[str, Model]:
    """Return the models of the expected score by name, with the table of the regulations."""
    table = rule_book().tables["expected_score"].to_list()
    return {
        "logistic": logistic,
        "normal": normal,
        "linear": linear,
        "table": partial(by_table, table, len(table)),
        "table_350": partial(by_table, table, 350),
        "table_400": partial(by_table, table, 400),
    }


def expected(rating: int, opponent_rating: int, white_advantage: int = 0, *, ingo: bool = False) -> Facts:
    """Return what the first player expects against the second; the first has White where there is an advantage.

    ``ingo``: both numbers are Ingo numbers, of which the lower is the stronger; then there is a row of that model too.
    Out: ``difference``, in points of rating, the advantage included, and the table ``models``: ``model``, ``expected``,
    ``opponent_expected``, ``win``, ``draw`` and ``loss``, all shares of 1.
    """
    difference = (INGO_SLOPE * (opponent_rating - rating) if ingo else rating - opponent_rating) + white_advantage
    shares = {"ingo": ingo_share(rating, opponent_rating)} if ingo else {}
    shares |= {name: model(difference) for name, model in models().items()}
    rows = []
    for name, share in shares.items():
        draw = draw_probability(share)
        chances = {"win": share - draw / 2, "draw": draw, "loss": 1 - share - draw / 2}
        rows.append({"model": name, "expected": share, "opponent_expected": 1 - share, **chances})
    facts = {
        "rating": rating,
        "opponent_rating": opponent_rating,
        "white_advantage": white_advantage,
        "ingo": ingo,
        "difference": difference,
        "models": pl.DataFrame(rows),
    }
    return Facts(f"{rating} against {opponent_rating}", facts)


def composed(first: float, second: float) -> Facts:
    """Return what A expects against B, from what each of them expects against the same third player."""
    won, lost = first * (1 - second), second * (1 - first)
    share = won / (won + lost)
    title = f"A expects {first:g} and B {second:g} against the same player, whose strength is 1"
    facts = {
        "title": title,
        "expected": share,
        "opponent_expected": 1 - share,
        "strength_of_a": first / (1 - first),
        "strength_of_b": second / (1 - second),
    }
    return Facts(title, facts)


def single_update(rating: int, opponent: int, deviation: float, opponent_deviation: float) -> Facts:
    """Return rating and deviation of the first player after one game: a row for a win, a draw and a loss.

    ``new_rating``: of the first order; ``mode``: of the exact distribution after the game; ``attenuations``: g of both
    deviations.
    """
    q, g = 1 / LOGISTIC_SCALE, _attenuation(opponent_deviation)
    share = logistic(g * (rating - opponent))
    precision = 1 / deviation**2 + (q * g) ** 2 * share * (1 - share)
    rows = []
    for points in (1.0, 0.5, 0.0):
        mode = float(rating)
        # Newton's method: the function falls and is nearly straight, so that few steps are enough.
        for _ in range(50):
            at = logistic(g * (mode - opponent))
            slope = -1 / deviation**2 - (q * g) ** 2 * at * (1 - at)
            mode -= ((rating - mode) / deviation**2 + q * g * (points - at)) / slope
        rows.append(
            {
                "score": points,
                "expected": share,
                "new_rating": rating + q * g * (points - share) / precision,
                "new_deviation": math.sqrt(1 / precision),
                "mode": mode,
            }
        )
    facts = {
        "rating": rating,
        "opponent_rating": opponent,
        "attenuations": (_attenuation(deviation), g),
        "rows": pl.DataFrame(rows),
    }
    return Facts(f"{rating} against {opponent}", facts)


def _attenuation(deviation: float) -> float:
    """Return g of a deviation."""
    return 1 / math.sqrt(1 + 3 * (deviation / (math.pi * LOGISTIC_SCALE)) ** 2)


def update(
    rating: int,
    opponents: Sequence[int],
    score_halves: int,
    k: float,
    events: int | None = None,
    provisional: tuple[int, float | None] | None = None,
) -> Facts:
    """Return what a result makes of a rating, by every rule.

    ``events``: how many events like this one follow each other, for the ``weights`` of the start and of each event.
    ``provisional``: an opponent's games so far, and K where it is known, for K against such an opponent.
    """
    games, points = len(opponents), score_halves / 2
    # The weight that the performance has against the old rating: N / N0, at most 1.
    share = min(1.0, games * k / SCALE)
    performance = sum(opponents) / games + 400 * (2 * points - games) / games
    facts = {
        "rating": rating,
        "games": games,
        "points": points,
        "k": k,
        "rows": pl.DataFrame(_updates(rating, opponents, points, k, rating + share * (performance - rating))),
        "facts": {
            "games_that_make_a_rating": SCALE / k,
            "games_that_weigh_like_the_old_rating": SCALE / k / 2,
            "linear_performance": performance,
            "weight_of_the_old_rating": 1 - share,
            "weight_of_the_performance": share,
            "least_k_of_a_first_period": SCALE / (2 * games),
            "largest_k_of_a_first_period": SCALE / games,
            "rounding_error_of_hundredths": k * 0.005 * math.sqrt(games),
            "rounding_error_of_twentieths": k * 0.025 * math.sqrt(games),
            "rounding_error_of_the_mean_in_hundredths": k * 0.005 * games,
        },
        "weights": _weights(share, events) if events else {},
        "k_against_provisional": _against_provisional(k, *provisional) if provisional else {},
    }
    return Facts(f"{rating}: {points:g} of {counted(games, 'point')}", facts)


def _updates(rating: int, opponents: Sequence[int], points: float, k: float, weighed: float) -> list[dict[str, object]]:
    """Return the new rating by every rule: ``rule``, ``model``, ``expected`` points, ``k``, ``new_rating`` exactly.

    ``weighed``: that by weights.
    """
    games = len(opponents)
    # Half up.
    mean = (2 * sum(opponents) + games) // (2 * games)
    cut = sum(max(-LINEAR_CUT, min(LINEAR_CUT, opponent - rating)) for opponent in opponents)
    closed = rating + k / 2 * (2 * points - games + cut / 400)
    shares = [logistic(rating - opponent) for opponent in opponents]
    second = LOGISTIC_SCALE * (games * k / SCALE) / sum(share * (1 - share) for share in shares)
    rows: list[tuple[str, str, float | None, float, float]] = []
    for name, model in models().items():
        each, of_mean = sum(model(rating - opponent) for opponent in opponents), games * model(rating - mean)
        rows.append(("by K", name, each, k, rating + k * (points - each)))
        rows.append(("by K, mean of opponents", name, of_mean, k, rating + k * (points - of_mean)))
    rows.append(("linear, closed form", "linear", None, k, closed))
    rows.append(("by weights", "linear", None, k, weighed))
    rows.append(("second order", "logistic", sum(shares), second, rating + second * (points - sum(shares))))
    return [dict(zip(("rule", "model", "expected", "k", "new_rating"), row, strict=True)) for row in rows]


def _weights(share: float, events: int) -> dict[str, list[float]]:
    """Return the weights after several events of this share each, as so many events and as one period.

    The first weight is that of the start.
    """
    total = share * events
    return {
        "each event": [(1 - share) ** events, *(share * (1 - share) ** at for at in reversed(range(events)))],
        "one period": [0.0, *[1 / events] * events] if total >= 1 else [1 - total, *[share] * events],
    }


def _against_provisional(k: float, opponent_games: int, opponent_k: float | None) -> dict[str, float]:
    """Return K against an opponent with a provisional rating of so many games, by rule."""
    by_ratio = {} if opponent_k is None else {"ratio": k * k / opponent_k if opponent_k > k else k}
    crude = k * opponent_games / (opponent_games + 1)
    return {**by_ratio, "crude": crude, "g": k / math.sqrt(1 + 1.2 / opponent_games) if opponent_games else 0.0}


def mutual(rating: int, opponent: int, games: int, score_halves: int, k: float) -> Facts:
    """Return both players' performances and new ratings where each is the other's only opponent.

    Raises :class:`CommandLineError` where every point or no point was scored, or N is N0: then there are none.
    """
    share, points = games * k / SCALE, score_halves / 2
    if not 0 < points < games or math.isclose(share, 1):
        raise CommandLineError(
            "There is no mutual performance where every point or no point was scored, or where as many games were "
            "played as make a rating. Give other --games, --score or --k."
        )
    gap = logistic_difference(points / games)
    first, second = opponent + gap, rating - gap
    # aN = aP + x (bN − b), bN = bP + x (aN − a)
    settled = (first + share * (second - opponent) - share * share * rating) / (1 - share * share)
    other = second + share * (settled - rating)
    title = f"{rating} against {opponent}: {points:g} of {games} points"
    facts = {
        "title": title,
        "performance": first,
        "opponent_performance": second,
        "mutual_performance": settled,
        "opponent_mutual_performance": other,
        "new_rating": rating + share * (settled - rating),
        "opponent_new_rating": opponent + share * (other - opponent),
    }
    return Facts(title, facts)


def rounds(players: int) -> Facts:
    """Return the rounds of a Swiss tournament of so many players, and its first round by strength.

    ``draw_numbers``: of the players, the strongest first. ``first_round``: the numbers of White and Black; the number
    after the last is the bye of an odd field.
    """
    recommended, possible = recommended_rounds(players)
    facts = {
        "players": players,
        "at_most": players // 2 + 1,
        "recommended": tuple(recommended),
        "possible": tuple(possible),
        "draw_numbers": (*range(2, players + 1, 2), *range(1, players + 1, 2)),
        "first_round": tuple((number, number + 1) for number in range(1, players + 1, 2)),
    }
    bye = f", number {players + 1} is the bye" if players % 2 else ""
    return Facts(f"Rounds of a Swiss tournament of {players} players{bye}", facts)


_ROUNDS = {
    9: ((3, 5), ()),
    10: ((4, 5, 6), ()),
    11: ((5,), ()),
    12: ((5, 6, 7), ()),
    13: ((5, 7), ()),
    14: ((5, 6, 7), (8,)),
    15: ((5, 7), ()),
    16: ((7, 8), (6, 9)),
    17: ((7, 9), ()),
    18: ((8, 9), (7, 10)),
    19: ((7, 9), ()),
    20: ((8, 9, 10), (7, 11)),
    21: ((7, 9), (11,)),
    22: ((9, 10, 11), (8, 12)),
    23: ((9, 11), ()),
    24: ((9, 10, 11, 12), (8, 13)),
    25: ((9, 11), (13,)),
    26: ((10, 11, 12, 13), (9, 14)),
    27: ((9, 11), (13,)),
    28: ((10, 11, 12, 13, 14), (9, 15)),
    29: ((11, 13), (15,)),
    30: ((11, 12, 13, 14, 15), (10, 16)),
    31: ((11, 13, 15), ()),
    32: ((11, 12, 13, 14, 15, 16), (10, 17)),
}


def recommended_rounds(players: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers of rounds recommended for so many players, and those that are possible too.

    Both are empty where there are fewer than 9 players or more than 32: there is no recommendation.
    """
    return _ROUNDS.get(players, ((), ()))
