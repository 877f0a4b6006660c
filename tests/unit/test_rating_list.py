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


def test_the_marks_of_2300_and_2400_are_set_by_the_new_list_and_never_taken_back():
    office = Office(Player("Anna", 2395), Player("Bert", 2405))
    office.receive(Event("Open", "1. Anna 1-0 Bert; 2. Bert 0-1 Anna"))
    november = office.rate("2025-11")
    assert (november.rating("Anna"), november.state("Anna")["reached_2400"]) == (2415, True)
    assert (november.rating("Bert"), november.state("Bert")["reached_2400"]) == (2395, True)


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


@pytest.mark.parametrize(
    ("family", "rating", "stays"),
    [("fide", 1400, 1400), ("fide", 1399, None), ("course", 1000, 1000), ("course", 999, None)],
)
def test_below_the_floor_a_player_is_off_the_list_even_without_a_game(family, rating, stays):
    assert without_games(Player("Anna", rating), family=family).rating("Anna") == stays


def test_a_player_delisted_without_a_game_has_a_row_in_the_changes():
    row = without_games(Player("Anna", 1399)).change("Anna")
    assert (row["status"], row["old_rating"], row["new_rating"]) == ("delisted", 1399, None)
    assert (row["games"], row["k"], row["change"], row["change_hundredths"]) == (0, None, 0, 0)


@pytest.mark.parametrize(("rating", "status", "new"), [(1410, "rated", 1400), (1409, "delisted", None)])
def test_a_loss_takes_a_player_below_the_floor(rating, status, new):
    office = Office(Player("Anna", rating))
    office.receive(Event("Open", f"Anna: 0 {rating}"))
    change = office.rate("2025-11").change("Anna")
    assert (change["change"], change["status"], change["new_rating"]) == (-10, status, new)


def test_a_delisted_player_is_not_published_and_has_no_k():
    november = without_games(Player("Anna", 1399), Player("Bert", 1400))
    assert november.published()["name"].to_list() == ["Bert"]
    assert november.state("Anna")["k"] is None


def test_by_the_2024_text_a_delisted_player_keeps_the_counter_of_games():
    assert without_games(Player("Anna", 1399, games=60)).state("Anna")["games_played"] == 60


def test_by_the_course_a_delisted_player_starts_again_from_nothing():
    assert without_games(Player("Anna", 999, games=60), family="course").state("Anna") is None


def returning(family: str, rating: int) -> Month:
    """Return December's list: Anna, 60 games, was delisted in November and enters again with five games."""
    office = Office(Player("Anna", rating, games=60), Player("Host", 1800), family=family)
    office.rate("2025-11")
    games = "Anna: 1 1700, ½ 1700b, ½ 1700c, ½ 1700d, 0 1700e"
    office.receive(Event("Back", games, start="2025-11-02", end="2025-11-09", received="2025-11-10"))
    return office.rate("2025-12")


@pytest.mark.parametrize(("family", "rating", "games_played", "k"), [("fide", 1399, 65, 20), ("course", 999, 5, 40)])
def test_a_delisted_player_enters_again_like_anybody(family, rating, games_played, k):
    december = returning(family, rating)
    assert december.change("Anna")["status"] == "entered"
    assert (december.state("Anna")["games_played"], december.state("Anna")["k"]) == (games_played, k)


def test_results_before_the_delisting_do_not_count_for_the_new_entry():
    assert returning("fide", 1399).entry("Anna")["games"] == 5


# ------------------------------------------------------------------------------------- the step of 1 March 2024


@pytest.mark.parametrize(
    ("rating", "new"),
    [
        (1000, 1400),
        (1500, 1700),
        (1001, 1401),
        (1996, 1998),
        (1998, 1999),
        (1999, 1999),
        (2000, 2000),
        (2040, 2040),
        (2700, 2700),
    ],
)
def test_the_step_of_march_2024_takes_every_player_two_fifths_of_the_way_to_2000(rating, new):
    assert without_games(Player("Anna", rating), on="2024-02", month="2024-03").rating("Anna") == new


@pytest.mark.parametrize("time_control", ["rapid", "blitz"])
def test_the_step_of_march_2024_was_taken_on_the_lists_of_rapid_and_blitz_too(time_control):
    office = Office(on="2024-02")
    office.add_list("2024-02", Player("Anna", 1500), time_control=time_control)
    assert office.rate("2024-03").of(time_control).rating("Anna") == 1700


@pytest.mark.parametrize("month", ["2024-02", "2024-04"])
def test_other_lists_have_no_step(month):
    rules = rule_files.rule_book().on("fide", "standard", date(2024, 3, 1)).list
    assert pl.select(after_one_time_step(pl.lit(1500), rules, Period.parse(month))).item() == 1500


def test_the_step_comes_before_the_floor():
    march = without_games(Player("Anna", 1001), Player("Bert", 998), on="2024-02", month="2024-03")
    assert (march.rating("Anna"), march.rating("Bert")) == (1401, None)


def test_the_step_comes_after_the_changes_of_the_month():
    office = Office(Player("Anna", 1500), family="course", rules=COURSE_WITH_STEP)
    office.receive(Event("Open", "Anna: 1 1500"))
    november = office.rate("2025-11")
    assert november.rating("Anna") == 1706
    assert (november.change("Anna")["old_rating"], november.change("Anna")["change"]) == (1500, 10)


def test_the_step_is_not_for_those_who_enter_with_it():
    office = Office(Player("Nora"), family="course", rules=COURSE_WITH_STEP)
    office.receive(Event("Open", "Nora: 1 1500, ½ 1500b, ½ 1500c, ½ 1500d, 0 1500e"))
    assert office.rate("2025-11").rating("Nora") == 1500


# ------------------------------------------------------------------------------------------ flags: inactive, woman


@pytest.mark.parametrize(("last_played", "flag"), [("2024-12", ""), ("2024-11", "i"), ("2020-01", "i")])
def test_a_player_is_inactive_on_the_twelfth_list_without_a_game(last_played, flag):
    assert without_games(Player("Anna", 1800, last_played=last_played)).flag("Anna") == flag


@pytest.mark.parametrize(
    ("month", "last_played", "flag"),
    [
        ("2020-10", "2019-10", "i"),
        ("2020-11", "2019-10", ""),
        ("2020-11", "2018-12", ""),
        ("2020-11", "2018-11", "i"),
        ("2021-12", "2020-01", ""),
        ("2022-01", "2021-01", "i"),
    ],
)
def test_from_november_2020_to_the_text_of_2022_it_took_24_lists(month, last_played, flag):
    on = {"2020-10": "2020-09", "2020-11": "2020-10", "2021-12": "2021-11", "2022-01": "2021-12"}[month]
    assert without_games(Player("Anna", 1800, last_played=last_played), on=on, month=month).flag("Anna") == flag


def test_the_flag_comes_with_the_twelfth_list_computed_here():
    office = Office(Player("Anna", 1800))
    office.receive(Event("Open", "Anna: 1 1800"))
    office.rate("2025-11")
    assert office.rate("2026-10").flag("Anna") == ""
    assert office.rate("2026-11").flag("Anna") == "i"


def test_an_inactive_player_is_a_rated_opponent_and_active_again_after_a_game():
    office = Office(Player("Anna", 1800), Player("Ivar", 1800, last_played="2020-01"))
    office.receive(Event("Open", "Anna: 1 Ivar"))
    november = office.rate("2025-11")
    assert (november.rating("Anna"), november.flag("Ivar")) == (1810, "")


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
