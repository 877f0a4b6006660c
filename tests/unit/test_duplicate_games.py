"""Every game counts once: slices that repeat rounds, one event under two codes, slices in any order."""

from __future__ import annotations

import shutil
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
from tests.months import Event, Month, Office, Player, frame

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
UNDATED = {"date": None}
RECEIVED_NEXT_DAY = {"received_on": date(2025, 10, 21)}


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


def test_a_game_in_one_report_counts_there():
    assert elsewhere({}, {"round": 4}) == []


def test_a_game_that_an_earlier_list_rated_under_the_same_code_is_not_rated_again():
    assert elsewhere({}, earlier=({},)) == [0]


def test_under_one_code_the_result_does_not_matter():
    assert elsewhere({"white_halves": 0, "black_halves": 2}, earlier=({},)) == [0]


@pytest.mark.parametrize(("day", "repeated"), [(5, []), (6, [0]), (7, [])], ids=["day before", "day", "day after"])
def test_under_one_code_another_day_makes_another_game(day, repeated):
    assert elsewhere({"date": date(2025, 10, day)}, earlier=({},)) == repeated


@pytest.mark.parametrize("undated", [({}, UNDATED), (UNDATED, {}), (UNDATED, UNDATED)], ids=["one", "other", "both"])
def test_under_one_code_only_two_dates_make_two_games(undated):
    new, old = undated
    days = {"start_date": date(2025, 11, 1), "end_date": date(2025, 11, 9)}
    assert elsewhere({**days, **new, **({"date": date(2025, 11, 1)} if not new else {})}, earlier=(old,)) == (
        [0] if UNDATED in undated else []
    )


@pytest.mark.parametrize(
    ("day", "repeated"),
    [("2025-10-07", [0]), ("2025-10-08", []), ("2025-10-12", []), ("2025-10-13", [0])],
    ids=["before the first day", "the first day", "the last day", "after the last day"],
)
def test_under_one_code_a_date_outside_the_days_of_its_report_is_ignored(day, repeated):
    assert elsewhere({"date": date.fromisoformat(day), "start_date": date(2025, 10, 8)}, earlier=({},)) == repeated


def test_two_dated_games_of_a_code_are_no_repetition_by_name_and_days_either():
    assert elsewhere({}, {"date": date(2025, 10, 7)}, {"date": date(2025, 10, 8)}) == []


def test_what_an_earlier_list_rated_stays_against_a_higher_version():
    assert elsewhere({"version": 9}, earlier=({},)) == [0]


def test_under_one_code_the_higher_version_counts():
    assert elsewhere({"version": 2}, {"version": 3}, {"version": 1}) == [0, 2]


def test_of_equal_versions_the_one_received_later_counts():
    assert elsewhere({}, RECEIVED_NEXT_DAY) == [0]


def test_of_versions_of_one_day_the_earlier_start_counts():
    assert elsewhere({"start_date": date(2025, 10, 5)}, {}) == [0]


@pytest.mark.parametrize(
    "other",
    [
        {"time_control": "rapid"},
        {"round": 4},
        {"white_id": 103},
        {"black_id": 103},
        {"white_id": 102, "black_id": 101},
    ],
    ids=["another time control", "another round", "another White", "another Black", "colours exchanged"],
)
def test_another_game_is_another_game_under_the_same_code(other):
    assert elsewhere(other, earlier=({},)) == []


def test_under_two_codes_the_event_received_first_counts_the_game():
    assert elsewhere({"event_code": "B", **RECEIVED_NEXT_DAY}, {}) == [0]


def test_of_two_codes_received_on_one_day_the_first_by_code_counts():
    assert elsewhere({"event_code": "B"}, {}) == [0]


def test_what_an_earlier_list_rated_stays_against_an_event_received_before():
    assert elsewhere({"event_code": "B", "received_on": date(2025, 10, 1)}, earlier=({},)) == [0]


@pytest.mark.parametrize(
    "other",
    [
        {"white_halves": 1, "black_halves": 1},
        {"black_halves": 1},
        {"date": date(2025, 10, 7)},
        {"time_control": "rapid"},
        {"round": 4},
    ],
    ids=["another result", "another result of Black", "another date", "another time control", "another round"],
)
def test_under_two_codes_what_differs_is_another_game(other):
    assert elsewhere({"event_code": "B", **other}, earlier=({},)) == []


