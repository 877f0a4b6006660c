"""Glicko and the ranking of the PCA and WCC: the examples, growth, imported deviations, weights, threads."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest

from ratinglist.rating.systems.glicko import Q
from ratinglist.tables import SYSTEM_STATE
from tests.months import Event, Month, Office, Player, changed_book
from tests.unit.systems import table3

NO_GROWTH = ("variance_per_month = { value = 250,", "variance_per_month = { value = 0,")


def state(office: Office, name: str) -> tuple[int, int]:
    (row,) = office.system_state.filter(fide_id=office.number(name)).to_dicts()
    return row["rating_hundredths"], row["deviation_hundredths"]


def test_the_scale():
    assert round(1 / Q, 4) == 173.7178


def test_the_event_of_ten_players():
    office = table3.office("glicko")
    office.receive(table3.event())
    month = office.rate("2025-11")
    found = {number: state(office, f"P{number}") for number in (1, 3, 6, 10)}
    assert found == {1: (187757, 6896), 3: (154984, 6764), 6: (169765, 17882), 10: (127063, 19075)}
    change = month.changed("P6")
    assert (change["status"], change["old_rating"], change["new_rating"], change["change"], change["games"]) == (
        *("entered", None),
        *(1698, -22, 5),
    )
    assert (change["rating_hundredths"], change["deviation_hundredths"]) == (169765, 17882)


def test_one_win_and_two_losses():
    office = Office(
        *(Player(name, rating) for name, rating in {"Anna": 1500, "B": 1400, "C": 1550, "D": 1700}.items()),
        family="glicko",
        rules=changed_book("glicko", NO_GROWTH),
    )
    rows = [
        {**dict.fromkeys(SYSTEM_STATE.columns), "time_control": "standard", "category": "", "titles_seen": ""}
        | {"fide_id": office.number(name), "rating_hundredths": rating, "deviation_hundredths": deviation}
        for name, rating, deviation in [
            ("Anna", 150000, 20000),
            ("B", 140000, 3000),
            ("C", 155000, 10000),
            ("D", 170000, 30000),
        ]
    ]
    office.system_state = pl.DataFrame(rows, schema=SYSTEM_STATE.schema)
    office.receive(Event("Open", "Anna: 1 B, 0 C, 0 D"))
    office.rate("2025-11")
    assert state(office, "Anna") == (146411, 15140)


@pytest.mark.parametrize(
    ("games", "deviation"), [(0, 35000), (1, 35000), (4, 17571), (9, 11774), (25, 7178), (100, 7178)]
)
def test_an_imported_player_has_the_deviation_of_the_games_played(games: int, deviation: int):
    office = Office(Player("Anna", 1500, games=games), family="glicko")
    month = office.rate("2025-11")
    # 350 by the root of the games, then grown by 250 for a month: √(70² + 250) is 71.76... of 25 games.
    assert state(office, "Anna")[0] == 150000
    assert abs(state(office, "Anna")[1] - deviation) <= 5
    assert month.rating("Anna") == 1500


def test_the_deviation_grows_with_the_months_between_lists():
    office = Office(Player("Anna", 1500), family="glicko")
    office.rate("2025-11")
    office.rate("2026-02")
    # 4900 + 250 and 3 × 250 more.
    assert state(office, "Anna") == (150000, 7681)


def test_the_deviation_never_exceeds_350_and_never_falls_below_30():
    office = Office(Player("Anna", 1500, games=0), Player("Bert", 1500), family="glicko")
    book = changed_book("glicko", NO_GROWTH, ("least = { value = 30,", "least = { value = 70,"))
    small = Office(Player("Bert", 1500), family="glicko", rules=book)
    small.receive(Event("Open", "Bert: ½ 1500, ½ 1500b"))
    small.rate("2025-11")
    office.rate("2025-11")
    assert (state(office, "Anna")[1], state(small, "Bert")[1]) == (35000, 7000)


def test_white_has_32_points_and_the_last_game_weighs_most():
    office = Office(Player("Anna", 1700), Player("Bert", 1700), Player("Cora", 1700), family="wcc")
    office.receive(Event("Open", "1. Anna 1-0 Bert\n2. Cora ½-½ Anna", days=("2025-10-04", "2025-10-05")))
    month = office.rate("2025-11")
    first, last = month.games("Anna")
    assert (first["expected_thousandths"], last["expected_thousandths"]) == (545, 455)
    # 1 and ½, scaled to the mean 1.
    assert (first["weight_thousandths"], last["weight_thousandths"]) == (667, 1333)
    (of_bert,) = month.games("Bert")
    assert (of_bert["expected_thousandths"], of_bert["weight_thousandths"]) == (455, 1000)


def test_the_figures_of_a_game():
    office = Office(Player("Anna", 1700), family="glicko")
    office.register(Player("Nora"))
    office.receive(Event("Open", "1. Anna 1-0 Nora"))
    (game,) = office.rate("2025-11").games("Anna")
    assert (game["rating"], game["opponent_rating"], game["difference"]) == (1700, 1720, -20)
    assert (game["rating_hundredths"], game["deviation_hundredths"]) == (170000, 7176)
    assert (game["opponent_rating_hundredths"], game["opponent_deviation_hundredths"]) == (172000, 35000)


def month_of(seed: int | None) -> tuple[Month, Office]:
    office = table3.office("wcc")
    office.receive(table3.event(), Event("Other", "P1: 1 P2, 0 P3; P4: 1 P5, 1 P6"))
    return office.rate("2025-11", None if seed is None else Random(seed)), office
