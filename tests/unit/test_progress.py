"""Progress on stderr: lines in a log, and one line on a terminal, which is erased."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta

import pytest

from ratinglist.cli.options import Progress, say


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds: float = 0

    def __call__(self) -> datetime:
        return datetime(2025, 12, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@contextmanager
def a_terminal(kind: str = "xterm") -> Iterator[Terminal]:
    """Let stderr be a terminal."""
    shown = Terminal()
    with redirect_stderr(shown), pytest.MonkeyPatch.context() as environment:
        environment.setenv("TERM", kind)
        yield shown


def test_a_log_gets_a_line_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    shown = Progress(clock)
    for clock.seconds, done in ((0, 1), (1, 20), (1, 21), (75, 3000)):
        shown("reports read", done, 5000)
    clock.seconds = 80
    shown("checking", 0, 1)
    assert capsys.readouterr().err.splitlines() == [
        "    1 s  reports read 20 of 5,000",
        "   75 s  reports read 3,000 of 5,000",
        "   80 s  checking",
    ]


def test_a_log_gets_its_first_line_after_half_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    shown = Progress(clock)
    for clock.seconds, done in ((0.25, 0), (0.5, 1), (1, 2)):
        shown("making the store again", done, 9)
    assert capsys.readouterr().err == "    0 s  making the store again 1 of 9\n"


def test_a_terminal_gets_one_line_that_is_gone_before_the_result() -> None:
    results = io.StringIO()
    with a_terminal() as terminal, redirect_stdout(results):
        shown = Progress(Clock())
        shown("reports read", 1200, 5000)
        shown("publishing", 0, 1)
        say("done")
    erased = "\r\x1b[K"
    assert terminal.getvalue() == f"{erased}    0 s  reports read 1,200 of 5,000{erased}    0 s  publishing{erased}"
    assert results.getvalue() == "done\n"


def test_a_terminal_that_cannot_move_its_cursor_gets_lines() -> None:
    clock = Clock()
    with a_terminal("dumb") as terminal:
        shown = Progress(clock)
        clock.seconds = 2
        shown("checking", 0, 1)
    assert terminal.getvalue() == "    2 s  checking\n"