def test_the_same_date_shows_the_same_game_whatever_the_name_of_the_event():
    assert elsewhere({"event_code": "B", "name": "Oslo Open", "federation": "SWE"}, earlier=({},)) == [0]


@pytest.mark.parametrize("undated", [({}, UNDATED), (UNDATED, {}), (UNDATED, UNDATED)], ids=["one", "other", "both"])
def test_without_dates_the_name_and_a_day_in_common_show_it(undated):
    new, old = undated
    assert elsewhere({"event_code": "B", **new}, earlier=(old,)) == [0]


@pytest.mark.parametrize(
    "other",
    [
        {"name": "City Open B"},
        {"federation": "SWE"},
        {"start_date": date(2025, 10, 13), "end_date": date(2025, 10, 20)},
        {"start_date": date(2025, 9, 20), "end_date": date(2025, 10, 3)},
        {"white_halves": 1, "black_halves": 1},
    ],
    ids=["another name", "another federation", "afterwards", "before", "another result"],
)
def test_without_dates_what_differs_is_another_game(other):
    assert elsewhere({"event_code": "B", **UNDATED, **other}, earlier=(UNDATED,)) == []


@pytest.mark.parametrize(
    ("start", "end"),
    [("2025-10-12", "2025-10-20"), ("2025-09-20", "2025-10-04"), ("2025-10-06", "2025-10-06")],
    ids=["its last day", "its first day", "a day of it"],
)
def test_one_day_in_common_is_enough(start, end):
    days = {"start_date": date.fromisoformat(start), "end_date": date.fromisoformat(end)}
    assert elsewhere({"event_code": "B", **UNDATED, **days}, earlier=(UNDATED,)) == [0]


def test_a_repeated_game_is_found_whatever_other_event_of_the_name_came_first():
    august = {"event_code": "C", "start_date": date(2025, 8, 4), "end_date": date(2025, 8, 24), **UNDATED}
    assert elsewhere({"event_code": "B", **UNDATED}, {"event_code": "D", **UNDATED}, earlier=(august,)) == [1]


def test_a_copy_without_dates_does_not_make_one_of_two_dated_games():
    copy = {"event_code": "C", "name": "Oslo Open", **UNDATED}
    assert elsewhere({}, {"event_code": "B", "date": date(2025, 10, 12)}, copy) == []


def test_what_does_not_count_itself_keeps_nothing_out():
    september = {"event_code": "B", "date": None, "start_date": date(2025, 9, 1), "end_date": date(2025, 9, 30)}
    over_both = {"event_code": "C", "date": None, "start_date": date(2025, 9, 30), "end_date": date(2025, 10, 4)}
    assert elsewhere({"event_code": "D", **UNDATED}, over_both, earlier=(september,)) == [1]


def test_of_a_code_only_the_slice_that_counts_is_compared_with_another_code():
    corrected, first = {"version": 2, "white_halves": 1, "black_halves": 1}, {}
    assert elsewhere(corrected, first, {"event_code": "B"}) == [1]
    assert elsewhere(corrected, first, {"event_code": "B", "white_halves": 1, "black_halves": 1}) == [1, 2]


def test_the_order_of_the_reports_makes_no_difference():
    games = [{}, {"event_code": "B", **UNDATED}, {"version": 2}, {"event_code": "C"}, {"event_code": "D", **UNDATED}]
    delivered, no_list = of_this_list([with_report(game) for game in games]), frame(EARLIER_GAME, [])
    shuffled = (delivered.sample(fraction=1, shuffle=True, seed=seed) for seed in range(20))
    assert len({tuple(find_duplicate_games(one, no_list)[0].sort(pl.all()).rows()) for one in shuffled}) == 1


OTHER_EVENT = {"event_code": "B", "name": "Oslo Open", "federation": "SWE"}


@pytest.mark.parametrize(
    ("games", "of_the_other", "repeated"),
    [(2, 9, [0]), (3, 9, []), (9, 2, [0]), (9, 3, []), (9, 1, [0])],
    ids=["half of the new", "less of the new", "half of the old", "less of the old", "all of the old"],
)
def test_under_two_codes_half_of_the_smaller_report_makes_one_event(games, of_the_other, repeated):
    earlier = ({"games": of_the_other},)
    assert elsewhere({**OTHER_EVENT, "games": games}, earlier=earlier) == repeated


