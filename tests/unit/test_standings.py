"""The standings of an event: the worked figures, byes and forfeits, and a slow plain calculation."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from ratinglist_lab.formulas import rounds
from ratinglist_lab.standings import ordered_standings as standings, unplayed_results

RESULT = {
    "player": pl.String,
    "round": pl.Int32,
    "opponent": pl.String,
    "score_halves": pl.Int32,
    "is_fictitious": pl.Boolean,
}


def table(players: str, results: list[tuple[Any, ...]], tie_break: str = "buchholz") -> dict[str, dict[str, Any]]:
    """The standings by player; ``results``: player, opponent, half points, and whether the opponent is fictitious."""
    rows = [
        (who, number, whom, halves, *(rest or [False])) for number, (who, whom, halves, *rest) in enumerate(results)
    ]
    frame = standings(
        pl.DataFrame({"player": list(players), "start_number": list(range(1, len(players) + 1))}),
        pl.DataFrame(rows, schema=RESULT, orient="row"),
        tie_break,
    )
    assert frame["rank"].is_sorted()
    return {row["player"]: row for row in frame.iter_rows(named=True)}


def with_points(results: list[tuple[str, str, int]], **halves: int) -> list[tuple[Any, ...]]:
    """``results``, and a bye worth what each player needs for the half points given."""
    scored = {name: sum(result[2] for result in results if result[0] == name) for name in halves}
    return [*results, *((name, None, wanted - scored[name]) for name, wanted in halves.items())]


def test_buchholz_leaves_the_lowest_opponent_out():
    met = [("A", opponent, 0) for opponent in "CDEF"] + [("B", opponent, 0) for opponent in "CDEA"]
    ranking = table("ABCDEF", with_points(met, A=6, B=6, C=5, D=4, E=2, F=1))
    assert [(ranking[name]["buchholz_halves"], ranking[name]["lowest_opponent_halves"]) for name in "AB"] == [
        (17, 1),
        (21, 2),
    ]
    assert ranking["B"]["rank"] < ranking["A"]["rank"]


def test_sonneborn_berger_counts_the_beaten_and_half_of_those_drawn_with():
    met = [("A", "C", 2), ("A", "E", 2), ("A", "D", 1), ("A", "F", 1)]
    row = table("ABCDEF", with_points(met, A=6, B=6, C=5, D=4, E=2, F=1))["A"]
    assert row["sonneborn_berger_quarters"] - 2 * row["score_halves"] == 19  # 4.75


def test_an_allocated_bye_is_an_opponent_without_points_and_another_bye_is_none():
    ranking = table("AB", [("A", None, 2, True), ("B", None, 2, False)])
    assert [(ranking[name]["score_halves"], ranking[name]["lowest_opponent_halves"]) for name in "AB"] == [
        (2, 0),
        (2, None),
    ]
    assert [ranking[name]["games"] for name in "AB"] == [0, 0]


def test_results_without_a_game_are_read_from_the_cells():
    cells = pl.DataFrame({"player": 1, "round": range(11), "opponent": 7, "code": list("1=0+-WDLHFU")})
    assert unplayed_results(cells).select("opponent", "score_halves", "is_fictitious").rows() == [
        (None, 2, True),  # +
        (None, 0, False),  # -
        (7, 2, False),  # W
        (7, 1, False),  # D
        (7, 0, False),  # L
        (None, 1, False),  # H
        (None, 2, False),  # F
        (None, 2, True),  # U
    ]


def test_a_player_without_a_result_is_last():
    assert table("AB", [("B", None, 1)])["A"] | {"rank": 2, "score_halves": 0} == table("AB", [("B", None, 1)])["A"]


@st.composite
def round_robins(draw: st.DrawFn) -> list[tuple[str, str, int]]:
    """A tournament of up to seven players, of which some games are not played."""
    names = "ABCDEFG"[: draw(st.integers(2, 7))]
    results = []
    for number, name in enumerate(names):
        for other in names[number + 1 :]:
            halves = draw(st.sampled_from([None, 0, 1, 2]))
            if halves is not None:
                results += [(name, other, halves), (other, name, 2 - halves)]
    return results


@settings(max_examples=20)
@given(round_robins(), st.sampled_from(("buchholz", "sonneborn_berger")))
def test_the_order_is_that_of_a_plain_calculation(results, tie_break):
    names = "ABCDEFG"
    ranking = table(names, list(results), tie_break)
    halves = {name: sum(score for who, _, score in results if who == name) for name in names}
    opponents = {name: [halves[whom] for who, whom, _ in results if who == name] for name in names}
    lowest = {name: min(opponents[name], default=0) for name in names}
    buchholz = {name: halves[name] + sum(opponents[name]) - lowest[name] for name in names}
    berger = {
        name: 2 * halves[name] + sum(s * halves[whom] for who, whom, s in results if who == name) for name in names
    }
    criteria = {
        name: (halves[name], buchholz[name], lowest[name]) if tie_break == "buchholz" else (halves[name], berger[name])
        for name in names
    }

    def against(name: str, others: list[str]) -> int:
        return sum(score for who, whom, score in results if who == name and whom in others)

    def key(name: str) -> tuple[Any, ...]:
        if tie_break == "buchholz":
            ties = [against(name, [other for other in names if criteria[other] == criteria[name]])]
        else:
            places = sorted(set(criteria.values()), reverse=True)
            ties = [against(name, [other for other in names if criteria[other] == place]) for place in places]
        wins = sum(who == name and score == 2 for who, _, score in results)
        return (criteria[name], ties, wins)

    expected = sorted(names, key=lambda name: (key(name), -ord(name)), reverse=True)
    assert list(ranking) == expected
    assert [ranking[name]["rank"] for name in expected] == [
        1 + sum(key(other) > key(name) for other in names) for name in expected
    ]
    assert {name: ranking[name]["sonneborn_berger_quarters"] for name in names} == berger


ROUNDS = """
9: 3, 5 · 10: 4–6 · 11: 5 · 12: 5–7 · 13: 5, 7 · 14: 5–7 (8) · 15: 5, 7 · 16: 7–8 (6, 9) · 17: 7, 9 · 18: 8–9 (7, 10) ·
19: 7, 9 · 20: 8–10 (7, 11) · 21: 7, 9 (11) · 22: 9–11 (8, 12) · 23: 9, 11 · 24: 9–12 (8, 13) · 25: 9, 11 (13) ·
26: 10–13 (9, 14) · 27: 9, 11 (13) · 28: 10–14 (9, 15) · 29: 11, 13 (15) · 30: 11–15 (10, 16) · 31: 11, 13, 15 ·
32: 11–16 (10, 17)
"""


def numbers(text: str) -> list[int]:
    """The numbers of ``5, 7`` or ``5–7``."""
    first, is_range, last = text.partition("–")
    return [*range(int(first), int(last) + 1)] if is_range else [int(part) for part in text.split(",") if part.strip()]


def recommended_rounds(players):
    shown = rounds(players).values
    return shown["recommended"], shown["possible"]


@pytest.mark.parametrize("row", [row.strip() for row in ROUNDS.split("·")])
def test_the_recommended_rounds(row):
    players, recommended, possible = re.fullmatch(r"(\d+): ([^(]+)(?:\((.+)\))?", row).groups()
    assert recommended_rounds(int(players)) == (tuple(numbers(recommended)), tuple(numbers(possible or "")))


def test_above_32_players_no_number_of_rounds_is_recommended():
    assert recommended_rounds(33) == ((), ())
