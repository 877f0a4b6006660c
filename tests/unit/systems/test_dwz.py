"""The German rating: the worked examples, and each rule of one event and of several."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest

from tests.months import Event, Month, Office, Player

OLD, NEW = {"start": "2026-06-01", "end": "2026-06-07", "received": "2026-06-08"}, {}
"""The days of an event by the rules of 2014."""


def office(*players: Player) -> Office:
    """An office of the German rating whose first list is that of June 2026; ``games`` of a player is the index."""
    return Office(*players, family="dwz", on="2026-06")


def event(code: str, games: str, end: str = "2026-06-14") -> Event:
    return Event(code, games, start="2026-06-01", end=end, received="2026-06-20")


def old(code: str, games: str) -> Event:
    return event(code, games, "2026-06-07")


def dwz(month: Month, name: str) -> str:
    """The published rating with its index, such as 1779-82; empty where there is none."""
    rating = month.rating(name)
    rows = month.result.own_state.filter(fide_id=month.numbers[name], event_id="")
    return f"{rating}-{rows['index'].item()}" if rating else ""


def k(month: Month, name: str, column: str = "k_tenths") -> int:
    (found,) = {game[column] for game in month.games(name) if game["reason"] == ""}
    return int(found)


def test_the_expected_scores():
    from ratinglist_nations.dwz.event import POINT, expected, expected_table

    table = expected_table().to_list()
    assert [table[one] for one in (1, 50, 100, 200, 400, 735)] == [
        *(501410471, 570158102, 638163195, 760249939, 921350396, 995319999)
    ]
    assert len(table) == 1730
    assert (table[-2], table[-1]) == (POINT - 1, POINT)
    assert all(abs(one / POINT - (1 + math.erf(d / 400)) / 2) <= 0.5000001e-9 for d, one in enumerate(table))
    found = pl.DataFrame({"d": [-100, 2000, -2000]}).select(expected(pl.col("d"))).to_series().to_list()
    assert found == [POINT - 638163195, POINT, 0]


@pytest.mark.parametrize(("result", "low", "high"), [("1-0", 1101, 1132), ("½-½", 1035, 1177), ("0-1", 985, 1232)])
def test_one_game_of_two_young_players_by_the_text_of_2014(result, low, high):
    home = office(Player("Low", 1000, games=10, born=2012), Player("High", 1200, games=10, born=2012))
    home.receive(old("Game", f"1. Low {result} High"))
    month = home.rate("2026-07")
    assert (month.rating("Low"), month.rating("High")) == (low, high)


def test_the_development_coefficients_of_that_game():
    home = office(Player("Low", 1000, games=10, born=2012), Player("High", 1200, games=10, born=2012))
    home.receive(old("Game", "1. Low 0-1 High"))
    month = home.rate("2026-07")
    assert (k(month, "Low", "development"), k(month, "High", "development")) == (12, 5)
    home = office(Player("Low", 1000, games=10, born=2012), Player("High", 1200, games=10, born=2012))
    home.receive(old("Game", "1. Low 1-0 High"))
    assert k(home.rate("2026-07"), "High", "development") == 8


GAMES = "Anna: 1 1948, 1 1874, ½ 1586, ½ 1658, ½ 1853, 0 1821, 1 1697"


def test_an_adult_by_both_texts():
    for of_day, rated, figure in ((event, "1779-82", ("k_tenths", 280)), (old, "1776-82", ("development", 24))):
        home = office(Player("Anna", 1742, games=81))
        home.receive(of_day("Open", GAMES))
        month = home.rate("2026-07")
        assert dwz(month, "Anna") == rated
        assert k(month, "Anna", figure[0]) == figure[1]
        total = sum(game["expected_billionths"] for game in month.games("Anna"))
        assert round(total / 1000) == 3180274


@pytest.mark.parametrize(("points", "rating", "tenths"), [("1 0 1 1 ½", 1450, 697), ("0 ½ 0 ½ 0", 1304, 430)])
def test_a_young_player_with_bonus_or_brake(points, rating, tenths):
    against = zip(points.split(), ("1400", "1500", "1300", "1450", "1420"), strict=True)
    home = office(Player("Anna", 1350, games=3, born=2011))
    home.receive(event("Open", "Anna: " + ", ".join(map(" ".join, against))))
    month = home.rate("2026-07")
    assert (month.rating("Anna"), k(month, "Anna")) == (rating, tenths)
    assert round(sum(game["expected_billionths"] for game in month.games("Anna")) / 1000) == 2062044


def test_the_brake_is_rounded_to_one_decimal_and_the_minimum_holds():
    home = office(Player("Anna", 1102, games=1))
    home.receive(event("Open", "Anna: 0 1100"))
    month = home.rate("2026-07")
    assert (k(month, "Anna"), month.rating("Anna")) == (476, 1100)


def test_published_first_ratings():
    from ratinglist.store.rule_files import rule_book
    from ratinglist_nations.dwz.event import published_first

    older, newer = (one.own for one in rule_book().of("dwz"))
    roots = pl.DataFrame({"root": [600, 1100, 1500, 2050]})
    assert roots.select(published_first(pl.col("root"), newer)).to_series().to_list() == [1139, 1172, 1540, 2050]
    assert roots.select(published_first(pl.col("root"), older)).to_series().to_list() == [775, 1100, 1500, 2050]


def seven_players() -> Office:
    home = office(
        Player("A", 1500, games=8, born=1986),
        Player("B", 1420, games=5, born=1993),
        Player("C", 1610, games=20, born=1971),
        Player("D", 1380, games=3, born=2007),
        Player("E", 1550, games=11, born=1979),
    )
    home.register(Player("X", born=2001), Player("Y", born=2013))
    home.receive(
        event(
            "Open",
            "1. X 1-0 A, Y ½-½ B\n2. X ½-½ B, Y 0-1 A\n3. X 0-1 C, Y 0-1 D\n4. X 1-0 D, Y 0-1 C\n5. X 0-1 E, Y ½-½ X",
        )
    )
    return home


def final_values(published: int) -> list[int]:
    """The final values of the iteration, Ri, that a published first DWZ of 2026 can come from."""
    from ratinglist.store.rule_files import rule_book
    from ratinglist_nations.dwz.event import published_first

    values = pl.DataFrame({"final": range(2500)}, schema={"final": pl.Int64})
    due = published_first(pl.col("final"), rule_book().of("dwz")[-1].own)
    return values.filter(due == published)["final"].to_list()


def test_an_event_with_two_first_ratings():
    home = seven_players()
    # The game of X and Y is the sixth of X and the fifth of Y.
    home.events[0] = event(
        "Open",
        "1. X 1-0 A, Y ½-½ B\n2. X ½-½ B, Y 0-1 A\n3. X 0-1 C, Y 0-1 D\n4. X 1-0 D, Y 0-1 C\n5. X 0-1 E\n6. Y ½-½ X",
    )
    month = home.rate("2026-07")
    found = {name: dwz(month, name) for name in "ABCDEXY"}
    assert found == {
        "A": "1491-9",
        "B": "1417-6",
        "C": "1623-21",
        "D": "1382-4",
        "E": "1563-12",
        "X": "1494-1",
        "Y": "1287-1",
    }
    assert [k(month, name) for name in "ABCDE"] == [326, 370, 280, 687, 320]
    assert [final_values(one) for one in (1494, 1287)] == [[1450], [1225]]
    for name in "XY":
        change = month.changed(name)
        assert (change["status"], change["old_rating"], change["change"]) == ("entered", None, None)


FIVE = (1500, 1600, 1550, 1650, 1700)


@pytest.mark.parametrize(
    ("points", "by_2014", "by_2026"),
    [
        ("1 1 1 1 1", 2277, 2002),
        ("0 0 0 0 0", 923, None),
        ("1 0 ½ 1 0", 1600, 1600),
        ("1 1 1 1", None, None),
    ],
)
def test_the_performance_in_an_event(points, by_2014, by_2026):
    """The mean is 1600: all points are worth 677 more, or 5.5 of 6 with a draw against it."""
    found = []
    for of_day in (old, event):
        home = office(Player("Anna", 1742, games=81))
        games = [f"{point} {rating}" for point, rating in zip(points.split(), FIVE, strict=False)]
        home.receive(of_day("Open", f"Anna: {', '.join(games)}"))
        found.append({game["performance"] for game in home.rate("2026-07").games("Anna")})
    assert found == [{by_2014}, {by_2026}]


def test_a_strong_player_begins_from_the_fide_rating_where_the_rules_say_so():
    from ratinglist.store.rule_files import rule_book
    from ratinglist_nations.dwz.month import with_foreign

    rules = rule_book().of("dwz")[-1].own
    people = pl.DataFrame(
        {"rating": [2450, 2399, 2450, None], "reference": [2390, 2390, None, 2000], "index": [9, 9, 9, None]},
        schema_overrides={"reference": pl.Int64},
    )
    of = replace(rules, players=replace(rules.players, fide_from=2400))
    starts = [with_foreign(people, one).select("rating", "index").rows() for one in (of, rules)]
    assert starts[0] == [(2390, 9), (2399, 9), (2450, 9), (2000, 6)]
    assert starts[1] == [(2450, 9), (2399, 9), (2450, 9), (2000, 6)], "it is off, because it breaks the chain"
