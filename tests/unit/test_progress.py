"""Progress on stderr: lines in a log, bars on a terminal, and nothing of a quick command."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta

import pytest

from ratinglist.cli import progress
from ratinglist.cli.options import say
from ratinglist.cli.progress import Progress, end_progress


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


def test_a_quick_command_shows_nothing_on_a_terminal() -> None:
    with a_terminal() as terminal:
        Progress()("reports read", 1, 5)
        end_progress()
    assert terminal.getvalue() == ""


def test_a_step_is_shown_half_a_second_after_the_command_began(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    class Recorded(AtOnce):
        def __init__(self, seconds: float, function: Callable[[], None]) -> None:
            waits.append(seconds)
            super().__init__(seconds, function)

    monkeypatch.setattr(progress, "Timer", Recorded)
    clock = Clock()
    for seconds in (0, 0.25, 60):
        with a_terminal() as terminal:
            clock.seconds = 0
            shown = Progress(clock)
            clock.seconds = seconds
            shown("making the store again", 0, 9)
            end_progress()
        assert "making the store again" in terminal.getvalue()
    assert waits == [0.5, 0.25, 0]


def test_a_log_gets_its_first_line_after_half_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    shown = Progress(clock)
    for clock.seconds, done in ((0.25, 0), (0.5, 1), (1, 2)):
        shown("making the store again", done, 9)
    assert capsys.readouterr().err == "    0 s  making the store again 1 of 9\n"


class AtOnce:
    """A timer that does not wait."""

    def __init__(self, _seconds: float, function: Callable[[], None]) -> None:
        self.daemon, self._function = False, function

    def start(self) -> None:
        self._function()

    def cancel(self) -> None:
        pass


def test_a_terminal_gets_bars_that_are_gone_before_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "Timer", AtOnce)
    results = io.StringIO()
    with a_terminal() as terminal, redirect_stdout(results):
        shown = Progress()
        shown("reports read", 0, 5000)
        shown("reports read", 1200, 5000)
        shown("publishing", 0, 1)
        say("done")
    written = terminal.getvalue()
    assert "reports read" in written
    assert "publishing" in written
    # The cursor is shown again, and the last line erased.
    assert written.rpartition("\x1b[?25h")[2].endswith("\x1b[2K")
    assert results.getvalue() == "done\n"


def test_a_terminal_that_cannot_move_its_cursor_gets_lines() -> None:
    clock = Clock()
    with a_terminal("dumb") as terminal:
        shown = Progress(clock)
        clock.seconds = 2
        shown("checking", 0, 1)
    assert terminal.getvalue() == "    2 s  checking\n"
