"""Prefect's runner of served flows, which a signal stops as ctrl-C does."""

from __future__ import annotations

import signal
from typing import Any

from prefect.runner import Runner


class OfficeRunner(Runner):
    """Prefect's runner, stopped by SIGTERM as by ctrl-C: it ends its runs in order, and then itself."""

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Stop as on ctrl-C. Prefect's own way leaves the program in the middle of its event loop, with tracebacks."""
        signal.raise_signal(signal.SIGINT)