def test_two_events_of_one_name_and_federation_are_one_however_few_games_they_share():
    assert elsewhere({"event_code": "B", "games": 40}, earlier=({"games": 40},)) == [0]
    assert elsewhere({"event_code": "B", "games": 40, "federation": "SWE"}, earlier=({"games": 40},)) == []


def test_a_game_of_one_event_under_two_codes_counts_once_whatever_its_result():
    """The copy has a result that was corrected under the code received first, or the other way round."""
    second = {"round": 4, "date": date(2025, 10, 7)}
    corrected = {"white_halves": 1, "black_halves": 1}
    copy = {**OTHER_EVENT, **RECEIVED_NEXT_DAY, "games": 2}
    first = ({"games": 2, **corrected}, {"games": 2, **second})
    assert elsewhere(*first, copy, {**copy, **second}) == [2, 3]
    assert elsewhere(copy, {**copy, **second}, earlier=first) == [0, 1]
    # Another day makes another game; and without a game that looks like one they are two events.
    assert elsewhere(*first, {**copy, "date": date(2025, 10, 9)}, {**copy, **second}) == [3]
    assert elsewhere(*first, copy, {**copy, **second, **corrected}) == []


def test_the_code_counts_of_which_the_first_version_came_first():
    newest = {"version": 2, "received_on": date(2025, 10, 28), "first_received_on": date(2025, 10, 6)}
    assert elsewhere(newest, {"event_code": "B"}) == [1]
    assert elsewhere({**newest, "first_received_on": date(2025, 10, 22)}, {"event_code": "B"}) == [0]


def test_what_differs_between_two_reports_of_one_event_is_shown_once():
    second, corrected = {"round": 4, "date": date(2025, 10, 7)}, {"white_halves": 1, "black_halves": 1}
    copy = {"event_code": "B", "name": "Copy", "games": 2}
    found = compared({"games": 2, **corrected}, {"games": 2, **second}, copy, {**copy, **second})[1]
    named = found.select("event_code", "event_code_first", "round", "white_halves", "white_halves_first", "both_count")
    assert named.rows() == [("B", "A", 3, 2, 1, False)]


def test_each_two_reports_are_compared_by_all_the_games_that_look_alike():
    second = {"round": 4, "date": date(2025, 10, 7)}
    new = [{**OTHER_EVENT, "games": 4}, {**OTHER_EVENT, **second, "games": 4}]
    earlier = ({"games": 30}, {**second, "games": 30})
    assert elsewhere(*new, earlier=earlier) == [0, 1]
    assert elsewhere(*new, earlier=earlier[:1]) == []


def test_a_coincidence_names_both_events_and_the_game():
    many = {"games": 40}
    _, found = compared({**OTHER_EVENT, **many}, {"event_code": "C", "name": "Bergen", **many}, earlier=(many,))
    assert found.select("event_code", "event_code_first", "round", "white_id").rows() == [
        ("B", "A", 3, 101),
        ("C", "A", 3, 101),
        ("C", "B", 3, 101),
    ]


# ------------------------------------------------------------------------------------------- an officer's months

OCTOBER = {"start": "2025-10-04", "end": "2025-10-26", "received": "2025-10-27"}
NOVEMBER = {"start": "2025-11-01", "end": "2025-11-23", "received": "2025-11-24"}


def federation(*more: Player) -> Office:
    return Office(Player("Anna", 1800), Player("Bert", 1800), Player("Carl", 1800), Player("Dora", 1800), *more)


def verdicts(month: Month) -> dict[str, str]:
    return {row["event_id"]: f"{row['status']} {row['reason']}".strip() for row in month.result.events.to_dicts()}


def reasons(month: Month) -> dict[tuple[str, int], set[str]]:
    """Return the reasons of the games of each event and round: one each, where both sides agree."""
    found: dict[tuple[str, int], set[str]] = {}
    for game in month.result.games.to_dicts():
        found.setdefault((game["event_id"], game["round"]), set()).add(game["reason"])
    return found


