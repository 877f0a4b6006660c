"""Notify people when a run ends or waits (:mod:`flows.notify`); Prefect calls this as hooks."""

from __future__ import annotations

import re
from typing import Any

from prefect import Flow
from prefect.client.schemas.objects import FlowRun, State
from prefect.logging import get_logger

from flows.notify import is_known, notify
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.workflows.due import last_closed_list

MADE_AGAIN = "again"
"""The tag of a run that was made in the place of an interrupted one; it is made once."""

UNCHANGED = "Unchanged"
"""The name of the completed state of a run that published nothing new."""

SUBJECTS = {
    "published": "published",
    "failed": "failed: an officer has to act",
    "cancelled": "ended without a list",
    "crashed": "was interrupted",
    "late": "is late: nothing runs it",
    "waiting": "waits for your decision",
}


def tell(
    parameters: dict[str, Any], event: str, run: str, name: str, text: str, *, only_if_known: bool = False
) -> None:
    """Tell people of an event of a run, best effort: what cannot be sent now is sent later.

    ``parameters``: those of the run. ``run``: identifies it. ``name``: what the dashboard calls it. ``only_if_known``:
    only where people have heard of the run before, and so wait for its end.
    """
    logger = get_logger("ratinglist.notify")
    try:
        settings = Settings.read(home=parameters.get("home"), family=parameters.get("rules"))
        if not settings.home.is_dir() or (only_if_known and not is_known(settings, run)):
            return
        for problem in notify(settings, event, run, f"{name} {SUBJECTS[event]}", text):
            logger.warning("Not sent yet: %s", problem)
    except (RatinglistError, OSError) as error:
        logger.warning("No notification that %s %s: %s", name, SUBJECTS[event], error)


def title(run: FlowRun) -> str:
    """Return what people know a run by: the month that it waits with or is due for; its name may be made up."""
    key = run.state.state_details.pause_key if run.state is not None else None
    if waits := re.match(r"[0-9]{4}-[0-9]{2}(?=-)", key or ""):
        return f"The list of {waits[0]}"
    if {"first", "start"} & run.parameters.keys():
        return run.name
    month = run.parameters.get("month")
    if not month and run.expected_start_time is not None:
        try:
            settings = Settings.read(home=run.parameters.get("home"), family=run.parameters.get("rules"))
        except CommandLineError:
            return run.name
        month = last_closed_list(settings, min(run.expected_start_time.date(), settings.today))
    return f"The list of {month}" if month else run.name


def after_a_crash(run: FlowRun) -> str:
    """Return what happens after a run was interrupted: the service makes it again, once."""
    if MADE_AGAIN in run.tags:
        return "It had been made again once, and is not a second time: start the deployment yourself."
    return "Where the service runs, it is started again within two minutes. Otherwise start the deployment yourself."


def _hook(event: str) -> Any:
    # Prefect calls the hooks of a crash by the names of the parameters.
    def notification(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:  # noqa: ARG001
        # The run before one that was made again may have been killed between publishing and notifying.
        only_if_known = state.name == UNCHANGED and MADE_AGAIN not in flow_run.tags
        name, text = flow_run.name, state.message or ""
        if event == "crashed":
            name, text = title(flow_run), f"{text} {after_a_crash(flow_run)}"
        tell(flow_run.parameters, event, str(flow_run.id), name, text, only_if_known=only_if_known)

    # Prefect shows the name of a hook in its log.
    notification.__name__ = f"tell_that_it_{event}" if event == "failed" else f"tell_that_it_was_{event}"
    return notification


HOOKS: dict[str, Any] = {
    "on_completion": [_hook("published")],
    "on_failure": [_hook("failed")],
    "on_cancellation": [_hook("cancelled")],
    "on_crashed": [_hook("crashed")],
}
"""The options of every flow. A run whose process is killed calls no hook: the service finds it and tells people."""
