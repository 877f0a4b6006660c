"""Keep the tracebacks of Prefect out of the log where a run ended with a sentence for an officer."""

from __future__ import annotations

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


def _is_of_no_state(entry: logging.LogRecord) -> bool:
    """Return whether a line of the log is about anything but an error that the state of the run has the sentence of."""
    return not (entry.exc_info and isinstance(entry.exc_info[1], RatinglistError | CancelledRun))
