"""The new list: floor, state for K, inactivity, and its published columns."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.month import rate_month
from ratinglist.rating.rating_list import after_one_time_step, published_list
from ratinglist.rating.rules import RuleSet
from ratinglist.store import rule_files
from ratinglist.tables import LISTED
from tests.months import Event, Office, Player, changed_book

COURSE_WITH_STEP = changed_book(
    "course",
    ('one_time_step = { value = "none"', 'one_time_step = { value = "two_fifths_towards_2000"'),
    ('one_time_step_month = { value = ""', 'one_time_step_month = { value = "2025-11"'),
)


RULES_2024 = rule_files.rule_book().on("fide", "standard", date(2024, 3, 1))


NEWCOMER = "Nora: 1 1800, ½ 1800b, ½ 1800c, ½ 1800d, 0 1800e"
UNRATED = {"rating": None, "k": None, "games_played": 60, "reached_2300": True}
PLAYED, BEFORE = date(2025, 11, 1), date(2025, 3, 1)
UNMARKED = {"reached_2300": False, "reached_2400": False}

# Players, their games in October, and the facts of each on the list of November.
STATES: list[tuple[tuple[Player, ...], str, dict[str, dict[str, object]]]] = [
    ((Player("Anna", 1800),), "", {"Anna": {"rating": 1800, "games": 0, "flag": ""}}),
    ((Player("Anna", 1800),), "Anna: 1 1800, ½ 1800b", {"Anna": {"games": 2}}),
    ((Player("Anna", 1800, games=7), Player("Nora")), "Anna: 1 1800, ½ 1800b, 1 Nora", {"Anna": {"games_played": 9}}),
    ((Player("Dora", None, games=60, ever_2300=True),), "", {"Dora": UNRATED}),
    *(
        ((Player("Anna", rating),), f"Anna: 1 {rating}", {"Anna": {mark: reached}})
        for mark, rating, reached in [
            ("reached_2300", 2289, False),
            ("reached_2300", 2290, True),
            ("reached_2400", 2389, False),
            ("reached_2400", 2390, True),
        ]
    ),
    # A delisted player has no K.
    ((Player("Anna", 1399),), "", {"Anna": {"k": None}}),
    # A game that is not rated makes no player active.
    ((Player("Ivar", 1800, last_played="2020-01"), Player("Nora")), "Ivar: 1 Nora", {"Ivar": {"flag": "i"}}),
    *(
        ((Player("Anna", 1800, woman=True, last_played=last_played),), "", {"Anna": {"flag": flag}})
        for last_played, flag in [("2025-10", "w"), ("2020-01", "wi")]
    ),
    *(
        ((Player("Anna", 1800, born=born),), "", {"Anna": {"birth_year": year}})
        for born, year in [(1990, 1990), ("1990-07-01", 1990), (None, None)]
    ),
    # The published K is the one for the next list.
    ((Player("Anna", 1800, games=30), Player("Bert", 1700, games=29)), "", {"Anna": {"k": 20}, "Bert": {"k": 40}}),
    ((Player("Nora"),), NEWCOMER, {"Nora": {"last_played": PLAYED, "inferred": "", **UNMARKED}}),
    ((Player("Nora"), Player("Dora", None, games=60)), NEWCOMER, {"Dora": UNMARKED}),
    (
        (Player("Anna", 1800), Player("Bert", 1900, last_played="2025-03")),
        "Anna: 1 1800",
        {"Anna": {"last_played": PLAYED, "inferred": ""}, "Bert": {"last_played": BEFORE}},
    ),
]


@pytest.mark.parametrize(("players", "games", "expected"), STATES)
def test_a_player_has_these_facts_on_the_list(players, games, expected):
    office = Office(*players)
    office.receive(Event("Open", games))
    november = office.rate("2025-11")
    published = {row["name"]: row for row in november.published().to_dicts()}
    for name, facts in expected.items():
        state = november.stated(name) | published.get(name, {})
        assert {fact: state[fact] for fact in facts} == facts


def test_a_newcomer_who_was_never_on_a_list_has_no_marks():
    office = Office(Player("Dora"))
    office.register(Player("Nora"))
    office.receive(Event("Open", NEWCOMER))
    state = office.rate("2025-11").stated("Nora")
    assert {mark: state[mark] for mark in UNMARKED} == UNMARKED


def test_the_list_goes_by_rating_then_by_fide_id_without_the_delisted_and_without_birth_dates():
    players = [Player("Anna", 1800, born="2001-02-03"), Player("Bert", 1900), Player("Cora", 1900), Player("Dora")]
    published = Office(*players, Player("Emil", 1399), Player("Finn", 1400)).rate("2025-11").published()
    assert published["name"].to_list() == ["Bert", "Cora", "Anna", "Finn"]
    assert published.schema == LISTED.schema
    assert "birth_date" not in published.columns


def test_the_step_of_march_2024_is_not_for_those_who_enter_with_it():
    office = Office(Player("Nora"), family="course", rules=COURSE_WITH_STEP)
    office.receive(Event("Open", "Nora: 1 1500, ½ 1500b, ½ 1500c, ½ 1500d, 0 1500e"))
    assert office.rate("2025-11").rating("Nora") == 1500


@pytest.mark.parametrize(("players", "games"), [((Player("Anna", 1800),), "Anna: 1 1800"), ((), NEWCOMER)])
def test_the_flag_comes_with_the_twelfth_list_computed_here(players, games):
    office = Office(*players)
    office.register(Player("Nora"))
    office.receive(Event("Open", games))
    office.rate("2025-11")
    assert [office.rate(month).flag(games[:4]) for month in ("2026-10", "2026-11")] == ["", "i"]


def test_by_the_2024_text_the_january_list_ends_the_k_of_players_who_turned_18_the_year_before():
    office = Office(Player("Anna", 1800, born="2007-06-01"), on="2025-11")
    assert [office.rate(month).stated("Anna")["k"] for month in ("2025-12", "2026-01")] == [40, 20]


def test_a_listed_player_who_is_not_registered_stays_on_the_list():
    inputs = Office(Player("Anna", 1800)).rate("2025-11").inputs
    state = rate_month(replace(inputs, players=inputs.players.clear())).list_state
    assert state.select("rating", "k").rows() == [(1800, 20)]


def published(
    player: Player, *, rules: RuleSet = RULES_2024, state: dict[str, object] | None = None, **data: object
) -> dict[str, object]:
    """The published row of a player, with other values in the state, and in the player's data."""
    november = Office(player).rate("2025-11")
    list_state, players = november.result.list_state, november.inputs.players
    other = players.with_columns(pl.lit(value, dtype=players.schema[name]).alias(name) for name, value in data.items())
    known = list_state.with_columns(
        pl.lit(value, dtype=list_state.schema[name]).alias(name) for name, value in (state or {}).items()
    )
    return published_list(known, other, Period.parse("2025-11"), rules).row(0, named=True)


