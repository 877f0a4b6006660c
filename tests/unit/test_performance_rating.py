"""Performance ratings: a slow plain calculation of every method. Worked figures: ``tests/worked_examples.csv``."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given, strategies as st

from ratinglist_lab.formulas import METHODS, performances

C = 400 / math.log(10)


def of_games(opponents: list[int], halves: list[int], own: int | None = None, which: str = "all") -> dict[str, Any]:
    """The rows of one player by method."""
    games = [(rating, half, own) for rating, half in zip(opponents, halves, strict=True)]
    return {str(row["method"]): defaultdict(lambda: None, row) for row in performances(games, which)}


def total(opponents: list[int], halves: int) -> dict[str, Any]:
    """The same where only the sum of the scores is known."""
    games = [(rating, 0 if number else halves, None) for number, rating in enumerate(opponents)]
    rows = performances(games, single_results=False)
    return {str(row["method"]): defaultdict(lambda: None, row) for row in rows}


@pytest.mark.parametrize(
    ("games", "halves", "method"), [(38, 12, "linear_850"), (76, 24, "linear_850"), (100, 32, "logistic")]
)
def test_the_mixed_method_changes_where_its_two_lines_cross(games, halves, method):
    low, high = total([1700] * games, halves), total([1700] * games, 2 * games - halves)
    assert low["mixed"]["value"] == low[method]["value"]
    assert high["mixed"]["value"] == high[method]["value"]


def test_clamped_opponents_are_moved_to_350_points():
    row = of_games([1000, 2900], [2, 0], own=2000, which="clamped")["linear"]
    assert (row["opponent_rating_sum"], row["games"]) == (1650 + 2350, 2)


def test_without_a_game_that_counts_there_is_no_performance():
    by_method = of_games([1000], [2], own=2000, which="compatible")
    assert [(row["performance"], row["reason"]) for row in by_method.values()] == [(None, "no_game")] * len(METHODS)


@pytest.mark.parametrize(
    ("halves", "games", "difference"),
    # B.02, 8.1.1: p .67, .42, .50, .00 and 1.00
    [(4, 3, 125), (5, 6, -57), (4, 4, 0), (0, 5, -800), (10, 5, 800)],
)
def test_the_performance_of_fide_is_the_mean_and_the_difference_of_the_share(halves, games, difference):
    row = total([1600] * games, halves)["fide"]
    assert (row["performance"], row["value"], row["reason"]) == (1600 + difference, 1600 + difference, "")


def test_halves_are_shown_rounded_up():
    # 2 of 4 against 1500, 1500, 1500 and 1502: the mean is 1500.5.
    row = total([1500, 1500, 1500, 1502], 4)["linear"]
    assert (row["value"], row["performance"]) == (1500.5, 1501)


def p(rating: float, opponent: int) -> float:
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


def plain(opponents: list[int], halves: list[int]) -> dict[str, float | Fraction | None]:
    """Every method as its formula is written, one game after the other; None where it is infinite."""
    games, score = len(opponents), sum(halves) / 2
    mean = Fraction(sum(opponents), games)
    share = Fraction(sum(halves), 2 * games)
    linear = mean + 400 * (2 * share - 1)
    sonas = mean + Fraction(17, 2) * (100 * share - 50)

    def of_share(value: float) -> float | None:
        return float(mean) + 400 * math.log10(value / (1 - value)) if 0 < value < 1 else None

    def sums(rating: float) -> tuple[float, float, float]:
        shares = [p(rating, opponent) for opponent in opponents]
        return (
            sum(shares),
            sum(expected * (1 - expected) for expected in shares),
            sum(
                expected
                * (1 - expected)
                * (10 ** (opponent / 400) - 10 ** (rating / 400))
                / (10 ** (opponent / 400) + 10 ** (rating / 400))
                for expected, opponent in zip(shares, opponents, strict=True)
            ),
        )

    a, b, e = sums(float(linear))
    step = (math.sqrt(max(b * b + 2 * e * (score - a), 0)) - b) / e if abs(e) >= 1e-12 else (score - a) / b
    root = None
    if 0 < share < 1:
        low, high = -10_000.0, 20_000.0
        for _ in range(200):
            root = (low + high) / 2
            low, high = (root, high) if sums(root)[0] < score else (low, root)
    logistic = of_share(float(share))
    return {
        "linear": linear,
        "linear_850": sonas,
        "logistic": logistic,
        "logistic_cut_90": of_share(min(max(float(share), 0.1), 0.9)),
        "logistic_cut_95": of_share(min(max(float(share), 0.05), 0.95)),
        "mixed": logistic if Fraction(1579, 10000) <= share <= Fraction(8421, 10000) else sonas,
        "newton": float(linear) + C * (score - a) / b,
        "likelihood": root,
        "glickman": float(linear) + C * step,
    }


PLAYED = st.lists(st.tuples(st.integers(1000, 2900), st.integers(0, 2)), min_size=1, max_size=12)


@given(PLAYED)
def test_every_method_is_its_formula(played):
    opponents, halves = map(list, zip(*played, strict=True))
    by_method = of_games(opponents, halves)
    for method, value in plain(opponents, halves).items():
        row = by_method[method]
        if value is None:
            assert (row["value"], row["reason"]) == (None, "every_point" if sum(halves) else "no_point")
        else:
            assert row["value"] == pytest.approx(float(value), rel=1e-9)
        if isinstance(value, Fraction):
            assert row["performance"] == math.floor(value + Fraction(1, 2))


@given(PLAYED)
@example([(1000, 2), (1000, 2), (2667, 2)])
@example([(100, 1), (100, 2), (3500, 2)])
def test_no_rating_explains_the_results_better_than_the_likelihood_does(played):
    by_method = of_games(*map(list, zip(*played, strict=True)))
    best = by_method["likelihood"]
    assume(best["value"] is not None)
    plain_sum = sum(
        half / 2 * math.log(p(best["value"], opponent)) + (1 - half / 2) * math.log(1 - p(best["value"], opponent))
        for opponent, half in played
    )
    assert best["log_likelihood"] == pytest.approx(plain_sum, rel=1e-9)
    assert all(row["log_likelihood"] <= best["log_likelihood"] + 1e-9 for row in by_method.values() if row["value"])
    information = sum(p(best["value"], opponent) * (1 - p(best["value"], opponent)) for opponent, _ in played)
    assert best["standard_error"] == pytest.approx(C / math.sqrt(information), rel=1e-9)
