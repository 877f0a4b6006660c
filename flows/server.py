"""Run a local Prefect server for as long as this program runs.

Prefect's own temporary server gives up after twenty seconds, which a cold start on a busy machine exceeds; it may then
keep running; and its clients print tracebacks when it stops before them. This server is started first and stopped
last, however the program ends.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from types import FrameType
from urllib.error import URLError
from urllib.request import urlopen

from ratinglist.files.folder_lock import lock_file

STARTUP_SECONDS = 300
"""Longest start: a first start on a slow machine creates a database and takes half a minute."""


ORPHAN_SECONDS = 10
"""Longest wait for the end of a server that was killed."""

LOCK = "serving.lock"
"""The file in the server's folder that the serving process locks for as long as it lives; it holds its number."""


class LocalServer:
    """``prefect server start`` on the loopback interface, keeping its own files in one folder of a home.

    One process has a server on a folder: another one is refused with :class:`SystemExit`.

    Create it before Prefect is imported: it sets the address of the server and Prefect's folder in the environment, and
    Prefect reads both once, on import. Exit handlers run in reverse order, so Prefect sends its last messages before
    the server stops. Raises :class:`RuntimeError` where Prefect was imported before.
    """

    def __init__(self, folder: Path, port: int | None = None, *, dashboard: bool = False) -> None:
        if "prefect" in sys.modules:
            raise RuntimeError("Prefect was imported before its server was started")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SystemExit(
                f"The server needs a folder, and it cannot be made ({folder}: {error.strerror or error})."
            ) from None
        # Kept open, and so locked, until this process ends in any way.
        self._lock = _locked(folder)
        self.log = folder / "server.log"
        patience = ORPHAN_SECONDS if _end_orphans(folder) else 0
        self.url = f"http://127.0.0.1:{_free_port(port, patience)}"
        os.environ |= {
            "PREFECT_HOME": str(folder.resolve()),
            "PREFECT_API_URL": f"{self.url}/api",
            "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        }
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            # Windows has no terminal that hangs up.
            if ending := getattr(signal, name, None):
                signal.signal(ending, _exit)
        atexit.register(self.stop)
        port_option = ["--port", self.url.rpartition(":")[2], "--ui" if dashboard else "--no-ui"]
        self._command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", *port_option]
        self._stopping = threading.Event()
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            # A session of its own: ctrl-C reaches the program only, and the program stops the server at its end.
            return subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def keep_running(self) -> None:
        """Start the server again whenever it ends, until :meth:`stop`; returns at once."""
        threading.Thread(target=self._keep_running, name="server", daemon=True).start()

    def _keep_running(self) -> None:
        while not self._stopping.wait(1):
            if self._process.poll() is None:
                continue
            sys.stderr.write(f"The Prefect server ended; it is started again. See {self.log}\n")
            # What it had started may still use its port.
            _kill(self._process)
            self._process = self._started()

    def wait(self) -> None:
        """Wait until the server answers; raise :class:`SystemExit` with a message where it does not.

        A server that ends is started a second time: on a busy machine its first start may run into a limit of time.
        """
        give_up, is_second = time.monotonic() + STARTUP_SECONDS, False
        while not self._answers():
            if self._process.poll() is not None:
                if is_second:
                    raise SystemExit(f"The Prefect server ended at once, twice; the reason is in {self.log}")
                sys.stderr.write("The Prefect server ended at once; it is started a second time.\n")
                self._process, is_second = self._started(), True
            if time.monotonic() > give_up:
                raise SystemExit(f"The Prefect server did not start in {STARTUP_SECONDS} s: see {self.log}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End the server and everything it started; safe to repeat."""
        self._stopping.set()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                _kill(self._process)
                self._process.wait()

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/api/health", timeout=5) as answer:  # noqa: S310 - always our own loopback address
                return bool(answer.status == 200)
        except (URLError, HTTPException, TimeoutError, ConnectionError):
            return False


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a server and, where the system has groups of processes, all that it started."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _exit(number: int, _frame: FrameType | None) -> None:
    # By default a signal ends the process without running its exit handlers.
    raise SystemExit(128 + number)


def _locked(folder: Path) -> int:
    """Lock ``folder`` for this process and return the open file; the system ends the lock when the process ends.

    The processes that this one starts do not inherit the file: a server and runs that outlive a killed program hold no
    lock. Raises :class:`SystemExit` naming the process that holds it.
    """
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        lock_file(lock)
    except BlockingIOError:
        number = os.read(lock, 20).decode().strip() or "that has just begun"
        os.close(lock)
        raise SystemExit(
            f"{folder.parent} is served already, by process {number}: use its dashboard, or stop it (ctrl-C where it "
            "runs, or systemctl stop) and start again. Nothing was started."
        ) from None
    except OSError as error:
        raise SystemExit(f"The server's folder cannot be locked ({folder}: {error.strerror or error}).") from None
    os.truncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock


def _end_orphans(folder: Path) -> bool:
    """Kill the servers on ``folder`` that a killed program left behind, and return whether there was one.

    Only for the process that has locked the folder: then the program that started them is gone. Each has the folder in
    its environment, which no other server has. Where the system has no ``/proc``, none is found.
    """
    home = os.fsencode(folder.resolve())
    found = False
    for one in with_variable("PREFECT_HOME"):
        is_server = b"server" in one.words or any(b"uvicorn" in word for word in one.words)
        if is_server and one.value == home:
            with suppress(ProcessLookupError):
                os.kill(one.number, getattr(signal, "SIGKILL", signal.SIGTERM))
                found = True
    return found


@dataclass(frozen=True, slots=True)
class Process:
    """A process. ``words``: its command line; ``value``: that of the variable it was found by."""

    number: int
    words: list[bytes]
    value: bytes


def with_variable(name: str) -> Iterator[Process]:
    """Yield the processes of this account that have a variable of this name; none where there is no ``/proc``."""
    mark = f"{name}=".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            # It has ended since it was listed, or belongs to another account.
            continue
        value = next((one.removeprefix(mark) for one in variables if one.startswith(mark)), b"")
        if value:
            yield Process(int(folder.name), words, value)


def _free_port(wanted: int | None, patience: float) -> int:
    """Return ``wanted``, or a free port; a port in use may take ``patience`` seconds to become free."""
    # Checked before the start: on a port in use, another server would answer in place of ours.
    give_up = time.monotonic() + patience
    while True:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", wanted or 0))
            except OSError:
                if time.monotonic() > give_up:
                    raise SystemExit(
                        f"Port {wanted} is in use: another server runs there; choose another port."
                    ) from None
            else:
                port: int = probe.getsockname()[1]
                return port
        time.sleep(0.1)
