"""Offices as they run in production: a Prefect server, the serving process and its runs, which a test can kill.

The clock is moved for the program alone, not for Prefect: every new process of Python reads the day from a file
(``sitecustomize.py``, which Python imports at its start). By a second file, the trap, a run kills a process at an exact
step of its work on the disk: the step is named by a part of the path that the run makes, links, renames or deletes.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from tests.conftest import ROOT

PATIENCE = 420.0
"""Seconds that anything may take: two minutes until the service makes a run again, on a busy machine."""

SERVED = "Served: "
"""What the serving process prints when it begins to look for runs."""

WATCHED_OFTEN = """
from datetime import timedelta
from flows import serve

serve.SETTLED, serve.WATCH_SECONDS = timedelta(seconds=30), 5
serve.main()
"""
"""The serving process, which looks after its runs every five seconds: a trial of many kills would wait minutes."""

FINAL = {"COMPLETED", "FAILED", "CANCELLED", "CRASHED"}

CUSTOMIZED = """
import os, signal, sys

with open(os.environ["TEST_CLOCK"]) as clock:
    os.environ["RATINGLIST_TODAY"] = clock.read()
trap = os.environ["TEST_TRAP"]
if os.environ.get("PREFECT__FLOW_RUN_ID") and os.path.exists(trap):
    with open(trap) as text:
        step, *victims = text.read().split()

    def sprung(event, arguments):
        if event in ("os.mkdir", "os.link", "os.rename", "os.remove") and step in f"{arguments[0]} {arguments[1]}":
            if os.path.exists(trap):
                os.unlink(trap)
                for one in victims or [os.getpid()]:
                    os.kill(int(one), signal.SIGKILL)

    sys.addaudithook(sprung)
"""


class Receiver:
    """A web server that keeps the messages that arrive, and that can be down."""

    def __init__(self) -> None:
        self.arrived: list[dict[str, str]] = []
        self.port = free_port()
        self._server: HTTPServer | None = None

    def section(self) -> str:
        """Return the section of `office.toml` that names this receiver."""
        return f'[notify]\nto = ["json://127.0.0.1:{self.port}/"]\n'

    def up(self) -> None:
        """Listen."""
        arrived = self.arrived

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                arrived.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = HTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def down(self) -> None:
        """Refuse connections."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


