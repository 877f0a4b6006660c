"""The national Elo of Italy: the examples, and who is rated, enters and lapses."""

from __future__ import annotations

from tests.months import Event, Office, Player
from tests.unit.systems import table3

ZEVIO = Event("Zevio", "Zevio: ½ 2050, 0 2100, 1 1900, 0 2070, ½ 1970")


def test_the_event_of_ten_players():
    office = table3.office("fsi")
    office.receive(table3.event())
    month = office.rate("2025-11")
    assert table3.ratings(month) == [1872, 1617, 1555, 1462, 1445, 1463, 1427, 1399, 1474, 1365]


def test_opponents_count_with_the_reference_rating():
    office = Office(Player("Zevio", 1810), family="fsi")
    office.receive(ZEVIO)
    office.refer("2025-10", **{"2050": 2050, "2100": 2100, "1900": 1900, "2070": 2070, "1970": 1970})
    month = office.rate("2025-11")
    change = month.changed("Zevio")
    assert sum(game["expected_hundredths"] for game in month.games("Zevio")) == 121
    assert (change["change_hundredths"], change["change"], change["new_rating"]) == (2370, 24, 1834)
    assert {month.rating(name) for name in ("2050", "2100", "1900", "2070", "1970")} == {None}
    assert month.reasons("2050") == ["has_reference_rating"]


def test_a_newcomer_enters_with_the_first_game():
    office = Office(Player("Anna", 2000), family="fsi")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Nora 1-0 Anna"))
    month = office.rate("2025-11")
    entered, change = month.changed("Nora"), month.changed("Anna")
    assert (entered["status"], entered["old_rating"], entered["change"], entered["new_rating"]) == (
        *("entered", None),
        *(28, 1468),
    )
    assert (change["status"], change["new_rating"]) == ("rated", 1972)
    assert month.state("Nora") == {
        **(month.state("Nora") or {}),
        "rating": 1468,
        "games": 1,
        "games_played": 1,
        "k": 30,
    }


def test_each_event_is_rounded_by_itself():
    office = Office(Player("Anna", 1500), family="fsi")
    # .50 expected of 1500, .45 of 1536: +1.50 each is +2 and +2.
    office.receive(Event("One", "Anna: ½ 1536"), Event("Two", "Anna: ½ 1536b", end="2025-10-13"))
    change = office.rate("2025-11").changed("Anna")
    assert (change["change_hundredths"], change["change"]) == (300, 4)


def test_a_player_with_a_reference_rating_leaves_the_list_without_a_game():
    office = Office(Player("Anna", 1600), Player("Bert", 1700), family="fsi")
    office.refer("2025-11", Anna=1750)
    month = office.rate("2025-11")
    change = month.changed("Anna")
    assert (change["status"], change["old_rating"], change["new_rating"], change["change"], change["games"]) == (
        *("lapsed", 1600, None, None),
        0,
    )
    assert month.state("Anna") is None
    assert month.rating("Bert") == 1700


def test_the_newest_reference_list_not_after_the_list_decides():
    office = Office(Player("Anna", 1600), Player("Bert", 1700), family="fsi")
    office.refer("2025-10", Anna=1750)
    office.refer("2025-11", Bert=1750)
    office.refer("2025-12", Anna=1750)
    month = office.rate("2025-11")
    assert (month.rating("Anna"), month.rating("Bert")) == (1600, None)


def test_a_player_who_loses_the_reference_rating_starts_again():
    office = Office(Player("Anna", 1600, games=80), Player("Cora", 1500), family="fsi")
    office.refer("2025-11", Anna=1750)
    office.rate("2025-11")
    office.refer("2025-12", Bert=1900)
    office.receive(Event("Open", "Anna: 1 1440", start="2025-12-01", end="2025-12-02", received="2025-12-03"))
    month = office.rate("2026-01")
    state = month.stated("Anna")
    assert (state["rating"], state["games_played"]) == (1455, 1)


def test_a_late_report_counts_the_entry_rating_for_a_player_not_listed_then():
    office = Office(Player("Anna", 1600), family="fsi", on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Nora 1-0 Anna", start="2025-09-02", end="2025-09-03", received="2025-09-05"))
    office.rate("2025-10")
    late = Event("Late", "Nora: 0 1440", start="2025-09-10", end="2025-09-11", received="2025-10-05")
    office.receive(late)
    (game,) = office.rate("2025-11").games("Nora")
    assert (game["rating"], game["opponent_rating"], game["change_hundredths"]) == (1440, 1440, -1500)


def test_a_difference_beyond_400_counts_as_400():
    office = Office(Player("Anna", 2000), family="fsi")
    office.receive(Event("Open", "Anna: 1 1440"))
    (game,) = office.rate("2025-11").games("Anna")
    assert (game["difference"], game["difference_used"], game["expected_hundredths"]) == (560, 400, 92)
