"""Every command and option of `ratinglist` that a message, a page, a query or a template names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ratinglist.cli.main import program
from tests.docs.session import ROOT

PLACES = ("src", "flows", "docs", "sql", "deploy", "data/letters", "data/desk", "data/sample", "data/systems", "*.md")
KINDS = (".py", ".md", ".rst", ".sql", ".toml", ".html", ".service", ".yaml")
_NAMED = re.compile(r"\bratinglist ((?:(?:--home|--json) ?(?:DIR )?)?)([a-z][a-z-]*)(.*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_END = re.compile(r"[`|;#<)&]|\\n|: | \$ |, (?=ratinglist)|(?<!\\)\"(?![^\"]*=)")
"""Where a command ends in a line: behind it the options may be those of another program."""
PROSE = {"import", "ratinglist", "again", "and", "cannot", "made", "writes", "wrote"}
"""Words behind the name of the program, of the package or of an account that are no command."""


def files() -> list[Path]:
    """Return the texts that name commands; the changelog tells of those that went."""
    paths = [path for place in PLACES for folder in ROOT.glob(place) for path in (folder, *folder.rglob("*"))]
    return sorted({path for path in paths if path.suffix in KINDS and path.is_file() and path.name != "CHANGELOG.md"})


def commands_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each command in a text, and the words behind it in its line."""
    # A line goes on behind a backslash, and a text of Python in the next line.
    joined = re.sub(r"\\\n\s*|(?<=[^\n])\"\n\s*f?\"", " ", text)
    for _, name, rest in _NAMED.findall(joined):
        end = _END.search(rest)
        yield name, (rest[: end.start()] if end else rest).split()


def options_of(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def problem(name: str, words: list[str]) -> str:
    """Return what is not there of a command with its words; empty where all of it is."""
    command = program.commands.get(name)
    if command is None:
        return "" if name in PROSE else f"ratinglist {name}"
    if isinstance(command, click.Group) and words and words[0] in command.commands:
        command = command.commands[words[0]]
    unknown = set(_OPTION.findall(" ".join(words))) - options_of(command) - {"--help"}
    return f"ratinglist {name} {' '.join(sorted(unknown))}" if unknown else ""


def test_every_command_and_option_that_a_text_names_is_there() -> None:
    named = [(path, *command) for path in files() for command in commands_in(path.read_text(encoding="utf-8"))]
    assert len(named) > 400
    wrong = [(str(path.relative_to(ROOT)), fault) for path, name, words in named if (fault := problem(name, words))]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("see `ratinglist report 2025-10`", ["ratinglist report"]),
        ("ratinglist rate 2025-10 --ruls club", ["ratinglist rate --ruls"]),
        ("ratinglist lab replay --system fide && make --jobs 2", ["ratinglist lab --system"]),
        ("ratinglist publish 2025-10 \\\n    --preview", []),
    ],
)
def test_what_is_not_there_is_found(text: str, faults: list[str]) -> None:
    assert [fault for name, words in commands_in(text) if (fault := problem(name, words))] == faults
