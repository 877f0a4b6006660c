"""Make the list of a month in many offices, as one flow on as many threads or processes as there is room for.

Each office is a task, and its list a run of the monthly flow inside it. An office that fails stops no other. The
offices share the threads of one machine. An office that trusts packages with systems, or has rules of its own, is
scheduled in a process of its own, because what is used holds for a whole process.

``python -m flows.offices --home /srv/offices/north --home /srv/offices/south``, with ``PREFECT_API_URL``
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.client.schemas.objects import State
from prefect.settings import PREFECT_API_URL
from prefect.states import Completed, Failed
from prefect.task_runners import ThreadPoolTaskRunner

from flows.monthly import monthly


@task(name="office", task_run_name="{home}")
def office(home: str, month: str | None = None) -> tuple[str, str]:
    """Make the list of one office; return the name of the state that it ends in, and what that says."""
    ended: Any = monthly(month, home=home, return_state=True)
    return ended.name or ended.type.value, str(ended.message)


@flow(name="offices")
def offices(homes: list[str], month: str | None = None) -> State[Any]:
    """Make the list of ``month``, by default the one due, in every office; a list that waits for people is not made.

    Returns, for each office, the name of the state of its run and what it says; the flow fails where one of them did.
    """
    runs = {home: office.submit(home, month) for home in homes}
    results = {home: _result(run) for home, run in runs.items()}
    text = "\n".join(f"{home}: {name}: {message}" for home, (name, message) in results.items())
    is_made = all(name in ("Completed", "Unchanged") for name, _ in results.values())
    return Completed(message=text, data=results) if is_made else Failed(message=text, data=results)


def _result(run: Any) -> tuple[str, str]:
    run.wait()
    result = run.state.result(raise_on_failure=False)
    return result if isinstance(result, tuple) else ("Crashed", str(run.state.message))


def main() -> None:
    """Make the list of a month in many offices, and say what became of each."""
    parser = argparse.ArgumentParser(prog="python -m flows.offices", description=main.__doc__)
    parser.add_argument("--home", required=True, action="append", help="the directory of an office; may be repeated")
    parser.add_argument("--month", help="the list of this month, as 2025-11; by default the one due")
    parser.add_argument("--workers", type=int, default=2, help="how many offices at once (2)")
    given = parser.parse_args()
    if PREFECT_API_URL.value() is None:
        raise SystemExit("PREFECT_API_URL is not set: name the server, http://SERVER:4200/api. No list was made.")
    homes = [str(Path(home).resolve()) for home in given.home]
    runner: Any = ThreadPoolTaskRunner(max_workers=given.workers)
    ended = offices.with_options(task_runner=runner)(homes, given.month, return_state=True)
    sys.stdout.write(f"{ended.message}\n")
    raise SystemExit(0 if ended.is_completed() else 4)


if __name__ == "__main__":
    main()