def test_a_league_under_one_code_is_rated_month_by_month():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert; 2. Carl 1-0 Anna", **OCTOBER),
        Event("League", "3. Anna 1-0 Dora", **NOVEMBER),
    )
    assert verdicts(office.rate("2025-11")) == {"League": "rated"}
    assert verdicts(office.rate("2025-12")) == {"League": "rated"}
    assert verdicts(office.rate("2026-01")) == {}


def test_two_slices_in_one_list_go_by_their_own_names():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", end="2025-10-05"),
        Event("League", "2. Anna 1-0 Carl", start="2025-10-18", end="2025-10-19", received="2025-10-20"),
    )
    month = office.rate("2025-11")
    assert verdicts(month) == {"League": "rated", "League/2025-10-18": "rated"}
    assert month.change("Anna")["games"] == 2


def test_a_slice_that_waits_for_the_next_list_then_goes_by_the_code():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", end="2025-10-05"),
        Event("League", "2. Anna 1-0 Carl", start="2025-10-18", end="2025-10-31", received="2025-10-31"),
    )
    assert verdicts(office.rate("2025-11")) == {
        "League": "rated",
        "League/2025-10-18": "deferred received_after_closing",
    }
    assert verdicts(office.rate("2025-12")) == {"League": "rated"}


def test_results_of_two_slices_wait_apart():
    office = federation(Player("Nora"))
    office.receive(Event("League", "1. Nora 1-0 Bert", **OCTOBER), Event("League", "2. Nora 1-0 Carl", **NOVEMBER))
    assert office.rate("2025-11").waiting("Nora") == ["League"]
    december = office.rate("2025-12")
    assert december.waiting("Nora") == ["League", "League/2025-11-01"]
    assert december.entry("Nora")["games"] == 2


def test_a_first_slice_that_comes_after_a_later_one_is_rated_too():
    office = federation(Player("Nora"))
    office.receive(Event("League", "2. Nora 1-0 Carl, Anna 1-0 Dora", **NOVEMBER))
    assert verdicts(office.rate("2025-12")) == {"League": "rated"}
    office.receive(Event("League", "1. Nora 1-0 Bert, Anna 1-0 Carl", **{**OCTOBER, "received": "2025-12-10"}))
    january = office.rate("2026-01")
    assert verdicts(january) == {"League": "rated"}
    assert january.change("Anna")["games"] == 1
    assert january.waiting("Nora") == ["League", "League/2025-10-04"]


def test_a_slice_that_was_refused_is_rated_when_it_comes_corrected():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", accepted=False, **OCTOBER), Event("League", "2. Anna 1-0 Carl", **NOVEMBER)
    )
    assert verdicts(office.rate("2025-11")) == {"League": "refused report_refused"}
    assert verdicts(office.rate("2025-12"))["League/2025-11-01"] == "rated"
    office.receive(Event("League", "1. Anna 1-0 Bert", **{**OCTOBER, "received": "2025-12-10"}))
    assert verdicts(office.rate("2026-01")) == {"League": "rated"}


def test_a_slice_that_repeats_a_round_rates_the_others():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert; 2. Carl 1-0 Anna", **OCTOBER),
        Event("League", "2. Carl 0-1 Anna; 3. Anna 1-0 Dora", **NOVEMBER),
    )
    office.rate("2025-11")
    december = office.rate("2025-12")
    assert reasons(december) == {("League", 2): {"same_game"}, ("League", 3): {""}}
    assert december.change("Anna")["games"] == 1
    assert december.change("Carl") is None


def test_a_file_with_all_rounds_so_far_rates_the_new_ones_if_it_gives_their_start():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", **OCTOBER),
        Event("League", "1. Anna 1-0 Bert; 2. Anna 1-0 Carl", **NOVEMBER, version=2),
    )
    office.rate("2025-11")
    assert reasons(office.rate("2025-12")) == {("League", 1): {"same_game"}, ("League", 2): {""}}


def test_a_file_with_all_rounds_that_still_starts_in_october_is_a_new_version_of_what_was_rated():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", **OCTOBER),
        Event("League", "1. Anna 1-0 Bert; 2. Anna 1-0 Carl", **{**NOVEMBER, "start": "2025-10-04"}, version=2),
    )
    office.rate("2025-11")
    assert verdicts(office.rate("2025-12")) == {"League": "superseded rated_in_earlier_list"}


