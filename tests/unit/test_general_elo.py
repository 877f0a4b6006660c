"""General Elo of the laboratory gives what the formulas of `ratinglist update` give."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.analysis import updating
from ratinglist.errors import CommandLineError
from ratinglist.laboratory import OwnMonth
from ratinglist.laboratory.general_elo import general_elo

OPPONENTS = (1300, 1650, 1600, 1500, 1700)
SCORES = (1.0, 1.0, 1.0, 0.0, 0.5)


def month_of_one(games_of_opponents: int = 100) -> tuple[pl.DataFrame, OwnMonth]:
    """A player of 1600 with five games, half of them with Black."""
    ratings = pl.DataFrame({"fide_id": range(7), "rating": [1600.0, *map(float, OPPONENTS), 1800.0]}).with_columns(
        games=pl.lit(games_of_opponents, dtype=pl.Int32)
    )
    is_white = [True, False, True, False, True]
    others = range(1, 6)
    white = [0 if one else other for one, other in zip(is_white, others, strict=True)]
    black = [other if one else 0 for one, other in zip(is_white, others, strict=True)]
    score = pl.Series([one if white else 1 - one for one, white in zip(SCORES, is_white, strict=True)])
    return ratings, OwnMonth(pl.DataFrame({"white": white, "black": black}), score, ratings.height)


def due(rule: str, model: str, k: float) -> float:
    models = {"logistic": updating.logistic, "normal": updating.normal, "linear": updating.linear}
    rows = updating.updates(1600, updating.Result(OPPONENTS, sum(SCORES)), k, models)
    (found,) = [row["new_rating"] for row in rows if (row["rule"], row["model"]) == (rule, model)]
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize(
    ("text", "rule", "model", "k"),
    [
        ("general-elo:k=30", "by K", "logistic", 30),
        ("general-elo:expected=normal:k=30", "by K", "normal", 30),
        ("general-elo:expected=linear:k=30", "by K", "linear", 30),
        ("general-elo:update=weights:n0=25", "by weights", "linear", 32),
        ("general-elo:update=weights:n0=4", "by weights", "linear", 200),
        ("general-elo:update=second-order:k=30", "second order", "logistic", 30),
    ],
)
def test_a_month_is_updated_by_the_formula(text: str, rule: str, model: str, k: float):
    ratings, month = month_of_one()
    after = general_elo(text).update(ratings, month)
    assert after["rating"][0] == pytest.approx(due(rule, model, k), abs=1e-6)
    # The last player has no game.
    assert (after["rating"][6], after["games"].to_list()) == (1800, [105, 101, 101, 101, 101, 101, 100])


@pytest.mark.parametrize(("against", "share"), [("crude", 4 / 5), ("g", 1 / (1 + 1.2 / 4) ** 0.5)])
def test_a_game_against_a_new_opponent_counts_less(against: str, share: float):
    ratings, month = month_of_one(4)
    whole = general_elo("general-elo").update(ratings, month)["rating"][0] - 1600
    less = general_elo(f"general-elo:against={against}").update(ratings, month)["rating"][0] - 1600
    assert less == pytest.approx(share * whole, abs=1e-6)


def test_against_opponents_without_a_game_nothing_counts():
    ratings, month = month_of_one(0)
    for against in ("crude", "g"):
        for update in ("k", "weights", "second-order"):
            after = general_elo(f"general-elo:against={against}:update={update}").update(ratings, month)
            assert after["rating"].to_list() == ratings["rating"].to_list()


def test_a_difference_is_cut_and_white_has_points():
    ratings, month = month_of_one()
    plain = general_elo("general-elo").expect(ratings, month.games)
    assert general_elo("general-elo:cut=50").expect(ratings, month.games)[0] < plain[0]
    assert (general_elo("general-elo:white=35").expect(ratings, month.games) > plain).all()


def test_its_name_states_the_parameters():
    assert general_elo("general-elo:expected=normal:update=weights:n0=25").name == "general-elo-normal-weights-n025"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("general-elo:expected=elo", "'expected' is one of logistic, normal, linear, and not 'elo'"),
        ("general-elo:weight=3", "'weight' is no parameter; the parameters are expected, update"),
        ("general-elo:k=0", "'k' is a number such as 20, and not '0'"),
        ("general-elo:white=many", "'white' is a number such as 20, and not 'many'"),
    ],
)
def test_what_is_no_parameter_is_refused(text: str, message: str):
    with pytest.raises(CommandLineError, match=message):
        general_elo(text)
