"""The flows as deployments of one office, and what runs them: the monthly list, and two that an officer starts."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from prefect.runner import Runner
from prefect.schedules import Cron

from flows.backfill import backfill, rerate
from flows.monthly import SCHEDULE, monthly


def deployments(home: Path, reports: str | None, rules: str) -> list[Any]:
    """Return the deployments of the office in ``home``, with its name and rule family as tags.

    ``reports``: what the scheduled list loads first, an absolute path.
    """
    office = {"home": str(home), "rules": rules}
    tags = [f"home {home.name}", rules]
    return [
        monthly.to_deployment(
            "closing", schedule=Cron(SCHEDULE, timezone="UTC"), parameters={**office, "reports": reports}, tags=tags
        ),
        backfill.to_deployment("several-months", parameters=office, tags=tags),
        rerate.to_deployment("after-a-correction", parameters=office, tags=tags),
    ]


class OfficeRunner(Runner):
    """Prefect's runner, stopped by SIGTERM as by ctrl-C: it ends its runs in order, and then itself."""

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Stop as on ctrl-C. Prefect's own way leaves the program in the middle of its event loop, with tracebacks."""
        signal.raise_signal(signal.SIGINT)
