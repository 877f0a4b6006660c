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

STARTUP_SECONDS = 300
"""Longest start: a first start on a slow machine creates a database and takes half a minute."""

STOP_SECONDS = 15
"""Longest wait for what the server is doing when the program ends."""


class LocalServer:
    """A Prefect server on the loopback interface, with its own files in one folder of a home, for as long as a block.

    Create it before Prefect is imported: it sets the address of the server and Prefect's folder in the environment, and
    Prefect reads both once, on import. Raises :class:`RuntimeError` where Prefect was imported before.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        if "prefect" in sys.modules:
            raise RuntimeError("Prefect was imported before its server was started")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SystemExit(
                f"The server needs a folder, and it cannot be made ({folder}: {error.strerror or error})."
            ) from None
        try:
            self._socket = socket.create_server(("127.0.0.1", port))
        except OSError:
            raise SystemExit(f"Port {port} is in use: another server runs there; choose another port.") from None
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        os.environ |= {
            "PREFECT_HOME": str(folder.resolve()),
            "PREFECT_API_URL": f"{self.url}/api",
            "PREFECT_SERVER_UI_ENABLED": "true",
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
