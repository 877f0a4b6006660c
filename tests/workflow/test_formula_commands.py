"""The worked examples of formulas, each through the command that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import entered
from tests.unit.systems import table3

FIVE = "1609 1477 1388 1586 1720"
MASTER = "1950 1950 1950 1950 1400"


def shown(*words: str) -> Any:
    found = entered("ratinglist", *words, "--json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def updated(*words: str) -> dict[tuple[str, str], dict[str, float]]:
    """The rows of an update by rule and model."""
    return {(row["rule"], row["model"]): row for row in shown("update", *words)["rows"]}


def facts(*words: str) -> dict[str, float]:
    found: dict[str, float] = shown("update", *words)["facts"]
    return found


def test_by_k_and_in_closed_form():
    rows = updated("1600", "--against", "1300 1650 1600 1500 1700", "--results", "1 1 1 0 ½", "--k", "30")
    assert rows["by K", "linear"]["new_rating"] == pytest.approx(1620.625)
    assert rows["linear, closed form", "linear"]["new_rating"] == pytest.approx(1620.625)
    second = rows["second order", "logistic"]
    assert (second["k"], second["new_rating"]) == (pytest.approx(30.052, abs=5e-4), pytest.approx(1621.711, abs=5e-4))


def test_the_mean_of_opponents_is_another_rule():
    rows = updated("1700", "--against", "2100 2100 2100 2100 1300", "--score", "2", "--k", "20")
    assert rows["by K", "table"]["expected"] == pytest.approx(1.24)
    assert rows["by K", "logistic"]["expected"] == pytest.approx(1.27, abs=0.01)
    assert rows["by K, mean of opponents", "table"]["expected"] == pytest.approx(5 * 0.20)


def test_by_weights():
    words = ("2000", "--against", "2000 2000 2000 2000 2000", "--score", "4", "--k", "32")
    assert updated(*words)["by weights", "linear"]["new_rating"] == pytest.approx(2048)
    found = facts(*words)
    assert (found["linear_performance"], found["weight_of_the_old_rating"]) == (2240, pytest.approx(0.8))
    for points, change in (("1", 16), ("0", -16)):
        one = updated("2000", "--against", "2000", "--score", points, "--k", "32")
        assert one["by K", "table"]["new_rating"] == 2000 + change


@pytest.mark.parametrize(("games", "new"), [(5, 1772.8), (25, 2064), (40, 2064)])
def test_more_games_than_make_a_rating_are_the_performance(games: int, new: float):
    # Every game is won against 1664, so that the performance is 2064.
    rows = updated("1700", "--against", "1664 " * games, "--score", str(games), "--n0", "25")
    assert rows["by weights", "linear"]["new_rating"] == pytest.approx(new)


@pytest.mark.parametrize(("k", "n0"), [(30, 26.7), (32, 25), (50, 16), (10, 80), (20, 40)])
def test_k_and_the_games_that_make_a_rating(k: int, n0: float):
    found = facts("1600", "--against", "1600", "--score", "1", "--k", str(k))
    assert found["games_that_make_a_rating"] == pytest.approx(n0, abs=0.05)
    assert found["games_that_weigh_like_the_old_rating"] == pytest.approx(n0 / 2, abs=0.05)


def test_one_period_or_two_events():
    both = updated("1700", "--against", "1700 " * 10, "--score", "5")
    assert both["by K", "table"]["new_rating"] == 1700
    assert updated("1700", "--against", "1700 " * 5, "--score", "5")["by K", "table"]["new_rating"] == 1780
    then = updated("1780", "--against", "1700 " * 5, "--score", "0")["by K", "table"]
    assert (then["expected"] / 5, round(then["new_rating"])) == (pytest.approx(0.61), 1682)


def test_weights_after_several_events():
    words = ("--score", "2", "--n0", "25", "--events", "4")
    weights = shown("update", "1500", "--against", "1500 " * 5, *words)["weights"]
    assert [round(100 * one) for one in weights["each event"]] == [41, 10, 13, 16, 20]
    assert weights["one period"] == pytest.approx([0.2, 0.2, 0.2, 0.2, 0.2])
    many = shown("update", "1500", "--against", "1500 " * 9, *words)["weights"]
    assert many["one period"] == pytest.approx([0, 0.25, 0.25, 0.25, 0.25])


def test_two_players_who_played_nobody_else():
    found = shown("update", "1600", "--mutual", "1500", "--games", "10", "--score", "6", "--n0", "25")
    names = ("performance", "mutual_performance", "new_rating", "opponent_new_rating")
    assert [round(found[name], 3) for name in names] == [1570.437, 1578.883, 1591.553, 1508.447]


@pytest.mark.parametrize(
    ("games", "score", "reason"),
    [("25", "12", "There is no mutual performance"), ("10", "10", "There is no mutual performance")],
)
def test_mutual_performances_that_do_not_exist(games: str, score: str, reason: str):
    found = entered(
        "ratinglist", "update", "1600", "--mutual", "1500", "--games", games, "--score", score, "--n0", "25"
    )
    assert (found.returncode, reason in found.stderr) == (2, True)


def test_rounding_errors_and_limits_of_k():
    found = facts("1500", "--against", "1500 " * 25, "--score", "9", "--k", "30")
    assert (found["rounding_error_of_twentieths"], found["rounding_error_of_hundredths"]) == (3.75, 0.75)
    assert (found["least_k_of_a_first_period"], found["largest_k_of_a_first_period"]) == (16, 32)


@pytest.mark.parametrize(
    ("games", "crude", "g"), [(1, 0.5, 0.6742), (4, 0.8, 0.8771), (5, 0.8333, 0.8980), (25, 0.9615, 0.9768)]
)
def test_k_against_a_provisional_opponent(games: int, crude: float, g: float):
    words = ("update", "1500", "--against", "1500", "--score", "1", "--k", "20", "--opponent-games", str(games))
    found = shown(*words, "--opponent-k", "40")["k_against_provisional"]
    assert {name: round(k / 20, 4) for name, k in found.items()} == {"ratio": 0.5, "crude": crude, "g": g}


def test_a_newcomer_begins_with_a_guess_and_a_large_k():
    found = shown("update", "--age", "12", "--against", "600", "--score", "1")
    assert (found["rating"], found["k"]) == (600, 150)
    assert shown("update", "--age", "40", "--against", "600", "--score", "1")["rating"] == 1300


def test_one_game_between_uncertain_ratings():
    rows = shown("expected", "1600", "1700", "--single-update", "80", "80")["rows"]
    assert [round(row["new_rating"], 4) for row in rows] == [1621.7084, 1604.6414, 1587.5744]
    assert [round(row["mode"], 4) for row in rows] == [1621.6936, 1604.6407, 1587.5691]
    assert round(rows[0]["new_deviation"], 4) == 78.2165
    both = shown("expected", "1600", "1700", "--single-update", "80", "300")["attenuations"]
    assert [round(one, 4) for one in both] == [0.9692, 0.7242]


def test_two_probabilities_are_composed():
    found = shown("expected", "--compose", ".75", ".60")
    assert (found["expected"], found["strength_of_a"]) == (pytest.approx(2 / 3), pytest.approx(3))


def test_rounds_draw_numbers_and_the_first_round():
    found = shown("rounds", "20")
    assert (found["at_most"], found["recommended"], found["possible"]) == (11, [8, 9, 10], [7, 11])
    numbers, pairs = found["draw_numbers"], [tuple(pair) for pair in found["first_round"]]
    # The strongest has Black against the eleventh, and the second meets the twelfth.
    assert (numbers[10], numbers[0]) in pairs
    assert (numbers[11], numbers[1]) in pairs
    odd = shown("rounds", "9")
    assert (odd["draw_numbers"][:5], odd["first_round"][-1]) == ([2, 4, 6, 8, 1], [9, 10])
    assert "number 10 is the bye" in entered("ratinglist", "rounds", "9").stdout


def games_of_table_3(folder: Path) -> Path:
    """The event of ten players as a file of games, each game once."""
    ratings = dict(zip(table3.NAMES, (1872, 1600, 1500, 1467, 1440), strict=False))
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


HEAD = "player,rating,opponent,opponent_rating,score\n"
WRONG_FILES = [
    ("player,score\n", "line 1: the columns must be"),
    (HEAD + "A,,B,1500\n", "line 2: 'A,,B,1500' is not a game"),
    (HEAD + "A,,A,,1\n", "line 2: 'A,,A,,1'"),
    (HEAD + "A,,B,15OO,1\n", "line 2: 'A,,B,15OO,1'"),
    (HEAD + "A,,B,1500,2\n", "line 2: 'A,,B,1500,2'"),
    (
        HEAD + "A,,B,1500,1\nB,1400,C,,1\n",
        "line 3: B has another rating than before",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG_FILES)
def test_a_wrong_file_of_games_is_refused_by_line(text: str, message: str, tmp_path: Path):
    file = tmp_path / "games.csv"
    file.write_text(text, "utf-8")
    found = entered("ratinglist", "performance", "--iterate", str(file))
    assert (found.returncode, message in found.stderr) == (2, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe", "cannot be read: it is not UTF-8"),
        (f"{HEAD}A,1500,B,1500,1\n".encode(), "every player has a rating"),
        (b"x" * (8 * 2**20 + 1), "at most 8,388,608 bytes are read"),
    ],
)
def test_a_file_that_gives_nothing_to_calculate(content: bytes | None, message: str, tmp_path: Path):
    file = tmp_path / "games.csv"
    if content is not None:
        file.write_bytes(content)
    found = entered("ratinglist", "performance", "--iterate", str(file))
    assert (found.returncode, message in found.stderr) == (3, True)


WRONG_WORDS = [
    (("update", "--against", "1500", "--score", "1"), "Give either RATING or --age of a newcomer"),
    (("update", "1500", "--against", "1500", "--score", "1", "--k", "20", "--n0", "40"), "leave one of them out"),
    (("update", "1500", "--against", "1500", "--score", "1", "--opponent-k", "40"), "give --opponent-games too"),
    (("update", "1500", "--mutual", "1500", "--score", "1"), "With --mutual give --games and --score"),
    (("update", "1500", "--against", "1500"), "With --against give --results"),
    (("update", "1500", "--against", "1500", "--results", "1 1"), "--results has 2 results, --against 1 ratings"),
    (("update", "1500", "--against", "1500", "--score", "2"), "more than a point for each rating"),
    (("expected", "1500"), "R1 R2"),
    (("expected", "1500", "1600", "--compose", ".5", ".6"), "Beside --compose"),
    (("expected", "1500", "1600", "--ingo", "--single-update", "80", "80"), "nothing is read from --ingo"),
    (
        ("performance", "--against", "1500", "--score", "1", "--start", "1200"),
        "Beside --against nothing is read from --start",
    ),
    (("performance", "1500", "--iterate", "games.csv"), "Beside --iterate"),
]


@pytest.mark.parametrize(("words", "message"), WRONG_WORDS)
def test_what_contradicts_itself_is_refused(words: tuple[str, ...], message: str):
    found = entered("ratinglist", *words)
    assert (found.returncode, message in found.stderr) == (2, True), found.stderr
