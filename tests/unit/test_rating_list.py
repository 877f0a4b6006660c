"""The new list: floor, state for K, inactivity, and its published columns."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.month import rate_month
from ratinglist.rating.rating_list import after_one_time_step, published_list
from ratinglist.store import rule_files
from ratinglist.tables import LISTED
from tests.months import Event, Month, Office, Player, changed_book

COURSE_WITH_STEP = changed_book(
    "course",
    ('one_time_step = { value = "none"', 'one_time_step = { value = "two_fifths_towards_2000"'),
    ('one_time_step_month = { value = ""', 'one_time_step_month = { value = "2025-11"'),
)


RULES_2024 = rule_files.rule_book().on("fide", "standard", date(2024, 3, 1))


def without_games(*players: Player, month: str = "2025-11", family: str = "fide", on: str = "2025-10") -> Month:
    """Return the list of a month without games."""
    return Office(*players, family=family, on=on).rate(month)


# ------------------------------------------------------------------------------------------------ carried over


def test_a_player_without_games_keeps_the_rating():
    november = without_games(Player("Anna", 1800))
    assert november.rating("Anna") == 1800
    assert november.change("Anna") is None


def test_the_games_shown_are_those_of_the_month():
    office = Office(Player("Anna", 1800))
    office.receive(Event("Open", "Anna: 1 1800, ½ 1800b"))
    assert office.rate("2025-11").state("Anna")["games"] == 2
    assert office.rate("2025-12").state("Anna")["games"] == 0


def test_games_played_grow_by_the_rated_games():
    office = Office(Player("Anna", 1800, games=7), Player("Nora"))
    office.receive(Event("Open", "Anna: 1 1800, ½ 1800b, 1 Nora"))
    assert office.rate("2025-11").state("Anna")["games_played"] == 9


def test_a_player_who_is_registered_and_unrated_keeps_the_state():
    state = without_games(Player("Dora", None, games=60, ever_2300=True)).state("Dora")
    assert (state["rating"], state["k"], state["games_played"], state["reached_2300"]) == (None, None, 60, True)


@pytest.mark.parametrize(
    ("mark", "rating", "reached"),
    [
        ("reached_2300", 2289, False),
        ("reached_2300", 2290, True),
        ("reached_2400", 2389, False),
        ("reached_2400", 2390, True),
    ],
)
def test_a_mark_is_reached_with_exactly_that_rating(mark, rating, reached):
    office = Office(Player("Anna", rating))
    office.receive(Event("Open", f"Anna: 1 {rating}"))
    assert office.rate("2025-11").state("Anna")[mark] is reached


# ------------------------------------------------------------------------------------------------------- floor


def test_a_delisted_player_is_not_published_and_has_no_k():
    november = without_games(Player("Anna", 1399), Player("Bert", 1400))
    assert november.published()["name"].to_list() == ["Bert"]
    assert november.state("Anna")["k"] is None


# ------------------------------------------------------------------------------------- the step of 1 March 2024


def test_the_step_is_not_for_those_who_enter_with_it():
    office = Office(Player("Nora"), family="course", rules=COURSE_WITH_STEP)
    office.receive(Event("Open", "Nora: 1 1500, ½ 1500b, ½ 1500c, ½ 1500d, 0 1500e"))
    assert office.rate("2025-11").rating("Nora") == 1500


# ------------------------------------------------------------------------------------------ flags: inactive, woman


def test_the_flag_comes_with_the_twelfth_list_computed_here():
    office = Office(Player("Anna", 1800))
    office.receive(Event("Open", "Anna: 1 1800"))
    office.rate("2025-11")
    assert office.rate("2026-10").flag("Anna") == ""
    assert office.rate("2026-11").flag("Anna") == "i"


def test_a_game_that_is_not_rated_makes_no_player_active():
    office = Office(Player("Ivar", 1800, last_played="2020-01"), Player("Nora"))
    office.receive(Event("Open", "Ivar: 1 Nora"))
    assert office.rate("2025-11").flag("Ivar") == "i"


@pytest.mark.parametrize(("last_played", "flag"), [("2025-10", "w"), ("2020-01", "wi")])
def test_a_woman_has_her_flag(last_played, flag):
    assert without_games(Player("Anna", 1800, woman=True, last_played=last_played)).flag("Anna") == flag


# -------------------------------------------------------------------------------------------------- as published


def test_the_list_goes_by_rating_then_by_fide_id():
    november = without_games(Player("Anna", 1800), Player("Bert", 1900), Player("Cora", 1900), Player("Dora"))
    assert november.published()["name"].to_list() == ["Bert", "Cora", "Anna"]


def test_the_list_has_its_columns_and_none_for_the_birth_date():
    published = without_games(Player("Anna", 1800, born="2001-02-03")).published()
    assert published.schema == LISTED.schema
    assert "birth_date" not in published.columns
    assert published["birth_year"].to_list() == [2001]


@pytest.mark.parametrize(("born", "year"), [(1990, 1990), ("1990-07-01", 1990), (None, None)])
def test_the_year_of_birth_is_published_where_known(born, year):
    assert without_games(Player("Anna", 1800, born=born)).published()["birth_year"].to_list() == [year]


def test_the_published_k_is_the_one_for_the_next_list():
    published = without_games(Player("Anna", 1800, games=30), Player("Bert", 1700, games=29)).published()
    assert published.select("name", "k").rows() == [("Anna", 20), ("Bert", 40)]


def test_by_the_2024_text_the_january_list_ends_the_k_of_players_who_turned_18_the_year_before():
    office = Office(Player("Anna", 1800, born="2007-06-01"), on="2025-11")
    assert office.rate("2025-12").state("Anna")["k"] == 40
    assert office.rate("2026-01").state("Anna")["k"] == 20


# --------------------------------------------------------------- state, and players with unknown data


def november_with(*players: Player, games: str) -> tuple[Office, Month]:
    office = Office(*players)
    office.receive(Event("Open", games))
    return office, office.rate("2025-11")


NEWCOMER = "Nora: 1 1800, ½ 1800b, ½ 1800c, ½ 1800d, 0 1800e"


def test_a_newcomer_last_played_on_the_list_of_the_entry():
    _, november = november_with(Player("Nora"), games=NEWCOMER)
    assert november.state("Nora")["last_played"] == date(2025, 11, 1)


def test_a_newcomer_who_never_plays_again_is_inactive_on_the_twelfth_list():
    office, _ = november_with(Player("Nora"), games=NEWCOMER)
    assert [office.rate(month).flag("Nora") for month in ("2026-10", "2026-11")] == ["", "i"]


def test_a_player_with_games_last_played_on_that_list_and_one_without_keeps_the_older_one():
    _, november = november_with(Player("Anna", 1800), Player("Bert", 1900, last_played="2025-03"), games="Anna: 1 1800")
    assert november.state("Anna")["last_played"] == date(2025, 11, 1)
    assert november.state("Bert")["last_played"] == date(2025, 3, 1)


@pytest.mark.parametrize("mark", ["reached_2300", "reached_2400"])
def test_a_mark_that_is_not_reached_is_false_and_not_null(mark):
    office = Office(Player("Dora", None, games=60))
    office.register(Player("Nora"))  # on no list so far
    office.receive(Event("Open", NEWCOMER))
    november = office.rate("2025-11")
    assert [november.state(name)[mark] for name in ("Nora", "Dora")] == [False, False]


def test_a_listed_player_who_is_not_registered_stays_on_the_list():
    inputs = Office(Player("Anna", 1800)).rate("2025-11").inputs
    state = rate_month(replace(inputs, players=inputs.players.clear())).list_state
    assert state.select("rating", "k").rows() == [(1800, 20)]


def test_a_listed_player_who_is_not_registered_stays_on_the_published_list():
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
def test_only_a_player_known_to_be_a_woman_has_the_flag(sex, flag):
    november = Office(Player("Anna", 1800)).rate("2025-11")
    players = november.inputs.players.with_columns(pl.lit(sex).alias("sex"))
    published = published_list(november.result.list_state, players, Period.parse("2025-11"), RULES_2024)
    assert published["flag"].to_list() == [flag]


def test_a_player_without_a_known_game_is_not_inactive():
    november = Office(Player("Anna", 1800)).rate("2025-11")
    state = november.result.list_state.with_columns(pl.lit(None, dtype=pl.Date).alias("last_played"))
    published = published_list(state, november.inputs.players, Period.parse("2025-11"), RULES_2024)
    assert published["flag"].to_list() == [""]


@pytest.mark.parametrize(("step", "rating"), [("two_fifths_towards_2000", 1700), ("none", 1500)])
def test_a_step_needs_a_name_and_not_its_month_alone(step, rating):
    rules = replace(RULES_2024.list, one_time_step=step, one_time_step_month="2024-03")
    assert pl.select(after_one_time_step(pl.lit(1500), rules, Period.parse("2024-03"))).item() == rating


def test_nothing_is_inferred_on_a_list_that_was_calculated():
    _, november = november_with(Player("Nora"), Player("Anna", 1800), games=NEWCOMER)
    assert [november.state(name)["inferred"] for name in ("Nora", "Anna")] == ["", ""]
