"""How long the allocators of Polars and DuckDB keep freed memory for the next step.

Both libraries bring jemalloc, which returns freed pages to the system after half a second to a second. The steps of a
month take some seconds and allocate the same amount of memory again, and the system has to zero every page that it
hands out; on a virtual machine the host has to map it as well. That is a tenth of the time of a full-size month.
"""

from __future__ import annotations

from collections.abc import MutableMapping

DECAY_MS = 2_000
"""Milliseconds that freed memory is kept: from one step to the next, and no longer than its peak would grow by it."""

_VARIABLES = ("_RJEM_MALLOC_CONF", "DUCKDB_JE_MALLOC_CONF")
"""Polars and DuckDB read these variables when they are imported; a later change has no effect."""


def keep_freed_memory(environment: MutableMapping[str, str]) -> None:
    """Set the decay time in ``environment``, before either library is imported; a variable already set is kept."""
    for name in _VARIABLES:
        environment.setdefault(name, f"dirty_decay_ms:{DECAY_MS},muzzy_decay_ms:{DECAY_MS}")
