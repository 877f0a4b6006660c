"""Have a Prefect server in this process: what ends the process ends the server, so none is ever left behind.

Prefect's own temporary server gives up after twenty seconds, which a cold start on a busy machine exceeds, and it
outlives a program that is killed.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Self

from ratinglist.files.durable_files import locked_file

STARTUP_SECONDS = 300
"""Longest start: a first start on a slow machine creates a database and takes half a minute."""

STOP_SECONDS = 15
"""Longest wait for what the server is doing when the program ends."""

LOCK = "serving.lock"
"""The file in the server's folder that the serving process locks for as long as it lives; it holds its number."""


class LocalServer:
    """A Prefect server on the loopback interface, with its own files in one folder of a home, for as long as a block.

    One process has a server on a folder: another one is refused with :class:`SystemExit`.

    Create it before Prefect is imported: it sets the address of the server and Prefect's folder in the environment, and
    Prefect reads both once, on import. Raises :class:`RuntimeError` where Prefect was imported before.
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
        # Both are kept open, and so are this program's, until the process ends in any way.
        self._lock, self._socket = _locked(folder), _bound(port)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        os.environ |= {
            "PREFECT_HOME": str(folder.resolve()),
            "PREFECT_API_URL": f"{self.url}/api",
            "PREFECT_SERVER_UI_ENABLED": str(dashboard).lower(),
            "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        }
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            # Windows has no terminal that hangs up.
            if ending := getattr(signal, name, None):
                signal.signal(ending, _exit)

    def __enter__(self) -> Self:
        """Start the server; raise :class:`SystemExit` with a message where it does not answer."""
        import uvicorn
        from prefect.server.api.server import create_app

        server = uvicorn.Server(
            uvicorn.Config(create_app, factory=True, log_level="warning", timeout_graceful_shutdown=5)
        )
        self._server = server
        self._thread = threading.Thread(target=server.run, args=([self._socket],), name="server", daemon=True)
        self._thread.start()
        give_up = time.monotonic() + STARTUP_SECONDS
        while not server.started:
            if not self._thread.is_alive():
                raise SystemExit("The Prefect server ended at once; the reason is above.")
            if time.monotonic() > give_up:
                raise SystemExit(f"The Prefect server did not start in {STARTUP_SECONDS} s.")
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server, once it has what this process still has to say."""
        from prefect.events.worker import EventsWorker
        from prefect.logging.handlers import APILogWorker

        for worker in (APILogWorker, EventsWorker):
            worker.drain_all(timeout=STOP_SECONDS)
        self._server.should_exit = True
        self._thread.join(STOP_SECONDS)


def _exit(number: int, _frame: FrameType | None) -> None:
    # By default a signal ends the process in the middle of a run.
    raise SystemExit(128 + number)


def _locked(folder: Path) -> int:
    """Lock ``folder`` for this process and return the open file; the system ends the lock when the process ends.

    Raises :class:`SystemExit` naming the process that holds it.
    """
    try:
        lock = locked_file(folder / LOCK)
        if lock is None:
            number = (folder / LOCK).read_text(encoding="ascii").strip() or "that has just begun"
            raise SystemExit(
                f"{folder.parent} is served already, by process {number}: use its dashboard, or stop it (ctrl-C where "
                "it runs, or systemctl stop) and start again. Nothing was started."
            )
        os.truncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
    except OSError as error:
        raise SystemExit(f"The server's folder cannot be locked ({folder}: {error.strerror or error}).") from None
    return lock


def _bound(port: int | None) -> socket.socket:
    """Return a socket at a port of this machine, or at any free one."""
    try:
        return socket.create_server(("127.0.0.1", port or 0))
    except OSError:
        raise SystemExit(f"Port {port} is in use: another server runs there; choose another port.") from None
