"""The French Elo: the examples, compatible games, and entry by iterated performances."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.rating.systems.ffe import FfeRules, IteratedEntryRules, iterated_performances
from ratinglist.store.rule_files import rule_book
from tests.months import Event, Month, Office, Player
from tests.unit.systems import table3


def one_event(scores: str, opponent: str, own: int) -> Month:
    office = Office(Player("Anna", own), family="ffe", on="2025-09")
    names = [f"{opponent}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    games = ", ".join(f"{score} {name}" for score, name in zip(scores, names, strict=False))
    office.receive(Event("Open", f"Anna: {games}"))
    return office.rate("2026-01")


@pytest.mark.parametrize(
    ("wins", "losses", "new"), [(3, 1, 1550), (1, 3, 1460), (12, 4, 1700), (5, 15, 1389), (10, 10, 1500)]
)
def test_the_performance_weighs_like_its_games(wins: int, losses: int, new: int):
    month = one_event("1" * wins + "0" * losses, "1500", 1500)
    change = month.changed("Anna")
    assert (change["new_rating"], change["change"], change["games"]) == (new, new - 1500, wins + losses)
    assert (change["performance_games"], change["performance_sum"]) == (
        *(wins + losses,),
        1500 * (wins + losses) + 400 * (wins - losses),
    )


def test_an_opponent_within_350_is_compatible():
    office = Office(Player("Anna", 2000), family="ffe", on="2025-09")
    office.receive(Event("Open", "Anna: 1 1950a, 1 1950b, 1 1950c, 0 1950d, 1 1400, ½ 1650, ½ 2350"))
    month = office.rate("2026-01")
    assert [game["reason"] for game in month.games("Anna")] == ["", "", "", "", "incompatible", "", ""]


def test_a_player_without_a_compatible_game_keeps_the_rating():
    office = Office(Player("Anna", 2000), family="ffe", on="2025-09")
    office.receive(Event("Open", "Anna: 1 1400"))
    month = office.rate("2026-01")
    assert (month.rating("Anna"), month.change("Anna")) == (2000, None)


def unlisted_games() -> pl.DataFrame:
    """The games of players 6 to 10 of the event of ten players."""
    halves = {"+": 2, "=": 1, "-": 0}
    rows = []
    for line in table3.LINES.strip().split("\n"):
        number, _, results = line.partition(": ")
        if int(number) > 5:
            for result in results.split():
                opponent = int(result[1:])
                rows.append((int(number), opponent, halves[result[0]], table3.RATINGS.get(opponent)))
    schema = {"fide_id": pl.Int64(), "opponent_id": pl.Int64(), "score_halves": pl.Int32(), "listed": pl.Int32()}
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.parametrize(
    ("rounds", "values"),
    [
        (1, [1473, 1288, 1133, 1554, 928]),
        (2, [1416, 1231, 1091, 1512, 978]),
        (3, [1410, 1224, 1078, 1499, 938]),
        (4, [1396, 1211, 1068, 1489, 930]),
    ],
)
def test_the_rounds_of_the_unlisted_players(rounds: int, values: list[int]):
    rules = IteratedEntryRules(start=1300, settled_below=0, rounds=rounds, min_games=8)
    assert iterated_performances(unlisted_games(), rules, 400)["value"].to_list() == values


def test_a_player_who_moves_by_less_than_20_stays():
    rules = rule_book().on("ffe", "standard", date(2026, 1, 1))
    own = getattr(rules, "own", None)
    assert isinstance(own, FfeRules)
    values = iterated_performances(unlisted_games(), own.entry, 400)["value"].to_list()
    # Player 7 moves from 1300 to 1288 in the first round, and stays there; then 6 and 9 to 1410 and 1511.
    assert values == [1410, 1288, 1090, 1511, 948]


def test_seven_draws_wait_and_an_eighth_game_enters():
    office = Office(family="ffe", on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "Nora: " + ", ".join(f"½ 1400{letter}" for letter in "abcdefg")))
    january = office.rate("2026-01")
    assert (january.rating("Nora"), january.waiting("Nora")) == (None, ["Open"])
    assert january.reasons("Nora") == ["counts_for_entry"]
    office.receive(Event("Next", "Nora: 1 1400h", start="2026-02-01", end="2026-02-02", received="2026-02-03"))
    may = office.rate("2026-05")
    change = may.changed("Nora")
    assert (change["status"], change["new_rating"], change["games"]) == ("entered", 1450, 8)
    assert may.waiting("Nora") == []
    state = may.stated("Nora")
    assert state["games_played"] == 8


def test_a_game_with_an_unlisted_player_does_not_count_for_a_listed_one():
    office = Office(Player("Anna", 1500), family="ffe", on="2025-09")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Anna 1-0 Nora"))
    month = office.rate("2026-01")
    assert month.reasons("Anna") == ["opponent_unrated"]
