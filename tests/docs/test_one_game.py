"""The figures of the page on one game, computed again without the program's own calculation."""

from __future__ import annotations

import csv

import pytest

from benchmarks.house import modules_entered
from benchmarks.walk import GAME, with_walk
from ratinglist.config import Settings
from tests.docs.session import ROOT
from tests.stores import open_store

PAGE = (ROOT / "docs" / "explanation" / "one-game.md").read_text(encoding="utf-8")
REPORT = ROOT / "data" / "sample" / "reports" / "2025-11" / "national-championship.trf"


def expected(difference: int) -> int:
    """The expected score of the regulations' table in hundredths, read row by row."""
    with (ROOT / "data" / "tables" / "expected_score.csv").open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            if abs(difference) <= int(row["difference_to"] or 10_000):
                return int(row["higher_hundredths" if difference >= 0 else "lower_hundredths"])
    raise AssertionError(difference)


def table_below(words: str) -> list[dict[str, str]]:
    """The rows the program printed in the session of the page that holds ``words``."""
    session = PAGE[PAGE.index(words) :].partition("```")[0]
    head, _, *rows = session[session.index('"\n') + 2 :].rstrip("\n").split("\n")
    return [dict(zip(head.split(), row.split(), strict=True)) for row in rows]


def test_the_lines_of_the_report_are_those_named() -> None:
    lines = REPORT.read_text(encoding="utf-8").splitlines()
    assert "on line 17, Ravnik's, and on line 27, Brightwater's" in PAGE
    assert lines[16][14:21] == "Ravnik,"
    assert lines[26][14:26] == "Brightwater,"
    assert lines[16] in PAGE
    assert lines[26] in PAGE


def test_the_cells_name_each_other() -> None:
    lines = REPORT.read_text(encoding="utf-8").splitlines()
    cells = [lines[16][91:99], lines[26][91:99]]
    assert cells == ["  11 b =", "   1 w ="]
    assert all(f"\n{cell}\n" in PAGE for cell in cells)


def test_the_row_of_the_store_is_the_one_printed(rated: Settings) -> None:
    table = PAGE[PAGE.index("| round | date |") :].partition("\n\n")[0]
    names, _, values = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    with open_store(rated.store) as store:
        row = store.read(
            "select report_game.* from report_game join report using (report_no) "
            "where event_id = 'ORV25102' and round = 1 and white_id = 99900471"
        ).to_dicts()
    assert [{name: str(row[0][name]) for name in names}] == [dict(zip(names, values, strict=True))]
    assert len(row) == 1


def test_each_side_is_the_regulations_arithmetic() -> None:
    brightwater, ravnik = table_below("in (fide_id, opponent_id)")
    for side, used, score, words in (
        (brightwater, -400, 50, "20 × (.50 − .08) = **+8.40**"),
        (ravnik, 564, 50, "10 × (.50 − .98) = **−4.80**"),
    ):
        assert int(side["difference"]) == int(side["rating"]) - int(side["opponent_rating"])
        assert int(side["difference_used"]) == used
        assert int(side["expected_hundredths"]) == expected(used)
        assert int(side["change_hundredths"]) == int(side["k"]) * (score - expected(used))
        assert words in PAGE


def test_the_games_add_up_to_the_new_rating() -> None:
    played = table_below("from games\n> where list_month")
    for game in played:
        score = 50 * int(game["score_halves"])
        assert int(game["change_hundredths"]) == int(game["k"]) * (score - int(game["expected_hundredths"]))
    (change,) = table_below("status from changes")
    total = sum(int(game["change_hundredths"]) for game in played)
    assert total == -220
    assert int(change["games"]) == len(played) == 9
    assert int(change["change_hundredths"]) == total
    assert int(change["change"]) == -((abs(total) + 50) // 100) == -2
    assert int(change["new_rating"]) == int(change["old_rating"]) + int(change["change"]) == 2102


def test_the_walk_has_the_first_lines_of_its_files() -> None:
    assert with_walk(PAGE) == PAGE, "run: python -m benchmarks.walk"


@pytest.mark.long
def test_a_first_run_enters_every_file_of_the_walk() -> None:
    assert set(GAME) <= set(modules_entered(ROOT))


@pytest.mark.parametrize("words", ["The sum is −220 hundredths", "−2.20 becomes −2", "2104 − 2 = **2102**"])
def test_the_sum_is_stated_in_the_text(words: str) -> None:
    assert words in PAGE
