"""The models of the expected score: the worked figures of the literature, and each model's own inverse."""

from __future__ import annotations

import math
from statistics import NormalDist

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratinglist.rating import expected_models as models
from ratinglist.rating.change import expected_hundredths
from ratinglist.store.rule_files import rule_book

OPPONENTS = [1609, 1477, 1388, 1586, 1720]
TABLE = rule_book().expected_score["expected_score"]
differences = st.floats(-4000, 4000)


def at(expression: pl.Expr) -> float:
    value: float = pl.select(expression).item()
    return value


def logistic(difference: float) -> float:
    return at(models.logistic(pl.lit(difference)))


def by_table(difference: int) -> int:
    return int(at(expected_hundredths(pl.lit(difference), TABLE)))


def test_five_opponents_to_three_places():
    shares = pl.DataFrame({"d": [1613 - one for one in OPPONENTS]}).select(models.logistic(pl.col("d"))).to_series()
    assert [f"{one:.3f}"[1:] for one in shares] == [".506", ".686", ".785", ".539", ".351"]
    assert f"{shares.sum():.3f}" == "2.867"


def test_a_difference_of_400_is_worth_ten_to_one():
    assert logistic(400) == pytest.approx(10 / 11, rel=1e-12)


def test_the_linear_model_is_cut():
    assert [at(models.linear_units(pl.lit(one))) / models.LINEAR_UNITS for one in (-351, 351)] == [0.0625, 0.9375]
    assert at(models.linear_units(pl.lit(-401), cut=400)) == 0


def test_a_difference_of_140_by_three_models():
    assert f"{at(models.normal(pl.lit(140))):.4f}" == "0.6897"
    assert f"{logistic(140):.4f}" == "0.6912"
    assert by_table(140) == 69


def test_at_the_cut_of_350_the_table_and_the_logistic_model_differ():
    assert [by_table(350), by_table(-350)] == [89, 11]
    assert [f"{logistic(one):.2f}" for one in (350, -350)] == ["0.88", "0.12"]


def test_game_by_game_is_not_as_the_mean_of_the_opponents():
    opponents = [2100, 2100, 2100, 2100, 1300]
    assert sum(by_table(1700 - one) for one in opponents) == 124
    assert f"{sum(round(logistic(1700 - one), 2) for one in opponents):.2f}" == "1.27"
    assert by_table(1700 - 1940) == 20


def test_shares_are_composed_by_a_third_player():
    assert at(models.composed(pl.lit(0.75), pl.lit(0.60))) == pytest.approx(2 / 3, rel=1e-12)


def test_ingo_numbers_give_per_cent_within_0_and_100():
    cases = pl.DataFrame({"own": [100, 100, 100], "opponent": [120, 20, 170]})
    assert cases.select(models.ingo_percent(pl.col("own"), pl.col("opponent"))).to_series().to_list() == [70, 0, 100]
    assert at(models.rating_of_ingo(pl.lit(100))) == 2040


def test_a_draw_is_never_more_probable_than_the_points_allow():
    assert [at(models.draw_probability(pl.lit(one))) for one in (0.5, 0.8)] == pytest.approx([0.5, 0.4])
    assert at(models.draw_probability(pl.lit(0.95))) == pytest.approx(0.1)


def test_the_scale_of_the_logistic_curve():
    assert f"{models.LOGISTIC_SCALE:.4f}" == "173.7178"


@given(differences)
def test_logistic_is_its_formula(difference):
    assert logistic(difference) == pytest.approx(1 / (1 + 10 ** (-difference / 400)), rel=1e-9)


@given(differences)
def test_normal_is_its_formula(difference):
    expected = NormalDist(0, models.NORMAL_SIGMA)
    smaller = math.erfc(abs(difference) / (models.NORMAL_SIGMA * math.sqrt(2))) / 2
    assert at(models.normal(pl.lit(-abs(difference)))) == pytest.approx(smaller, rel=1e-9)
    assert at(models.normal(pl.lit(difference))) == pytest.approx(expected.cdf(difference), rel=1e-9)


@given(st.floats(0.001, 0.999))
def test_the_inverse_leads_back(share):
    assert logistic(at(models.logistic_difference(pl.lit(share)))) == pytest.approx(share, rel=1e-9)


@given(st.floats(0, 3000), st.floats(0, 3000))
def test_strengths_give_the_logistic_share(own, opponent):
    first, second = models.strength(own), models.strength(opponent)
    assert first / (first + second) == pytest.approx(logistic(own - opponent), rel=1e-9)


@given(st.floats(0, 1))
def test_win_draw_and_loss_are_probabilities(share):
    draw = at(models.draw_probability(pl.lit(share)))
    assert min(draw, share - draw / 2, 1 - share - draw / 2) >= -1e-12


def test_the_infinite_ends():
    assert at(models.logistic_difference(pl.lit(1.0))) == math.inf
    assert at(models.logistic_difference(pl.lit(0.0))) == -math.inf
