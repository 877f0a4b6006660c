"""The worked examples of the page print what it states, and the tests that it names are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from ratinglist.cli.main import program
from tests.command_line import entered

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/worked-examples.md").read_text("utf-8")


def rows_of(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|") and "`" in line
    ]


WHERE, ROWS = (rows_of(part) for part in PAGE.split("## By a command"))
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


def test_the_command_of_every_formula_is_there():
    wrong = []
    for _, shown in WHERE:
        words = shlex.split(re.findall("`ratinglist ([^`]*)`", shown)[0])
        command: click.Command = program
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        options = {name for one in command.params for name in one.opts}
        wrong += [word for word in words if word.startswith("--") and word not in options]
    assert wrong == []
    assert len(WHERE) > 20
