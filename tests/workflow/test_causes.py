"""Each row of a diff names the one cause that moved it, when several corrections and new data meet in one re-rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, load, rerate, run
from tests.conftest import asking_only, office
from tests.workflow.test_rerate import correct, correction

MONTHS = ("2025-10", "2025-11", "2025-12")
PLAYERS = {
    # name: FIDE ID, standard rating, rapid rating, games played, year of birth
    "Stan": (501, 1900, None, 100, 1980),
    "Rob": (502, 1800, 1800, 100, 1980),
    "Ann": (503, 1850, 1850, 100, 1980),
    "Kay": (504, 1800, None, 28, 1980),
    "Bea": (505, 1700, None, 100, 1980),
    "Cleo": (506, 1750, None, 100, 1980),
    "Dan": (507, 1760, None, 100, 1980),
    "Eve": (508, 2000, None, 100, 1980),
    "Newt": (509, None, None, 0, 1980),
    "Fay": (510, 2100, None, 100, 1980),
    "Gus": (511, 2100, None, 100, 1980),
    "Hal": (512, 1577, None, 100, 1980),
    "Ivo": (513, 1600, None, 100, 1980),
}
NUMBERS = {**{name: facts[0] for name, facts in PLAYERS.items()}, "Jon": 514}
"""Jon is registered after the lists."""
OPPOSITE = {"1": "0", "0": "1", "=": "="}

Games = Sequence[tuple[int, str, str, str]]
"""Round, White, White's result and Black."""


EVENTS: Mapping[str, tuple[str, date, Games]] = {
    # code: time control, first day, games; each list has those of the month before.
    "SEP": ("standard", date(2025, 9, 6), [(1, "Stan", "1", "Ann"), (1, "Cleo", "1", "Dan"),
                                           (1, "Kay", "=", "Rob"), (2, "Kay", "=", "Rob"),
                                           (2, "Fay", "1", "Gus"), (3, "Fay", "=", "Gus")]),
    "LATE": ("standard", date(2025, 9, 6), [(1, "Hal", "1", "Ivo"), (2, "Hal", "=", "Jon")]),
    "NEW1": ("standard", date(2025, 9, 13), [(1, "Newt", "1", "Eve"), (2, "Newt", "=", "Rob")]),
    "RAPID": ("rapid", date(2025, 10, 4), [(1, "Stan", "0", "Rob"), (2, "Stan", "1", "Ann")]),
    "OCT": ("standard", date(2025, 10, 11), [(1, "Bea", "1", "Dan"), (2, "Eve", "=", "Bea"), (2, "Cleo", "=", "Rob")]),
    "NEW2": ("standard", date(2025, 10, 18), [(1, "Newt", "0", "Eve"), (2, "Newt", "=", "Rob"),
                                              (3, "Newt", "1", "Eve")]),
    "NOV": ("standard", date(2025, 11, 8), [(1, "Kay", "1", "Eve"), (2, "Eve", "=", "Kay")]),
}  # fmt: skip


def opened(home: Path) -> Settings:
    """An office with three lists of these events."""
    settings = replace(office(home), today=date(2025, 12, 1))
    header = "fide_id,name,federation,sex,birth_year,time_control,rating,k,games_played\n"
    rows = []
    for name, (number, standard, rapid, played, born) in PLAYERS.items():
        for control, rating in (("standard", standard), ("rapid", rapid)):
            k = "" if rating is None else 40 if played < 30 else 20
            rows.append(f"{number},{name},ITA,M,{born},{control},{'' if rating is None else rating},{k},{played}")
    listed = home.with_name("list.csv")
    listed.write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
    import_files.import_list(settings, listed, Period.parse("2025-09"))
    inbox = home / "inbox"
    inbox.mkdir()
    events, rows = [], []
    for code, (control, start, games) in EVENTS.items():
        last = start + timedelta(days=games[-1][0] - 1)
        events.append(f"{code},Open {code},{start},{last},swiss,{control},ITA,{start + timedelta(days=4)}")
        rows += [
            f"{code},{number},{start + timedelta(days=number - 1)},{NUMBERS[white]},{NUMBERS[black]},"
            f"{result},{OPPOSITE[result]}"
            for number, white, result, black in games
        ]
    head = "event_id,name,start_date,end_date,event_type,time_control,federation,received_on"
    (inbox / "events.csv").write_text("\n".join([head, *events, ""]), encoding="utf-8")
    head = "event_id,round,date,white_id,black_id,white_result,black_result"
    (inbox / "games.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    load.load(settings, [inbox])
    for month in MONTHS:
        run.run(settings, Period.parse(month))
    return settings


def result(code: str, number: int, white: str, black: str, value: str) -> str:
    match = f'event_id = "{code}", round = {number}, white = {NUMBERS[white]}, black = {NUMBERS[black]}'
    return correction("change_result", match, f'result = "{value}"')


CORRECTIONS = (
    result("SEP", 1, "Stan", "Ann", "0-1"),  # 1: moves a standard rating that stands in, and an opponent
    result("SEP", 1, "Cleo", "Dan", "0-1"),  # 2: another game of the same event
    result("SEP", 2, "Kay", "Rob", "not played"),  # 3: moves no rating then, and K two lists later
    result("NEW1", 1, "Newt", "Eve", "0-1"),  # 4: a result that waits
    correction("change_data", f"fide_id = {NUMBERS['Bea']}", "birth_year = 2010"),  # 5: a junior's K
    result("SEP", 2, "Fay", "Gus", "0-1"),  # 6 and 7: undone before it moved anything
    correction("undo", "correction = 6"),
    result("SEP", 3, "Fay", "Gus", "1-0"),  # 8 and 9: corrected once more
    result("SEP", 3, "Fay", "Gus", "0-1"),
)


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], dict[str, object]]:
    """The rows of all diffs by month, time control and name; in one re-rating, with names imported since."""
    home = tmp_path_factory.mktemp("causes") / "home"
    players = home.with_name("players.csv")
    players.write_text(
        "fide_id,name,federation,sex,birth_year\n511,Renamed,ITA,M,1980\n514,Jon,ITA,M,1980\n", encoding="utf-8"
    )
    with asking_only():
        settings = opened(home)
        correct(settings, *CORRECTIONS)
        import_files.import_players(settings, players)
        rerate.rerate(settings, Period.parse(MONTHS[0]))
    rows = {}
    for month in MONTHS:
        diff = pl.read_parquet(settings.published / month / "r2" / "diff.parquet")
        for row in diff.iter_rows(named=True):
            rows[month, row["time_control"], names()[row["fide_id"]]] = row
    rows["", "", ""] = {"text": (settings.published / MONTHS[0] / "r2" / "DIFF.md").read_text(encoding="utf-8")}
    return rows


