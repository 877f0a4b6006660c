"""What the steps and the flows of a list are for Prefect: tried again, counted, and ended with one sentence.

A step is tried again while another process writes the store. Its state carries what it counted, in the words that an
officer reads on the dashboard, and its artifact has all of it. A flow ends with what it published, or why it did not.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from prefect import Task, get_run_logger
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.exceptions import CancelledRun
from prefect.states import Cancelled, Completed, Failed

from flows.decision import RejectedError
from flows.telling import Told
from ratinglist.errors import NothingReadError, RatinglistError, StoreInUseError, system_error_text
from ratinglist.pages.document import paragraph
from ratinglist.settings import Settings
from ratinglist.summaries import PublishSummary
from ratinglist.text import visible

RETRIES: list[float] = [10, 60, 300]
"""Seconds to wait before each further try: a manual run of a large month holds the store for less than the last one."""

_LINES = 6
"""How much of what was counted the state of a task carries; its artifact has all of it."""


class Step(Task[..., Any]):
    """A task whose call returns what it counted, or raises its error."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Run the task inside a flow."""
        return super().__call__(*arguments, **options, return_state=True).result()


def _store_is_in_use(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether a failed task may be tried again.

    Waiting helps only where another process is writing the store. A refused command, a stopped publication or a defect
    would fail again in the same way, so the run fails at once.
    """
    return isinstance(state.result(raise_on_failure=False), StoreInUseError)


def task(run_name: str) -> Callable[[Callable[..., State[Any]]], Step]:
    """Make a task of a step, which returns what :func:`counted` returns. ``run_name``: what the dashboard calls it."""

    def task_of(step: Callable[..., State[Any]]) -> Step:
        return Step(
            with_state(step),
            name=step.__name__,
            task_run_name=run_name,
            # A task is run for its effect on the store, and a cached result would skip it.
            cache_policy=NO_CACHE,
            retries=len(RETRIES),
            retry_delay_seconds=RETRIES,
            retry_condition_fn=_store_is_in_use,
        )

    return task_of


def counted(settings: Settings, what: str, data: Any, text: str, page: str = "") -> State[Any]:
    """Keep what a step counted as its artifact, and return the state that has it.

    ``what``: the step and its month. ``data``: what the call of the task returns. ``text``: its counts in lines for
    people. ``page``: more of the artifact, as Markdown.
    """
    key = key_of(settings, what)
    try:
        create_markdown_artifact(f"{paragraph(text)}\n\n{page}", key=key, description=text.partition("\n")[0])
    except Exception as error:  # whatever it is: an ornament is missing, and the log states which one
        get_run_logger().warning("The artifact %s was not kept on the dashboard: %s", key, visible(repr(error)))
    get_run_logger().info(visible(text))
    lines = text.splitlines()[:_LINES]
    return Completed(message=visible("; ".join(" ".join(line.split()) for line in lines)), data=data)


def key_of(settings: Settings, what: str) -> str:
    """Return the key of an artifact: the name of the home, the rule family, and ``what`` it is.

    One server may have several offices, and an artifact is found by its key.
    """
    # Prefect allows only these characters.
    return re.sub("[^a-z0-9]+", "-", f"{settings.home.resolve().name} {settings.family} {what}".lower()).strip("-")


UNCHANGED = "Unchanged"
"""The name of the completed state of a run that published nothing new."""

LOGGERS = ("prefect.flow_runs", "prefect.engine")
"""Those by which Prefect logs that a run ended with an exception, once in each."""

Parts = Iterator[PublishSummary | Told]
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
        except Exception as error:  # of the disk, of permissions or of memory; a defect is raised
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
        published: list[PublishSummary] = []
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


def _line(part: PublishSummary) -> str:
    return f"{part.text()} (digest {part.digest})"


def _is_of_no_state(entry: logging.LogRecord) -> bool:
    """Return whether a line of the log is about anything but an error that the state of the run has the sentence of."""
    return not (entry.exc_info and isinstance(entry.exc_info[1], RatinglistError | CancelledRun))


# At the end of the process of a run Prefect raises the error of its state again and logs it with a traceback. Any other
# error is a defect, whose traceback is needed.
for _logger in LOGGERS:
    logging.getLogger(_logger).addFilter(_is_of_no_state)
