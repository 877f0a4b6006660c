"""What each step of a list is as a Prefect task: tried again while another process writes the store, and counted.

Its state carries what it counted, in the words that an officer reads on the dashboard, and its artifact has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from prefect import Task, get_run_logger
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.states import Completed

from flows.states import with_state
from ratinglist.config.settings import Settings
from ratinglist.errors import StoreInUseError
from ratinglist.pages.markdown import paragraph
from ratinglist.safe_text import visible

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

    def made(step: Callable[..., State[Any]]) -> Step:
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

    return made


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
