"""The English rating: the worked examples, and each rule of a month of play and of a list."""

from __future__ import annotations

import pytest

from ratinglist.text import hundredths
from tests.months import Event, Month, Office, Player


def office(*players: Player, on: str = "2025-10") -> Office:
    return Office(*players, family="ecf", on=on)


def event(games: str, month: str = "2025-10", code: str = "Open") -> Event:
    """An event played and reported in a month."""
    return Event(f"{code} {month}", games, start=f"{month}-04", end=f"{month}-05", received=f"{month}-10")


def category(month: Month, name: str) -> str:
    """The category on the list; empty for a player who is not on it."""
    found = month.result.system_state.filter(fide_id=month.numbers[name])["rating_category"].to_list()
    return str(found[0]) if found else ""


def exact(month: Month, name: str) -> str:
    change = month.changed(name)
    return hundredths(change["change_hundredths"], sign=True)


def test_a_full_player_wins_with_k_20_and_a_junior_with_k_40():
    club = office(Player("Ann", 1500, born=1980), Player("Jo", 1500, born=2010), Player("Bo", 1500), Player("Cy", 1500))
    club.receive(event("1. Ann 1-0 Bo, Jo 1-0 Cy"))
    month = club.rate("2025-11")
    assert [month.rating(name) for name in ("Ann", "Jo", "Bo", "Cy")] == [1510, 1520, 1490, 1490]


def test_a_win_against_a_partial_opponent_counts_half():
    club = office(Player("Ann", 1500), Player("Cy", 1575))
    club.register(Player("New", born=1990))
    club.receive(event("1. Ann 1-0 New; 2. New ½-½ Cy"))
    month = club.rate("2025-11")
    # (1500 + 1575 + 1800) / 3 = 1625, p .33, dp -125.
    assert (month.rating("New"), category(month, "New"), month.rating("Ann")) == (1500, "P", 1505)
    assert exact(month, "Ann") == "+5.00"


def test_a_difference_is_not_cut():
    club = office(Player("Ann", 1700), Player("Bo", 1420), Player("Cy", 2500), Player("Di", 1500))
    club.receive(event("1. Ann 1-0 Bo, Cy 1-0 Di"))
    month = club.rate("2025-11")
    assert (exact(month, "Ann"), month.rating("Ann")) == ("+3.20", 1703)
    assert (exact(month, "Cy"), month.games("Cy")[0]["difference_used"]) == ("+0.00", 1000)


def test_a_new_adult_has_a_performance_with_one_fictional_draw():
    club = office(Player("A", 1500), Player("B", 1600), Player("C", 1450))
    club.register(Player("New", born=1990))
    club.receive(event("1. New 1-0 A; 2. New ½-½ B; 3. New 1-0 C"))
    month = club.rate("2025-11")
    assert (month.rating("New"), category(month, "New")) == (1781, "P")
    change = month.changed("New")
    assert [change[one] for one in ("performance_games", "performance_opponents", "performance_halves")] == [3, 4550, 5]
    assert change["nominal_rating"] == 1800


def test_a_whole_month():
    """A and J are full, Q is partial with a draw against 1500 and a loss against 1610, N is new."""
    club = office(Player("A", 1700, born=1975), Player("J", 1420, born=2011), Player("X", 1500), Player("Y", 1610))
    club.register(Player("Q", born=1984), Player("N", born=1995))
    club.receive(event("1. Q ½-½ X; 2. Q 0-1 Y"))
    november = club.rate("2025-11")
    # (1500 + 1610 + 1800) / 3 = 1636.7, p .33, dp -125: the example has a partial player of 1505.
    assert november.rating("Q") == 1512
    for row in club.lists:
        if row["month"] == "2025-11" and row["fide_id"] == club.number("Q"):
            row["rating"] = 1505
    club.receive(event("1. A 1-0 J, N 0-1 Q; 2. A 1-0 N, Q ½-½ J; 3. J ½-½ N", "2025-11"))
    december = club.rate("2025-12")
    games = {name: december.games(name) for name in "QN"}
    assert {one["first_performance"] for one in games["N"]} == {1413}
    assert {one["first_performance"] for one in games["Q"]} == {1496}
    assert [december.rating(name) for name in "NQAJ"] == [1411, 1549, 1705, 1417]
    assert (exact(december, "A"), exact(december, "J")) == ("+4.80", "-3.20")
    assert [one["k"] for one in december.games("A")] == [20, 10]
    assert [one["k"] for one in december.games("J")] == [40, 20, 20]


