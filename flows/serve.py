"""Serve the monthly flow on its schedule, with a Prefect server, in the foreground. Ctrl-C ends both."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import threading
from pathlib import Path

from flows.server import LocalServer
from flows.telling import check_addresses
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.settings import Settings
from ratinglist.workflows.decide import check_office
from ratinglist.workflows.opening import family_of_home

PORT = 4200


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m flows.serve", description=__doc__)
    parser.add_argument("--home", help="the rating office's directory, which has a list (ratinglist import-list)")
    parser.add_argument("--reports", help="loaded before each list: a file, a directory or a zip")
    parser.add_argument("--rules", help="family of rules")
    parser.add_argument("--port", type=int, default=PORT, help="of the dashboard, on this machine only")
    office = parser.parse_args()
    settings = checked_office(office.home, office.rules)
    reports = checked_reports(office.reports)
    server = LocalServer(settings.home / "prefect", office.port)
    try:
        with server:
            _serve(settings, reports, server.url)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")


def _serve(settings: Settings, reports: str | None, url: str) -> None:
    # After the server: Prefect reads its address once, on import.
    from prefect.client.orchestration import get_client

    from flows.deployments import OfficeRunner, deployments
    from flows.service import start_interrupted_again, watch

    home = settings.home.resolve()
    # Prefect stops its runs in an orderly way on KeyboardInterrupt, but not on the exit that the server installs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with get_client(sync_client=True) as client:
        for name in start_interrupted_again(client, home, at_start=True):
            sys.stderr.write(f"{name} was interrupted; it is started again.\n")
    threading.Thread(target=watch, args=(home,), name="watch", daemon=True).start()
    # A pause would delete the scheduled runs: a stop over the day of the schedule would lose its month.
    runner = OfficeRunner(limit=1, pause_on_shutdown=False)
    for one in deployments(home, reports, settings.family):
        runner.add_deployment(one)
    sys.stderr.write(f"{home} is served; its dashboard: {url}\nTo stop, press ctrl-C.\n")
    asyncio.run(runner.start())


def checked_reports(reports: str | None) -> str | None:
    """Return the absolute path of ``--reports``: each run is a process with its own working directory.

    Raises :class:`SystemExit` where it is not there, which each scheduled run would find a month later.
    """
    if reports and not Path(reports).exists():
        sys.stderr.write(f"--reports {reports} does not exist: make the folder in which reports arrive.\n")
        raise SystemExit(CommandLineError.exit_code)
    return str(Path(reports).resolve()) if reports else None


def checked_office(home: str | None, rules: str | None = None) -> Settings:
    """Return the settings of a home that has an office; raise :class:`SystemExit` with the reason where it has none.

    A mistyped name would be served for years, and publish nothing.
    """
    try:
        settings = Settings.read(home=home, family=rules, family_of=family_of_home)
        check_office(settings)
        check_addresses(settings)
    except RatinglistError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(error.exit_code) from None
    return settings


if __name__ == "__main__":
    main()
