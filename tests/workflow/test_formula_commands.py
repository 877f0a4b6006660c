"""The worked examples of formulas, each through the command that shows it."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import entered
from tests.conftest import ROOT
from tests.unit.systems import table3


def shown(*words: str) -> Any:
    found = entered("ratinglist", *words, "--json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def facts(*words: str) -> dict[str, float]:
    found: dict[str, float] = shown("update", *words)["facts"]
    return found


def test_the_parts_of_an_update_that_no_example_of_the_literature_has():
    limits = facts("1500", "--against", "1500 " * 25, "--score", "9", "--k", "30")
    assert (limits["least_k_of_a_first_period"], limits["largest_k_of_a_first_period"]) == (16, 32)
    many = shown("update", "1500", "--against", "1500 " * 9, "--score", "2", "--n0", "25", "--events", "4")["weights"]
    assert many["one period"] == pytest.approx([0, 0.25, 0.25, 0.25, 0.25])
    assert shown("update", "--age", "40", "--against", "600", "--score", "1")["rating"] == 1300
    provisional = ("--score", "1", "--k", "20", "--opponent-games", "5", "--opponent-k", "40")
    assert shown("update", "1500", "--against", "1500", *provisional)["k_against_provisional"]["ratio"] == 10


@pytest.mark.parametrize(("games", "score"), [("25", "12"), ("10", "10")])
def test_mutual_performances_that_do_not_exist(games: str, score: str):
    found = entered(
        "ratinglist", "update", "1600", "--mutual", "1500", "--games", games, "--score", score, "--n0", "25"
    )
    assert found.returncode == 2


def test_draw_numbers_and_the_first_round():
    found = shown("rounds", "20")
    numbers, pairs = found["draw_numbers"], [tuple(pair) for pair in found["first_round"]]
    # The strongest has Black against the eleventh, and the second meets the twelfth.
    assert (numbers[10], numbers[0]) in pairs
    assert (numbers[11], numbers[1]) in pairs
    odd = shown("rounds", "9")
    assert (odd["draw_numbers"][:5], odd["first_round"][-1]) == ([2, 4, 6, 8, 1], [9, 10])


def games_of_table_3(folder: Path) -> Path:
    """The event of ten players as a file of games, each game once."""
    ratings = {"P1": 1872, "P2": 1600, "P3": 1500, "P4": 1467, "P5": 1440}
    lines = ["player,rating,opponent,opponent_rating,score"]
    for number, results in RESULTS.items():
        for result in results.split():
            other = int(result[1:])
            if number < other:
                own, against = f"P{number}", f"P{other}"
                score = {"+": "1", "-": "0", "=": "½"}[result[0]]
                lines.append(f"{own},{ratings.get(own, '')},{against},{ratings.get(against, '')},{score}")
    file = folder / "games.csv"
    file.write_text("\n".join([*lines, ""]), "utf-8")
    return file


RESULTS = {
    1: "+5 +4 +9 +3 =2",
    2: "+6 -3 +5 +9 =1",
    3: "+7 +2 +4 -1 +8",
    4: "+8 -1 -3 +5 -6",
    5: "-1 +7 -2 -4 +10",
    6: "-2 -9 +8 +10 +4",
    7: "-3 -5 +10 +8 -9",
    8: "-4 +10 -6 -7 -3",
    9: "+10 +6 -1 -2 +7",
    10: "-9 -8 -7 -6 -5",
}


def test_players_without_a_rating_by_iterated_performances(tmp_path: Path):
    file = games_of_table_3(tmp_path)
    found = shown("performance", "--iterate", str(file), "--rounds", "4")["rounds"]
    assert [[one[f"P{number}"] for number in range(6, 11)] for one in found] == [
        [1473, 1288, 1133, 1554, 928],
        [1416, 1231, 1091, 1512, 978],
        [1410, 1224, 1078, 1499, 938],
        [1396, 1211, 1068, 1489, 930],
    ]
    exact = shown("performance", "--iterate", str(file), "--rounds", "2", "--exact")["rounds"]
    assert exact[1]["P6"] == pytest.approx(1416, abs=1)
    text = entered("ratinglist", "performance", "--iterate", str(file), "--rounds", "1").stdout
    names, *_, values = (line.split() for line in text.splitlines()[-3:])
    assert dict(zip(names, values, strict=True))["P9"] == "1554"


HEAD = b"player,rating,opponent,opponent_rating,score\n"


@pytest.mark.parametrize(
    ("content", "code", "named"),
    [
        (b"player,score\n", 2, "line 1"),
        (HEAD + b"A,,B,1500\n", 2, "line 2"),
        (HEAD + b"A,,A,,1\n", 2, "line 2"),
        (HEAD + b"A,,B,15OO,1\n", 2, "line 2"),
        (HEAD + b"A,,B,1500,2\n", 2, "line 2"),
        (HEAD + b"A,,B,1500,1\nB,1400,C,,1\n", 2, "line 3"),
        (None, 3, "games.csv"),
        (b"\xff\xfe", 3, "UTF-8"),
        (HEAD + b"A,1500,B,1500,1\n", 3, "games.csv"),
    ],
)
def test_a_file_of_games_that_cannot_be_used_is_refused_by_line(
    content: bytes | None, code: int, named: str, tmp_path: Path
):
    file = tmp_path / "games.csv"
    if content is not None:
        file.write_bytes(content)
    found = entered("ratinglist", "performance", "--iterate", str(file))
    assert (found.returncode, named in found.stderr) == (code, True)


@pytest.mark.parametrize(
    "words",
    [
        ("update", "--against", "1500", "--score", "1"),
        ("update", "1500", "--against", "1500", "--score", "1", "--k", "20", "--n0", "40"),
        ("update", "1500", "--against", "1500", "--score", "1", "--opponent-k", "40"),
        ("update", "1500", "--mutual", "1500", "--score", "1"),
        ("update", "1500", "--against", "1500"),
        ("update", "1500", "--against", "1500", "--results", "1 1"),
        ("update", "1500", "--against", "1500", "--score", "2"),
        ("expected", "1500"),
        ("expected", "1500", "1600", "--compose", ".5", ".6"),
        ("expected", "1500", "1600", "--ingo", "--single-update", "80", "80"),
        ("performance",),
        ("performance", "--against", "1500", "--score", "1", "--start", "1200"),
        ("performance", "--against", "1500 x", "--score", "1"),
        ("performance", "--against", "", "--score", "0"),
        ("performance", "--against", "1500", "--score", "1.3"),
        ("performance", "--against", "1500", "--results", "2"),
        ("performance", "--against", "1500", "--score", "1", "--opponents", "clamped"),
        ("performance", "--against", "1500", "--score", "1", "--opponents", "compatible", "--own", "1500"),
        ("performance", "1500", "--iterate", "games.csv"),
        ("performance", "99900046", "--against", "1500", "--score", "1"),
        ("performance", "99900046", "--score", "1"),
    ],
)
def test_what_contradicts_itself_is_refused(words: tuple[str, ...]):
    found = entered("ratinglist", *words)
    assert (found.returncode, found.stderr.count("Traceback")) == (2, 0), found.stderr


# ------------------------------------------------------------------------------------------------------- the literature


with (ROOT / "tests" / "worked_examples.csv").open(encoding="utf-8", newline="") as file:
    EXAMPLES = list(csv.DictReader(file))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["example"])
def test_a_command_prints_the_figures(example: dict[str, str]) -> None:
    text = entered(*shlex.split(example["command"])).stdout
    for figure in example["prints"].split(", "):
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", text), figure
