"""The English rating: a whole month. Worked figures: ``tests/golden/ecf.toml``."""

from __future__ import annotations

from tests.months import Event, Office, Player


def event(games: str, month: str = "2025-10") -> Event:
    """An event played and reported in a month."""
    return Event(f"Open {month}", games, start=f"{month}-04", end=f"{month}-05", received=f"{month}-10")


def test_a_whole_month():
    """A and J are full, Q is partial with a draw against 1500 and a loss against 1610, N is new."""
    listed = (Player("A", 1700, born=1975), Player("J", 1420, born=2011), Player("X", 1500), Player("Y", 1610))
    club = Office(*listed, family="ecf")
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
    assert {game["first_performance"] for game in games["N"]} == {1413}
    assert {game["first_performance"] for game in games["Q"]} == {1496}
    assert [december.rating(name) for name in "NQAJ"] == [1411, 1549, 1705, 1417]
    assert [december.changed(name)["change_hundredths"] for name in "AJ"] == [480, -320]
    assert [game["k"] for game in december.games("A")] == [20, 10]
    assert [game["k"] for game in december.games("J")] == [40, 20, 20]
