"""Keep the tracebacks of Prefect out of the log where a sentence says what happened."""

from __future__ import annotations

import asyncio
import logging

from prefect.exceptions import CancelledRun

from ratinglist.errors import RatinglistError

_LOGGERS = ("prefect.flow_runs", "prefect.engine")
"""Those by which Prefect logs that a run ended with an exception, once in each."""


def omit_tracebacks_of_failed_runs() -> None:
    """Log no traceback for an error of the program and for a cancelled run: Prefect logs the sentence of the state.

    At the end of the process of a run Prefect raises the error again and logs it. Any other error is a defect, whose
    traceback is needed. To call this again changes nothing.
    """
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_is_of_no_state)


def shorten_lost_connections() -> None:
    """Log one line where the serving process has lost its server, or is stopped after that.

    Prefect goes on without the connection, so its line with the reason is enough. To call this again changes nothing.
    """
    logging.getLogger("prefect.FlowRunCancellingObserver").addFilter(_with_the_reason_alone)
    logging.getLogger("asyncio").addFilter(_is_of_no_stop)


def _with_the_reason_alone(entry: logging.LogRecord) -> bool:
    """Put the reason in the place of a traceback."""
    if entry.exc_info and entry.exc_info[1]:
        entry.msg, entry.args = f"{entry.getMessage()} ({entry.exc_info[1]})", ()
        entry.exc_info = entry.exc_text = None
    return True


def _is_of_no_stop(entry: logging.LogRecord) -> bool:
    """Return whether a line of the log is about anything but the end of Prefect's look for cancelled runs."""
    is_end = entry.exc_info and isinstance(entry.exc_info[1], asyncio.CancelledError)
    return not (is_end and "FlowRunCancellingObserver" in entry.getMessage())


def _is_of_no_state(entry: logging.LogRecord) -> bool:
    """Return whether a line of the log is about anything but an error that the state of the run has the sentence of."""
    return not (entry.exc_info and isinstance(entry.exc_info[1], RatinglistError | CancelledRun))
