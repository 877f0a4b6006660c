"""Reports under one registration code: versions, slices, and other events, which must not be lost."""

from __future__ import annotations

import pytest

from tests.months import Event, Month, Office, Player


def federation() -> Office:
    return Office(Player("Anna", 1800), Player("Bert", 1800), Player("Carl", 1800), Player("Dora", 1800))


def verdicts(month: Month) -> dict[str, str]:
    """Return the verdict on each event; another event under its code without the digest in its id."""
    rows = month.result.events.to_dicts()
    return {row["event_id"].split("#")[0]: f"{row['status']} {row['reason']}".strip() for row in rows}


def games_of(month: Month, *names: str) -> list[int]:
    """Return how many games of each of these players the list rates."""
    return [(month.change(name) or {"games": 0})["games"] for name in names]


def test_two_sections_under_one_code_are_not_versions_of_each_other() -> None:
    office = federation()
    office.receive(
        Event("City", "1. Anna 1-0 Bert", received="2025-10-18"),
        Event("City", "1. Carl 1-0 Dora", received="2025-10-20"),
    )
    month = office.rate("2025-11")
    found = {row["event_id"][:5]: (row["status"], row["reason"]) for row in month.result.events.to_dicts()}
    assert found == {"City": ("rated", ""), "City#": ("refused", "code_of_another_event")}
    assert len(month.result.games) == 4


FIRST_OF_CITY = Event("City", "1. Anna 1-0 Bert", received="2025-10-18")


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        (Event("City", "1. Anna 0-1 Bert", received="2025-10-20"), "refused two_reports"),
        (Event("City", "1. Anna 1-0 Bert", received="2025-10-20"), "rated"),
        (Event("City", "1. Anna 0-1 Bert", received="2025-10-20", version=2), "rated"),
        (Event("City", "1. Anna 0-1 Bert", received="2025-10-20", accepted=False), "rated"),
        (Event("City", "1. Anna 0-1 Bert", received="2025-10-30"), "rated"),
    ],
    ids=["other games", "the same games", "a higher version", "refused", "after the closing date"],
)
def test_two_reports_of_one_version_with_other_games_wait(second: Event, verdict: str) -> None:
    office = federation()
    office.receive(FIRST_OF_CITY, second)
    month = office.rate("2025-11")
    assert verdicts(month) == {"City": verdict}
    assert len(month.result.events) == 1


def test_two_reports_that_wait_are_judged_by_the_next_list() -> None:
    office = federation()
    office.receive(FIRST_OF_CITY, Event("City", "1. Anna 0-1 Bert", received="2025-10-20"))
    office.rate("2025-11")
    office.receive(Event("City", "1. Anna 0-1 Bert", received="2025-11-10", version=2))
    month = office.rate("2025-12")
    assert verdicts(month) == {"City": "rated"}
    assert month.change("Anna")["change"] < 0


def test_a_correction_with_the_same_number_after_the_list_is_kept_for_a_correction() -> None:
    office = federation()
    office.receive(Event("City", "1. Anna 1-0 Bert"))
    office.rate("2025-11")
    office.receive(Event("City", "1. Anna 0-1 Bert", received="2025-11-10"))
    [row] = office.rate("2025-12").result.events.to_dicts()
    assert (row["status"], row["reason"]) == ("superseded", "rated_in_earlier_list")
    assert office.rate("2026-01").result.events.is_empty()


def test_another_tournament_under_the_code_of_a_rated_one_is_reported_every_month() -> None:
    office = federation()
    office.receive(Event("City", "1. Anna 1-0 Bert", start="2025-10-10", end="2025-10-20"))
    office.rate("2025-11")
    office.receive(Event("City", "1. Carl 1-0 Dora", start="2025-10-15", end="2025-10-19", received="2025-11-10"))
    for month in ("2025-12", "2026-01"):
        [row] = office.rate(month).result.events.to_dicts()
        assert (row["status"], row["reason"]) == ("refused", "code_of_another_event")


def test_a_league_that_keeps_its_code_and_numbers_its_rounds_from_1_again_is_rated_month_by_month() -> None:
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


# --------------------------------------------------------------- a correction that also puts the start date right

FIRST = Event("L", "1. Anna 1-0 Bert", start="2025-10-03", end="2025-10-12")


def corrected(games: str, start: str = "2025-10-04", **more) -> Event:
    return Event("L", games, start=start, **{"received": "2025-10-20", "version": 2, **more})


