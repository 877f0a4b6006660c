"""What the new list remembers of a player, what it says of one it knows little of, and a step that is none."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.calculation import rate_month
from ratinglist.rating.rating_list import after_one_time_step, published_list
from ratinglist.store import rule_files
from tests.months import Event, Month, Office, Player

RULES_2024 = rule_files.rule_book().on("fide", "standard", date(2024, 3, 1))


def november_with(*players: Player, games: str) -> tuple[Office, Month]:
    office = Office(*players)
    office.receive(Event("Open", games))
    return office, office.rate("2025-11")


NEWCOMER = "Nora: 1 1800, ½ 1800b, ½ 1800c, ½ 1800d, 0 1800e"


def test_a_newcomer_last_played_on_the_list_he_enters_with():
    _, november = november_with(Player("Nora"), games=NEWCOMER)
    assert november.state("Nora")["last_played"] == date(2025, 11, 1)


def test_a_newcomer_who_never_plays_again_is_inactive_on_the_twelfth_list():
    office, _ = november_with(Player("Nora"), games=NEWCOMER)
    assert [office.rate(month).flag("Nora") for month in ("2026-10", "2026-11")] == ["", "i"]


def test_who_played_last_played_on_that_list_and_who_did_not_keeps_the_older_one():
    _, november = november_with(Player("Anna", 1800), Player("Bert", 1900, last_played="2025-03"), games="Anna: 1 1800")
    assert november.state("Anna")["last_played"] == date(2025, 11, 1)
    assert november.state("Bert")["last_played"] == date(2025, 3, 1)


@pytest.mark.parametrize("mark", ["reached_2300", "reached_2400"])
def test_a_mark_that_is_not_reached_is_a_plain_no(mark):
    office = Office(Player("Dora", None, games=60))
    office.register(Player("Nora"))  # on no list so far
    office.receive(Event("Open", NEWCOMER))
    november = office.rate("2025-11")
    assert [november.state(name)[mark] for name in ("Nora", "Dora")] == [False, False]


def test_who_is_on_the_list_stays_on_it_though_nobody_registered_him():
    inputs = Office(Player("Anna", 1800)).rate("2025-11").inputs
    state = rate_month(replace(inputs, players=inputs.players.clear())).list_state
    assert state.select("rating", "k").rows() == [(1800, 20)]


def test_a_listed_player_nobody_registered_is_not_dropped_from_the_list_in_silence():
    november = Office(Player("Anna", 1800)).rate("2025-11")
    published = published_list(
        november.result.list_state, november.inputs.players.clear(), Period.parse("2025-11"), RULES_2024
    )
    assert published["rating"].to_list() == [1800]


@pytest.mark.parametrize("year", [None, 1990])
def test_the_year_of_birth_is_that_of_the_birth_date_where_there_is_one(year):
    november = Office(Player("Anna", 1800, born="2001-02-03")).rate("2025-11")
    players = november.inputs.players.with_columns(pl.lit(year, dtype=pl.Int32).alias("birth_year"))
    published = published_list(november.result.list_state, players, Period.parse("2025-11"), RULES_2024)
    assert published["birth_year"].to_list() == [2001]


@pytest.mark.parametrize(("sex", "flag"), [("F", "w"), ("M", ""), ("", "")])
def test_only_who_is_known_to_be_a_woman_has_the_flag(sex, flag):
    november = Office(Player("Anna", 1800)).rate("2025-11")
    players = november.inputs.players.with_columns(pl.lit(sex).alias("sex"))
    published = published_list(november.result.list_state, players, Period.parse("2025-11"), RULES_2024)
    assert published["flag"].to_list() == [flag]


def test_of_whom_no_game_is_known_nobody_says_he_is_inactive():
    november = Office(Player("Anna", 1800)).rate("2025-11")
    state = november.result.list_state.with_columns(pl.lit(None, dtype=pl.Date).alias("last_played"))
    published = published_list(state, november.inputs.players, Period.parse("2025-11"), RULES_2024)
    assert published["flag"].to_list() == [""]


@pytest.mark.parametrize(("step", "rating"), [("two_fifths_towards_2000", 1700), ("none", 1500)])
def test_a_step_is_taken_where_it_has_a_name_and_not_for_its_month_alone(step, rating):
    rules = replace(RULES_2024.list, one_time_step=step, one_time_step_month="2024-03")
    assert pl.select(after_one_time_step(pl.lit(1500), rules, Period.parse("2024-03"))).item() == rating


def test_nothing_is_inferred_on_a_list_that_was_calculated():
    _, november = november_with(Player("Nora"), Player("Anna", 1800), games=NEWCOMER)
    assert [november.state(name)["inferred"] for name in ("Nora", "Anna")] == ["", ""]
