"""Look after the runs of an office: those that were interrupted, are late, or wait longer than the office allows.

A run whose process was killed says *Running* until somebody looks. The service ends it as crashed and makes a new one
for the same list: every step may be repeated. It also sends the notifications that could not be sent.

Prefect's heartbeats with the automation of its documents are not used: tried with Prefect 3.8.8, they set a run that
waited for a decision to *Crashed* 90 seconds after it was suspended.

``python -m flows.serve`` has the service. Where a worker makes the lists for a server elsewhere,
``python -m flows.service`` is the service, on the worker's machine and under its account, of one office or of several.
"""

from __future__ import annotations

import argparse
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import DeploymentStatus, FlowRun, State, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import PrefectException
from prefect.logging import get_logger
from prefect.settings import PREFECT_API_URL
from prefect.states import Cancelled, Crashed, Scheduled

from flows.office import checked_office
from flows.telling import MADE_AGAIN, NOTIFIED, tell, title
from ratinglist.config import Settings
from ratinglist.workflows import service_trace
from ratinglist.workflows.notifications import tell_published
from ratinglist.workflows.service_rounds import ServiceRounds

LATE = timedelta(minutes=15)
"""How long after its hour a run may begin before people are notified."""

SETTLED = timedelta(minutes=2)
"""How long a run may say that it begins or runs before its process is looked for."""

ENDED_BEFORE = timedelta(days=1)
"""How long before the service began a run may have failed or been cancelled for people to be notified of it now."""

WATCH_SECONDS = 60.0
INTERRUPTED = "interrupted"
"""The tag of a run that was found to be interrupted."""


def start_interrupted_again(client: SyncPrefectClient, home: Path, *, at_start: bool) -> list[str]:
    """End the runs that have no process on this machine and cannot go on without, and make each again, once.

    For an office whose runs are all on this machine. ``at_start``: no run is being started, so that one which is about
    to is interrupted too; otherwise one that has said so for some time. Returns the names of the runs.
    """
    alive = set(runs_with_a_process())
    names = []
    for run in _runs(client, home, "PENDING", "RUNNING", "CANCELLING", "CRASHED", "PAUSED"):
        if run.deployment_id is None or run.state is None or run.id in alive or INTERRUPTED in run.tags:
            continue
        has_crashed = run.state.type == StateType.CRASHED
        if not (at_start or has_crashed) and datetime.now(UTC) - run.state.timestamp < SETTLED:
            continue
        if run.state.type == StateType.PAUSED and not _has_lost_its_form(client, run.id, run.state):
            continue
        text = "Its process ended without a word: killed, or the machine stopped."
        if not has_crashed:
            client.set_flow_run_state(run.id, Crashed(message=text), force=True)
        if MADE_AGAIN in run.tags:
            text += " It had been made again once, and is not a second time: start the deployment yourself."
        elif _was_answered(client, run.id):
            # Only this run has the answers of people.
            _tell_of_crash(run, f"{text} It was started again.")
            client.update_flow_run(run.id, tags=[*run.tags, MADE_AGAIN])
            client.set_flow_run_state(run.id, Scheduled(), force=True)
            names.append(title(run))
            continue
        elif run.state.type != StateType.CANCELLING:
            # Due at the same time, so for the same list. By the key it is made once, also where the service ends before
            # the interrupted run has its tag.
            client.create_flow_run_from_deployment(
                run.deployment_id,
                parameters=run.parameters,
                state=Scheduled(scheduled_time=run.expected_start_time),
                tags=[MADE_AGAIN],
                idempotency_key=f"{MADE_AGAIN}-{run.id}",
            )
            text += " It was started again."
        # Before the run is known as interrupted: a service that is killed in between does it once more, not never.
        _tell_of_crash(run, text)
        client.update_flow_run(run.id, tags=[*run.tags, INTERRUPTED])
        names.append(title(run))
    return names


def _tell_of_crash(run: FlowRun, text: str) -> None:
    # One that was continued may be interrupted twice.
    key = f"{run.id}-{MADE_AGAIN}" if MADE_AGAIN in run.tags else str(run.id)
    tell(run.parameters, "crashed", str(run.id), title(run), text, key=key)


def tell_ended(client: SyncPrefectClient, home: Path, since: datetime) -> None:
    """Tell people of the runs that failed or were cancelled ``since`` a time, each once.

    Not by Prefect's hooks: none is called for a run that waits and is cancelled on the dashboard, nor where the disk of
    the server is full.
    """
    for run in _runs(client, home, "CANCELLED", "FAILED"):
        if run.state is not None and run.state.timestamp >= since and NOTIFIED not in run.tags:
            event = run.state.type.value.lower()
            name = title(run) if event == "cancelled" else run.name
            if tell(run.parameters, event, str(run.id), name, run.state.message or "It was cancelled."):
                client.update_flow_run(run.id, tags=[*run.tags, NOTIFIED])


def tell_late(client: SyncPrefectClient, home: Path) -> None:
    """Tell people of runs that should have begun some time ago and that nothing takes up.

    One that waits for another run of the office, or for a worker that makes the lists of other offices first, will
    begin by itself: Prefect calls its deployment ready for as long as something looks for runs of it.
    """
    if is_running(client, home):
        return
    now = datetime.now(UTC)
    for run in _runs(client, home, "SCHEDULED"):
        # Not when it was first due: a run that was continued is due again. One that was made again is due at the time
        # of the run that was interrupted.
        due = run.next_scheduled_start_time
        if due is None or now - due <= LATE or MADE_AGAIN in run.tags or run.state is None or run.state.name != "Late":
            continue
        if run.deployment_id and client.read_deployment(run.deployment_id).status != DeploymentStatus.READY:
            tell(run.parameters, "late", str(run.id), title(run), f"It was due at {due:%Y-%m-%d %H:%M} UTC.")


