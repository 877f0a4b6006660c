"""Notify people when a run ends or waits (:mod:`flows.notify`); Prefect calls this as hooks."""

from __future__ import annotations

import re
from typing import Any

from prefect import Flow
from prefect.client.schemas.objects import FlowRun, State
from prefect.logging import get_logger
from prefect.runtime import flow_run

from flows.notify import Notification, is_known, notify
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.summaries import PublishSummary
from ratinglist.workflows.due import last_closed_list

MADE_AGAIN = "again"
"""The tag of a run that was made in the place of an interrupted one; it is made once."""

UNCHANGED = "Unchanged"
"""The name of the completed state of a run that published nothing new."""

SUBJECTS = {
    "published": "published",
    "incomplete": "published, but not all that belongs to it was made",
    "failed": "failed: an officer has to act",
    "cancelled": "ended without a list",
    "crashed": "was interrupted",
    "late": "is late: nothing runs it",
    "waiting": "waits for your decision",
}


def tell(
    parameters: dict[str, Any], event: str, run: str, name: str, text: str, *, key: str = "", digest: str = ""
) -> None:
    """Tell people of an event of a run, best effort: what cannot be sent now is sent later.

    ``parameters``: those of the run. ``run``: its ID. ``name``: what the dashboard calls it. ``key``: of the event,
    where a run may have several of its kind. ``digest``: of the list (:class:`~flows.notify.Notification`).
    """
    _tell(parameters, Notification(event, run, f"{name} {SUBJECTS[event]}", text, key, digest))


def tell_published(settings: Settings, published: PublishSummary) -> None:
    """Tell people, inside a flow, that a list is published, once for each revision.

    At once and not at the end of the run, which may be interrupted before.
    A list that was published before the run is news where the run was made again, since the one before may have been
    killed between publishing and notifying, and where people know of the run: they wait for the list.
    """
    if not (published.is_new or is_awaited(settings)):
        return
    digest = published.digest[:12]
    subject = f"The list of {published.month} {SUBJECTS['published']}"
    text = f"{published.text()} (digest {published.digest})"
    key = f"{settings.family}-{published.month}-{published.revision}-{digest}"
    _tell(flow_run.parameters, Notification("published", flow_run.id, subject, text, key, digest))


def is_awaited(settings: Settings) -> bool:
    """Return whether people know of the run that this is, or of the interrupted one in whose place it was made."""
    return MADE_AGAIN in flow_run.tags or is_known(settings, flow_run.id)


def _tell(parameters: dict[str, Any], about: Notification) -> None:
    logger = get_logger("ratinglist.notify")
    try:
        settings = Settings.read(home=parameters.get("home"), family=parameters.get("rules"))
        if not settings.home.is_dir():
            return
        for problem in notify(settings, about):
            logger.warning("Not sent yet: %s", problem)
    except (RatinglistError, OSError) as error:
        logger.warning("Not sent yet: %s: %s", about.subject, error)


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


def key_of_crash(run: FlowRun) -> str:
    """Return the key of the notification that a run was interrupted: one that was continued may be so twice."""
    return f"{run.id}-{MADE_AGAIN}" if MADE_AGAIN in run.tags else str(run.id)


def _hook(event: str) -> Any:
    # Prefect calls the hooks of a crash by the names of the parameters.
    def notification(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:  # noqa: ARG001 - see above
        name, text, key = flow_run.name, state.message or "", ""
        if event == "crashed":
            name, text, key = title(flow_run), f"{text} {after_a_crash(flow_run)}", key_of_crash(flow_run)
        tell(flow_run.parameters, event, str(flow_run.id), name, text, key=key)

    # Prefect shows the name of a hook in its log.
    notification.__name__ = f"tell_that_it_{event}" if event == "failed" else f"tell_that_it_was_{event}"
    return notification


HOOKS: dict[str, Any] = {
    "on_failure": [_hook("failed")],
    "on_cancellation": [_hook("cancelled")],
    "on_crashed": [_hook("crashed")],
}
"""The options of every flow. A run whose process is killed calls no hook: the service finds it and tells people. That a
list is published, or that people decided against it, the flows tell themselves (Prefect has no hook for a flow that
ends as cancelled of itself)."""
