"""Progress on stderr: a line a second."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ratinglist.cli import options


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that a test sets."""
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(options.time, "monotonic", lambda: clock.seconds)
    return clock


def test_a_log_gets_a_line_a_second(capsys: pytest.CaptureFixture[str], clock: SimpleNamespace) -> None:
    shown = options.Progress()
    for clock.seconds, done in ((0, 1), (1, 20), (1, 21), (75, 3000)):
        shown("reports read", done, 5000)
    clock.seconds = 80
    shown("checking", 0, 1)
    assert capsys.readouterr().err.splitlines() == [
        "    1 s  reports read 20 of 5,000",
        "   75 s  reports read 3,000 of 5,000",
        "   80 s  checking",
    ]


def test_a_log_gets_its_first_line_after_half_a_second(
    capsys: pytest.CaptureFixture[str], clock: SimpleNamespace
) -> None:
    shown = options.Progress()
    for clock.seconds, done in ((0.25, 0), (0.5, 1), (1, 2)):
        shown("making the store again", done, 9)
    assert capsys.readouterr().err == "    0 s  making the store again 1 of 9\n"