class ServedOffice:
    """An office under ``prefect server start`` and ``python -m flows.serve``, as `schedule-the-month.md` describes.

    ``variables`` are added to the environment.
    """

    def __init__(self, folder: Path, variables: dict[str, str] | None = None) -> None:
        self.home, self.log = folder / "home", folder / "serve.log"
        self._clock, self._trap = folder / "clock", folder / "trap"
        customized = folder / "customized"
        customized.mkdir(parents=True)
        (customized / "sitecustomize.py").write_text(CUSTOMIZED, encoding="utf-8")
        self.port = free_port()
        self.api = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api", timeout=30, trust_env=False)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        self.environment = inherited | {
            "DO_NOT_TRACK": "1",
            "PREFECT_API_URL": f"http://127.0.0.1:{self.port}/api",
            "PREFECT_HOME": str(folder / "prefect"),
            "PREFECT_RUNNER_POLL_FREQUENCY": "2",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PYTHONPATH": os.pathsep.join([str(customized), str(ROOT), str(ROOT / "src")]),
            "TEST_CLOCK": str(self._clock),
            "TEST_TRAP": str(self._trap),
            **(variables or {}),
        }
        self._units: dict[str, subprocess.Popen[bytes]] = {}
        self._processes: list[subprocess.Popen[bytes]] = []

    def today(self, day: date) -> None:
        """Move the clock of every process that begins from now on."""
        self._clock.write_text(day.isoformat(), encoding="utf-8")

    def start(self) -> None:
        """Start the server and the serving process."""
        starts = self.text().count(SERVED)
        self._start("server")
        self.wait(lambda: self.api.get("/health").is_success)
        self._start("serve")
        self.wait(lambda: self.text().count(SERVED) > starts)

    def _start(self, unit: str) -> None:
        port = str(self.port)
        arguments = {
            "server": ["-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", port, "--no-ui"],
            "serve": ["-c", WATCHED_OFTEN, "--home", str(self.home)],
        }
        self._units[unit] = self.spawn(*arguments[unit])

    def spawn(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start Python with arguments in the environment of the office."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.log.parent,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def stop(self, unit: str = "", ending: int = signal.SIGINT) -> None:
        """Stop one process, or both, in an orderly way, as ctrl-C does."""
        for name in [unit] if unit else ["serve", "server"]:
            self._units[name].send_signal(ending)
            assert self._units[name].wait(PATIENCE) == 0, self.text()

    def kill(self, unit: str) -> None:
        """Kill the server or the serving process, and what it started: systemd does so with what a unit leaves."""
        with suppress(ProcessLookupError):
            os.killpg(self._units[unit].pid, signal.SIGKILL)

    def processes(self) -> dict[str, int]:
        """Return the process of the server and the serving process."""
        return {unit: process.pid for unit, process in self._units.items()}

    def is_killed(self) -> bool:
        """Return whether the server and the serving process ended, and reap them."""
        return {process.poll() for process in self._units.values()} == {-signal.SIGKILL}

    def end(self) -> None:
        """Kill every process of the office."""
        self.api.close()
        for process in self._processes:
            process.kill()
            process.wait()
        # Servers and runs, which those have started.
        for process_id in with_variables(f"TEST_CLOCK={self._clock}"):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)

    def has_process(self, run: str) -> bool:
        """Return whether a process makes a run."""
        return with_variables(f"TEST_CLOCK={self._clock}", f"PREFECT__FLOW_RUN_ID={run}") != []

    def kill_at(self, step: str, *victims: int) -> None:
        """Kill processes when a run that begins from now on comes to a step; by default the run itself."""
        self._trap.write_text(" ".join([step, *map(str, victims)]), encoding="utf-8")

    def is_trap_sprung(self) -> bool:
        """Return whether the step was reached."""
        return not self._trap.exists()

    def begin(self, due: date | None = None) -> str:
        """Start the monthly list, now or as one that was due on an earlier day, and return the run."""
        body: dict[str, Any] = {"idempotency_key": str(uuid4())}
        if due is not None:
            body["state"] = {"type": "SCHEDULED", "state_details": {"scheduled_time": f"{due}T20:00:00Z"}}
        runs: list[str] = []

        def is_made() -> bool:
            # Prefect answers 503 where its database is busy.
            answer = self.api.post(f"/deployments/{self.deployment()['id']}/create_flow_run", json=body)
            runs.append(answer.raise_for_status().json()["id"])
            return True

        self.wait(is_made)
        return runs[0]

    def resume(self, run: str, **form: object) -> None:
        """Give a decision to a run that waits."""

        def is_accepted() -> bool:
            answer = self.api.post(f"/flow_runs/{run}/resume", json={"run_input": form}).raise_for_status().json()
            assert answer["status"] == "ACCEPT", answer
            return True

        self.wait(is_accepted)

    def state(self, run: str) -> dict[str, Any]:
        """Return the state of a run."""
        state: dict[str, Any] = self.api.get(f"/flow_runs/{run}").raise_for_status().json()["state"]
        return state

    def runs(self) -> list[dict[str, Any]]:
        """Return every run that is not one of the coming months, oldest first."""
        return [run for run in self._all_runs() if not run["auto_scheduled"]]

    def coming(self) -> dict[str, datetime]:
        """Return when each run of the coming months is due, by its id."""
        runs = [run for run in self._all_runs() if run["state_type"] == "SCHEDULED" and run["auto_scheduled"]]
        return {run["id"]: datetime.fromisoformat(run["expected_start_time"]) for run in runs}

    def _all_runs(self) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = (
            self.api.post("/flow_runs/filter", json={"sort": "START_TIME_ASC"}).raise_for_status().json()
        )
        return runs

    def is_idle(self) -> bool:
        """Return whether every run has ended and the interrupted ones were made again."""
        return all(
            run["state_type"] in FINAL and (run["state_type"] != "CRASHED" or "again" in run["tags"])
            for run in self.runs()
        )

    def wait(self, there: Callable[[], object]) -> None:
        """Wait until something holds; a server that does not answer is waited for."""
        give_up, last = time.monotonic() + PATIENCE, Exception("nothing was refused")
        while True:
            try:
                if there():
                    return
            except (httpx.HTTPError, StopIteration) as error:
                last = error
            assert time.monotonic() < give_up, f"{last!r}\n{self.text()}"
            time.sleep(0.5)

    def text(self) -> str:
        """Return what the serving process and the runs have printed."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def deployment(self) -> dict[str, Any]:
        """Return the deployment of the monthly list."""
        deployments = self.api.post("/deployments/filter", json={}).raise_for_status().json()
        return next(deployment for deployment in deployments if deployment["name"].startswith("closing-"))


@contextmanager
def ended(office: ServedOffice) -> Iterator[ServedOffice]:
    """Yield an office, and then kill every process of it."""
    try:
        yield office
    finally:
        office.end()


def with_variables(*beginnings: str) -> list[int]:
    """Return the processes that have a variable which begins with each of some texts, as ``NAME=value``."""
    process_ids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if all(any(variable.startswith(os.fsencode(each)) for variable in variables) for each in beginnings):
                process_ids.append(int(folder.name))
    return process_ids


def free_port() -> int:
    """Return a port that no process uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