@pytest.mark.parametrize("year", [None, 1990])
def test_the_year_of_birth_is_that_of_the_birth_date_where_there_is_one(year):
    assert published(Player("Anna", 1800, born="2001-02-03"), birth_year=year)["birth_year"] == 2001


@pytest.mark.parametrize(("sex", "flag"), [("F", "w"), ("M", ""), ("", "")])
def test_only_a_player_known_to_be_a_woman_has_the_flag_and_none_is_inactive_without_a_known_game(sex, flag):
    assert published(Player("Anna", 1800), sex=sex)["flag"] == flag
    assert published(Player("Anna", 1800), state={"last_played": None}, sex=sex)["flag"] == flag


@pytest.mark.parametrize(("lists", "flag"), [(12, "i"), (0, "")])
def test_nobody_is_inactive_where_no_rule_says_so(lists, flag):
    rules = replace(RULES_2024, list=replace(RULES_2024.list, inactive_after_lists=lists))
    row = published(Player("Anna", 1800), rules=rules, state={"last_played": date(2020, 1, 1)})
    assert (row["flag"], row["list_month"]) == (flag, "2025-11")


def test_a_listed_player_who_is_not_registered_stays_on_the_published_list():
    november = Office(Player("Anna", 1800)).rate("2025-11")
    nobody = november.inputs.players.clear()
    listed = published_list(november.result.list_state, nobody, Period.parse("2025-11"), RULES_2024)
    assert listed["rating"].to_list() == [1800]


@pytest.mark.parametrize(("step", "rating"), [("two_fifths_towards_2000", 1700), ("none", 1500)])
def test_a_step_needs_a_name_and_not_its_month_alone(step, rating):
    rules = replace(RULES_2024.list, one_time_step=step, one_time_step_month="2024-03")
    assert pl.select(after_one_time_step(pl.lit(1500), rules, Period.parse("2024-03"))).item() == rating
