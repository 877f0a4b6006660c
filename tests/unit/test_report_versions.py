"""Reports under one registration code: versions, slices, and other events, which must not be lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.months import Event, Office, Player

CITY = Event("City", "1. Anna 1-0 Bert", received="2025-10-18")
LOST = Event("City", "1. Anna 0-1 Bert", received="2025-10-20")
OTHERS = Event("City", "1. Carl 1-0 Dora", received="2025-10-20")
RATED_CITY = replace(CITY, start="2025-10-10", end="2025-10-20")
OTHER_CITY = replace(OTHERS, start="2025-10-15", end="2025-10-19", received="2025-11-10")
SECTION = Event("City", "1. Anna 1-0 1801, 1802 1-0 1803")
OCTOBER_LEAGUE = Event("League", "1. Anna 1-0 Bert", start="2025-10-04", end="2025-10-10")
FIRST = Event("L", "1. Anna 1-0 Bert", start="2025-10-03", end="2025-10-12")
SHORT = Event("L", "1. Anna 1-0 Bert", start="2025-10-01", end="2025-10-02")
LATER = {"start": "2025-10-03", "end": "2025-10-12", "received": "2025-10-14"}
BOTH = "1. Anna 1-0 Bert; 2. Anna 1-0 Carl"


def corrected(games: str, start: str = "2025-10-04", **more) -> Event:
    """A report that also puts the start date right."""
    return Event("L", games, start=start, **{"received": "2025-10-20", "version": 2, **more})


def october(games: str = "1. Anna 1-0 Bert", day: str | None = "2025-10-04", **more) -> Event:
    return Event("L", games, days=(day,) * 3 if day else (), start="2025-10-04", end="2025-10-18", **more)


def november(games: str = "1. Anna 1-0 Bert", day: str | None = "2025-11-01", **more) -> Event:
    dates = {"start": "2025-11-01", "end": "2025-11-15", "received": "2025-11-18"}
    return Event("L", games, days=(day,) * 3 if day else (), **{**dates, **more})


# What is received before each list, and what the last list tells of it.
CASES: dict[str, tuple[dict[str, tuple[Event, ...]], list[str]]] = {
    "two sections under one code": (
        {"2025-11": (CITY, OTHERS)},
        [
            "City: rated",
            "City#: refused code_of_another_event",
            "City 1. Carl 1-0 Dora",
            "City# 1. Anna 1-0 Bert code_of_another_event",
        ],
    ),
    "other games in one version": (
        {"2025-11": (CITY, LOST)},
        ["City: refused two_reports", "City 1. Anna 0-1 Bert two_reports"],
    ),
    "the same games": (
        {"2025-11": (CITY, replace(CITY, received="2025-10-20"))},
        ["City: rated", "City 1. Anna 1-0 Bert"],
    ),
    "a higher version": ({"2025-11": (CITY, replace(LOST, version=2))}, ["City: rated", "City 1. Anna 0-1 Bert"]),
    "a refused version": ({"2025-11": (CITY, replace(LOST, accepted=False))}, ["City: rated", "City 1. Anna 1-0 Bert"]),
    "after the closing date": (
        {"2025-11": (CITY, replace(LOST, received="2025-10-30"))},
        ["City: rated", "City 1. Anna 1-0 Bert"],
    ),
    "what waited, with a higher version": (
        {"2025-11": (CITY, LOST), "2025-12": (replace(LOST, received="2025-11-10", version=2),)},
        ["City: rated", "City 1. Anna 0-1 Bert"],
    ),
    "another result after the list": (
        {"2025-11": (CITY,), "2025-12": (replace(LOST, received="2025-11-10"),)},
        ["City: superseded rated_in_earlier_list"],
    ),
    "another result after the list is told once": (
        {"2025-11": (CITY,), "2025-12": (replace(LOST, received="2025-11-10"),), "2026-01": ()},
        [],
    ),
    "another tournament under the code of a rated one": (
        {"2025-11": (RATED_CITY,), "2025-12": (OTHER_CITY,)},
        ["City#: refused code_of_another_event", "City# 1. Carl 1-0 Dora code_of_another_event"],
    ),
    "another tournament is told of every month": (
        {
            "2025-11": (RATED_CITY,),
            "2025-12": (OTHER_CITY,),
            "2026-01": (),
        },
        ["City#: refused code_of_another_event", "City# 1. Carl 1-0 Dora code_of_another_event"],
    ),
    "a league that numbers its rounds from 1 again": (
        {
            "2025-11": (replace(OCTOBER_LEAGUE, end="2025-10-18"),),
            "2025-12": (
                Event("League", "1. Anna 0-1 Carl", start="2025-11-01", end="2025-11-15", received="2025-11-18"),
            ),
        },
        ["League: rated", "League 1. Anna 0-1 Carl"],
    ),
    "a slice sent again": (
        {
            "2025-11": (
                OCTOBER_LEAGUE,
                Event("League", "2. Anna 1-0 Carl", start="2025-10-11", end="2025-10-18", received="2025-10-19"),
                Event(
                    "League", "2. Anna 0-1 Carl", start="2025-10-11", end="2025-10-18", received="2025-10-20", version=2
                ),
            )
        },
        ["League: rated", "League/2025-10-11: rated", "League 1. Anna 1-0 Bert", "League/2025-10-11 2. Anna 0-1 Carl"],
    ),
    "a correction with the same number": (
        {"2025-11": (FIRST, corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora", version=1))},
        ["L: refused two_reports", "L 1. Anna 1-0 Carl two_reports", "L 2. Anna 1-0 Dora two_reports"],
    ),
    "a correction of a rated report": (
        {"2025-11": (FIRST,), "2025-12": (corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora", received="2025-11-10"),)},
        ["L: superseded rated_in_earlier_list"],
    ),
    "a correction takes a game away": (
        {
            "2025-11": (
                Event("L", "1. Anna 1-0 Bert, Carl 1-0 Dora", start="2025-10-03"),
                corrected("1. Anna 1-0 Bert; 2. Carl 1-0 Anna"),
            )
        },
        ["L: rated", "L 1. Anna 1-0 Bert", "L 2. Carl 1-0 Anna"],
    ),
    "a correction of a later slice": (
        {
            "2025-11": (
                SHORT,
                Event("L", "2. Anna 1-0 Bert", **LATER),
                corrected("2. Anna 1-0 Carl; 3. Anna 1-0 Dora"),
            )
        },
        [
            "L: rated",
            "L/2025-10-03: rated",
            "L 1. Anna 1-0 Bert",
            "L/2025-10-03 2. Anna 1-0 Carl",
            "L/2025-10-03 3. Anna 1-0 Dora",
        ],
    ),
    "a correction of a correction": (
        {
            "2025-11": (
                FIRST,
                corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora"),
                corrected("1. Carl 1-0 Dora; 2. Anna 1-0 Dora; 3. Anna 1-0 Bert", "2025-10-05", version=3),
            )
        },
        [
            "L: rated",
            "L#: refused code_of_another_event",
            "L 1. Carl 1-0 Dora",
            "L 2. Anna 1-0 Dora",
            "L 3. Anna 1-0 Bert",
            "L# 1. Anna 1-0 Bert code_of_another_event",
        ],
    ),
    "results that wait from a later slice": (
        {
            "2025-11": (
                SHORT,
                Event("L", "2. Nora 1-0 Bert", **LATER),
                corrected("2. Nora 1-0 Carl; 3. Nora 1-0 Dora"),
            )
        },
        [
            "L: rated",
            "L/2025-10-03: rated",
            "L 1. Anna 1-0 Bert",
            "L/2025-10-03 2. Nora 1-0 Carl counts_for_entry",
            "L/2025-10-03 3. Nora 1-0 Dora counts_for_entry",
            "Nora waits: L/2025-10-03",
        ],
    ),
    "one player of many in the same round": (
        {
            "2025-11": (
                Event("City", "1. Anna 1-0 1801, 1802 1-0 1803, 1804 1-0 1805", start="2025-10-03"),
                Event(
                    "City",
                    "1. Anna 1-0 1901, 1902 1-0 1903, 1904 1-0 1905; 2. 1902 1-0 Anna",
                    received="2025-10-14",
                ),
            )
        },
        [
            "City: rated",
            "City/2025-10-04: rated",
            "City 1. Anna 1-0 1801",
            "City 1. 1802 1-0 1803",
            "City 1. 1804 1-0 1805",
            "City/2025-10-04 1. Anna 1-0 1901",
            "City/2025-10-04 1. 1902 1-0 1903",
            "City/2025-10-04 1. 1904 1-0 1905",
            "City/2025-10-04 2. 1902 1-0 Anna",
        ],
    ),
    "half of the places": (
        {"2025-11": (SECTION, Event("City", "1. Anna 1-0 1901, 1802 1-0 1903", received="2025-10-20"))},
        ["City: refused two_reports", "City 1. Anna 1-0 1901 two_reports", "City 1. 1802 1-0 1903 two_reports"],
    ),
    "fewer than half of the places": (
        {"2025-11": (SECTION, Event("City", "1. Anna 1-0 1901, 1902 1-0 1903", received="2025-10-20"))},
        [
            "City: rated",
            "City#: refused code_of_another_event",
            "City 1. Anna 1-0 1901",
            "City 1. 1902 1-0 1903",
            "City# 1. Anna 1-0 1801 code_of_another_event",
            "City# 1. 1802 1-0 1803 code_of_another_event",
        ],
    ),
    # Rounds are numbered from 1 again.
    "the next report has a round more": (
        {"2025-11": (october(), november(BOTH)), "2025-12": ()},
        ["L: rated", "L 1. Anna 1-0 Bert", "L 2. Anna 1-0 Carl"],
    ),
    "numbered slices": (
        {
            "2025-11": (
                october("1. Anna 1-0 Bert, Carl 1-0 Dora"),
                november("1. Anna 1-0 Bert, Dora 1-0 Carl", version=2),
            ),
            "2025-12": (),
        },
        ["L: rated", "L 1. Anna 1-0 Bert", "L 1. Dora 1-0 Carl"],
    ),
    "slices that share a day": (
        {"2025-11": (october(), november(BOTH, start="2025-10-18", day="2025-11-01")), "2025-12": ()},
        ["L: rated", "L 1. Anna 1-0 Bert", "L 2. Anna 1-0 Carl"],
    ),
    "a round repeated with another day before the slice": (
        {
            "2025-11": (october(), november(BOTH, version=2, day=None), november(BOTH, day="2025-10-05", version=3)),
            "2025-12": (),
        },
        ["L: rated", "L 1. Anna 1-0 Bert same_game", "L 2. Anna 1-0 Carl"],
    ),
    "a new version of a longer event puts its days right": (
        {
            "2025-11": (
                Event("L", "1. Anna 1-0 Bert", start="2025-10-03", end="2025-10-05", days=("2025-10-03",)),
                corrected("1. Anna 1-0 Carl; 2. Anna 1-0 Dora", end="2025-10-06", days=("2025-10-04", "2025-10-06")),
            )
        },
        ["L: rated", "L 1. Anna 1-0 Carl", "L 2. Anna 1-0 Dora"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_list_tells_of_each_report_and_its_games(case):
    lists, told = CASES[case]
    office = Office(*(Player(name, 1800) for name in ("Anna", "Bert", "Carl", "Dora")))
    office.register(Player("Nora"))
    assert office.last_of(lists).told() == told