def test_such_a_correction_with_the_same_version_number_waits_with_the_report() -> None:
    office = federation()
    office.receive(FIRST, corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora", version=1))
    assert verdicts(office.rate("2025-11")) == {"L": "refused two_reports"}


def test_such_a_correction_of_a_rated_report_is_reported_and_not_rated() -> None:
    office = federation()
    office.receive(FIRST, corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora", received="2025-11-10"))
    assert games_of(office.rate("2025-11"), "Anna") == [1]
    assert verdicts(office.rate("2025-12")) == {"L": "superseded rated_in_earlier_list"}


def test_a_correction_may_take_a_game_away() -> None:
    office = federation()
    office.receive(
        Event("L", "1. Anna 1-0 Bert, Carl 1-0 Dora", start="2025-10-03"),
        corrected("1. Anna 1-0 Bert; 2. Carl 1-0 Anna"),
    )
    assert games_of(office.rate("2025-11"), "Anna", "Bert", "Carl", "Dora") == [2, 1, 1, 0]


def test_a_later_slice_is_corrected_in_the_same_way() -> None:
    office = federation()
    office.receive(
        Event("L", "1. Anna 1-0 Bert", start="2025-10-01", end="2025-10-02"),
        Event("L", "2. Anna 1-0 Bert", start="2025-10-03", end="2025-10-12", received="2025-10-14"),
        corrected("2. Anna 1-0 Carl; 3. Anna 1-0 Dora"),
    )
    month = office.rate("2025-11")
    assert verdicts(month) == {"L": "rated", "L/2025-10-03": "rated"}
    assert games_of(month, "Anna", "Bert", "Carl", "Dora") == [3, 1, 1, 1]


def test_a_correction_of_a_correction_belongs_to_the_first_report() -> None:
    office = federation()
    office.receive(
        FIRST,
        corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora"),
        corrected("1. Carl 1-0 Dora; 2. Anna 1-0 Dora; 3. Anna 1-0 Bert", "2025-10-05", version=3),
    )
    month = office.rate("2025-11")
    assert month.result.events.select("event_id", "version").rows()[0] == ("L", 3)
    assert games_of(month, "Anna", "Bert", "Carl", "Dora") == [2, 1, 1, 2]


def test_results_that_wait_from_a_later_slice_go_by_its_first_start_date() -> None:
    office = federation()
    office.register(Player("Nora"))
    office.receive(
        Event("L", "1. Anna 1-0 Bert", start="2025-10-01", end="2025-10-02"),
        Event("L", "2. Nora 1-0 Bert", start="2025-10-03", end="2025-10-12", received="2025-10-14"),
        corrected("2. Nora 1-0 Carl; 3. Nora 1-0 Dora"),
    )
    assert office.rate("2025-11").waiting("Nora") == ["L/2025-10-03"]


def test_one_player_of_many_in_the_same_round_makes_no_correction_of_another_section() -> None:
    office = federation()
    office.receive(
        Event("City", "1. Anna 1-0 1801, 1802 1-0 1803, 1804 1-0 1805", start="2025-10-03"),
        Event(
            "City",
            "1. Anna 1-0 1901, 1902 1-0 1903, 1904 1-0 1905; 2. 1902 1-0 Anna",
            start="2025-10-04",
            received="2025-10-14",
        ),
    )
    assert games_of(office.rate("2025-11"), "Anna") == [3]


@pytest.mark.parametrize(
    ("games", "events"),
    [
        ("1. Anna 1-0 1901, 1802 1-0 1903", {"City": "refused two_reports"}),
        ("1. Anna 1-0 1901, 1902 1-0 1903", {"City": "refused code_of_another_event"}),
    ],
    ids=["half of the places", "fewer"],
)
def test_a_version_fills_at_least_half_of_the_places_or_has_a_game_in_common(games, events) -> None:
    office = federation()
    office.receive(
        Event("City", "1. Anna 1-0 1801, 1802 1-0 1803"),
        Event("City", games, received="2025-10-20", version=1, accepted=True),
    )
    month = office.rate("2025-11")
    statuses = [f"{row['status']} {row['reason']}".strip() for row in month.result.events.to_dicts()]
    assert set(events.values()) <= set(statuses)
    assert len(statuses) == (1 if events == {"City": "refused two_reports"} else 2)


# ------------------------------------------------------------------------------------- rounds numbered from 1 again


def october(games: str = "1. Anna 1-0 Bert", day: str | None = "2025-10-04", **more) -> Event:
    return Event("L", games, days=(day,) * 3 if day else (), start="2025-10-04", end="2025-10-18", **more)


def november(games: str = "1. Anna 1-0 Bert", day: str | None = "2025-11-01", **more) -> Event:
    dates = {"start": "2025-11-01", "end": "2025-11-15", "received": "2025-11-18"}
    return Event("L", games, days=(day,) * 3 if day else (), **{**dates, **more})


def test_it_is_another_game_too_where_the_next_report_has_a_round_more() -> None:
    office = federation()
    office.receive(october(), november("1. Anna 1-0 Bert; 2. Anna 1-0 Carl"))
    office.rate("2025-11")
    assert games_of(office.rate("2025-12"), "Anna", "Bert", "Carl") == [2, 1, 1]


def test_numbered_slices_may_count_rounds_from_1_again() -> None:
    office = federation()
    office.receive(october("1. Anna 1-0 Bert, Carl 1-0 Dora"), november("1. Anna 1-0 Bert, Dora 1-0 Carl", version=2))
    office.rate("2025-11")
    assert games_of(office.rate("2025-12"), "Anna", "Carl") == [1, 1]


def test_slices_that_share_a_day_may_count_rounds_from_1_again() -> None:
    office = federation()
    office.receive(october(), november("1. Anna 1-0 Bert; 2. Anna 1-0 Carl", start="2025-10-18", day="2025-11-01"))
    office.rate("2025-11")
    assert games_of(office.rate("2025-12"), "Anna", "Bert", "Carl") == [2, 1, 1]


def test_a_round_repeated_with_another_day_before_the_slice_is_the_same_game() -> None:
    office = federation()
    both = "1. Anna 1-0 Bert; 2. Anna 1-0 Carl"
    office.receive(october(), november(both, version=2, day=None), november(both, day="2025-10-05", version=3))
    office.rate("2025-11")
    december = office.rate("2025-12")
    assert games_of(december, "Anna", "Bert", "Carl") == [1, 0, 1]


# ------------------------------------------------------------------------------------------- dates that are put right


def test_a_new_version_of_a_longer_event_may_put_its_days_right() -> None:
    office = federation()
    office.receive(
        Event("L", "1. Anna 1-0 Bert", start="2025-10-03", end="2025-10-05", days=("2025-10-03",)),
        corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora", end="2025-10-06", days=("2025-10-04", "2025-10-06")),
    )
    month = office.rate("2025-11")
    assert verdicts(month) == {"L": "rated"}
    assert games_of(month, "Anna", "Bert") == [2, 0]
