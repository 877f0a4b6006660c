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
    players = [{"fide_id": n, "time_control": "standard", "flag": "", **row} for n, row in enumerate(rows, 1)]
    return pl.DataFrame(players, schema=SCHEMA)


def test_the_result_is_a_list_state():
    state = infer_state(frame({"rating": 2000, "k": 20}), MONTH)
    assert state.schema == LIST_STATE.schema
    assert state["month"].to_list() == ["2026-10"]


GIVEN = {
    "rating": 2000,
    "k": 40,
    "games": 3,
    "games_played": 12,
    "reached_2400": False,
    "reached_2300": False,
    "last_played": date(2026, 8, 1),
}
PLAIN = {"rating": 2000, "k": 20}
NOTHING = "games,games_played,last_played,reached_2300,reached_2400"

# What a row of a list has, and the state that follows.
STATES: list[tuple[dict[str, object], dict[str, object]]] = [
    (GIVEN | ADULT, GIVEN | {"inferred": ""}),
    ({"rating": 2000}, {"inferred": NOTHING}),
    (PLAIN | {"games": 0, "reached_2300": False}, {"inferred": "games_played,last_played,reached_2400"}),
    *(
        ({"rating": rating, "k": k, "birth_year": born}, {"reached_2400": reached_2400, "reached_2300": reached_2300})
        for rating, k, born, reached_2400, reached_2300 in [
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
        ]
    ),
    (PLAIN | {"reached_2400": True}, {"reached_2300": True}),
    # The date of birth gives the year where that is missing.
    ({"rating": 2100, "k": 20, "birth_date": date(2008, 12, 31)}, {"reached_2300": True}),
    ({"rating": 2100, "k": 20, "birth_date": date(2007, 12, 31)}, {"reached_2300": False}),
    *(
        ({"rating": 2000, "k": k, "games": games, **row}, {"games_played": games_played})
        for k, games, row, games_played in [
            *((10, 0, ADULT, 30), (20, 0, ADULT, 30), (40, 0, ADULT, 5)),
            *((40, 12, ADULT, 12), (40, 29, ADULT, 29), (40, 35, ADULT, 29)),
            *((40, 7, {"birth_year": None}, 7), (40, 7, JUNIOR, 30), (40, 7, {**JUNIOR, "reached_2300": True}, 7)),
            *((None, 7, ADULT, 30), (0, 7, ADULT, 30), (15, 7, ADULT, 30), (25, 7, ADULT, 30), (31, 22, ADULT, 30)),
        ]
    ),
    *(
        (PLAIN | {"games": games, "flag": flag}, {"last_played": last_played})
        for games, flag, last_played in [
            *((1, "", date(2026, 10, 1)), (1, "i", date(2026, 10, 1)), (0, "i", date(2025, 10, 1))),
            *((0, "wi", date(2025, 10, 1)), (0, "w", date(2026, 9, 1)), (None, None, date(2026, 9, 1))),
        ]
    ),
    # A day inside a month counts for the list after it.
    *(
        (PLAIN | {"last_played": day}, {"last_played": counted, "inferred": NOTHING.replace("last_played,", "")})
        for day, counted in [
            (date(2026, 9, 1), date(2026, 9, 1)),
            (date(2026, 9, 2), date(2026, 10, 1)),
            (date(2025, 12, 31), date(2026, 1, 1)),
            (date(2024, 1, 30), date(2024, 2, 1)),
        ]
    ),
    # A list without K gives a player none: that of the next list follows from the state.
    ({"rating": 2000, "k": None}, {"k": None, "inferred": NOTHING}),
    (
        {"rating": None, "reached_2300": True},
        {
            "rating": None,
            "k": None,
            "games": 0,
            "games_played": 0,
            "reached_2300": True,
            "last_played": None,
            "inferred": "games,games_played,reached_2400",
        },
    ),
]


@pytest.mark.parametrize(("row", "expected"), STATES)
def test_the_state_of_a_player_is_what_is_given_or_follows(row, expected):
    (state,) = infer_state(frame(row), MONTH).to_dicts()
    assert {name: state[name] for name in expected} == expected


@pytest.mark.parametrize("row", [{"rating": None, "k": None, "games": 0}, {"time_control": None}])
def test_an_unrated_player_without_state_and_one_without_a_time_control_are_left_out(row):
    assert infer_state(frame(row), MONTH).is_empty()


def test_a_k_that_all_players_share_gives_no_information():
    rows = frame(
        {"time_control": "rapid", "rating": 2100, "k": 20, **JUNIOR},
        {"time_control": "standard", "rating": 2100, "k": 20, **JUNIOR},
    )
    states = infer_state(rows, MONTH, uniform_k=("rapid", "blitz")).select("time_control", "k", "reached_2300").rows()
    assert states == [("rapid", 20, False), ("standard", 20, True)]


def test_the_order_of_the_rows_changes_nothing():
    rows = frame(*({"rating": 1400 + 37 * n, "k": 20, "time_control": "rapid"} for n in range(30)))
    assert infer_state(rows.reverse(), MONTH).reverse().equals(infer_state(rows, MONTH))
