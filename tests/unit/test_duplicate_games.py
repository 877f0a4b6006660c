"""Every game counts once: slices that repeat rounds, one event under two codes, slices in any order."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.duplicate_games import find_duplicate_games
from ratinglist.rating.month import rate_month
from ratinglist.tables import EARLIER_GAME
from ratinglist.workflows import correct, import_files, rerate, run
from tests import conftest, trf_text
from tests.months import Event, Office, Player, frame

# ------------------------------------------------------------------------------------- one game, several reports

GAME: dict[str, Any] = {
    "event_code": "A",
    "games": 1,
    "name": "City Open",
    "federation": "NOR",
    "time_control": "standard",
    "version": 1,
    "received_on": date(2025, 10, 20),
    "start_date": date(2025, 10, 4),
    "end_date": date(2025, 10, 12),
    "first_round": 1,
    "last_round": 9,
    "round": 3,
    "date": date(2025, 10, 6),
    "white_id": 101,
    "black_id": 102,
    "white_halves": 2,
    "black_halves": 0,
}


def with_report(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game with all its columns, those of the report from its code, version and first day."""
    whole = {**GAME, **game}
    report_id = f"{whole['event_code']} {whole['version']} {whole['start_date']}"
    return {"first_received_on": whole["received_on"], "report_id": report_id, **whole}


