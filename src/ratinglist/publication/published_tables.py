"""The published tables that no manifest names: ``events.parquet``, and ``both_numbers.parquet`` of each month.

The journal states the digest of each when it is written, so that an altered one is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ratinglist.durable_files import sha256_of
from ratinglist.store import journal
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry


def digests(published: Path, paths: Iterable[Path]) -> dict[str, str]:
    """Return the digest of each of these tables, by its path below the published folder."""
    return {path.relative_to(published).as_posix(): sha256_of(path) for path in sorted(paths)}


def newest_digests(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the newest digest that a journal states of each table, by path."""
    return {path: sha256 for entry in entries for path, sha256 in entry.facts.get("tables", {}).items()}


def recorded(store: Store, paths: Iterable[str]) -> dict[str, str]:
    """Return the newest digest that the journal of a store states of these tables."""
    newest = newest_digests(journal.entries(store))
    return {path: newest[path] for path in paths if path in newest}
