"""Glicko from given deviations. Worked figures: ``tests/golden/glicko.toml``."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.systems.glicko import Q
from ratinglist.tables import SYSTEM_STATE
from tests.months import Event, Office, Player, changed_book

NO_GROWTH = ("variance_per_month = { value = 250,", "variance_per_month = { value = 0,")


def state(office: Office, name: str) -> tuple[int, int]:
    (row,) = office.system_state.filter(fide_id=office.number(name)).to_dicts()
    return row["rating_hundredths"], row["deviation_hundredths"]


def test_the_scale():
    assert round(1 / Q, 4) == 173.7178


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


def test_the_deviation_never_exceeds_350_and_never_falls_below_30():
    office = Office(Player("Anna", 1500, games=0), Player("Bert", 1500), family="glicko")
    book = changed_book("glicko", NO_GROWTH, ("least = { value = 30,", "least = { value = 70,"))
    small = Office(Player("Bert", 1500), family="glicko", rules=book)
    small.receive(Event("Open", "Bert: ½ 1500, ½ 1500b"))
    small.rate("2025-11")
    office.rate("2025-11")
    assert (state(office, "Anna")[1], state(small, "Bert")[1]) == (35000, 7000)