def compared(*games: dict[str, Any], earlier: tuple[dict[str, Any], ...] = ()) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the duplicates and coincidences among ``games``, each given by its differences from the one above."""
    before = frame(EARLIER_GAME, [with_report(game) for game in earlier])
    return find_duplicate_games(of_this_list([with_report(game) for game in games]), before)


def of_this_list(games: list[dict[str, Any]]) -> pl.DataFrame:
    """Return ``games`` as those of this list: the event of each is its position."""
    numbers = pl.Series("event_id", [f"{place:02}" for place in range(len(games))], dtype=pl.String)
    return frame(EARLIER_GAME, games).with_columns(numbers)


def elsewhere(*games: dict[str, Any], earlier: tuple[dict[str, Any], ...] = ()) -> list[int]:
    """Return which of ``games`` do not count, by position."""
    duplicates, _ = compared(*games, earlier=earlier)
    places = sorted(map(int, duplicates["event_id"]))
    keys = ["round", "white_id", "black_id"]
    assert duplicates.sort("event_id").select(keys).rows() == [
        tuple({**GAME, **games[place]}[key] for key in keys) for place in places
    ]
    return places


# What a game has in another report, and several reports of it.
UNDATED = {"date": None}
RECEIVED_NEXT_DAY = {"received_on": date(2025, 10, 21)}
CODE_B = {"event_code": "B"}
DRAWN = {"white_halves": 1, "black_halves": 1}
OTHER_EVENT = {**CODE_B, "name": "Oslo Open", "federation": "SWE"}
NOVEMBER_DAYS = {"start_date": date(2025, 11, 1), "end_date": date(2025, 11, 9)}
AUGUST_OF_C = {"event_code": "C", "start_date": date(2025, 8, 4), "end_date": date(2025, 8, 24), **UNDATED}
SEPTEMBER_OF_B = {**CODE_B, **UNDATED, "start_date": date(2025, 9, 1), "end_date": date(2025, 9, 30)}
OVER_BOTH = {"event_code": "C", **UNDATED, "start_date": date(2025, 9, 30), "end_date": date(2025, 10, 4)}
NEWEST = {"version": 2, "received_on": date(2025, 10, 28), "first_received_on": date(2025, 10, 6)}
NEXT_ROUND = {"round": 4, "date": date(2025, 10, 7)}
COPY = {**OTHER_EVENT, **RECEIVED_NEXT_DAY, "games": 2}
CORRECTED_AND_NEXT = ({"games": 2, **DRAWN}, {"games": 2, **NEXT_ROUND})
FOUR_OF_B = ({**OTHER_EVENT, "games": 4}, {**OTHER_EVENT, **NEXT_ROUND, "games": 4})
THIRTY_OF_A = ({"games": 30}, {**NEXT_ROUND, "games": 30})


def days(start: str, end: str) -> dict[str, date]:
    return {"start_date": date.fromisoformat(start), "end_date": date.fromisoformat(end)}


Games = tuple[dict[str, Any], ...]
ONE_CODE: dict[str, tuple[Games, Games, list[int]]] = {
    "two games of one report": (({}, {"round": 4}), (), []),
    "rated in an earlier list": (({},), ({},), [0]),
    "with another result": (({"white_halves": 0, "black_halves": 2},), ({},), [0]),
    "the day before": (({"date": date(2025, 10, 5)},), ({},), []),
    "the day after": (({"date": date(2025, 10, 7)},), ({},), []),
    "the new one undated": (({**NOVEMBER_DAYS, **UNDATED},), ({},), [0]),
    "the old one undated": (({**NOVEMBER_DAYS, "date": date(2025, 11, 1)},), (UNDATED,), [0]),
    "both undated": (({**NOVEMBER_DAYS, **UNDATED},), (UNDATED,), [0]),
    "both dated, in other months": (({**NOVEMBER_DAYS, "date": date(2025, 11, 1)},), ({},), []),
    "dated before the report": (({"date": date(2025, 10, 7), "start_date": date(2025, 10, 8)},), ({},), [0]),
    "dated on its first day": (({"date": date(2025, 10, 8), "start_date": date(2025, 10, 8)},), ({},), []),
    "dated on its last day": (({"date": date(2025, 10, 12), "start_date": date(2025, 10, 8)},), ({},), []),
    "dated after the report": (({"date": date(2025, 10, 13), "start_date": date(2025, 10, 8)},), ({},), [0]),
    "three days": (({}, {"date": date(2025, 10, 7)}, {"date": date(2025, 10, 8)}), (), []),
    "a higher version of what was rated": (({"version": 9},), ({},), [0]),
    "three versions": (({"version": 2}, {"version": 3}, {"version": 1}), (), [0, 2]),
    "equal versions, one received later": (({}, RECEIVED_NEXT_DAY), (), [0]),
    "equal versions of one day, one starts earlier": (({"start_date": date(2025, 10, 5)}, {}), (), [0]),
    "another time control": (({"time_control": "rapid"},), ({},), []),
    "another round": (({"round": 4},), ({},), []),
    "another White": (({"white_id": 103},), ({},), []),
    "another Black": (({"black_id": 103},), ({},), []),
    "colours exchanged": (({"white_id": 102, "black_id": 101},), ({},), []),
}
TWO_CODES: dict[str, tuple[Games, Games, list[int]]] = {
    "received later": (({**CODE_B, **RECEIVED_NEXT_DAY}, {}), (), [0]),
    "received on one day, the later code": ((CODE_B, {}), (), [0]),
    "received before what was rated": (({**CODE_B, "received_on": date(2025, 10, 1)},), ({},), [0]),
    "another result": (({**CODE_B, **DRAWN},), ({},), []),
    "another result of Black": (({**CODE_B, "black_halves": 1},), ({},), []),
    "another date": (({**CODE_B, "date": date(2025, 10, 7)},), ({},), []),
    "another time control": (({**CODE_B, "time_control": "rapid"},), ({},), []),
    "another round": (({**CODE_B, "round": 4},), ({},), []),
    "the same date, another name": ((OTHER_EVENT,), ({},), [0]),
    "the new one undated": (({**CODE_B, **UNDATED},), ({},), [0]),
    "the old one undated": ((CODE_B,), (UNDATED,), [0]),
    "both undated": (({**CODE_B, **UNDATED},), (UNDATED,), [0]),
    "undated, another name": (({**CODE_B, **UNDATED, "name": "City Open B"},), (UNDATED,), []),
    "undated, another federation": (({**CODE_B, **UNDATED, "federation": "SWE"},), (UNDATED,), []),
    "undated, afterwards": (({**CODE_B, **UNDATED, **days("2025-10-13", "2025-10-20")},), (UNDATED,), []),
    "undated, before": (({**CODE_B, **UNDATED, **days("2025-09-20", "2025-10-03")},), (UNDATED,), []),
    "undated, another result": (({**CODE_B, **UNDATED, **DRAWN},), (UNDATED,), []),
    "undated, its last day": (({**CODE_B, **UNDATED, **days("2025-10-12", "2025-10-20")},), (UNDATED,), [0]),
    "undated, its first day": (({**CODE_B, **UNDATED, **days("2025-09-20", "2025-10-04")},), (UNDATED,), [0]),
    "undated, a day of it": (({**CODE_B, **UNDATED, **days("2025-10-06", "2025-10-06")},), (UNDATED,), [0]),
    "after another event of the name": (
        ({**CODE_B, **UNDATED}, {"event_code": "D", **UNDATED}),
        (AUGUST_OF_C,),
        [1],
    ),
    "a copy without dates of two dated games": (
        ({}, {**CODE_B, "date": date(2025, 10, 12)}, {"event_code": "C", "name": "Oslo Open", **UNDATED}),
        (),
        [],
    ),
    "what does not count itself keeps nothing out": (
        ({"event_code": "D", **UNDATED}, OVER_BOTH),
        (SEPTEMBER_OF_B,),
        [1],
    ),
    "compared with the slice that counts": (({"version": 2, **DRAWN}, {}, CODE_B), (), [1]),
    "equal to the slice that counts": (({"version": 2, **DRAWN}, {}, {**CODE_B, **DRAWN}), (), [1, 2]),
    "half of the new": (({**OTHER_EVENT, "games": 2},), ({"games": 9},), [0]),
    "less than half of the new": (({**OTHER_EVENT, "games": 3},), ({"games": 9},), []),
    "half of the old": (({**OTHER_EVENT, "games": 9},), ({"games": 2},), [0]),
    "less than half of the old": (({**OTHER_EVENT, "games": 9},), ({"games": 3},), []),
    "one name and federation, few games": (({**CODE_B, "games": 40},), ({"games": 40},), [0]),
    "one name, few games": (({**CODE_B, "games": 40, "federation": "SWE"},), ({"games": 40},), []),
    "a copy with a corrected result": ((*CORRECTED_AND_NEXT, COPY, {**COPY, **NEXT_ROUND}), (), [2, 3]),
    "a copy of what was corrected and rated": ((COPY, {**COPY, **NEXT_ROUND}), CORRECTED_AND_NEXT, [0, 1]),
    "a copy with another day": (
        (*CORRECTED_AND_NEXT, {**COPY, "date": date(2025, 10, 9)}, {**COPY, **NEXT_ROUND}),
        (),
        [3],
    ),
    "no game looks like one": ((*CORRECTED_AND_NEXT, COPY, {**COPY, **NEXT_ROUND, **DRAWN}), (), []),
    "whose first version came first": ((NEWEST, CODE_B), (), [1]),
    "whose first version came later": (({**NEWEST, "first_received_on": date(2025, 10, 22)}, CODE_B), (), [0]),
    "by all the games that look alike": (FOUR_OF_B, THIRTY_OF_A, [0, 1]),
    "by one game that looks alike": (FOUR_OF_B, THIRTY_OF_A[:1], []),
}


@pytest.mark.parametrize(
    ("games", "earlier", "repeated"),
    [*ONE_CODE.values(), *TWO_CODES.values()],
    ids=[*(f"one code, {name}" for name in ONE_CODE), *(f"two codes, {name}" for name in TWO_CODES)],
)
def test_a_game_counts_once_and_in_which_report(games, earlier, repeated):
    assert elsewhere(*games, earlier=earlier) == repeated


def test_the_order_of_the_reports_makes_no_difference():
    games = [{}, {"event_code": "B", **UNDATED}, {"version": 2}, {"event_code": "C"}, {"event_code": "D", **UNDATED}]
    delivered, no_list = of_this_list([with_report(game) for game in games]), frame(EARLIER_GAME, [])
    shuffled = (delivered.sample(fraction=1, shuffle=True, seed=seed) for seed in range(20))
    assert len({tuple(find_duplicate_games(order, no_list)[0].sort(pl.all()).rows()) for order in shuffled}) == 1


def test_what_differs_between_two_reports_of_one_event_is_shown_once():
    second, corrected = {"round": 4, "date": date(2025, 10, 7)}, {"white_halves": 1, "black_halves": 1}
    copy = {"event_code": "B", "name": "Copy", "games": 2}
    coincidences = compared({"games": 2, **corrected}, {"games": 2, **second}, copy, {**copy, **second})[1]
    named = coincidences.select(
        "event_code", "event_code_first", "round", "white_halves", "white_halves_first", "both_count"
    )
    assert named.rows() == [("B", "A", 3, 2, 1, False)]


def test_a_coincidence_names_both_events_and_the_game():
    many = {"games": 40}
    _, coincidences = compared({**OTHER_EVENT, **many}, {"event_code": "C", "name": "Bergen", **many}, earlier=(many,))
    assert coincidences.select("event_code", "event_code_first", "round", "white_id").rows() == [
        ("B", "A", 3, 101),
        ("C", "A", 3, 101),
        ("C", "B", 3, 101),
    ]


# ------------------------------------------------------------------------------------------- an officer's months

OCTOBER = {"start": "2025-10-04", "end": "2025-10-26", "received": "2025-10-27"}
NOVEMBER = {"start": "2025-11-01", "end": "2025-11-23", "received": "2025-11-24"}


LEAGUE = "1. Anna 1-0 Bert, Carl 1-0 Dora; 2. Anna 1-0 Carl, Bert 1-0 Dora; 3. Anna 1-0 Dora, Bert ½-½ Carl"
LEAGUE_DAYS = ("2025-10-04", "2025-10-05", "2025-10-11")
CORRECTED_PAIRING = LEAGUE.replace("Anna 1-0 Dora, Bert ½-½ Carl", "Dora 1-0 Anna, Bert ½-½ Carl")
CORRECTED_RESULT = LEAGUE.replace("Bert ½-½ Carl", "Bert 1-0 Carl")
SATURDAYS = ("2025-10-04", "2025-10-11")


def slices(first: Event, second: Event) -> dict[str, tuple[Event, ...]]:
    """The lists of what is received of October and of November."""
    return {"2025-11": (first, second), "2025-12": ()}


def league(code: str, games: str = LEAGUE, **facts: Any) -> Event:
    return Event(code, games, days=LEAGUE_DAYS, **facts)


LATE_OCTOBER = {"start": "2025-10-18", "end": "2025-10-19", "received": "2025-10-20"}
REFUSED_FIRST = (
    Event("League", "1. Anna 1-0 Bert", accepted=False, **OCTOBER),
    Event("League", "2. Anna 1-0 Carl", **NOVEMBER),
)
WAITING_SECOND = (
    Event("League", "1. Anna 1-0 Bert", end="2025-10-05"),
    Event("League", "2. Anna 1-0 Carl", start="2025-10-18", end="2025-10-31", received="2025-10-31"),
)

# What is received before each list, and what the last list tells of it.
CASES: dict[str, tuple[dict[str, tuple[Event, ...]], list[str]]] = {
    "the first slice": (
        {
            "2025-11": (
                Event("League", "1. Anna 1-0 Bert; 2. Carl 1-0 Anna", **OCTOBER),
                Event("League", "3. Anna 1-0 Dora", **NOVEMBER),
            )
        },
        ["League: rated", "League 1. Anna 1-0 Bert", "League 2. Carl 1-0 Anna"],
    ),
    "the next slice goes by the code too": (
        slices(
            Event("League", "1. Anna 1-0 Bert; 2. Carl 1-0 Anna", **OCTOBER),
            Event("League", "3. Anna 1-0 Dora", **NOVEMBER),
        ),
        ["League: rated", "League 3. Anna 1-0 Dora"],
    ),
    "a list without a slice": (
        {"2025-11": (Event("League", "1. Anna 1-0 Bert", **OCTOBER),), "2025-12": ()},
        [],
    ),
    "two slices in one list go by their own names": (
        {
            "2025-11": (
                Event("League", "1. Anna 1-0 Bert", end="2025-10-05"),
                Event("League", "2. Anna 1-0 Carl", **LATE_OCTOBER),
            )
        },
        ["League: rated", "League/2025-10-18: rated", "League 1. Anna 1-0 Bert", "League/2025-10-18 2. Anna 1-0 Carl"],
    ),
    "a slice that waits for the next list": (
        {"2025-11": WAITING_SECOND},
        [
            "League: rated",
            "League/2025-10-18: deferred received_after_closing",
            "League 1. Anna 1-0 Bert",
            "League/2025-10-18 2. Anna 1-0 Carl received_after_closing",
        ],
    ),
    "a slice that waited goes by the code": (
        {"2025-11": WAITING_SECOND, "2025-12": ()},
        ["League: rated", "League 2. Anna 1-0 Carl"],
    ),
    "results of two slices wait apart": (
        slices(Event("League", "1. Nora 1-0 Bert", **OCTOBER), Event("League", "2. Nora 1-0 Carl", **NOVEMBER)),
        [
            "League: rated",
            "League 2. Nora 1-0 Carl counts_for_entry",
            "Nora waits: League",
            "Nora waits: League/2025-11-01",
        ],
    ),
    "a first slice that comes after a later one": (
        {
            "2025-12": (Event("League", "2. Nora 1-0 Carl, Anna 1-0 Dora", **NOVEMBER),),
            "2026-01": (Event("League", "1. Nora 1-0 Bert, Anna 1-0 Carl", **{**OCTOBER, "received": "2025-12-10"}),),
        },
        [
            "League: rated",
            "League 1. Anna 1-0 Carl",
            "League 1. Nora 1-0 Bert counts_for_entry",
            "Nora waits: League",
            "Nora waits: League/2025-10-04",
        ],
    ),
    "a slice that is refused": ({"2025-11": REFUSED_FIRST}, ["League: refused report_refused"]),
    "the slice after one that was refused": (
        {"2025-11": REFUSED_FIRST, "2025-12": ()},
        ["League: refused report_refused", "League/2025-11-01: rated", "League/2025-11-01 2. Anna 1-0 Carl"],
    ),
    "a slice that was refused comes corrected": (
        {
            "2025-11": REFUSED_FIRST,
            "2025-12": (),
            "2026-01": (Event("League", "1. Anna 1-0 Bert", **{**OCTOBER, "received": "2025-12-10"}),),
        },
        ["League: rated", "League 1. Anna 1-0 Bert"],
    ),
    "a slice that repeats a round": (
        slices(
            Event("League", "1. Anna 1-0 Bert; 2. Carl 1-0 Anna", **OCTOBER),
            Event("League", "2. Carl 0-1 Anna; 3. Anna 1-0 Dora", **NOVEMBER),
        ),
        ["League: rated", "League 2. Carl 0-1 Anna same_game", "League 3. Anna 1-0 Dora"],
    ),
    "all rounds so far, with the start of the new ones": (
        slices(
            Event("League", "1. Anna 1-0 Bert", **OCTOBER),
            Event("League", "1. Anna 1-0 Bert; 2. Anna 1-0 Carl", **NOVEMBER, version=2),
        ),
        ["League: rated", "League 1. Anna 1-0 Bert same_game", "League 2. Anna 1-0 Carl"],
    ),
    "all rounds so far, with the start of the old ones": (
        slices(
            Event("League", "1. Anna 1-0 Bert", **OCTOBER),
            Event("League", "1. Anna 1-0 Bert; 2. Anna 1-0 Carl", **{**NOVEMBER, "start": "2025-10-04"}, version=2),
        ),
        ["League: superseded rated_in_earlier_list"],
    ),
    "a corrected slice before an uncorrected repetition of its rounds": (
        {
            "2025-11": (
                Event("League", "1. Anna 1-0 Bert", end="2025-10-05", version=2, received="2025-10-06"),
                Event("League", "1. Anna 0-1 Bert; 2. Anna ½-½ Carl", start="2025-10-18", end="2025-10-19"),
            )
        },
        [
            "League: rated",
            "League/2025-10-18: rated",
            "League 1. Anna 1-0 Bert",
            "League/2025-10-18 1. Anna 0-1 Bert same_game",
            "League/2025-10-18 2. Anna ½-½ Carl",
        ],
    ),
    "the newest version of the code received first": (
        {
            "2025-11": (
                league("A", received="2025-10-20"),
                league("B", CORRECTED_PAIRING, received="2025-10-21"),
                league("A", CORRECTED_PAIRING, received="2025-10-22", version=2),
            )
        },
        [
            "A: rated",
            "B: duplicate same_games",
            "A 1. Anna 1-0 Bert",
            "A 1. Carl 1-0 Dora",
            "A 2. Anna 1-0 Carl",
            "A 2. Bert 1-0 Dora",
            "A 3. Bert ½-½ Carl",
            "A 3. Dora 1-0 Anna",
            "B 1. Anna 1-0 Bert same_games",
            "B 1. Carl 1-0 Dora same_games",
            "B 2. Anna 1-0 Carl same_games",
            "B 2. Bert 1-0 Dora same_games",
            "B 3. Bert ½-½ Carl same_games",
            "B 3. Dora 1-0 Anna same_games",
        ],
    ),
    "a report with a round more than the first": (
        {
            "2025-11": (
                Event(
                    "A",
                    "1. Anna 1-0 Bert, Carl 1-0 Dora; 2. Anna 1-0 Carl, Bert 1-0 Dora",
                    days=LEAGUE_DAYS[:2],
                    end="2025-10-11",
                    received="2025-10-20",
                ),
                league("B", received="2025-10-21"),
            )
        },
        [
            "A: rated",
            "B: rated",
            "A 1. Anna 1-0 Bert",
            "A 1. Carl 1-0 Dora",
            "A 2. Anna 1-0 Carl",
            "A 2. Bert 1-0 Dora",
            "B 1. Anna 1-0 Bert same_game",
            "B 1. Carl 1-0 Dora same_game",
            "B 2. Anna 1-0 Carl same_game",
            "B 2. Bert 1-0 Dora same_game",
            "B 3. Anna 1-0 Dora",
            "B 3. Bert ½-½ Carl",
        ],
    ),
    "a report with a second group": (
        {
            "2025-11": (
                Event(
                    "A",
                    "1. Anna 1-0 Bert; 2. Anna 1-0 Carl; 3. Bert ½-½ Carl",
                    days=LEAGUE_DAYS,
                    end="2025-10-11",
                    received="2025-10-20",
                ),
                league("B", LEAGUE.replace("Carl 1-0 Dora", "1700 1-0 1750"), received="2025-10-21"),
            )
        },
        [
            "A: rated",
            "B: rated",
            "A 1. Anna 1-0 Bert",
            "A 2. Anna 1-0 Carl",
            "A 3. Bert ½-½ Carl",
            "B 1. Anna 1-0 Bert same_game",
            "B 1. 1700 1-0 1750",
            "B 2. Anna 1-0 Carl same_game",
            "B 2. Bert 1-0 Dora",
            "B 3. Anna 1-0 Dora",
            "B 3. Bert ½-½ Carl same_game",
        ],
    ),
    "a copy of a copy": (
        {"2025-11": tuple(league(code, received=f"2025-10-2{place}") for place, code in enumerate("CBA"))},
        [
            "A: duplicate same_games",
            "B: duplicate same_games",
            "C: rated",
            "A 1. Anna 1-0 Bert same_games",
            "A 1. Carl 1-0 Dora same_games",
            "A 2. Anna 1-0 Carl same_games",
            "A 2. Bert 1-0 Dora same_games",
            "A 3. Anna 1-0 Dora same_games",
            "A 3. Bert ½-½ Carl same_games",
            "B 1. Anna 1-0 Bert same_games",
            "B 1. Carl 1-0 Dora same_games",
            "B 2. Anna 1-0 Carl same_games",
            "B 2. Bert 1-0 Dora same_games",
            "B 3. Anna 1-0 Dora same_games",
            "B 3. Bert ½-½ Carl same_games",
            "C 1. Anna 1-0 Bert",
            "C 1. Carl 1-0 Dora",
            "C 2. Anna 1-0 Carl",
            "C 2. Bert 1-0 Dora",
            "C 3. Anna 1-0 Dora",
            "C 3. Bert ½-½ Carl",
        ],
    ),
    "a repeated game against an unrated player": (
        {
            "2025-11": (
                Event("A", "1. Nora 1-0 Bert", days=SATURDAYS),
                Event("B", "1. Nora 1-0 Bert; 2. Nora 1-0 Carl", days=SATURDAYS, received="2025-10-20"),
            )
        },
        [
            "A: rated",
            "B: rated",
            "A 1. Nora 1-0 Bert counts_for_entry",
            "B 1. Nora 1-0 Bert same_game",
            "B 2. Nora 1-0 Carl counts_for_entry",
            "Nora waits: A",
            "Nora waits: B",
        ],
    ),
}


def federation() -> Office:
    office = Office(*(Player(name, 1800) for name in ("Anna", "Bert", "Carl", "Dora")))
    office.register(Player("Nora"))
    return office


@pytest.mark.parametrize("case", CASES)
def test_a_list_tells_which_games_count(case):
    lists, told = CASES[case]
    assert federation().last_of(lists).told() == told


@pytest.mark.parametrize("corrected", [CORRECTED_PAIRING, CORRECTED_RESULT], ids=["pairing", "result"])
@pytest.mark.parametrize(
    ("more", "received"), [({}, "2025-10-21"), ({"2025-12": ()}, "2025-11-20")], ids=["one list", "two lists"]
)
def test_a_corrected_copy_under_another_code_is_a_duplicate_as_a_whole(corrected, more, received):
    first, copy = league("A", received="2025-10-20"), league("B", corrected, received=received)
    rated = federation().last_of({"2025-11": (first, copy)} | more)
    assert rated.verdict("B") == "duplicate same_games"
    assert set(rated.result.games.filter(event_id="B")["reason"]) == {"same_games"}
    columns = ("event_code", "event_code_first", "round", "both_count")
    shown = rated.result.coincidences
    assert shown.select(columns).rows() == [("B", "A", 3, False)]
    assert (shown["white_halves_first"].item() is None) == (corrected == CORRECTED_PAIRING)


def test_of_three_reports_of_one_event_that_differ_the_first_counts():
    texts = (LEAGUE, CORRECTED_RESULT, CORRECTED_PAIRING)
    reports = tuple(league("ABC"[n], text, received=f"2025-10-2{n}") for n, text in enumerate(texts))
    rated = federation().last_of({"2025-11": reports})
    assert [rated.verdict(code) for code in "ABC"] == ["rated", *["duplicate same_games"] * 2]
    assert set(rated.result.coincidences["event_code_first"]) == {"A"}


def test_repeated_games_do_not_count_towards_the_limit_on_k_times_games():
    office = Office(Player("Anna", 1800, games=10), Player("Bert", 1800))
    rounds = "; ".join(f"{number}. Anna ½-½ {1700 + number}" for number in range(1, 13))
    days = tuple(f"2025-10-{number:02}" for number in range(4, 17))
    office.receive(
        Event("A", rounds, days=days, end="2025-10-16", received="2025-10-17"),
        Event("B", f"{rounds}; 13. Anna ½-½ Bert", days=days, end="2025-10-16", received="2025-10-18"),
    )
    change = office.rate("2025-11").change("Anna")
    assert (change["games"], change["k"]) == (13, 40)


def test_of_the_same_bytes_with_two_manifests_one_is_chosen_whatever_the_order_of_the_rows():
    office = federation()
    office.receive(
        Event("A", "1. Anna 1-0 Bert", version=1),
        Event("A", "1. Anna 1-0 Bert", version=2, end="2025-10-31"),
    )
    inputs = office.rate("2025-11").inputs
    same_bytes = inputs.reports.with_columns(pl.lit(1, dtype=pl.Int32).alias("version"), sha256=pl.lit("digest"))
    chosen = {
        tuple(rate_month(replace(inputs, reports=rows)).events["end_date"])
        for rows in (same_bytes, same_bytes.reverse())
    }
    assert len(chosen) == 1


# --------------------------------------------------------------------------------------------- through the store


def deliver(home: Path, file: str, rounds: tuple[int, ...], **manifest: str) -> None:
    """A report of ``rounds`` of the small event of four players, and its manifest, in a folder of its own."""
    folder = home / file
    folder.mkdir(parents=True)
    cells = [
        tuple(cell if number in rounds else "" for number, cell in enumerate(own, start=1)) for own in trf_text.CELLS
    ]
    head = ("012 League", "032 ITA", "042 " + manifest["start_date"].replace("-", "/"))
    (folder / "report.trf").write_text("\n".join([*head, *trf_text.players(tuple(cells))]) + "\n", encoding="utf-8")
    row = {"file": "report.trf", "time_control": "standard", "event_type": "team", **manifest}
    (folder / "manifest.csv").write_text(f"{','.join(row)}\n{','.join(row.values())}\n", encoding="utf-8")


def games_of(home: Path, month: str) -> list[tuple[int, str]]:
    """Return round and reason of every side on the list of ``month``."""
    games = pl.read_parquet(home / "published" / month / "r1" / "games.parquet")
    return games.sort("round", "fide_id").select("round", "reason").rows()


@pytest.fixture(scope="module")
def league_home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("league")
    settings = conftest.office(folder / "home")
    rows = [
        f"{900000 + number},{name},ITA,m,,,,,1990,standard,1800,20,0,,,,"
        for number, name in enumerate(("Alder", "Birch", "Cedar", "Dogwood"), start=1)
    ]
    columns = (
        "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,rating,k,"
        "games_played,reached_2400,reached_2300,last_played,flag"
    )
    (folder / "list.csv").write_text("\n".join([columns, *rows]) + "\n", encoding="utf-8")
    import_files.import_list(settings, folder / "list.csv", Period.parse("2025-09"))
    deliver(
        folder,
        "september",
        (1, 2),
        event_id="L",
        start_date="2025-09-01",
        end_date="2025-09-20",
        received_on="2025-09-21",
    )
    run.run(settings, Period.parse("2025-10"), [folder / "september"])
    assert games_of(settings.home, "2025-10") == [(1, "")] * 4 + [(2, "")] * 4
    return settings.home


@pytest.fixture
def league_office(league_home, tmp_path):
    """Copy an office with four rated players that has rated rounds 1 and 2 of a league, played in September."""
    return conftest.copied(league_home, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("event_id", "start", "version", "noted"),
    [("L", "2025-10-10", "1", 0), ("L", "2025-10-10", "2", 1), ("M", "2025-09-15", "1", 0)],
    ids=["a code", "another version of it", "another code"],
)
def test_the_store_remembers_what_was_counted_however_long_ago(
    league_office, tmp_path, event_id, start, version, noted
):
    dates = {"start_date": start, "end_date": "2025-10-20", "received_on": "2025-10-21"}
    deliver(tmp_path, "october", (2, 3), event_id=event_id, version=version, **dates)
    notes = run.run(league_office, Period.parse("2025-11"), [tmp_path / "october"]).rated.notes
    assert games_of(league_office.home, "2025-11") == [(2, "same_game")] * 4 + [(3, "")] * 4
    slices_noted = [note for note in notes if "L: version 2, from 2025-10-10 on, counts as a further slice" in note]
    assert len(slices_noted) == noted


@pytest.mark.long
def test_a_slice_that_was_a_correction_replaces_what_it_corrects(league_office, tmp_path):
    dates = {"start_date": "2025-10-10", "end_date": "2025-10-20", "received_on": "2025-10-21"}
    deliver(tmp_path, "october", (3,), event_id="L", version="2", **dates)
    because = {"fewer_games": "the second slice has one round"}
    run.run(league_office, Period.parse("2025-11"), [tmp_path / "october"], because=because)
    (tmp_path / "corrections.toml").write_text(
        '[[correction]]\naction = "replace_report"\nmatch = { event_id = "L", start_date = 2025-09-01 }\n'
        'file = "october/report.trf"\nreason = "the whole event was moved"\nwho = "league office"\n'
        "reported_on = 2025-11-20\n",
        encoding="utf-8",
    )
    correct.correct(league_office, tmp_path / "corrections.toml")
    rerate.rerate(
        league_office,
        Period.parse("2025-10"),
        because={"no_events": "all was played before", "other_days": "the report has none"},
    )
    counted = [
        pl.read_parquet(league_office.published / month / "r2" / "games.parquet").filter("rated")["round"].to_list()
        for month in ("2025-10", "2025-11")
    ]
    assert counted == [[3] * 4, []]
