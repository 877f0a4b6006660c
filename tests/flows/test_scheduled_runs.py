"""What the schedule comes to on a real server: runs on the last evenings of the coming months, which a stop keeps."""

from __future__ import annotations

import calendar
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120
"""Seconds that a slow machine may take for one step."""

REFUSED = "Can't evaluate bulk DML"
"""What the server logs when SQLAlchemy refuses the scheduler's runs, as 2.1 does."""


@dataclass(frozen=True)
class Server:
    """A Prefect server that has only just been made."""

    api: httpx.Client
    environment: dict[str, str]
    log: Path

    def is_up(self) -> bool:
        try:
            return self.api.get("/health").is_success
        except httpx.TransportError:
            return False

    def scheduled(self) -> dict[str, datetime]:
        """When each run is due that the scheduler has made, by its id."""
        assert REFUSED not in self.log.read_text(encoding="utf-8")
        runs = [run for run in self._all("flow_runs") if run["state_type"] == "SCHEDULED" and run["auto_scheduled"]]
        return {run["id"]: datetime.fromisoformat(run["expected_start_time"]) for run in runs}

    def is_polled(self) -> bool:
        return self._closing()["status"] == "READY"

    def is_paused(self) -> bool:
        return self._closing()["paused"]

    def _closing(self) -> dict[str, Any]:
        (one,) = (each for each in self._all("deployments") if each["name"].startswith("closing-"))
        return one

    def _all(self, kind: str) -> list[dict[str, Any]]:
        return self.api.post(f"/{kind}/filter", json={}).raise_for_status().json()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    url = f"http://127.0.0.1:{port}/api"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")} | {
        "DO_NOT_TRACK": "1",
        "PREFECT_API_URL": url,
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "1",
        "PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS": "1",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
    }
    log = tmp_path / "server.log"
    command = ["-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", port, "--no-ui"]
    with running(command, environment, log) as process, httpx.Client(base_url=url, timeout=30, trust_env=False) as api:
        made = Server(api, environment, log)
        wait_until(made.is_up, process, log)
        yield made


@contextmanager
def running(arguments: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Python with ``arguments``; killed at the end with all it started."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        # Also when it has ended by itself: what it started may still be there.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(there: Callable[[], object], process: subprocess.Popen[bytes], log: Path) -> None:
    give_up = time.monotonic() + PATIENCE
    while not there():
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < give_up, log.read_text(encoding="utf-8")
        time.sleep(0.2)


def last_evenings(first: datetime, months: int) -> list[datetime]:
    """20:00 UTC on the last day of as many months, from that of ``first`` on."""
    numbered = [divmod(12 * first.year + first.month - 1 + n, 12) for n in range(months)]
    return [
        datetime(year, month + 1, calendar.monthrange(year, month + 1)[1], 20, tzinfo=UTC) for year, month in numbered
    ]


@pytest.mark.long
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_runs_appear_on_the_last_evenings_of_the_coming_months_and_a_stop_keeps_them(server, tmp_path, ending):
    log = tmp_path / "serve.log"
    (tmp_path / "home" / "published").mkdir(parents=True)
    home = ["--home", str(tmp_path / "home")]
    with running(["-m", "flows.serve", *home], server.environment, log) as serve:
        wait_until(server.scheduled, serve, log)
        # Only then is there something that an interruption ends in order.
        wait_until(server.is_polled, serve, log)
        runs = server.scheduled()
        serve.send_signal(ending)
        assert serve.wait(PATIENCE) == 0
        assert log.read_text(encoding="utf-8").endswith("\nStopped.\n")

    due = sorted(runs.values())
    assert len(due) >= 3
    assert due == last_evenings(due[0], len(due))
    assert due[0] - datetime.now(UTC) < timedelta(days=31)

    assert not server.is_paused()
    assert server.scheduled() == runs
