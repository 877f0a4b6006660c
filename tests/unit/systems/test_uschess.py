"""The rating of US Chess: formulas, and an event of four players. Other figures: ``tests/golden/uschess.toml``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Any

import polars as pl
import pytest

from ratinglist.rating.rules import SystemRuleSet
from ratinglist.store.rule_files import rule_book
from tests.months import Event, Month, Office, Player

FACTS = ("rating", "credited", "wins", "draws", "losses", "long_events", "highest")


def rules(on: str = "2025-01-01") -> Any:
    (rule_set,) = [text for text in rule_book().of("uschess") if str(text.effective_from) == on]
    assert isinstance(rule_set, SystemRuleSet)
    return rule_set.own


def office(*players: Player, on: str = "2025-10", **millionths: int) -> Office:
    """An office whose players have ratings with decimals where they are given by name."""
    club = Office(*players, family="uschess", on=on)
    if millionths:
        from ratinglist_nations.uschess.month import STATE

        rows = [
            {
                "fide_id": club.number(name),
                "rating": rating,
                "credited": club.registered[name].games or 0,
                "highest": None,
            }
            for name, rating in millionths.items()
        ]
        counts = [pl.lit(0).alias(name) for name in FACTS[2:6]]
        club.own_state = STATE.table.conform(
            pl.DataFrame(rows, schema_overrides={"highest": pl.Int32}).with_columns(counts)
        )
    return club


def event(games: str, code: str = "Open", **facts: Any) -> Event:
    return Event(code, games, **{"start": "2025-10-04", "end": "2025-10-12", "received": "2025-10-13", **facts})


def kept(month: Month, name: str) -> dict[str, Any]:
    return month.result.own_state.row(by_predicate=pl.col("fide_id") == month.numbers[name], named=True)


def exact(month: Month, name: str) -> str:
    """The rating with all its decimals."""
    return f"{kept(month, name)['rating'] / 1_000_000:.6f}"


def listed(month: Month, name: str) -> str:
    """The rating as listed, a provisional one with its games."""
    state = month.result.system_state.row(by_predicate=pl.col("fide_id") == month.numbers[name], named=True)
    games = state["provisional_games"]
    return f"{month.rating(name)}" + ("" if games is None else f"P{games}")


def test_the_effective_games_and_k():
    from ratinglist_nations.uschess.event import coefficient, effective_games

    rows = pl.DataFrame({"start": [1700.0, 2355.0, 2355.5, 1000.0]})
    effective = rows.select(effective_games(pl.col("start"), rules())).to_series().to_list()
    assert [round(games, 4) for games in effective] == [20.0118, 49.9892, 50.0, 11.515]

    def k(**facts: Any) -> list[float]:
        of_k = coefficient(rules(), pl.col("start"), pl.col("effective"))
        return [round(value, 3) for value in pl.DataFrame(facts).select(of_k).to_series()]

    of_players = {"effective": [6.0, 20.0, 50.0], "played": [4, 6, 6], "is_dual": False}
    assert k(start=1500.0, **of_players) == [80.0, 30.769, 14.286]
    strong = {"start": [2200.0, 2300.0, 2500.0], "effective": 50.0, "played": 5}
    assert k(**strong, is_dual=True) == [14.545, 10.909, 3.636]
    assert k(**strong, is_dual=False) == [14.545, 14.545, 14.545]


def test_a_first_rating_from_other_systems():
    from ratinglist_nations.uschess.event import blended, by_age

    of = rules().first_rating
    lists, end, born = (date(2018, 3, 25), date(2018, 1, 13), date(2016, 7, 16)), date(2020, 9, 1), date(2000, 7, 1)
    rows = pl.DataFrame({"age": [(day - born).days for day in lists]})
    ages = rows.select(by_age(pl.col("age"), of)).to_series()
    assert [round(rating, 2) for rating in ages] == [886.52, 876.80, 802.05]
    sources = pl.DataFrame(
        {
            "seat": [3, 3, 3],
            "source": [1759.0, 1643.0, 1658.0],
            "games": [10, 5, 10],
            "age_rating": ages,
            "days": [(end - day).days for day in lists],
        }
    )
    assert blended(sources, of).rows() == [(3, 1702.0, 10)]


def test_the_rating_by_age():
    from ratinglist_nations.uschess.event import by_age

    days = pl.DataFrame({"days": [None, 600, 730, 731, 3652, 9496, 9497, 20_000]})
    ratings = days.select(by_age(pl.col("days"), rules().first_rating)).to_series().to_list()
    assert [round(value, 3) for value in ratings] == [1300.0, 100.0, 100.0, 100.068, 499.932, 1299.932, 1300.0, 1300.0]


def against(opponents: Sequence[float]) -> pl.DataFrame:
    """The games of the one player of a table."""
    return pl.DataFrame(
        {
            "seat": pl.repeat(0, len(opponents), dtype=pl.Int64, eager=True),
            "opponent_rating": [float(rating) for rating in opponents],
        }
    )


def special(start: float, effective: float, points: float, opponents: Sequence[float], history: str = "mixed") -> float:
    from ratinglist_nations.uschess.event import special as of_table

    facts = {"seat": [0], "start": [start], "effective": [effective], "history": [history], "score": [points]}
    ratings = of_table(pl.DataFrame(facts), against(opponents), rules())
    return round(float(ratings.item()), 3)


def test_the_special_formula():
    assert special(1500.0, 6.0, 1.5, [1400.0, 1550.0, 1650.0]) == 1511.111
    assert special(1300.0, 0.0, 1.5, [1500.0, 1600.0, 1700.0]) == 1600.0
    assert special(1200.0, 3.0, 1.0, [1100.0, 2300.0]) == 1275.0
    assert special(1200.0, 3.0, 0.0, [1100.0, 2300.0]) == 1075.0
    # Four games won count as won against 1100: with a fifth, against 1600, everything is possible from 2000 on.
    assert special(1500.0, 4.0, 1.0, [1600.0], "wins") == 2000.0
    # With a lost one: 4 PW(R, 1100) + PW(R, 1600) = 4, so (5 R - 6000) / 800 = 1.5.
    assert special(1500.0, 4.0, 0.0, [1600.0], "wins") == 1440.0
    assert special(1500.0, 4.0, 0.0, [1400.0], "losses") == 1000.0
    # It ends at 2700.
    assert special(2600.0, 4.0, 3.0, [2500.0, 2600.0, 2650.0], "wins") == 2700.0


def standard(multiplier_of: str = "2025-01-01", **facts: Any) -> dict[str, Any]:
    from ratinglist_nations.uschess.event import effective_games, standard as of_table

    own = rules(multiplier_of)
    row = {"credited": 30, "played": 5, "most_met": 1, "is_dual": False, "seat": 0, **facts}
    opponents = against(row.pop("opponents"))
    table = pl.DataFrame({name: [value] for name, value in row.items()})
    table = table.with_columns(pl.min_horizontal("credited", effective_games(pl.col("start"), own)).alias("effective"))
    return of_table(table, opponents, own).row(0, named=True)


FIVE = {"start": 1700.0, "score": 4.5, "opponents": [1650, 1720, 1800, 1690, 1755]}


def test_the_standard_formula():
    figures = standard(**FIVE)
    assert {name: round(figures[name], 6) for name in ("effective", "expected", "k", "bonus", "result")} == {
        "effective": 20.011787,
        "expected": 2.338538,
        "k": 31.984920,
        "bonus": 46.773510,
        "result": 1815.907700,
    }


@pytest.mark.parametrize(
    ("on", "multiplier"),
    [("2014-03-20", 10), ("2015-06-01", 12), ("2017-06-01", 14), ("2023-02-01", 12), ("2025-01-01", 10)],
)
def test_the_bonus_by_the_start_of_the_event(on, multiplier):
    change = 31.984920 * (4.5 - 2.338538)
    assert abs(standard(on, **FIVE)["bonus"] - (change - multiplier * math.sqrt(5))) < 1e-4


@pytest.mark.parametrize(
    ("facts", "has_bonus"),
    [
        # No bonus where an opponent is met three times.
        *((FIVE | {"most_met": met}, has_bonus) for met, has_bonus in ((1, True), (2, True), (3, False))),
        # A bonus needs three games, against different opponents where there are no more.
        *(
            ({"start": 1500.0, "score": float(n), "opponents": [1900] * n, "played": n, "most_met": met}, has_bonus)
            for n, met, has_bonus in ((2, 1, False), (3, 1, True), (3, 2, False), (4, 2, True))
        ),
    ],
)
def test_who_has_a_bonus_and_three_games_count_as_four(facts, has_bonus):
    figures = standard(**facts)
    due = figures["k"] * (figures["score"] - figures["expected"]) - 10 * math.sqrt(max(4, len(facts["opponents"])))
    assert round(figures["bonus"], 6) == (round(due, 6) if has_bonus else 0)


def test_the_floors():
    from ratinglist_nations.uschess.event import personal_floor

    rows = pl.DataFrame(
        {
            "wins": [3, 0, 20, 20, 20, 20],
            "draws": [1, 0, 0, 0, 0, 0],
            "long_events": [10, 0, 0, 0, 0, 0],
            "highest": [None, None, 1941, 1399, 1400, 2650],
        }
    )
    floors = rows.select(personal_floor(rules(), pl.col("wins"), pl.col("draws"), pl.col("long_events")))
    assert floors.to_series().to_list() == [124, 100, 1700, 150, 1200, 2100]


def test_an_event_of_four_players():
    """A is established, B provisional, C has a floor of 1700, X is unrated."""
    club = office(
        Player("A", 1644, games=60),
        Player("B", 1431, games=7),
        Player("C", 1800, games=200),
        A=1643_759_000,
        B=1431_034_000,
        C=1800_000_000,
    )
    highest = pl.when(pl.col("fide_id") == club.number("C")).then(1900).otherwise("highest")
    club.own_state = club.own_state.with_columns(highest.cast(pl.Int32).alias("highest"))
    club.register(Player("X"))
    club.receive(event("1. A 1-0 B, C 1-0 X; 2. A ½-½ C, X 1-0 B; 3. A 1-0 X, C 1-0 B"))
    month = club.rate("2025-11")
    assert [exact(month, name) for name in "ABCX"] == ["1672.992668", "1375.789834", "1801.475633", "1480.258274"]
    assert [listed(month, name) for name in "ABCX"] == ["1673", "1376P10", "1801", "1480P3"]
    assert {game["event_floor"] for game in month.games("C")} == {1700}
    assert {game["k_ten_thousandths"] for game in month.games("B")} == {None}
    against = {month.numbers["A"]: 0, month.numbers["B"]: 0, month.numbers["C"]: 0}
    assert {game["opponent_id"] for game in month.games("X")} == set(against)


def test_the_steps_of_that_event():
    from ratinglist_nations.uschess.event import rate_events

    players = pl.DataFrame(
        {
            "start": [1643.759, 1431.034, 1800.0, 1300.0],
            "is_new": [False, False, False, True],
            "credited": [60, 7, 200, 0],
            "history": ["mixed"] * 4,
            **{name: [0] * 4 for name in ("wins", "draws", "losses", "long_events")},
            "highest": pl.Series([None, None, 1900, None], dtype=pl.Int64),
            "is_dual": [False] * 4,
            "is_match": [False] * 4,
        }
    )
    a, b, c, x = range(4)
    white = [(1, a, b, 2), (1, c, x, 2), (2, a, c, 1), (2, x, b, 2), (3, a, x, 2), (3, c, b, 2)]
    sides = [*white, *((n, other, own, 2 - halves) for n, own, other, halves in white)]
    games = pl.DataFrame(sides, schema=["round", "seat", "opponent", "score_halves"], orient="row")
    rated, _ = rate_events(games, players, rules())
    assert [None if value is None else round(value, 6) for value in rated["step_3"]] == [None, None, None, 1443.698250]
    assert round(rated["step_4"][x], 6) == 1491.597667


@pytest.mark.parametrize("points", ["1 0", "0 0", "0 0 0"])
def test_what_is_published_does_not_tell_the_day_of_birth(points):
    """A day of age is 0.137 points of the start, and who loses every game keeps it: 600.27 or 599.86 points."""
    published = []
    for born in ("2013-10-10", "2013-10-13"):
        club = office(*(Player(name, 1500 + 10 * n, games=40) for n, name in enumerate("ABC")))
        club.register(Player("X", born=born))
        results = points.split()
        club.receive(
            event("; ".join(f"{n + 1}. X {result}-{1 - int(result)} {'ABC'[n]}" for n, result in enumerate(results)))
        )
        club.receive(event("1. X 0-1 C; 2. A ½-½ C; 3. A 1-0 X", "Second", start="2025-10-13", end="2025-10-14"))
        month = club.rate("2025-11")
        assert {game["rating_hundredths"] for game in month.games("X") if game["event_place"] == 1} == {None}
        published.append([month.result.games, month.result.changes, month.result.system_state])
        before = exact(month, "X")
        club.receive(
            event("1. X 0-1 C; 2. B 1-0 X", "Third", start="2025-11-02", end="2025-11-03", received="2025-11-04")
        )
        month = club.rate("2025-12")
        published[-1] += [month.result.games, month.result.changes, month.result.system_state]
        assert points == "1 0" or exact(month, "X") == before, "the rating of the age stays"
    # An opponent is 900 points away: the three days are worth 0.0006 points, and may take a hundredth to the next one.
    fine = ("rating_hundredths", "opponent_rating_hundredths", "formula_hundredths", "rating_after_hundredths")
    for table, other in zip(*published, strict=True):
        of_x = pl.col("fide_id") == month.numbers["X"]
        assert (
            table.filter(of_x)
            .drop("opponent_rating_hundredths", strict=False)
            .equals(other.filter(of_x).drop("opponent_rating_hundredths", strict=False))
        )
        assert table.drop(fine, strict=False).equals(other.drop(fine, strict=False))
        for name in set(fine) & set(table.columns):
            assert ((table[name] - other[name]).abs().max() or 0) <= 1
