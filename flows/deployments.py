"""The flows as deployments of offices, and what runs them: the monthly list, and lists calculated again by an officer.

``python -m flows.serve`` has the deployments of one office and a server. For a server elsewhere,
``python -m flows.deployments`` deploys one or more offices to a pool of workers.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import Any

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.exceptions import ObjectNotFound, PrefectException
from prefect.runner import Runner
from prefect.schedules import Cron
from prefect.settings import PREFECT_API_URL
from prefect.types.entrypoint import EntrypointType

from flows.monthly import monthly
from flows.rerate import rerate
from flows.schedule import SCHEDULE
from flows.serve import checked_office, checked_reports

POOL = "offices"
"""The pool of the workers that make the lists of offices, unless another is named."""


def deployments(home: Path, reports: str | None, rules: str, pool: str | None = None) -> list[Any]:
    """Return the deployments of the office in ``home``, with its name and rule family as tags.

    A server may have several offices: the names of the deployments end with that of the home.

    ``reports``: what the scheduled list loads first, an absolute path. ``pool``: workers take the runs from the queue
    of the office in this pool; None: the process that serves the deployments runs them.
    """
    office = {"home": str(home), "rules": rules}
    common: dict[str, Any] = {"tags": [f"home {home.name}", rules]}
    if pool is not None:
        common |= {
            "work_pool_name": pool,
            "work_queue_name": home.name,
            "job_variables": {"env": {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}},
            # By the names of the modules: no path of the machine that deploys is stored.
            "entrypoint_type": EntrypointType.MODULE_PATH,
            # The queue is counted when a worker asks for runs, and two workers that ask at the same moment may get one
            # each. This is checked when a run begins: of one deployment, the second waits.
            "concurrency_limit": ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE),
        }
    return [
        monthly.to_deployment(
            f"closing-{home.name}",
            schedule=Cron(SCHEDULE, timezone="UTC"),
            parameters={**office, "reports": reports},
            description="The list that takes effect on the first of the next month, and first those that were missed.",
            **common,
        ),
        rerate.to_deployment(
            f"after-a-correction-{home.name}",
            parameters=office,
            description="Every list from a month on, calculated again after a correction.",
            **common,
        ),
    ]


def deploy(client: SyncPrefectClient, home: Path, reports: str | None, rules: str, pool: str) -> None:
    """Deploy one office to a pool, which is made where there is none; what was deployed before is replaced.

    One run of the office is made at a time: by the limit of its queue. Raises :class:`SystemExit` where another home of
    the same name is deployed.
    """
    try:
        client.read_work_pool(pool)
    except ObjectNotFound:
        client.create_work_pool(WorkPoolCreate(name=pool, type="process"))
    try:
        queue = client.read_work_queue_by_name(home.name, work_pool_name=pool)
    except ObjectNotFound:
        queue = client.create_work_queue(home.name, work_pool_name=pool)
    client.update_work_queue(queue.id, concurrency_limit=1)
    for one in deployments(home, reports, rules, pool):
        try:
            there = client.read_deployment_by_name(one.full_name).parameters.get("home")
        except ObjectNotFound:
            there = str(home)
        if there != str(home):
            raise SystemExit(
                f"{home}: the server has an office of this name, {there}: give one of the folders another name. "
                "It was not deployed."
            )
        one.apply()


class OfficeRunner(Runner):
    """Prefect's runner, stopped by SIGTERM as by ctrl-C: it ends its runs in order, and then itself."""

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Stop as on ctrl-C. Prefect's own way leaves the program in the middle of its event loop, with tracebacks."""
        signal.raise_signal(signal.SIGINT)


def main() -> None:
    """Deploy offices to the pool of a Prefect server."""
    parser = argparse.ArgumentParser(prog="python -m flows.deployments", description=main.__doc__)
    parser.add_argument("--home", required=True, action="append", help="the directory of an office; may be repeated")
    parser.add_argument("--reports", help="loaded before each list: a file, a directory or a zip; of one office only")
    parser.add_argument("--rules", help="family of rules")
    parser.add_argument("--pool", default=POOL, help=f"the pool of the workers ({POOL})")
    given = parser.parse_args()
    if given.reports and len(given.home) > 1:
        raise SystemExit("--reports is of one office: deploy each office that has it by itself. Nothing was deployed.")
    if PREFECT_API_URL.value() is None:
        raise SystemExit("PREFECT_API_URL is not set: name the server, http://SERVER:4200/api. Nothing was deployed.")
    offices = [checked_office(home, given.rules) for home in given.home]
    reports = checked_reports(given.reports)
    try:
        with get_client(sync_client=True) as client:
            for settings in offices:
                home = settings.home.resolve()
                deploy(client, home, reports, settings.family, given.pool)
                sys.stderr.write(f"{home} is deployed to the pool {given.pool}.\n")
    except (httpx.HTTPError, PrefectException) as error:
        raise SystemExit(f"The server at {PREFECT_API_URL.value()} could not be used: {error}") from None
    sys.stderr.write(
        f"Now start a worker, prefect worker start --pool {given.pool}, and the service, python -m flows.service.\n"
    )


if __name__ == "__main__":
    main()
