"""Progress on stderr: a line a second."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ratinglist.cli import options

START = ((0, 1), (1, 20), (1, 21), (75, 3000))


@pytest.mark.parametrize(
    ("step", "calls", "lines"),
    [
        ("reports read", START, ["    1 s  reports read 20 of 3,001", "   75 s  reports read 3,000 of 3,001"]),
        ("checking", ((0, 0), (80, 0)), ["   80 s  checking"]),
        # The first line comes after half a second.
        ("made", ((0.25, 0), (0.5, 1), (1, 2)), ["    0 s  made 1 of 3"]),
    ],
)
def test_a_log_gets_a_line_a_second(capsys, monkeypatch, step, calls, lines) -> None:
    clock = SimpleNamespace()
    monkeypatch.setattr(options.time, "monotonic", lambda: clock.seconds)
    clock.seconds = 0.0
    shown = options.Progress()
    for clock.seconds, done in calls:
        shown(step, done, calls[-1][1] + 1)
    assert capsys.readouterr().err.splitlines() == lines
