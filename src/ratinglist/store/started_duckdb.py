"""DuckDB, started once for the stores that a process opens one after the other: to start it is 15 ms of a processor."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import duckdb

from ratinglist.store.calculated_views import quoted

CONFIG: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # A month has some thousand events: what is summed by their numbers finds its place without a hash.
    "perfect_ht_threshold": 16,
}
"""DuckDB's settings for a store."""

_idle: dict[tuple[int, int | None], list[duckdb.DuckDBPyConnection]] = {}
"""DuckDB as closed stores left it, by process and threads: a copy of a process by a fork must not use it."""


class StartedDuckDB:
    """A DuckDB without a file that no other store uses, and a connection to it."""

    def __init__(self, threads: int | None, spilled: Path) -> None:
        """Take one that is idle, or start it. ``spilled``: the folder for what it spills."""
        self._idle, self._spilled = _idle.setdefault((os.getpid(), threads), []), spilled
        config = {**CONFIG, **({"threads": threads} if threads else {})}
        self._duckdb = self._idle.pop() if self._idle else duckdb.connect(config=config)
        self.connection = self._duckdb.cursor()
        self.connection.execute(f"set temp_directory = {quoted(str(spilled))}")

    def leave(self) -> None:
        """Leave it to the next store, without files attached; where it has spilled, end it, which deletes that."""
        if self._spilled.exists():
            self.stop()
            return
        with suppress(duckdb.Error):
            self.connection.execute("reset memory_limit")
            self.connection.close()
            self._idle.append(self._duckdb)

    def stop(self) -> None:
        """End it, with all that it holds and has spilled."""
        with suppress(duckdb.Error):
            self.connection.close()
            self._duckdb.close()
