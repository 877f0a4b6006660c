"""How long memory that one step has done with is kept for the next one.

Polars and DuckDB each bring jemalloc, which gives memory back after half a second or one. A month goes on for some
seconds and asks for the same memory again, step after step; every page that it then gets anew has to be emptied first
by the system, on a virtual computer also found by its host. That is a tenth of what a month of the world costs.
"""

from __future__ import annotations

from collections.abc import MutableMapping

DECAY_MS = 10_000
"""Milliseconds: the longest step of a month, so that one month does not lend to the next."""

_READ_BY = ("_RJEM_MALLOC_CONF", "DUCKDB_JE_MALLOC_CONF")
"""The variables that Polars and DuckDB read as they are imported: afterwards nothing can be said any more."""


def keep_freed_memory(environment: MutableMapping[str, str]) -> None:
    """Say so in ``environment``, before either library is imported; what the office says there itself stands."""
    for name in _READ_BY:
        environment.setdefault(name, f"dirty_decay_ms:{DECAY_MS},muzzy_decay_ms:{DECAY_MS}")
