"""The walk of the page on one game; its figures are sessions, which `test_sessions.py` runs."""

from __future__ import annotations

import re

import pytest

from benchmarks.house import modules_entered
from tests.docs.session import ROOT

PAGE = (ROOT / "docs" / "explanation" / "one-game.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_first_run_enters_every_file_of_the_walk() -> None:
    walk = re.findall(r"^\| `([\w/]+)` \|", PAGE, re.MULTILINE)
    assert walk
    assert set(walk) <= set(modules_entered(ROOT))
