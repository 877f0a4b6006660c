"""The states in which tasks and flows end: what was done, or the one sentence that says why it was not."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from prefect import get_run_logger
from prefect.client.schemas.objects import State
from prefect.exceptions import CancelledRun
from prefect.states import Cancelled, Completed, Failed

from flows.telling import Told
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import NothingReadError, RatinglistError
from ratinglist.safe_text import visible
from ratinglist.summaries import PublishSummary
from ratinglist.system_errors import system_error_text
from ratinglist.workflows.decide import RejectedError

UNCHANGED = "Unchanged"
"""The name of the completed state of a run that published nothing new."""

LOGGERS = ("prefect.flow_runs", "prefect.engine")
"""Those by which Prefect logs that a run ended with an exception, once in each."""

Parts = Iterator[PublishSummary | RevisedMonth | Told]
"""What a flow yields: each list that is published, and what people were told."""


def with_state(work: Callable[..., State[Any]]) -> Callable[..., State[Any]]:
    """Let a task return a failed state, with the error's sentence, and not raise.

    Prefect would log a traceback, which says nothing to an officer. An error of the disk, of permissions or of memory
    has the sentence that the command line prints for it; a defect is raised.
    """

    @wraps(work)
    def ended(*arguments: Any, **options: Any) -> State[Any]:
        try:
            return work(*arguments, **options)
        except RatinglistError as error:
            return failed(error)
        except Exception as error:
            text = system_error_text(error)
            if not text:
                raise
            return failed(NothingReadError(text))

    return ended


def with_news(lists: Callable[..., Parts]) -> Callable[..., Any]:
    """Let a flow end in a state that says what it published, or why it did not.

    A call of the flow returns the lists, or raises the error. The state is named *Unchanged* where every list was
    published already; it is cancelled where people rejected a list. What could not be made besides the lists is named
    at the end.
    """

    @wraps(lists)
    def ended(*arguments: Any, **options: Any) -> State[Any]:
        published: list[PublishSummary | RevisedMonth] = []
        missing: list[str] = []
        try:
            for part in lists(*arguments, **options):
                if isinstance(part, Told):
                    missing += part.missing
                else:
                    published.append(part)
        except RatinglistError as error:
            before = [_line(part) for part in published if part.is_new]
            text = visible("\n".join([str(error), *(["Published before that:", *before] if before else [])]))
            return Cancelled(message=text) if isinstance(error, RejectedError) else failed(error, text)
        for text in dict.fromkeys(missing):
            get_run_logger().warning(text)
        text = visible("\n".join([*map(_line, published), *dict.fromkeys(missing)]))
        is_new = any(part.is_new for part in published)
        return Completed(name=None if is_new else UNCHANGED, message=text, data=published)

    # Prefect checks what it is given by these types, and would look for their names here.
    ended.__signature__ = inspect.signature(lists, eval_str=True)  # type: ignore[attr-defined]
    return ended


def failed(error: RatinglistError, text: str = "") -> State[Any]:
    """Return the failed state of an error, which says its sentence, or ``text``.

    Without its frames: they hold the store, and DuckDB prints what is left of it when the process ends.
    """
    return Failed(message=text or str(error), data=error.with_traceback(None))


def _line(part: PublishSummary | RevisedMonth) -> str:
    digest = f" (digest {part.digest})" if isinstance(part, PublishSummary) else ""
    return f"{part.text()}{digest}"


def _is_of_no_state(entry: logging.LogRecord) -> bool:
    """Return whether a line of the log is about anything but an error that the state of the run has the sentence of."""
    return not (entry.exc_info and isinstance(entry.exc_info[1], RatinglistError | CancelledRun))


# At the end of the process of a run Prefect raises the error of its state again and logs it with a traceback. Any other
# error is a defect, whose traceback is needed.
for _logger in LOGGERS:
    logging.getLogger(_logger).addFilter(_is_of_no_state)
