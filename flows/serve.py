"""Serve the flow of offices on its schedule, in the foreground, for a Prefect server: `prefect server start`.

The process takes the runs that fall due, one after the other. It looks after them too: a run that was interrupted is
made again, and one whose list was published by hand goes on. The server may be on another machine. Ctrl-C ends the
process, and the schedule stays.

Prefect's heartbeats with the automation of its documents are not used: tried with Prefect 3.8.8, they set a run that
waited for a decision to *Crashed* 90 seconds after it was suspended.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterName, FlowRunFilter
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import PrefectException
from prefect.logging import get_logger
from prefect.runner import Runner
from prefect.schedules import Cron
from prefect.settings import PREFECT_API_URL
from prefect.states import Crashed, Scheduled

from flows.monthly import monthly
from flows.schedule import SCHEDULE, settings_of
from flows.telling import check_addresses
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.settings import Settings
from ratinglist.workflows.scheduled import check_office

SETTLED = timedelta(minutes=2)
"""How long a run may say that it begins or runs before its process is looked for."""

WATCH_SECONDS = 60.0
MADE_AGAIN = "again"
"""The tag of a run that was interrupted and started again; that is done once."""


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m flows.serve", description=__doc__)
    parser.add_argument("--home", action="append", help="the directory of an office with a list; may be repeated")
    parser.add_argument("--reports", help="loaded before each list: a file, a directory or a zip; of one office only")
    parser.add_argument("--rules", help="family of rules")
    options = parser.parse_args()
    # A shell starts what is in its background with ctrl-C ignored, and SIGTERM ends the process by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        serve(checked_offices(options.home or [None], options.reports, options.rules), options.reports)
    except RatinglistError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(error.exit_code) from None
    except (httpx.HTTPError, PrefectException) as error:
        raise SystemExit(f"The server at {PREFECT_API_URL.value()} could not be used: {error}") from None
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")


def checked_offices(homes: list[str | None], reports: str | None, rules: str | None) -> list[Settings]:
    """Return the settings of homes that have an office; raise :class:`RatinglistError` where one has none.

    A mistyped name would be served for years, and publish nothing; that ``reports`` is not there, each run would find
    a month later.
    """
    offices = [settings_of(home, rules) for home in homes]
    for settings in offices:
        check_office(settings)
        check_addresses(settings)
    if reports and len(offices) > 1:
        raise CommandLineError("--reports is of one office: serve each office that has it by itself.")
    if reports and not Path(reports).exists():
        raise CommandLineError(f"--reports {reports} does not exist: make the folder in which reports arrive.")
    if PREFECT_API_URL.value() is None:
        raise CommandLineError(
            "PREFECT_API_URL is not set: start a server, prefect server start, and name it, "
            "PREFECT_API_URL=http://127.0.0.1:4200/api. Nothing was started."
        )
    return offices


def serve(offices: list[Settings], reports: str | None) -> None:
    """Deploy the flow for each office, and make its runs, until interrupted."""
    homes = [settings.home.resolve() for settings in offices]
    # A pause would delete the scheduled runs: a stop over the day of the schedule would lose its month.
    runner = OfficeRunner(limit=1, pause_on_shutdown=False)
    for home, settings in zip(homes, offices, strict=True):
        deployment = deployment_of(home, reports, settings.family)
        check_name(deployment.name, home)
        runner.add_deployment(deployment)
    threading.Thread(target=watch, args=(homes,), name="watch", daemon=True).start()
    sys.stderr.write(f"Served: {', '.join(map(str, homes))}. To stop, press ctrl-C.\n")
    asyncio.run(runner.start())


def deployment_of(home: Path, reports: str | None, rules: str) -> Any:
    """Return the deployment of the office in ``home``, with its name and rule family as tags.

    A server may have several offices: the name of the deployment ends with that of the home.

    ``reports``: what the scheduled list loads first.
    """
    return monthly.to_deployment(
        f"closing-{home.name}",
        schedule=Cron(SCHEDULE, timezone="UTC"),
        # Each run is a process with its own working directory.
        parameters={
            "home": str(home),
            "rules": rules,
            "reports": str(Path(reports).resolve()) if reports else None,
        },
        description="The list that takes effect on the first of the next month, and first those that were missed.",
        tags=[f"home {home.name}", rules],
    )


def check_name(name: str, home: Path) -> None:
    """Raise :class:`CommandLineError` where the server has a deployment of this name that is of another home."""
    wanted = DeploymentFilter(name=DeploymentFilterName(any_=[name]))
    with get_client(sync_client=True) as client:
        homes = [deployment.parameters["home"] for deployment in client.read_deployments(deployment_filter=wanted)]
    if any(there != str(home) for there in homes):
        raise CommandLineError(
            f"{home}: the server has an office of this name, {homes[0]}: give one of the folders another name. "
            "Where it was moved here, delete its deployment. Nothing was started."
        )


class OfficeRunner(Runner):
    """Prefect's runner, stopped by SIGTERM as by ctrl-C: it ends its runs in order, and then itself."""

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Stop as on ctrl-C. Prefect's own way leaves the program in the middle of its event loop, with tracebacks."""
        signal.raise_signal(signal.SIGINT)


