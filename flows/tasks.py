"""The steps of a list as Prefect tasks: each is tried again while another process writes the store.

A task calls one workflow. Its state carries what it did, in the words that an officer reads on the dashboard.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.exceptions import CancelledRun
from prefect.states import Completed, Failed

from ratinglist.errors import NothingReadError, RatinglistError, StoreInUseError
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.system_errors import system_error_text

RETRIES: list[float] = [10, 60, 300]
"""Seconds to wait before each further try: a manual run of a large month holds the store for less than the last one."""

LOGGERS = ("prefect.flow_runs", "prefect.engine")
"""Those by which Prefect logs that a run ended with an exception, once in each."""

_LINES = 6
"""How much of a summary the state of a task carries; the log of the run has all of it."""


def _store_is_in_use(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether a failed task may be tried again.

    Waiting helps only where another process is writing the store. A refused command, a stopped publication or a defect
    would fail again in the same way, so the run fails at once.
    """
    return isinstance(state.result(raise_on_failure=False), StoreInUseError)


# No caching: a task is run for its effect on the store, and a cached result would skip it.
@task(
    task_run_name="{name}",
    cache_policy=NO_CACHE,
    retries=len(RETRIES),
    retry_delay_seconds=RETRIES,
    retry_condition_fn=_store_is_in_use,
)
def step(
    name: str,  # noqa: ARG001 - Prefect calls the task by it
    work: Callable[[], Any],
    text_of: Callable[[Any], str] = lambda summary: str(summary.text()),
) -> State[Any]:
    """Do the ``work`` of one workflow. ``name``: what the dashboard calls it. ``text_of``: see :func:`state_of`."""
    return state_of(work, text_of)


def state_of(
    work: Callable[[], Any], text_of: Callable[[Any], str] = lambda summary: str(summary.text())
) -> State[Any]:
    """Return the state that a task ends in: what it did as the message, or the error's one sentence.

    An error of the disk, of permissions or of memory has the sentence that the command line prints for it.

    ``text_of``: the text of what the work returned, by default of its summary. An error of the program is returned as a
    failed state, not raised: Prefect would log a traceback, which says nothing to an officer.
    """
    try:
        found = work()
    except RatinglistError as error:
        return failed(error)
    except Exception as error:
        text = system_error_text(error)
        if not text:
            raise
        return failed(NothingReadError(text))
    lines = text_of(found).splitlines()[:_LINES]
    return Completed(message=visible("; ".join(" ".join(line.split()) for line in lines)), data=found)


def failed(error: RatinglistError, text: str = "") -> State[Any]:
    """Return the failed state of an error, which says its sentence, or ``text``.

    Without its frames: they hold the store, and DuckDB prints what is left of it when the process ends.
    """
    return Failed(message=text or str(error), data=error.with_traceback(None))


def months_as_text(months: list[Period]) -> str:
    """Return the months that a step found, as its state has them."""
    return ", ".join(map(str, months))


def _is_of_no_state(entry: logging.LogRecord) -> bool:
    """Return whether a line of the log is about anything but an error that the state of the run has the sentence of."""
    return not (entry.exc_info and isinstance(entry.exc_info[1], RatinglistError | CancelledRun))


# At the end of the process of a run Prefect raises the error of its state again and logs it with a traceback. Any other
# error is a defect, whose traceback is needed.
for _logger in LOGGERS:
    logging.getLogger(_logger).addFilter(_is_of_no_state)
