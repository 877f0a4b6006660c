"""The walk of the page on one game; its figures are sessions, which `test_sessions.py` runs."""

from __future__ import annotations

import pytest

from benchmarks.house import modules_entered
from benchmarks.walk import GAME, with_walk
from tests.docs.session import ROOT

PAGE = (ROOT / "docs" / "explanation" / "one-game.md").read_text(encoding="utf-8")


def test_the_walk_has_the_first_lines_of_its_files() -> None:
    assert with_walk(PAGE) == PAGE, "run: python -m benchmarks.walk"


@pytest.mark.long
def test_a_first_run_enters_every_file_of_the_walk() -> None:
    assert set(GAME) <= set(modules_entered(ROOT))