def names() -> dict[int, str]:
    return {number: name for name, number in NUMBERS.items()}


WAITED = "round 1 of LATE: rated, was not rated (a player's FIDE ID is not registered)"
EXPECTED = {
    ("2025-10", "standard", "Stan"): ("game", "1", "round 1 of SEP: result corrected from 1 to 0"),
    ("2025-10", "standard", "Ann"): ("game", "1", "round 1 of SEP: result corrected from 0 to 1"),
    ("2025-10", "standard", "Cleo"): ("game", "2", "round 1 of SEP: result corrected from 1 to 0"),
    ("2025-10", "standard", "Dan"): ("game", "2", "round 1 of SEP: result corrected from 0 to 1"),
    ("2025-10", "standard", "Kay"): ("game", "3", "round 2 of SEP: game removed"),
    ("2025-10", "standard", "Rob"): ("game", "3", "round 2 of SEP: game removed"),
    ("2025-10", "standard", "Fay"): ("game", "9", "round 3 of SEP: result corrected from ½ to 0"),
    ("2025-10", "standard", "Gus"): ("game", "9", "round 3 of SEP: result corrected from ½ to 1"),
    # An event that was not rated has no ratings: they were not corrected.
    ("2025-12", "standard", "Hal"): ("game", "", WAITED),
    ("2025-12", "standard", "Ivo"): ("game", "", WAITED),
    ("2025-11", "rapid", "Stan"): (
        "list_before",
        "1",
        "standard rating that stands in, of the 2025-10 list, corrected from 1909 to 1889",
    ),
    ("2025-11", "rapid", "Rob"): (
        "opponent",
        "1",
        "round 1 of RAPID: rating of the opponent 501 corrected from 1909 to 1889",
    ),
    ("2025-11", "standard", "Newt"): (
        "list_before",
        "4",
        "results that wait since the 2025-10 list, or before, corrected",
    ),
    ("2025-12", "standard", "Kay"): ("list_before", "3", "games counted up to the 2025-11 list corrected"),
    ("2025-12", "standard", "Gus"): ("list_before", "9", "rating on the 2025-11 list corrected to 2100"),
}


@pytest.mark.parametrize("key", EXPECTED, ids=" ".join)
def test_a_row_has_the_cause_that_moved_it(corrected, key):
    row = corrected[key]
    assert (row["cause"], row["corrections"], row["because"]) == EXPECTED[key]


def test_a_birth_date_explains_another_k_and_only_that(corrected):
    row = corrected["2025-11", "standard", "Bea"]
    assert (row["cause"], row["new_k"]) == ("opponent", 40)
    assert row["corrections"] == "2, 5"
    assert corrected["2025-10", "standard", "Bea"]["cause"] == "data"
    assert corrected["2025-10", "standard", "Bea"]["corrections"] == "5"


def test_what_was_undone_or_corrected_again_before_it_moved_anything_is_not_printed(corrected):
    numbers = {number for row in corrected.values() for number in str(row.get("corrections", "")).split(", ")}
    assert numbers == {"", "1", "2", "3", "4", "5", "9"}
    text = str(corrected["", "", ""]["text"])
    assert "| 5 | change data" in text
    assert not any(f"\n| {number} | " in text for number in (6, 7, 8))
