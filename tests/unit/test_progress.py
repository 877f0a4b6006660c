"""Progress on stderr: lines in a log, bars on a terminal, and nothing of a quick command."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime, timedelta

import pytest

from ratinglist.cli import progress
from ratinglist.cli.options import say
from ratinglist.cli.progress import Progress, end_progress


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> datetime:
        return datetime(2025, 12, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    return shown


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


def test_a_quick_command_shows_nothing_on_a_terminal(terminal: Terminal) -> None:
    Progress()("reports read", 1, 5)
    end_progress()
    assert terminal.getvalue() == ""


def test_a_terminal_gets_bars_that_are_gone_before_the_result(
    terminal: Terminal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "Timer", AtOnce)
    shown = Progress()
    shown("reports read", 1200, 5000)
    shown("publishing", 0, 1)
    say("done")
    assert "reports read" in terminal.getvalue()
    assert "1,200 of 5,000" in terminal.getvalue()
    assert "publishing" in terminal.getvalue()
    # The cursor is shown again, and the last line erased.
    assert terminal.getvalue().rpartition("\x1b[?25h")[2].endswith("\x1b[2K")
    assert capsys.readouterr().out == "done\n"


class AtOnce:
    """A timer that does not wait."""

    def __init__(self, _seconds: int, function: object) -> None:
        self.daemon, self._function = False, function

    def start(self) -> None:
        assert callable(self._function)
        self._function()

    def cancel(self) -> None:
        pass


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    clock = Clock()
    shown = Progress(clock)
    clock.seconds = 2
    shown("checking", 0, 1)
    assert terminal.getvalue() == "    2 s  checking\n"
