"""An analyst's class that is wrong: the message names the file, the class and what is expected."""

from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.laboratory.own_system import OwnClass, OwnMonth
from ratinglist.laboratory.replay import load_own, named_system
from ratinglist.store.rule_files import rule_book
from tests.conftest import ROOT

MINE = (ROOT / "data" / "laboratory" / "mine.py").read_text(encoding="utf-8")
COLUMNS = '{"games": pl.Int32}'
PLAYERS = pl.DataFrame(
    {"fide_id": [11, 12, 13], "list_rating": [1800, 1700, 0], "games_played": [30, 40, 0]},
    schema={"fide_id": pl.Int64, "list_rating": pl.Int32, "games_played": pl.Int32},
)
GAMES = pl.DataFrame({"white": [0, 1], "black": [1, 2]}, schema={"white": pl.UInt32, "black": pl.UInt32})


def loaded(tmp_path: Path, text: str) -> OwnClass:
    path = tmp_path / "own.py"
    path.write_text(text, encoding="utf-8")
    return load_own(f"{path}:Mine")


def replay_a_month(own: OwnClass) -> None:
    ratings = own.enter(PLAYERS)
    own.expect(ratings, GAMES)
    own.update(ratings, OwnMonth(GAMES, pl.Series([1.0, 0.5]), 3))


def test_the_example_gives_ratings_shares_and_a_month(tmp_path: Path):
    own = loaded(tmp_path, MINE)
    ratings = own.enter(PLAYERS)
    assert ratings["rating"].to_list() == [1800.0, 1700.0, 1500.0]
    assert ratings.schema == {"fide_id": pl.Int64, "rating": pl.Float64, "games": pl.Int32}
    assert own.expect(ratings, GAMES).is_between(0, 1).all()
    after = own.update(ratings, OwnMonth(GAMES, pl.Series([1.0, 0.5]), 3))
    assert after["games"].to_list() == [1, 2, 1]


def test_a_class_may_return_the_columns_of_the_system_alone(tmp_path: Path):
    text = MINE.replace(
        "players.with_columns(rating=pl.lit(1500.0), games=pl.lit(0))",
        'players.select("fide_id", rating=pl.lit(1500), games=pl.lit(0))',
    )
    assert loaded(tmp_path, text).enter(PLAYERS)["rating"].to_list() == [1800.0, 1700.0, 1500.0]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ('["games"]', "its columns must be a dictionary from names to Polars types"),
        ("None", "its columns must be a dictionary"),
        ('{"games": "int"}', "of 'games' 'int' is no Polars type"),
        ("{5: pl.Int32}", "5 is no name of a column"),
        ('{"rating": pl.Int32}', "its columns have 'rating', which the replay keeps"),
        ('{"fide_id": pl.Int64}', "its columns have 'fide_id', which the replay keeps"),
        ('{"games": pl.List(pl.Int32)}', "is not one of a single value"),
        ('{"games": pl.Object}', "is not one of a single value"),
    ],
)
def test_columns_that_are_wrong_are_refused(tmp_path: Path, columns: str, message: str):
    with pytest.raises(CommandLineError) as raised:
        loaded(tmp_path, MINE.replace(COLUMNS, columns))
    assert f"{tmp_path / 'own.py'}: the class Mine: " in str(raised.value)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINE.replace('"mine"', "5"), "the name 5 must be a text"),
        (MINE.replace("    def enter(", "    enter = 5\n\n    def other("), "has no method enter: 5 is none"),
        ("import sys\nsys.exit(0)", "SystemExit: 0. Fix the file"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt: . Fix the file"),
        ("class Mine:\n    def __init__(self):\n        raise SystemExit", "SystemExit: . Fix the file"),
    ],
)
def test_a_file_that_is_wrong_is_refused(tmp_path: Path, text: str, message: str):
    with pytest.raises(CommandLineError) as raised:
        loaded(tmp_path, text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rating=pl.lit(1500.0)", "rating=pl.lit('high')", "mine.enter returned the column 'rating' as String"),
        ("games=pl.lit(0)", "games=pl.lit('none')", "mine.enter returned the column 'games' as String"),
        ("games=pl.lit(0)", "played=pl.lit(0)", "mine.enter returned no column games"),
        ("return players.with_columns(", "return players.drop('fide_id').with_columns(", "with the same players"),
        ("return players.with_columns(", "return players.lazy().with_columns(", "must return a Polars DataFrame"),
        (
            "return players.with_columns(",
            "raise SystemExit(0)\n        players.head(",
            "mine.enter failed: SystemExit: 0",
        ),
        ("return logistic(", "return 'half'\n        (", "mine.expect must return a Polars Series of numbers"),
        ("return logistic(", "return pl.Series(['a', 'b'])\n        (", "must return a Polars Series of numbers"),
        ("return logistic(", "exit(3)\n        (", "mine.expect failed: SystemExit: 3"),
        ("gain = ", "raise KeyboardInterrupt\n        gain = ", "mine.update failed: KeyboardInterrupt"),
        ("rating=pl.col", "rating=pl.lit(None) * pl.col", "mine.update returned a rating that is missing"),
    ],
)
def test_what_a_method_does_wrong_is_named(tmp_path: Path, before: str, after: str, message: str):
    text = MINE.replace(before, after)
    assert text != MINE
    own = loaded(tmp_path, text)
    with pytest.raises(CommandLineError) as raised:
        replay_a_month(own)
    assert message in str(raised.value)
    assert str(tmp_path / "own.py") in str(raised.value)
    assert "Fix the class" in str(raised.value)


def test_a_name_that_differs_from_a_family_by_case_alone_is_refused(tmp_path: Path):
    (tmp_path / "own.py").write_text(MINE.replace('"mine"', '"FIDE"'), encoding="utf-8")
    with pytest.raises(CommandLineError, match="is that of a rule family"):
        named_system(f"{tmp_path / 'own.py'}:Mine", rule_book(), "standard", from_scratch=False)
