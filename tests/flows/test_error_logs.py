"""What the log of a run has where the run ended with a sentence, and where the program is wrong."""

from __future__ import annotations

import asyncio
import logging

import pytest
from prefect.exceptions import CancelledRun

from flows.error_logs import omit_tracebacks_of_failed_runs, shorten_lost_connections
from flows.tasks import failed, state_of
from ratinglist.errors import CheckError, CommandLineError

PREFECTS = ("prefect.flow_runs", "prefect.engine")


class Kept(logging.Handler):
    """Keeps the lines that reach it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record)


@pytest.fixture(params=PREFECTS)
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[logging.Logger, Kept]:
    """A logger of Prefect that writes to the test alone, and what reaches its handler."""
    omit_tracebacks_of_failed_runs()
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

    state = state_of(work)
    assert state.message == "A check failed."
    assert state.result(raise_on_failure=False).__traceback__ is None
    assert failed(CheckError("another")).is_failed()


@pytest.fixture
def serving_log(monkeypatch: pytest.MonkeyPatch) -> Kept:
    """What the serving process logs of its connections."""
    shorten_lost_connections()
    kept = Kept()
    for name in ("prefect.FlowRunCancellingObserver", "asyncio"):
        monkeypatch.setattr(logging.getLogger(name), "handlers", [kept])
        monkeypatch.setattr(logging.getLogger(name), "propagate", False)
    return kept


def test_a_lost_connection_is_one_line_with_its_reason(serving_log):
    logger = logging.getLogger("prefect.FlowRunCancellingObserver")
    logger.warning("The websocket failed: %s.", "events", exc_info=ConnectionError("closed by the server"))
    (line,) = serving_log.lines
    assert (line.getMessage(), line.exc_info) == ("The websocket failed: events. (closed by the server)", None)


def test_the_end_of_the_look_for_cancelled_runs_is_not_logged_and_other_errors_are(serving_log):
    logger = logging.getLogger("asyncio")
    logger.error("Exception in callback FlowRunCancellingObserver._done", exc_info=asyncio.CancelledError())
    logger.error("Exception in callback another", exc_info=asyncio.CancelledError())
    logger.error("Exception in callback FlowRunCancellingObserver._done", exc_info=ZeroDivisionError())
    assert [line.getMessage().rpartition(" ")[2] for line in serving_log.lines] == [
        "another",
        "FlowRunCancellingObserver._done",
    ]
