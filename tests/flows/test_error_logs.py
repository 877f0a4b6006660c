"""What the log of a run has where the run ended with a sentence, and where the program is wrong."""

from __future__ import annotations

import logging

import pytest
from prefect.exceptions import CancelledRun

from flows.tasks import LOGGERS, failed, with_state
from ratinglist.errors import CheckError, CommandLineError


class Kept(logging.Handler):
    """Keeps the lines that reach it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record)


@pytest.fixture(params=LOGGERS)
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[logging.Logger, Kept]:
    """A logger of Prefect that writes to the test alone, and what reaches its handler."""
    logger, kept = logging.getLogger(request.param), Kept()
    monkeypatch.setattr(logger, "handlers", [kept])
    monkeypatch.setattr(logger, "propagate", False)
    return logger, kept


@pytest.mark.parametrize("error", [CheckError("A check failed."), CommandLineError("No month."), CancelledRun("No.")])
def test_an_error_with_a_sentence_is_not_logged_again_as_a_traceback(log, error):
    logger, kept = log
    logger.error("Engine execution exited with unexpected exception", exc_info=error)
    assert kept.lines == []


def test_a_defect_keeps_its_traceback_and_a_line_without_an_error_is_logged(log):
    logger, kept = log
    logger.error("Engine execution exited with unexpected exception", exc_info=ZeroDivisionError())
    logger.error("The server does not answer.")
    assert [bool(line.exc_info) for line in kept.lines] == [True, False]


def test_a_failed_state_holds_no_frame_that_holds_the_store():
    def work() -> None:
        raise CheckError("A check failed.")

    state = with_state(work)()
    assert state.message == "A check failed."
    assert state.result(raise_on_failure=False).__traceback__ is None
    assert failed(CheckError("another")).is_failed()
