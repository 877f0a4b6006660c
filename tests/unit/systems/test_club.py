"""A club's internal Elo: the examples, K by games and rating, entry and the minima of titles."""

from __future__ import annotations

import pytest

from tests.months import Event, Office, Player


def test_two_and_a_half_of_five():
    office = Office(Player("Anna", 1613), family="club")
    office.receive(Event("Open", "Anna: 1 1609, ½ 1477, 0 1388, ½ 1586, ½ 1720"))
    month = office.rate("2025-11")
    change = month.changed("Anna")
    assert [game["expected_thousandths"] for game in month.games("Anna")] == [506, 686, 785, 539, 351]
    assert (change["k"], change["change_thousandths"], change["new_rating"]) == (30, -11010, 1602)


@pytest.mark.parametrize(
    ("rating", "games", "k"),
    [
        *((1500, 29, 45), (1500, 30, 30), (1999, 30, 30), (2000, 30, 30), (2001, 30, 30), (2010, 30, 30)),
        *((2011, 30, 29), (2200, 30, 20), (2390, 30, 11), (2399, 30, 10), (2400, 30, 10), (2400, 29, 45)),
    ],
)
def test_k_by_games_and_rating(rating: int, games: int, k: int):
    office = Office(Player("Anna", rating, games=games), family="club")
    office.receive(Event("Open", f"Anna: 1 {rating}"))
    change = office.rate("2025-11").changed("Anna")
    assert change["k"] == k


def test_a_newcomer_enters_at_1400():
    office = Office(Player("Anna", 1400), family="club")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Nora 1-0 Anna"))
    month = office.rate("2025-11")
    change = month.changed("Nora")
    # 45 × .5 is 22.5, rounded up with the rating.
    assert (change["status"], change["old_rating"], change["new_rating"], change["change"]) == (
        *("entered", None),
        *(1423, 23),
    )
    assert month.rating("Anna") == 1385


@pytest.mark.parametrize(("title", "entry"), [("FM", 2300), ("IM", 2400), ("GM", 2500), ("CM", 1400), ("WGM", 1400)])
def test_a_newcomer_with_a_title_counts_as_its_minimum(title: str, entry: int):
    office = Office(Player("Anna", 1400), family="club")
    office.register(Player("Nora", title=title))
    office.receive(Event("Open", "1. Nora ½-½ Anna"))
    (game,) = office.rate("2025-11").games("Anna")
    assert game["opponent_rating"] == entry


def test_a_title_raises_once():
    office = Office(Player("Anna", 2250), family="club")
    office.rate("2025-11")
    office.register(Player("Anna", title="FM"))
    raised = office.rate("2025-12")
    change = raised.changed("Anna")
    assert (change["games"], change["old_rating"], change["new_rating"], change["change"]) == (0, 2250, 2300, 50)
    office.receive(Event("Open", "Anna: 0 1400, 0 1400b", start="2025-12-05", end="2025-12-06", received="2025-12-07"))
    later = office.rate("2026-01").rating("Anna")
    assert later is not None
    assert later < 2300
    office.register(Player("Anna", title="IM"))
    assert office.rate("2026-02").rating("Anna") == 2400
    assert office.system_state["titles_seen"].to_list() == ["FM,IM"]


def test_a_title_on_the_first_imported_list_raises_nobody():
    office = Office(Player("Anna", 2250, title="FM"), family="club")
    assert office.rate("2025-11").change("Anna") is None
    office.register(Player("Anna", title="IM"))
    assert office.rate("2025-12").rating("Anna") == 2400


def test_a_title_on_a_later_imported_list_raises():
    office = Office(Player("Anna", 2250), on="2025-09", family="club")
    office.add_list("2025-10", Player("Anna", 2250, title="FM"))
    assert office.rate("2025-11").rating("Anna") == 2300


def test_a_title_seen_above_its_minimum_never_raises():
    office = Office(Player("Anna", 2310, title="FM"), family="club")
    assert office.rate("2025-11").change("Anna") is None
    office.receive(Event("Open", "Anna: 0 1400", start="2025-11-05", end="2025-11-06", received="2025-11-07"))
    change = office.rate("2025-12").changed("Anna")
    assert change["new_rating"] < 2300
