"""The models of the expected score: the worked figures of the literature, and each model's own inverse."""

from __future__ import annotations

import pytest

from ratinglist.rating.systems import glicko
from ratinglist.store.rule_files import rule_book
from ratinglist_lab import expected_score as models
from ratinglist_lab.expected_score import logistic

OPPONENTS = [1609, 1477, 1388, 1586, 1720]
BY_NAME = models.models(rule_book().tables["expected_score"].to_list())


def by_table(difference: int) -> int:
    return round(100 * BY_NAME["table"](difference))


def test_five_opponents_to_three_places():
    shares = [logistic(1613 - one) for one in OPPONENTS]
    assert [f"{one:.3f}"[1:] for one in shares] == [".506", ".686", ".785", ".539", ".351"]
    assert f"{sum(shares):.3f}" == "2.867"


def test_a_difference_of_400_is_worth_ten_to_one():
    assert logistic(400) == pytest.approx(10 / 11, rel=1e-12)


def test_the_linear_model_is_cut():
    assert [models.linear(one) for one in (-351, 351)] == [0.0625, 0.9375]


def test_a_difference_of_140_by_three_models():
    assert f"{models.normal(140):.4f}" == "0.6897"
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
    assert models.composed(0.75, 0.60) == pytest.approx(2 / 3, rel=1e-12)


def test_ingo_numbers_give_per_cent_within_0_and_100():
    assert [models.ingo_share(100, opponent) for opponent in (120, 20, 170)] == [0.7, 0, 1]
    assert models.rating_of_ingo(100) == 2040


def test_a_draw_is_never_more_probable_than_the_points_allow():
    assert [models.draw_probability(one) for one in (0.5, 0.8)] == pytest.approx([0.5, 0.4])
    assert models.draw_probability(0.95) == pytest.approx(0.1)


def test_the_scale_of_the_logistic_curve():
    assert f"{glicko.LOGISTIC_SCALE:.4f}" == "173.7178"
