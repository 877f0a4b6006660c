"""Look after the runs of an office: make those again that were interrupted, continue those that were decided by hand.

A run whose process was killed says *Running* until somebody looks. The service ends it as crashed and starts it again:
every step may be repeated.

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
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import PrefectException
from prefect.logging import get_logger
from prefect.settings import PREFECT_API_URL
from prefect.states import Cancelled, Crashed, Scheduled

from flows.serve import checked_office

SETTLED = timedelta(minutes=2)
"""How long a run may say that it begins or runs before its process is looked for."""

WATCH_SECONDS = 60.0
MADE_AGAIN = "again"
"""The tag of a run that was interrupted and started again; that is done once."""


def start_interrupted_again(client: SyncPrefectClient, home: Path, *, at_start: bool) -> list[str]:
    """End the runs that have no process on this machine, and start each again, once; return their names.

    For an office whose runs are all on this machine. ``at_start``: no run is being started, so that one which is about
    to is interrupted too; otherwise one that has said so for some time. The same run is started again, since it is due
    for its month and has the answers of people.
    """
    alive, names = set(runs_with_a_process()), []
    for run in _runs(client, home, "PENDING", "RUNNING", "CANCELLING", "CRASHED"):
        if run.deployment_id is None or run.state is None or run.id in alive:
            continue
        has_crashed = run.state.type == StateType.CRASHED
        if not (at_start or has_crashed) and datetime.now(UTC) - run.state.timestamp < SETTLED:
            continue
        text = "Its process ended without a word: killed, or the machine stopped."
        if run.state.type == StateType.CANCELLING:
            client.set_flow_run_state(run.id, Cancelled(message=text), force=True)
            continue
        if not has_crashed:
            client.set_flow_run_state(run.id, Crashed(message=text), force=True)
        if MADE_AGAIN not in run.tags:
            client.set_flow_run_state(run.id, Scheduled(), force=True)
            client.update_flow_run(run.id, tags=[*run.tags, MADE_AGAIN])
            names.append(run.name)
    return names


def continue_published(client: SyncPrefectClient, home: Path) -> None:
    """Continue the runs whose list was published by hand since they wait, as a form without an answer would.

    A run may have lists to make after that one. One that waits with several lists that were calculated again is
    continued after a publication of any of these months.
    """
    for run in _runs(client, home, "PAUSED"):
        key = None if run.state is None else run.state.state_details.pause_key
        waits = re.match(r"(again-)?([0-9]{4}-[0-9]{2})-", key or "")
        if run.state is None or waits is None:
            continue
        is_again, month = waits.groups()
        published = sorted((home / "published").glob("*/latest"))
        of_run = [one for one in published if one.parent.name == month or (is_again and one.parent.name > month)]
        if any(one.lstat().st_mtime > run.state.timestamp.timestamp() for one in of_run):
            client.resume_flow_run(run.id, run_input={})


def watch(home: Path) -> None:
    """Look after the runs of an office every minute."""
    while True:
        time.sleep(WATCH_SECONDS)
        try:
            with get_client(sync_client=True) as client:
                start_interrupted_again(client, home, at_start=False)
                continue_published(client, home)
        except (httpx.HTTPError, PrefectException) as error:
            get_logger("ratinglist.service").warning("Trying again in a minute: the server is not reached: %s", error)


def main() -> None:
    """Look after the runs of offices until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m flows.service", description=main.__doc__)
    parser.add_argument("--home", required=True, action="append", help="the directory of an office; may be repeated")
    offices = [checked_office(home) for home in parser.parse_args().home]
    if PREFECT_API_URL.value() is None:
        raise SystemExit("PREFECT_API_URL is not set: name the server that has the runs, http://SERVER:4200/api.")
    watching = [threading.Thread(target=watch, args=(one.home.resolve(),), daemon=True) for one in offices]
    with suppress(KeyboardInterrupt):
        for thread in watching:
            thread.start()
        watching[0].join()


def _runs(client: SyncPrefectClient, home: Path, *types: str) -> list[FlowRun]:
    """Return the runs of the office in states of some types; a server may have runs of others."""
    wanted: Any = {"type": {"any_": list(types)}}
    # The newest first: a run is seen once, and what is older than as many runs was seen before.
    runs = client.read_flow_runs(
        flow_run_filter=FlowRunFilter(state=wanted), sort=FlowRunSort.EXPECTED_START_TIME_DESC, limit=200
    )
    return [run for run in runs if Path(run.parameters.get("home") or "").resolve() == home]


def runs_with_a_process() -> Iterator[UUID]:
    """Yield the runs that have a process of this account on this machine."""
    for process in psutil.process_iter(["environ"]):
        # Of a process of another account nothing is known.
        run = (process.info["environ"] or {}).get("PREFECT__FLOW_RUN_ID")
        if run and process.pid != os.getpid():
            yield UUID(run)


if __name__ == "__main__":
    main()
