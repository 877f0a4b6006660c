"""The worked examples of the page print what it states, and the tests that it names are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import entered

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs/reference/worked-examples.md").read_text("utf-8").splitlines()
    if line.startswith("|") and "`" in line
]
COMMANDS = [(row[1].strip("`"), row[2].split(", ")) for row in ROWS if row[1].startswith("`ratinglist")]
TESTS = [row[2].strip("`") for row in ROWS if row[2].startswith("`tests/")]


def test_the_page_has_examples_of_both_kinds():
    assert len(COMMANDS) + len(TESTS) == len(ROWS)
    assert min(len(COMMANDS), len(TESTS)) > 10


@pytest.mark.parametrize(("command", "values"), COMMANDS)
def test_a_command_prints_what_the_page_states(command: str, values: list[str]):
    text = entered(*shlex.split(command)).stdout
    assert [one for one in values if not re.search(rf"(?<![\d.]){re.escape(one)}(?!\d)", text)] == []


@pytest.mark.parametrize("name", TESTS)
def test_a_test_that_the_page_names_is_there(name: str):
    file, _, function = name.partition("::")
    assert f"def {function}(" in (ROOT / file).read_text("utf-8")
