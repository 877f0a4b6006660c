"""The French Elo: entry by iterated performances. Worked figures: ``tests/golden/ffe.toml``."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.rating.systems.ffe import FfeRules, IteratedEntryRules, iterated_performances
from ratinglist.store.rule_files import rule_book

LISTED = {1: 1872, 2: 1600, 3: 1500, 4: 1467, 5: 1440}
# Players 6 to 10 of an event of ten players: whom they met, and their half points.
UNLISTED = {
    6: [(2, 0), (9, 0), (8, 2), (10, 2), (4, 2)],
    7: [(3, 0), (5, 0), (10, 2), (8, 2), (9, 0)],
    8: [(4, 0), (10, 2), (6, 0), (7, 0), (3, 0)],
    9: [(10, 2), (6, 2), (1, 0), (2, 0), (7, 2)],
    10: [(9, 0), (8, 0), (7, 0), (6, 0), (5, 0)],
}
GAMES = pl.DataFrame(
    [(player, other, halves, LISTED.get(other)) for player, games in UNLISTED.items() for other, halves in games],
    schema={"fide_id": pl.Int64(), "opponent_id": pl.Int64(), "score_halves": pl.Int32(), "listed": pl.Int32()},
    orient="row",
)


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
    assert iterated_performances(GAMES, rules, 400)["value"].to_list() == values


def test_a_player_who_moves_by_less_than_20_stays():
    rules = rule_book().on("ffe", "standard", date(2026, 1, 1))
    own = getattr(rules, "own", None)
    assert isinstance(own, FfeRules)
    values = iterated_performances(GAMES, own.entry, 400)["value"].to_list()
    # Player 7 moves from 1300 to 1288 in the first round, and stays there; then 6 and 9 to 1410 and 1511.
    assert values == [1410, 1288, 1090, 1511, 948]
