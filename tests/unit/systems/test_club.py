"""A club's internal Elo: what a title raises, and when. Worked figures: ``tests/golden/club_elo.toml``."""

from __future__ import annotations

from tests.months import Event, Office, Player


def test_a_title_raises_once():
    office = Office(Player("Anna", 2250), family="club")
    office.rate("2025-11")
    office.register(Player("Anna", title="FM"))
    raised = office.rate("2025-12")
    change = raised.changed("Anna")
    assert (change["games"], change["old_rating"], change["new_rating"], change["change"]) == (0, 2250, 2300, 50)
    office.receive(Event("Open", "Anna: 0 1400, 0 1400b", start="2025-12-05", end="2025-12-06", received="2025-12-07"))
    later = office.rate("2026-01").rating("Anna")
    assert later is not None
    assert later < 2300
    office.register(Player("Anna", title="IM"))
    assert office.rate("2026-02").rating("Anna") == 2400
    assert office.system_state["titles_seen"].to_list() == ["FM,IM"]


def test_a_title_on_the_first_imported_list_raises_nobody():
    office = Office(Player("Anna", 2250, title="FM"), family="club")
    assert office.rate("2025-11").change("Anna") is None
    office.register(Player("Anna", title="IM"))
    assert office.rate("2025-12").rating("Anna") == 2400


def test_a_title_on_a_later_imported_list_raises():
    office = Office(Player("Anna", 2250), on="2025-09", family="club")
    office.add_list("2025-10", Player("Anna", 2250, title="FM"))
    assert office.rate("2025-11").rating("Anna") == 2300


def test_a_title_seen_above_its_minimum_never_raises():
    office = Office(Player("Anna", 2310, title="FM"), family="club")
    assert office.rate("2025-11").change("Anna") is None
    office.receive(Event("Open", "Anna: 0 1400", start="2025-11-05", end="2025-11-06", received="2025-11-07"))
    change = office.rate("2025-12").changed("Anna")
    assert change["new_rating"] < 2300
