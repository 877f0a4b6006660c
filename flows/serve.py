"""Serve the monthly flow on its schedule, with a Prefect server, in the foreground. Ctrl-C ends both."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from flows.server import LocalServer

PORT = 4200


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m flows.serve", description=__doc__)
    parser.add_argument("--home", default="ratinglist-home", help="the rating office's directory")
    parser.add_argument("--reports", help="loaded before each list: a file, a directory or a zip")
    parser.add_argument("--rules", default="fide", help="family of rules")
    parser.add_argument("--port", type=int, default=PORT, help="of the dashboard, on this machine only")
    office = parser.parse_args()
    # Each run is a process with its own working directory, so it gets absolute paths.
    reports = str(Path(office.reports).resolve()) if office.reports else None
    server = LocalServer(Path(office.home) / "prefect", office.port, dashboard=True)

    # After the server: Prefect reads its address once, on import.
    from prefect.schedules import Cron

    from flows.monthly import SCHEDULE, monthly

    server.wait()
    # Prefect stops its runs in an orderly way on KeyboardInterrupt, but not on the exit that the server installs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    monthly.serve(
        name="closing",
        schedule=Cron(SCHEDULE, timezone="UTC"),
        parameters={"home": str(Path(office.home).resolve()), "reports": reports, "rules": office.rules},
        limit=1,
        # A pause would delete the scheduled runs: a stop over the day of the schedule would lose its month.
        pause_on_shutdown=False,
    )


if __name__ == "__main__":
    main()