def test_the_tenth_game_makes_a_full_player_from_the_next_month_on():
    club = office(*(Player(f"P{number}", 1500) for number in range(10)))
    club.register(Player("New", born=1990))
    club.receive(event("\n".join(f"{number}. New ½-½ P{number}" for number in range(1, 10))))
    november = club.rate("2025-11")
    assert category(november, "New") == "P"
    club.receive(event("1. New ½-½ P0", "2025-11"))
    december = club.rate("2025-12")
    assert category(december, "New") == "K"
    assert december.games("P0")[0]["k"] == 20, "the opponent is full after the second pass"
    club.receive(event("1. New 1-0 P0", "2025-12"))
    january = club.rate("2026-01")
    assert january.games("New")[0]["k"] == 20
    assert january.change("New")["performance_games"] is None  # type: ignore[index]


def test_months_of_play_are_rated_one_after_another():
    club = office(Player("A", 1500), Player("B", 1500), Player("C", 1500))
    days = ("2025-11-29", "2025-12-02")
    late = Event(
        "Long", "1. A 1-0 B; 2. A 1-0 C", start="2025-11-29", end="2025-12-02", received="2025-12-05", days=days
    )
    club.receive(late)
    month = club.rate("2026-01")
    assert [(one["month_of_play"], one["rating"]) for one in month.games("A")] == [("2025-11", 1500), ("2025-12", 1510)]
    assert month.rating("A") == 1520
    assert exact(month, "A") == "+19.80"


@pytest.mark.parametrize(("games", "found"), [(29, "K"), (30, "A")])
def test_a_full_player_with_thirty_games_in_twelve_months_is_active(games, found):
    club = office(*(Player(f"P{number}", 1500) for number in range(31)), on="2024-10")
    club.receive(event("\n".join(f"{number}. P0 ½-½ P{number}" for number in range(1, games + 1)), "2024-10"))
    assert category(club.rate("2024-11"), "P0") == found
    assert category(club.rate("2025-10"), "P0") == found
    assert category(club.rate("2025-11"), "P0") == "K", "the games are of the thirteenth month before"


def test_without_a_game_in_thirty_six_months_a_player_leaves_and_is_new_on_return():
    stays = Player("C", 1500, last_played="2025-10")
    club = office(Player("A", 2100), Player("B", 2100, born=1990), stays, on="2022-10")
    club.receive(event("1. A ½-½ B", "2022-10"))
    club.rate("2022-11")
    still = club.rate("2025-10")
    assert (still.rating("A"), category(still, "A")) == (2100, "K")
    gone = club.rate("2025-11")
    assert (gone.rating("A"), gone.change("A")["status"]) == (None, "lapsed")  # type: ignore[index]
    club.receive(event("1. A ½-½ B", "2025-11"))
    back = club.rate("2025-12")
    change = back.changed("A")
    assert (change["status"], change["nominal_rating"], category(back, "A")) == ("entered", 2100, "P")
    assert back.rating("A") == 2100


def test_a_junior_plays_the_fictional_draw_against_a_hundred_points_a_year():
    club = office(Player("A", 1500), Player("B", 1500))
    club.register(Player("Kid", born=2013), Player("Other"))
    club.receive(event("1. Kid ½-½ A, Other ½-½ B"))
    month = club.rate("2025-11")
    assert [month.change(name)["nominal_rating"] for name in ("Kid", "Other")] == [1200, 1800]  # type: ignore[index]
    assert [month.rating(name) for name in ("Kid", "Other")] == [1350, 1650]


def test_new_players_who_meet_new_players_alone_begin_from_the_fictional_opponent():
    club = office(Player("A", 1500))
    club.register(Player("New", born=1990), Player("Kid", born=2013))
    club.receive(event("1. New ½-½ Kid"))
    month = club.rate("2025-11")
    assert [month.games(name)[0]["first_performance"] for name in ("New", "Kid")] == [1800, 1200]
    assert [month.rating(name) for name in ("New", "Kid")] == [1500, 1500]
