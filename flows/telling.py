"""Tell people what becomes of a run, in the words of an officer (:mod:`ratinglist.workflows.notifications`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prefect.client.schemas.objects import FlowRun
from prefect.logging import get_logger
from prefect.runtime import flow_run
from prefect.settings import PREFECT_UI_URL

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.workflows.due import last_closed_list
from ratinglist.workflows.notifications import Notification, begin_telling, is_unkept, notify, tell_published

MADE_AGAIN = "again"
"""The tag of a run that was made in the place of an interrupted one; it is made once."""

UNCHANGED = "Unchanged"
"""The name of the completed state of a run that published nothing new."""

NOTIFIED = "notified"
"""The tag of a run whose end people were notified of without a file of it, because the disk was full."""


def tell(
    parameters: dict[str, Any], event: str, run: str, name: str, text: str, *, key: str = "", digest: str = ""
) -> bool:
    """Tell people of an event of a run, best effort; return whether that could not be written, so that it is not known.

    What cannot be sent now is sent later. ``parameters``: those of the run. ``run``: its ID. ``name``: what the
    dashboard calls it. ``key``: of the event, where a run may have several of its kind. ``digest``: of the list
    (:class:`~ratinglist.workflows.notifications.Notification`).
    """
    dashboard = PREFECT_UI_URL.value()
    link = f"{dashboard}/runs/flow-run/{run}" if dashboard else ""
    about = Notification.of_run(event, run, name, text, link, key, digest)
    with _logged(about.subject):
        settings = Settings.read(home=parameters.get("home"), family=parameters.get("rules"))
        if settings.home.is_dir():
            _log_problems(notify(settings, about))
            return is_unkept(settings, about)
    return False


@contextmanager
def announcing(settings: Settings) -> Iterator[None]:
    """Tell people, at the end of a part of a run, of the lists that were published in it and before, each once.

    However the part ends. Where the run is killed, the service or the next run tells of them.
    """
    with _logged("The beginning of a run"):
        begin_telling(settings)
    try:
        yield
    finally:
        with _logged("The published lists"):
            _log_problems(tell_published(settings, flow_run.id))


def _log_problems(problems: list[str]) -> None:
    for one in problems:
        get_logger("ratinglist.notify").warning("Not sent yet: %s", one)


@contextmanager
def _logged(what: str) -> Iterator[None]:
    """Log why people could not be notified, instead of failing the run: the list does not depend on it."""
    try:
        yield
    except (RatinglistError, OSError) as error:
        get_logger("ratinglist.notify").warning("Not sent yet: %s: %s", what, error)


def title(run: FlowRun) -> str:
    """Return what people know a run by: the month that it waits with or is due for; its name may be made up."""
    key = run.state.state_details.pause_key if run.state is not None else None
    if waits := re.match(r"[0-9]{4}-[0-9]{2}(?=-)", key or ""):
        return f"The list of {waits[0]}"
    if "start" in run.parameters:
        return run.name
    month = run.parameters.get("month")
    if not month and run.expected_start_time is not None:
        try:
            settings = Settings.read(home=run.parameters.get("home"), family=run.parameters.get("rules"))
        except CommandLineError:
            return run.name
        month = last_closed_list(settings, run.expected_start_time.date())
    return f"The list of {month}" if month else run.name
