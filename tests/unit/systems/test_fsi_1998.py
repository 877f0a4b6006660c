"""The Italian Elo of 1998 to 2000: the examples, the four-tournament rule, categories and promotions."""

from __future__ import annotations

import pytest

from tests.months import Event, Office, Player
from tests.unit.systems import table3


def test_the_event_of_ten_players():
    office = table3.office("fsi-1998")
    office.receive(table3.event())
    month = office.rate("2026-01")
    assert table3.ratings(month) == [1875, 1609, 1600, 1451, 1433, 1500, None, None, 1600, None]
    numbers = {office.number(name): name for name in table3.NAMES}
    categories = {numbers[row["fide_id"]]: row["category"] for row in office.system_state.to_dicts() if row["category"]}
    assert categories == {"P1": "1N", "P2": "2N", "P3": "2N", "P4": "3N", "P5": "3N", "P6": "3N", "P9": "2N"}


def test_the_recipe():
    office = Office(Player("Anna", 1600), family="fsi-1998")
    # Opponents 300 above and won, 50 below and won, equal and lost, 100 above and won, 100 below and drawn.
    office.receive(Event("Open", "Anna: 1 1300, 1 1650, 0 1600, 1 1500, ½ 1700"))
    month = office.rate("2026-01")
    change = month.changed("Anna")
    assert sum(game["expected_hundredths"] for game in month.games("Anna")) == 278
    assert (change["change_hundredths"], change["change"], change["new_rating"]) == (2100, 21, 1621)


def test_a_sum_of_1_72_counts_as_1_70():
    office = Office(Player("Anna", 1600), family="fsi-1998")
    # .45, .76 and .51.
    office.receive(Event("Open", "Anna: 1 1636, 1 1400, 0 1595"))
    month = office.rate("2026-01")
    change = month.changed("Anna")
    assert [game["expected_hundredths"] for game in month.games("Anna")] == [45, 76, 51]
    assert change["change_hundredths"] == 30 * (200 - 170)


@pytest.mark.parametrize(("rating", "k"), [(2099, 30), (2100, 20), (2400, 20), (2401, 10)])
def test_k_by_the_rating(rating: int, k: int):
    office = Office(Player("Anna", rating), family="fsi-1998")
    office.receive(Event("Open", f"Anna: 1 {rating}"))
    (game,) = office.rate("2026-01").games("Anna")
    assert game["k"] == k


def test_the_rating_in_use_takes_up_four_events():
    office = Office(Player("Anna", 2090), family="fsi-1998")
    for number in range(1, 6):
        office.receive(Event(f"E{number}", f"Anna: 1 2090{'abcde'[number - 1]}", end=f"2025-10-{number + 10}"))
    month = office.rate("2026-01")
    games = {game["event_id"]: game for game in month.games("Anna")}
    # 4 × 15 make 2150, with K 20; .50 of .58 is .60 by steps of .05.
    assert [games[f"E{number}"]["rating"] for number in range(1, 6)] == [2090] * 4 + [2150]
    assert games["E5"]["k"] == 20
    change = month.changed("Anna")
    assert (change["change_hundredths"], change["new_rating"], change["k"]) == (6000 + 20 * (100 - 60), 2158, None)


def test_an_unlisted_opponent_counts_1300():
    office = Office(Player("Anna", 1500), family="fsi-1998")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Anna 1-0 Nora"))
    month = office.rate("2026-01")
    (game,) = month.games("Anna")
    assert (game["opponent_rating"], game["expected_hundredths"]) == (1300, 76)
    assert month.reasons("Nora") == ["counts_for_promotion"]
    assert month.rating("Nora") is None


def test_four_games_are_too_few_for_a_promotion():
    office = Office(family="fsi-1998")
    office.register(Player("Nora"))
    office.receive(Event("Four", "Nora: 1 1600a, 1 1600b, 1 1600c, 1 1600d"))
    assert office.rate("2026-01").rating("Nora") is None


def test_failures_are_forgotten_and_the_best_promotion_counts():
    office = Office(family="fsi-1998")
    office.register(Player("Nora"))
    office.receive(
        Event("Bad", "Nora: 0 1500a, 0 1500b, 0 1500c, 0 1500d, 0 1500e", end="2025-10-11"),
        # Exactly 1450 and exactly 1550.
        Event("Third", "Nora: ½ 1450a, ½ 1450b, ½ 1450c, ½ 1450d, ½ 1450e", end="2025-10-12"),
        Event("Second", "Nora: ½ 1550a, ½ 1550b, ½ 1550c, ½ 1550d, ½ 1550e", end="2025-10-13"),
    )
    month = office.rate("2026-01")
    change = month.changed("Nora")
    assert (change["status"], change["new_rating"], change["games"], change["change"]) == ("entered", 1600, 15, None)


@pytest.mark.parametrize(("halves", "rating"), [("1110½", 1500), ("11½½½", 1500), ("110½½", None), ("11111", 1500)])
def test_an_event_of_unlisted_players_promotes_from_70_per_cent(halves: str, rating: int | None):
    office = Office(Player("Listed", 1500), family="fsi-1998")
    others = [Player(f"Other{number}") for number in range(5)]
    office.register(Player("Nora"), *others)
    against = ", ".join(f"{half} {other.name}" for half, other in zip(halves, others, strict=True))
    office.receive(Event("Open", f"Nora: {against}"))
    assert office.rate("2026-01").rating("Nora") == rating


def test_a_listed_3n_becomes_2n():
    office = Office(Player("Anna", 1500), family="fsi-1998")
    office.receive(Event("Open", "Anna: ½ 1550a, ½ 1550b, ½ 1550c, ½ 1550d, ½ 1550e"))
    month = office.rate("2026-01")
    assert month.rating("Anna") == 1600
    anna = office.system_state.filter(fide_id=office.number("Anna"))
    assert anna["category"].to_list() == ["2N"]


def test_an_imported_player_below_1500_is_a_3n():
    office = Office(Player("Anna", 1410), family="fsi-1998")
    office.receive(Event("Open", "Anna: 1 1550a, ½ 1550b, ½ 1550c, ½ 1550d, ½ 1550e"))
    assert office.rate("2026-01").rating("Anna") == 1600


def test_an_imported_player_has_the_category_of_the_highest_imported_rating():
    office = Office(Player("Anna", 1710), on="2025-04", family="fsi-1998")
    office.add_list("2025-10", Player("Anna", 1480))
    office.receive(Event("Open", "Anna: 1 1550a, ½ 1550b, ½ 1550c, ½ 1550d, ½ 1550e"))
    assert office.rate("2026-01").rating("Anna") != 1600
    assert office.system_state.filter(fide_id=office.number("Anna"))["category"].to_list() == ["1N"]


def test_a_category_is_kept_for_life():
    office = Office(Player("Anna", 1600), Player("Bert", 1690, ever_2300=True), family="fsi-1998")
    office.rate("2026-01")
    losing = ", ".join(f"0 1600{letter}" for letter in "abcdefgh")
    office.receive(Event("Open", f"Anna: {losing}", start="2026-02-01", end="2026-02-02", received="2026-02-03"))
    month = office.rate("2026-07")
    rating = month.rating("Anna")
    assert rating is not None
    assert rating < 1500
    categories = dict(office.system_state.select("fide_id", "category").iter_rows())
    assert (categories[office.number("Anna")], categories[office.number("Bert")]) == ("2N", "M")