def watch(homes: list[Path]) -> None:
    """Look after the runs of offices every minute."""
    while True:
        try:
            with get_client(sync_client=True) as client:
                for home in homes:
                    start_interrupted_again(client, home)
                    continue_published(client, home)
        except (httpx.HTTPError, PrefectException) as error:
            get_logger("ratinglist.serve").warning("Trying again in a minute: the server is not reached: %s", error)
        time.sleep(WATCH_SECONDS)


def start_interrupted_again(client: SyncPrefectClient, home: Path) -> None:
    """End the runs of an office that have no process on this machine as crashed, and start each again, once.

    A run whose process was killed says *Running* until somebody looks. The same run is started again, since it is due
    for its month and has the answers of people: every step may be repeated.
    """
    alive = set(runs_with_a_process())
    for run, state in _runs(client, home, StateType.PENDING, StateType.RUNNING, StateType.CRASHED):
        has_crashed = state.type == StateType.CRASHED
        if run.id in alive or not (has_crashed or datetime.now(UTC) - state.timestamp > SETTLED):
            continue
        if not has_crashed:
            text = "Its process ended without a word: killed, or the machine stopped."
            client.set_flow_run_state(run.id, Crashed(message=text), force=True)
        if MADE_AGAIN not in run.tags:
            client.set_flow_run_state(run.id, Scheduled(), force=True)
            client.update_flow_run(run.id, tags=[*run.tags, MADE_AGAIN])


def continue_published(client: SyncPrefectClient, home: Path) -> None:
    """Continue the runs whose list was published by hand since they wait, as a form without an answer would.

    A run may have lists to make after that one.
    """
    for run, state in _runs(client, home, StateType.PAUSED):
        waits = re.match(r"([0-9]{4}-[0-9]{2})-", state.state_details.pause_key or "")
        latest = home / "published" / waits[1] / "latest" if waits else home
        if waits and latest.exists() and latest.lstat().st_mtime > state.timestamp.timestamp():
            client.resume_flow_run(run.id, run_input={})


def _runs(client: SyncPrefectClient, home: Path, *types: StateType) -> Iterator[tuple[FlowRun, Any]]:
    """Yield the runs of the office's deployments in states of some types, with the state of each."""
    wanted: Any = {"type": {"any_": list(types)}}
    # The newest first: a run is seen once, and what is older than as many runs was seen before.
    runs = client.read_flow_runs(
        flow_run_filter=FlowRunFilter(state=wanted), sort=FlowRunSort.EXPECTED_START_TIME_DESC, limit=200
    )
    for run in runs:
        # A server may have runs of other offices.
        if run.deployment_id and run.state and Path(run.parameters.get("home") or "").resolve() == home:
            yield run, run.state


def runs_with_a_process() -> Iterator[UUID]:
    """Yield the runs that have a process of this account on this machine."""
    for process in psutil.process_iter(["environ"]):
        # Of a process of another account nothing is known.
        if run := (process.info["environ"] or {}).get("PREFECT__FLOW_RUN_ID"):
            yield UUID(run)


if __name__ == "__main__":
    main()
