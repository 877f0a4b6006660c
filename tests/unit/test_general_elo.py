"""General Elo of the laboratory gives what the formulas of `ratinglist update` give."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.analysis import updating
from ratinglist.errors import CommandLineError
from ratinglist.laboratory.general_elo import general_elo
from ratinglist.laboratory.learning import MonthOfGames
from ratinglist.laboratory.single_game_bayes import single_game_bayes
from ratinglist.store.rule_files import rule_book

TABLE = rule_book().expected_score["expected_score"]
OPPONENTS = (1300, 1650, 1600, 1500, 1700)
SCORES = (1.0, 1.0, 1.0, 0.0, 0.5)


def month_of_one(games_of_opponents: int = 100) -> tuple[pl.DataFrame, MonthOfGames]:
    """A player of 1600 with five games, half of them with Black."""
    ratings = pl.DataFrame({"fide_id": range(7), "rating": [1600.0, *map(float, OPPONENTS), 1800.0]}).with_columns(
        games=pl.lit(games_of_opponents, dtype=pl.Int32), is_new=pl.lit(value=False)
    )
    is_white = [True, False, True, False, True]
    others = range(1, 6)
    white = [0 if one else other for one, other in zip(is_white, others, strict=True)]
    black = [other if one else 0 for one, other in zip(is_white, others, strict=True)]
    score = pl.Series([one if white else 1 - one for one, white in zip(SCORES, is_white, strict=True)])
    return ratings, MonthOfGames(pl.DataFrame({"white": white, "black": black}), score, ratings.height)


def due(rule: str, model: str, k: float) -> float:
    table = updating.of_table(TABLE.to_list())
    models = {"logistic": updating.logistic, "normal": updating.normal, "linear": updating.linear, "table": table}
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
        ("general-elo:expected=table:k=30", "by K", "table", 30),
        ("general-elo:update=mean-of-opponents:k=30", "by K, mean of opponents", "logistic", 30),
        ("general-elo:update=mean-of-opponents:expected=table:k=30", "by K, mean of opponents", "table", 30),
    ],
)
def test_a_month_is_updated_by_the_formula(text: str, rule: str, model: str, k: float):
    ratings, month = month_of_one()
    after = general_elo(text, TABLE).update(ratings, month)
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


PLAYERS = pl.DataFrame(
    {"list_rating": [1800, None, None, None], "age": [30, 12, 60, None], "games_played": [50, 0, 0, 0]},
    schema_overrides={"games_played": pl.Int32},
)


def test_a_newcomer_enters_at_the_rating_or_by_a_guess():
    plain = general_elo("general-elo:entry=1400").enter(PLAYERS)
    assert plain["rating"].tail(3).to_list() == [1400, 1400, 1400]
    guessed = general_elo("general-elo:entry=preliminary").enter(PLAYERS)
    assert guessed["rating"].tail(3).to_list() == [600, 1300, 1300]
    assert guessed["is_new"].to_list() == [False, True, True, True]


def test_the_first_period_of_a_newcomer_has_a_k_of_its_own():
    ratings, month = month_of_one()
    new = ratings.with_columns(is_new=pl.int_range(pl.len()) == 0)
    system = general_elo("general-elo:entry=preliminary")
    first = system.update(new, month)
    assert first["rating"][0] == pytest.approx(due("by K", "logistic", 150), abs=1e-6)
    assert (first["is_new"][0], system.k) == (False, 20)
    # An opponent of K 150 counts a fifteenth of 10, and a newcomer's own games count whole.
    by_ratio = general_elo("general-elo:first_k=150:k=10:against=ratio").update(new, month)
    plain = general_elo("general-elo:k=10").update(ratings, month)
    gained = [after["rating"][1] - OPPONENTS[0] for after in (by_ratio, plain)]
    assert gained[0] == pytest.approx(gained[1] / 15, abs=1e-6)
    assert by_ratio["rating"][0] == pytest.approx(due("by K", "logistic", 150), abs=1e-6)


def test_events_of_a_list_are_learnt_at_once_or_one_after_the_other():
    # 1 meets 2 in an event that ends second, and 0 in one that ends first and stands second.
    games = pl.DataFrame(
        {
            "event_id": ["A", "B"],
            "end_date": [date(2026, 1, 20), date(2026, 1, 10)],
            "round": [1, 1],
            "white": [1, 0],
            "black": [2, 1],
        }
    )
    ratings = pl.DataFrame({"fide_id": [1, 2, 3], "rating": [1600.0, 1700.0, 1500.0]}).with_columns(
        games=pl.lit(9, dtype=pl.Int32), is_new=pl.lit(value=False)
    )
    month = MonthOfGames(games, pl.Series([0.0, 1.0]), 3)
    after = {period: general_elo(f"general-elo:k=32:period={period}").update(ratings, month) for period in PERIODS}
    first = 1700 - 32 * updating.logistic(100)
    assert after["event"]["rating"][1] == pytest.approx(first - 32 * updating.logistic(first - 1500), abs=1e-6)
    both = 1700 - 32 * (updating.logistic(100) + updating.logistic(200))
    assert after["list"]["rating"][1] == pytest.approx(both, abs=1e-6)
    assert after["event"]["games"].to_list() == after["list"]["games"].to_list() == [10, 11, 10]
    assert [one.games["event_id"].to_list() for one in month.by_event()] == [["B"], ["A"]]


PERIODS = ("list", "event")


def test_games_are_learnt_in_the_order_of_events_and_rounds():
    rows = [("A", 2, 0, 1), ("A", 1, 1, 2), ("A", 1, 3, 4), ("B", 1, 0, 2)]
    games = pl.DataFrame(rows, schema=["event_id", "round", "white", "black"], orient="row").with_columns(
        end_date=pl.lit(date(2026, 1, 10))
    )
    parts = MonthOfGames(games, pl.Series([1.0, 0.5, 0.0, 1.0]), 5).by_game()
    assert [one.games.select("event_id", "round", "white").rows() for one in parts] == [
        [("A", 1, 1), ("A", 1, 3)],
        [("A", 2, 0)],
        [("B", 1, 0)],
    ]
    assert [one.white_score.to_list() for one in parts] == [[0.5, 0.0], [1.0], [1.0]]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
def test_a_game_moves_a_rating_as_the_single_update_does(exact: bool, score: float):
    ratings = pl.DataFrame({"fide_id": [1, 2], "rating": [1600.0, 1700.0], "deviation": [80.0, 120.0]})
    games = pl.DataFrame({"event_id": ["A"], "end_date": [date(2026, 1, 9)], "round": [1], "white": [0], "black": [1]})
    month = MonthOfGames(games, pl.Series([score]), 2)
    after = single_game_bayes(f"bayes:growth=0:exact={'yes' if exact else 'no'}").update(ratings, month)
    of_white, of_black = (
        {row["score"]: row for row in updating.single_update(*numbers)}
        for numbers in ((1600, 1700, 80, 120), (1700, 1600, 120, 80))
    )
    name = "mode" if exact else "new_rating"
    due = [of_white[score][name], of_black[1 - score][name]]
    assert after["rating"].to_list() == pytest.approx(due, abs=1e-6)
    assert after["deviation"].to_list() == pytest.approx(
        [of_white[score]["new_deviation"], of_black[1 - score]["new_deviation"]], abs=1e-9
    )


def test_deviations_grow_and_have_limits():
    ratings = pl.DataFrame({"fide_id": [1, 2], "rating": [1600.0, 1700.0], "deviation": [350.0, 40.0]})
    no_game = pl.DataFrame(
        schema={"event_id": pl.String, "end_date": pl.Date, "round": pl.Int32, "white": pl.UInt32, "black": pl.UInt32}
    )
    month = MonthOfGames(no_game, pl.Series([], dtype=pl.Float64), 2)
    after = single_game_bayes("bayes").update(ratings, month)
    assert after["deviation"].to_list() == pytest.approx([350, (1600 + 250) ** 0.5])
    entered = single_game_bayes("bayes:entry=1500:deviation=300").enter(PLAYERS)
    assert entered.select("rating", "deviation").rows()[1:] == [(1500, 300)] * 3
    assert entered["deviation"][0] == pytest.approx(350 / 5)


def test_white_has_points_in_expectation_and_update():
    ratings = pl.DataFrame({"fide_id": [1, 2], "rating": [1600.0, 1635.0], "deviation": [80.0, 80.0]})
    games = pl.DataFrame({"event_id": ["A"], "end_date": [date(2026, 1, 9)], "round": [1], "white": [0], "black": [1]})
    system = single_game_bayes("bayes:white=35:growth=0")
    assert system.expect(ratings, games)[0] == pytest.approx(0.5)
    after = system.update(ratings, MonthOfGames(games, pl.Series([0.5]), 2))
    assert after["rating"].to_list() == pytest.approx([1600, 1635])


def test_its_name_states_the_parameters():
    assert general_elo("general-elo:expected=normal:update=weights:n0=25").name == "general-elo-normal-weights-n025"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("general-elo:expected=elo", "'expected' is one of logistic, normal, linear, table, and not 'elo'"),
        ("general-elo:entry=low", "'entry' is one of preliminary, a number such as 20, and not 'low'"),
        ("general-elo:k=20:k=30", "'k' is there twice"),
        ("general-elo:weight=3", "'weight' is no parameter; the parameters are expected, update"),
        ("general-elo:k=0", "'k' is a number such as 20, and not '0'"),
        ("general-elo:white=many", "'white' is a number such as 20, and not 'many'"),
    ],
)
def test_what_is_no_parameter_is_refused(text: str, message: str):
    with pytest.raises(CommandLineError, match=message):
        general_elo(text)
