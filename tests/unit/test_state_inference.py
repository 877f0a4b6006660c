"""State of a list that has K and rating only: what is kept, what is inferred, what is left out."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.lists.official_rows import infer_state
from ratinglist.period import Period
from ratinglist.tables import LIST_STATE

MONTH = Period.parse("2026-10")
SCHEMA = {
    "fide_id": pl.Int64,
    "time_control": pl.String,
    "rating": pl.Int32,
    "k": pl.Int32,
    "games": pl.Int32,
    "games_played": pl.Int32,
    "reached_2400": pl.Boolean,
    "reached_2300": pl.Boolean,
    "last_played": pl.Date,
    "flag": pl.String,
    "birth_year": pl.Int32,
    "birth_date": pl.Date,
}
ADULT = {"birth_year": 1980}
JUNIOR = {"birth_year": 2008}


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    given = [{"fide_id": n, "time_control": "standard", "flag": "", **row} for n, row in enumerate(rows, 1)]
    return pl.DataFrame(given, schema=SCHEMA)


def state(**row: object) -> dict[str, object]:
    (found,) = infer_state(frame(row), MONTH).to_dicts()
    return found


def test_the_result_is_a_list_state():
    found = infer_state(frame({"rating": 2000, "k": 20}), MONTH)
    assert found.schema == LIST_STATE.schema
    assert found["month"].to_list() == ["2026-10"]


def test_what_is_given_is_kept():
    given = {
        "rating": 2000,
        "k": 40,
        "games": 3,
        "games_played": 12,
        "reached_2400": False,
        "reached_2300": False,
        "last_played": date(2026, 8, 1),
    }
    found = state(**given, **ADULT)
    assert {name: found[name] for name in given} == given
    assert found["inferred"] == ""


def test_what_is_inferred_is_named_in_alphabetical_order():
    assert state(rating=2000)["inferred"] == "games,games_played,k,last_played,reached_2300,reached_2400"
    assert state(rating=2000, k=20, games=0, reached_2300=False)["inferred"] == "games_played,last_played,reached_2400"


@pytest.mark.parametrize(
    ("rating", "k", "born", "reached_2400", "reached_2300"),
    [
        (2400, 20, 1980, True, True),
        (2399, 20, 1980, False, True),
        (2399, 10, 1980, True, True),
        (1900, 10, 1980, True, True),
        (2300, 20, 1980, False, True),
        (2299, 20, 1980, False, False),
        (2299, 20, 2008, False, True),  # turns 18 this year: 40 if he had never been 2300
        (2299, 20, 2007, False, False),
        (2299, 20, None, False, False),
        (2299, 40, 2008, False, False),
        (2299, None, 2008, False, False),
    ],
)
def test_the_ratings_reached(rating, k, born, reached_2400, reached_2300):
    found = state(rating=rating, k=k, birth_year=born)
    assert (found["reached_2400"], found["reached_2300"]) == (reached_2400, reached_2300)


def test_a_2400_given_is_a_2300_reached():
    assert state(rating=2000, k=20, reached_2400=True)["reached_2300"] is True


def test_the_birth_date_gives_the_year_where_the_year_is_missing():
    assert state(rating=2100, k=20, birth_date=date(2008, 12, 31))["reached_2300"] is True
    assert state(rating=2100, k=20, birth_date=date(2007, 12, 31))["reached_2300"] is False


@pytest.mark.parametrize(
    ("k", "games", "row", "games_played"),
    [
        (10, 0, ADULT, 30),
        (20, 0, ADULT, 30),
        (40, 0, ADULT, 5),
        (40, 12, ADULT, 12),
        (40, 29, ADULT, 29),
        (40, 35, ADULT, 29),
        (40, 7, {"birth_year": None}, 7),
        (40, 7, JUNIOR, 30),
        (40, 7, {**JUNIOR, "reached_2300": True}, 7),
        (None, 7, ADULT, 30),
        (0, 7, ADULT, 30),
        (15, 7, ADULT, 30),
        (25, 7, ADULT, 30),
        (31, 22, ADULT, 30),
    ],
)
def test_the_games_played(k, games, row, games_played):
    assert state(rating=2000, k=k, games=games, **row)["games_played"] == games_played


@pytest.mark.parametrize(
    ("games", "flag", "last_played"),
    [
        (1, "", date(2026, 10, 1)),
        (1, "i", date(2026, 10, 1)),
        (0, "i", date(2025, 10, 1)),
        (0, "wi", date(2025, 10, 1)),
        (0, "w", date(2026, 9, 1)),
        (None, None, date(2026, 9, 1)),
    ],
)
def test_the_last_list_with_a_game(games, flag, last_played):
    assert state(rating=2000, k=20, games=games, flag=flag)["last_played"] == last_played


@pytest.mark.parametrize(
    ("day", "counted"),
    [
        (date(2026, 9, 1), date(2026, 9, 1)),
        (date(2026, 9, 2), date(2026, 10, 1)),
        (date(2025, 12, 31), date(2026, 1, 1)),
        (date(2024, 1, 30), date(2024, 2, 1)),
    ],
)
def test_a_day_inside_a_month_counts_for_the_list_after_it(day, counted):
    found = state(rating=2000, k=20, last_played=day)
    assert found["last_played"] == counted
    assert "last_played" not in found["inferred"]


@pytest.mark.parametrize(
    ("row", "k"),
    [
        ({"rating": 2400}, 10),
        ({"rating": 2000, "reached_2400": True}, 10),
        ({"rating": 2000, **JUNIOR}, 40),
        ({"rating": 2300, **JUNIOR}, 20),
        ({"rating": 2000, "games_played": 29}, 40),
        ({"rating": 2000, "games_played": 30}, 20),
        ({"rating": 2000}, 20),
    ],
)
@pytest.mark.parametrize("missing", [None, 0])
def test_a_missing_k_follows_from_the_state(row, k, missing):
    found = state(k=missing, **row)
    assert found["k"] == k
    assert "k" in found["inferred"].split(",")


def test_an_unrated_player_without_state_is_left_out():
    assert infer_state(frame({"rating": None, "k": None, "games": 0}), MONTH).is_empty()


def test_a_player_without_a_time_control_is_left_out():
    assert infer_state(frame({"time_control": None}), MONTH).is_empty()


def test_an_unrated_player_with_state_is_kept():
    found = state(rating=None, k=20, reached_2300=True)
    expected = {"rating": None, "k": None, "games": 0, "games_played": 0, "reached_2300": True, "last_played": None}
    assert {name: found[name] for name in expected} == expected
    assert found["inferred"] == "games,games_played,reached_2400"


def test_a_k_that_all_players_share_gives_no_information():
    rows = frame(
        {"time_control": "rapid", "rating": 2100, "k": 20, **JUNIOR},
        {"time_control": "standard", "rating": 2100, "k": 20, **JUNIOR},
    )
    found = infer_state(rows, MONTH, uniform_k=("rapid", "blitz")).select("time_control", "k", "reached_2300").rows()
    assert found == [("rapid", 20, False), ("standard", 20, True)]


def test_the_order_of_the_rows_changes_nothing():
    rows = frame(*({"rating": 1400 + 37 * n, "k": 20, "time_control": "rapid"} for n in range(30)))
    assert infer_state(rows.reverse(), MONTH).equals(infer_state(rows, MONTH))