def test_a_corrected_slice_counts_before_an_uncorrected_repetition_of_its_rounds():
    office = federation()
    office.receive(
        Event("League", "1. Anna 1-0 Bert", end="2025-10-05", version=2, received="2025-10-06"),
        Event("League", "1. Anna 0-1 Bert; 2. Anna ½-½ Carl", start="2025-10-18", end="2025-10-19"),
    )
    month = office.rate("2025-11")
    assert reasons(month) == {
        ("League", 1): {""},
        ("League/2025-10-18", 1): {"same_game"},
        ("League/2025-10-18", 2): {""},
    }
    assert month.change("Bert")["change"] < 0


@pytest.mark.parametrize(
    "first",
    [
        Event("A", "1. Anna 1-0 Bert", days=("2025-10-04",), accepted=False),
        Event("A", "1. Anna 1-0 Bert", days=("2025-10-04",), end="2025-10-31"),
        Event("A", "1. Anna 1-0 Bert, Nora 1-0 Nils", days=("2025-10-04",), kind="match"),
    ],
    ids=["refused", "not over", "against the rules"],
)
def test_a_report_that_is_not_rated_takes_no_game_from_another(first):
    office = federation(Player("Nora"), Player("Nils"))
    office.receive(first, Event("B", "1. Anna 1-0 Bert; 2. Anna 1-0 Carl", days=("2025-10-04",) * 2))
    month = office.rate("2025-11")
    assert month.verdict("B") == "rated"
    assert month.change("Anna")["games"] == 2


LEAGUE = "1. Anna 1-0 Bert, Carl 1-0 Dora; 2. Anna 1-0 Carl, Bert 1-0 Dora; 3. Anna 1-0 Dora, Bert ½-½ Carl"
LEAGUE_DAYS = ("2025-10-04", "2025-10-05", "2025-10-11")
CORRECTED_PAIRING = LEAGUE.replace("Anna 1-0 Dora, Bert ½-½ Carl", "Dora 1-0 Anna, Bert ½-½ Carl")
CORRECTED_RESULT = LEAGUE.replace("Bert ½-½ Carl", "Bert 1-0 Carl")


def league(code: str, games: str = LEAGUE, **given: Any) -> Event:
    return Event(code, games, days=LEAGUE_DAYS, **given)


@pytest.mark.parametrize("corrected", [CORRECTED_PAIRING, CORRECTED_RESULT], ids=["pairing", "result"])
@pytest.mark.parametrize("lists", [1, 2], ids=["one list", "two lists"])
def test_a_corrected_copy_under_another_code_is_a_duplicate_as_a_whole(corrected, lists):
    office = federation()
    office.receive(league("A", received="2025-10-20"))
    if lists == 2:
        assert verdicts(office.rate("2025-11")) == {"A": "rated"}
        office.receive(league("B", corrected, received="2025-11-20"))
    else:
        office.receive(league("B", corrected, received="2025-10-21"))
    month = office.rate("2025-12" if lists == 2 else "2025-11")
    assert verdicts(month)["B"] == "duplicate same_games"
    assert {one for (code, _), found in reasons(month).items() if code == "B" for one in found} == {"same_games"}
    shown = month.result.coincidences.to_dicts()
    assert [(one["event_code"], one["event_code_first"], one["round"], one["both_count"]) for one in shown] == [
        ("B", "A", 3, False)
    ]
    assert (shown[0]["white_halves_first"] is None) == (corrected == CORRECTED_PAIRING)


def test_the_newest_version_of_the_code_received_first_counts():
    office = federation()
    office.receive(
        league("A", received="2025-10-20"),
        league("B", CORRECTED_PAIRING, received="2025-10-21"),
        league("A", CORRECTED_PAIRING, received="2025-10-22", version=2),
    )
    month = office.rate("2025-11")
    assert verdicts(month) == {"A": "rated", "B": "duplicate same_games"}
    assert month.result.coincidences.is_empty()
    change = month.change("Dora")
    assert (change["games"], 2 * change["change_hundredths"]) == (3, -100 * change["k"])


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("1. Anna 1-0 Bert, Carl 1-0 Dora; 2. Anna 1-0 Carl, Bert 1-0 Dora", LEAGUE),
        ("1. Anna 1-0 Bert; 2. Anna 1-0 Carl; 3. Bert ½-½ Carl", LEAGUE.replace("Carl 1-0 Dora", "Nora 1-0 Nils")),
    ],
    ids=["a round more", "a second group"],
)
def test_a_report_with_more_than_the_first_is_no_duplicate_as_a_whole(first, other):
    office = federation(Player("Nora", 1800), Player("Nils", 1800))
    office.receive(
        Event("A", first, days=LEAGUE_DAYS[: first.count(";") + 1], end="2025-10-11", received="2025-10-20"),
        league("B", other, received="2025-10-21"),
    )
    month = office.rate("2025-11")
    assert verdicts(month) == {"A": "rated", "B": "rated"}
    assert {one for (code, _), found in reasons(month).items() if code == "B" for one in found} == {"", "same_game"}


