"""Look after the runs of a server: find those that were interrupted or are late, and send what could not be sent.

A run whose process was killed says *Running* until somebody looks. The service ends it as crashed and makes a new one
for the same list: every step may be repeated.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.exceptions import PrefectException
from prefect.logging import get_logger
from prefect.states import Crashed

from flows.hooks import tell
from flows.notify import send_all
from flows.processes import with_variable
from ratinglist.config import Settings
from ratinglist.errors import RatinglistError
from ratinglist.period import Period

LATE = timedelta(minutes=15)
"""How long after its hour a run may begin before people are notified."""

SETTLED = timedelta(minutes=1)
"""How long a run may say that it runs before its process is looked for."""

WATCH_SECONDS = 60.0
_INTERRUPTED, _MADE_AGAIN = "interrupted", "again"
"""Tags: of a run that was found to be interrupted, and of the one made in its place, which is made once."""

RUN_VARIABLE = "PREFECT__FLOW_RUN_ID"
"""The environment variable that Prefect gives the process of a run."""


def start_interrupted_again(client: SyncPrefectClient, *, at_start: bool) -> list[str]:
    """End the runs that say that they run and have no process on this machine, and make each again, once.

    For a server whose runs are all on this machine. ``at_start``: no run is being started, so that one which is about
    to is interrupted too. Returns the names of the runs.
    """
    alive = set(_runs_with_a_process())
    types = ["RUNNING", "CANCELLING", "CRASHED", *(["PENDING"] if at_start else [])]
    names = []
    for run in _runs(client, *types):
        if run.deployment_id is None or run.state is None or run.id in alive or _INTERRUPTED in run.tags:
            continue
        if not at_start and datetime.now(UTC) - run.state.timestamp < SETTLED:
            continue
        text = "Its process ended without a word: killed, or the machine stopped."
        if run.state.type != StateType.CRASHED:
            client.set_flow_run_state(run.id, Crashed(message=text), force=True)
        client.update_flow_run(run.id, tags=[*run.tags, _INTERRUPTED])
        if run.state.type != StateType.CANCELLING and _MADE_AGAIN not in run.tags:
            client.create_flow_run_from_deployment(
                run.deployment_id, parameters=_with_its_month(run), tags=[_MADE_AGAIN]
            )
            text += " It was started again."
        tell(run.parameters, "crashed", str(run.id), _title(run), text)
        names.append(_title(run))
    return names


def tell_late(client: SyncPrefectClient) -> None:
    """Tell people of runs that should have begun some time ago and have not."""
    now = datetime.now(UTC)
    for run in _runs(client, "SCHEDULED"):
        due = run.expected_start_time
        if due is not None and now - due > LATE and run.state is not None and run.state.name == "Late":
            tell(run.parameters, "late", str(run.id), _title(run), f"It was due at {due:%Y-%m-%d %H:%M} UTC.")


def watch(homes: list[Path], stopped: threading.Event) -> None:
    """Every minute until ``stopped``: look for interrupted and late runs, and send what receivers still miss.

    ``homes``: the offices whose notifications are sent.
    """
    logger = get_logger("ratinglist.service")
    while not stopped.wait(WATCH_SECONDS):
        try:
            with get_client(sync_client=True) as client:
                start_interrupted_again(client, at_start=False)
                tell_late(client)
            for home in homes:
                for problem in send_all(Settings.read(home=home)):
                    logger.warning("Not sent yet: %s", problem)
        except (httpx.HTTPError, PrefectException, RatinglistError, OSError) as error:
            logger.warning("The runs could not be looked after; trying again in a minute: %s", error)


def _runs(client: SyncPrefectClient, *types: str) -> list[FlowRun]:
    wanted: Any = {"type": {"any_": list(types)}}
    return client.read_flow_runs(flow_run_filter=FlowRunFilter(state=wanted), limit=200)


def _with_its_month(run: FlowRun) -> dict[str, Any]:
    """Return the parameters of a run with the month that it was due for: the new run is due today."""
    has_months = {"first", "start"} & run.parameters.keys() or run.parameters.get("month")
    if has_months or run.expected_start_time is None:
        return run.parameters
    return {**run.parameters, "month": str(Period.of(run.expected_start_time.date()) + 1)}


def _title(run: FlowRun) -> str:
    """Return what people know a run by: its month, where it has one; its name may be one that Prefect made up."""
    month = _with_its_month(run).get("month")
    return f"The list of {month}" if month else run.name


def _runs_with_a_process() -> Iterator[UUID]:
    """Yield the runs that have a process of this account on this machine."""
    return (UUID(one.value.decode()) for one in with_variable(RUN_VARIABLE) if one.number != os.getpid())