def is_running(client: SyncPrefectClient, home: Path) -> bool:
    """Return whether a run of the office is being made: it tells of its lists itself, and others wait for it."""
    return any(_runs(client, home, "PENDING", "RUNNING", "CANCELLING"))


def continue_published(client: SyncPrefectClient, home: Path) -> None:
    """Continue the runs whose list was published by hand since they wait, as a form without an answer would.

    A run may have lists to make after that one. One that waits with several lists that were calculated again is
    continued after a publication of any of these months.
    """
    for run in _runs(client, home, "PAUSED"):
        key = None if run.state is None else run.state.state_details.pause_key
        waits = re.match(r"(again-)?([0-9]{4}-[0-9]{2})-", key or "")
        if run.state is None or run.state.state_details.run_input_keyset is None or waits is None:
            continue
        is_again, month = waits.groups()
        published = sorted((home / "published").glob("*/latest"))
        of_run = [one for one in published if one.parent.name == month or (is_again and one.parent.name > month)]
        if any(one.lstat().st_mtime > run.state.timestamp.timestamp() for one in of_run):
            client.resume_flow_run(run.id, run_input={})


def cancel_undecided(client: SyncPrefectClient, settings: Settings, now: datetime) -> None:
    """Cancel the runs that wait for a decision longer than `office.toml` allows, and tell people.

    Prefect would end such a run as failed, without a reason.
    """
    days = settings.office.publication.wait_days
    for run in _runs(client, settings.home.resolve(), "PAUSED"):
        # A run that a person paused on the dashboard waits for no form.
        if run.state is None or run.state.state_details.run_input_keyset is None:
            continue
        if now < run.state.timestamp + timedelta(days=days):
            continue
        text = (
            f"{title(run)}: there was no decision in {days} days. It was not published; the next run takes it up again."
        )
        client.set_flow_run_state(run.id, Cancelled(message=text), force=True)
        # Now, while it is known with which month the run waited.
        tell(run.parameters, "cancelled", str(run.id), title(run), text)


def watch(settings: Settings) -> None:
    """Look after an office every minute: its runs, and what receivers still miss. ``settings``: those of the start."""
    rounds, began, logger = ServiceRounds(settings), datetime.now(UTC), get_logger("ratinglist.service")
    while True:
        time.sleep(WATCH_SECONDS)
        for one in rounds.go_round(partial(_look_after_runs, began=began)):
            logger.warning("Trying again in a minute: %s", one)


def _look_after_runs(settings: Settings, began: datetime) -> list[str]:
    home = settings.home.resolve()
    try:
        with get_client(sync_client=True) as client:
            start_interrupted_again(client, home, at_start=False)
            continue_published(client, home)
            tell_late(client, home)
            cancel_undecided(client, settings, datetime.now(UTC))
            tell_ended(client, home, began - ENDED_BEFORE)
            return [] if is_running(client, home) else tell_published(settings)
    except (httpx.HTTPError, PrefectException) as error:
        return [f"The server could not be reached: {error}"]


def main() -> None:
    """Look after the runs of offices until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m flows.service", description=main.__doc__)
    parser.add_argument("--home", required=True, action="append", help="the directory of an office; may be repeated")
    offices = [checked_office(home) for home in parser.parse_args().home]
    if PREFECT_API_URL.value() is None:
        raise SystemExit("PREFECT_API_URL is not set: name the server that has the runs, http://SERVER:4200/api.")
    with suppress(KeyboardInterrupt), ExitStack() as working:
        for settings in offices:
            working.enter_context(service_trace.working(settings.home.resolve()))
        rounds = [threading.Thread(target=watch, args=(settings,), daemon=True) for settings in offices]
        for one in rounds:
            one.start()
        rounds[0].join()


def _runs(client: SyncPrefectClient, home: Path, *types: str) -> list[FlowRun]:
    """Return the runs of the office in states of some types; a server may have runs of others."""
    wanted: Any = {"type": {"any_": list(types)}}
    # The newest first: a run is seen once, and what is older than as many runs was seen before.
    runs = client.read_flow_runs(
        flow_run_filter=FlowRunFilter(state=wanted), sort=FlowRunSort.EXPECTED_START_TIME_DESC, limit=200
    )
    return [run for run in runs if Path(run.parameters.get("home") or "").resolve() == home]


def _was_answered(client: SyncPrefectClient, run: UUID) -> bool:
    """Return whether people have answered a form of a run."""
    inputs = client.filter_flow_run_input(run, key_prefix="suspended-", limit=200, exclude_keys=set())
    return any(one.key.endswith("-response") for one in inputs)


def _has_lost_its_form(client: SyncPrefectClient, run: UUID, state: State[Any]) -> bool:
    """Return whether a run waits for a form that was never saved, so that no decision can continue it.

    Prefect saves the form after the run is suspended: a process that is killed between leaves none.
    """
    if state.state_details.run_input_keyset is None:
        return False
    try:
        client.read_flow_run_input(run, state.state_details.run_input_keyset["schema"])
    except httpx.HTTPStatusError as error:
        if error.response.status_code != HTTPStatus.NOT_FOUND:
            raise
        return True
    return False


def runs_with_a_process() -> Iterator[UUID]:
    """Yield the runs that have a process of this account on this machine."""
    for process in psutil.process_iter(["environ"]):
        # Of a process of another account nothing is known.
        run = (process.info["environ"] or {}).get("PREFECT__FLOW_RUN_ID")
        if run and process.pid != os.getpid():
            yield UUID(run)


if __name__ == "__main__":
    main()