def test_a_copy_of_a_copy_is_compared_with_the_one_that_counts():
    office = federation()
    office.receive(*(league(code, received=f"2025-10-2{place}") for place, code in enumerate("CBA")))
    assert verdicts(office.rate("2025-11")) == {"A": "duplicate same_games", "B": "duplicate same_games", "C": "rated"}


def test_a_repeated_game_against_an_unrated_player_has_the_reason_of_a_repetition():
    office = federation(Player("Nora"))
    days = ("2025-10-04", "2025-10-11")
    office.receive(
        Event("A", "1. Nora 1-0 Bert", days=days),
        Event("B", "1. Nora 1-0 Bert; 2. Nora 1-0 Carl", days=days, received="2025-10-20"),
    )
    month = office.rate("2025-11")
    assert reasons(month)["B", 1] == {"same_game"}
    assert month.waiting("Nora") == ["A", "B"]
    assert month.entry("Nora")["games"] == 2


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
    shutil.copytree(league_home, tmp_path / "home")
    return conftest.office(tmp_path / "home")


@pytest.mark.long
@pytest.mark.parametrize(("event_id", "start"), [("L", "2025-10-10"), ("M", "2025-09-15")], ids=["a code", "another"])
def test_the_store_remembers_what_was_counted_under_a_code_however_long_ago(league_office, tmp_path, event_id, start):
    dates = {"start_date": start, "end_date": "2025-10-20", "received_on": "2025-10-21"}
    deliver(tmp_path, "october", (2, 3), event_id=event_id, **dates)
    run.run(league_office, Period.parse("2025-11"), [tmp_path / "october"])
    assert games_of(league_office.home, "2025-11") == [(2, "same_game")] * 4 + [(3, "")] * 4


@pytest.mark.long
@pytest.mark.parametrize(("version", "noted"), [("1", 0), ("2", 1)])
def test_a_slice_with_another_version_number_is_noted(league_office, tmp_path, version, noted):
    dates = {"start_date": "2025-10-10", "end_date": "2025-10-20", "received_on": "2025-10-21"}
    deliver(tmp_path, "october", (3,), event_id="L", version=version, **dates)
    notes = run.run(league_office, Period.parse("2025-11"), [tmp_path / "october"]).rated.notes
    assert [note for note in notes if "L: version 2, from 2025-10-10 on, counts as a further slice" in note] == notes[
        :noted
    ]
    assert len(notes) == noted


@pytest.mark.long
def test_a_slice_that_was_a_correction_replaces_what_it_corrects(league_office, tmp_path):
    dates = {"start_date": "2025-10-10", "end_date": "2025-10-20", "received_on": "2025-10-21"}
    deliver(tmp_path, "october", (3,), event_id="L", version="2", **dates)
    run.run(league_office, Period.parse("2025-11"), [tmp_path / "october"])
    (tmp_path / "corrections.toml").write_text(
        '[[correction]]\naction = "replace_report"\nmatch = { event_id = "L", start_date = 2025-09-01 }\n'
        'file = "october/report.trf"\nreason = "the whole event was moved"\nwho = "league office"\n'
        "reported_on = 2025-11-20\n",
        encoding="utf-8",
    )
    correct.correct(league_office, tmp_path / "corrections.toml")
    rerate.rerate(league_office, Period.parse("2025-10"), because={"no_events": "all was played before"})
    counted = [
        pl.read_parquet(league_office.published / month / "r2" / "games.parquet").filter("rated")["round"].to_list()
        for month in ("2025-10", "2025-11")
    ]
    assert counted == [[3] * 4, []]
