"""Opens the store of a home for a test, without the checks that a command makes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from ratinglist.home.log import Log
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.workflows.opening import opened_store


@contextmanager
def open_store(path: Path, threads: int | None = None) -> Iterator[Store]:
    """The store at ``path``, of the home that it is in, as the log has it; it is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = Settings(path.parent, "fide", date(2025, 12, 1), threads)
    with opened_store(Log.open(path.parent), settings) as store:
        yield store
