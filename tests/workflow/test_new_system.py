"""``dev new-system`` writes a package that keeps every promise, and never writes over anything."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.rating.systems import registry
from ratinglist.workflows.systems import new_system
from ratinglist_world.testing import PlainGame, PlainPlayer, broken_promises, unlike_second_calculation
from tests.command_line import entered
from tests.docs.session import module_of
from tests.packages import FOLDER, installed
from tests.workflow.test_systems_of_packages import made_up

pytestmark = pytest.mark.asks_only()

__all__ = ["made_up"]

NAME = "hill-elo"


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier test imported is not there."""
    monkeypatch.delitem(sys.modules, "hill_elo", raising=False)


def test_the_package_is_written_whole_under_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = entered("ratinglist", "dev", "new-system", NAME, "--json")
    assert json.loads(shown.stdout) == {
        "system": NAME,
        "folder": NAME,
        "files": [
            "hill_elo/__init__.py",
            f"hill_elo/rules/{NAME}/standard/2000-01-01.toml",
            "pyproject.toml",
            "tests/second_calculation.py",
            "tests/test_hill_elo.py",
        ],
    }
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    texts = [path.read_text("utf-8") for path in (tmp_path / NAME).rglob("*") if path.is_file()]
    assert [text for text in texts if "plain-elo" in text or "plain_elo" in text] == []
    project = tomllib.loads((tmp_path / NAME / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"][registry.GROUP] == {NAME: "hill_elo:SYSTEM"}


def test_what_is_written_keeps_the_promises_of_a_calculation(tmp_path: Path, made_up: Path) -> None:
    new_system(NAME, tmp_path)
    with installed(tmp_path / "facts", NAME, source=tmp_path):
        assert broken_promises(NAME, made_up=made_up) == []


def test_its_second_calculation_has_the_same_ratings_and_finds_others(tmp_path: Path, made_up: Path) -> None:
    second = module_of(FOLDER / "plain-elo" / "tests" / "second_calculation.py")
    with installed(tmp_path, "plain-elo"):
        months: list[tuple[dict[int, PlainPlayer], list[PlainGame]]] = []

        def another(before: dict[int, PlainPlayer], played: list[PlainGame]) -> dict[int, int]:
            months.append((before, played))
            return {1: 1500, **second.new_list(before, played)}

        assert unlike_second_calculation("plain-elo", another, lists=2, made_up=made_up) == [
            f"plain-elo, list {number}: player 1 has None, and 1500 by the second calculation" for number in (0, 1)
        ]
    for listed, games in months:
        assert {game.score_halves for game in games} == {0, 1, 2}
        assert {game.player in listed for game in games} == {True, False}
        assert [game.ended for game in games] == sorted(game.ended for game in games)


def test_the_example_by_hand_of_the_package_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER / "plain-elo" / "tests"))
    module_of(FOLDER / "plain-elo" / "tests" / "test_plain_elo.py").test_an_example_by_hand()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Hill Elo", "write small letters, digits and single hyphens"),
        ("../elo", "write small letters, digits and single hyphens"),
        ("hill--elo", "write small letters, digits and single hyphens"),
        ("h" * 41, "at most 40 in all"),
        ("fide", "There is a system or a rule family 'fide' already"),
        ("course-tranche", "There is a system or a rule family 'course-tranche' already"),
        ("wcc", "There is a system or a rule family 'wcc' already"),
        ("statistics", "Python has a module or a word 'statistics' already"),
        ("ratinglist", "Python has a module or a word 'ratinglist' already"),
        ("class", "such as class-rating"),
    ],
)
def test_a_wrong_or_taken_name_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(CommandLineError, match=message):
        new_system(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in (NAME, "link"):
        with pytest.raises(CommandLineError, match=f"{name} is there already"):
            new_system(name, tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [NAME, "link"]
