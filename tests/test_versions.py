"""What came under one registration code: versions, slices, and strangers that must not vanish."""

from __future__ import annotations

from tests.months import Event, Office, Player


def federation() -> Office:
    return Office(Player("Anna", 1800), Player("Bert", 1800), Player("Carl", 1800), Player("Dora", 1800))


def test_two_sections_under_one_code_are_not_versions_of_each_other() -> None:
    office = federation()
    office.receive(
        Event("City", "1. Anna 1-0 Bert", received="2025-10-18"),
        Event("City", "1. Carl 1-0 Dora", received="2025-10-20"),
    )
    month = office.rate("2025-11")
    told = {row["event_id"][:5]: (row["status"], row["reason"]) for row in month.result.events.to_dicts()}
    assert told == {"City": ("rated", ""), "City#": ("refused", "code_of_another_event")}
    assert len(month.result.games) == 4


def test_a_correction_sent_with_the_same_version_number_replaces_the_report() -> None:
    office = federation()
    office.receive(
        Event("City", "1. Anna 1-0 Bert", received="2025-10-18"),
        Event("City", "1. Anna 0-1 Bert", received="2025-10-20"),
    )
    month = office.rate("2025-11")
    assert [(row["event_id"], row["status"]) for row in month.result.events.to_dicts()] == [("City", "rated")]
    assert month.change("Anna")["change"] < 0


def test_a_correction_with_the_same_number_after_the_list_is_kept_for_a_correction() -> None:
    office = federation()
    office.receive(Event("City", "1. Anna 1-0 Bert"))
    office.rate("2025-11")
    office.receive(Event("City", "1. Anna 0-1 Bert", received="2025-11-10"))
    [row] = office.rate("2025-12").result.events.to_dicts()
    assert (row["status"], row["reason"]) == ("superseded", "rated_in_earlier_list")
    assert office.rate("2026-01").result.events.is_empty()


def test_another_tournament_under_the_code_of_a_rated_one_is_told_every_month() -> None:
    office = federation()
    office.receive(Event("City", "1. Anna 1-0 Bert", start="2025-10-10", end="2025-10-20"))
    office.rate("2025-11")
    office.receive(Event("City", "1. Carl 1-0 Dora", start="2025-10-15", end="2025-10-19", received="2025-11-10"))
    for month in ("2025-12", "2026-01"):
        [row] = office.rate(month).result.events.to_dicts()
        assert (row["status"], row["reason"]) == ("refused", "code_of_another_event")


def test_a_league_that_keeps_its_code_and_numbers_its_rounds_anew_is_rated_month_by_month() -> None:
    office = federation()
    office.receive(Event("League", "1. Anna 1-0 Bert", start="2025-10-04", end="2025-10-18"))
    assert office.rate("2025-11").verdict("League") == "rated"
    office.receive(
        Event("League", "1. Anna 0-1 Carl", start="2025-11-01", end="2025-11-15", received="2025-11-18"),
    )
    assert office.rate("2025-12").verdict("League") == "rated"


def test_a_slice_sent_again_replaces_only_itself() -> None:
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", start="2025-10-04", end="2025-10-10"),
        Event("League", "2. Anna 1-0 Carl", start="2025-10-11", end="2025-10-18", received="2025-10-19"),
        Event("League", "2. Anna 0-1 Carl", start="2025-10-11", end="2025-10-18", received="2025-10-20", version=2),
    )
    month = office.rate("2025-11")
    assert [(row["event_id"], row["status"]) for row in month.result.events.to_dicts()] == [
        ("League", "rated"),
        ("League/2025-10-11", "rated"),
    ]
    assert month.change("Carl")["change"] > 0
    assert len(month.result.games) == 4


def test_a_slice_that_repeats_the_rounds_before_counts_them_once() -> None:
    office = federation()
    office.receive(
        Event("A", "1. Anna 1-0 Bert", received="2025-10-12", days=("2025-10-04",)),
        Event("B", "1. Anna 1-0 Bert\n2. Anna 1-0 Carl", received="2025-10-20", days=("2025-10-04", "2025-10-11")),
    )
    month = office.rate("2025-11")
    assert month.result.games["reason"].to_list().count("same_game") == 2
    assert month.result.games["rated"].sum() == 4
