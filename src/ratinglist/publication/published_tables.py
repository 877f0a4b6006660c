"""The published files that no manifest names: the status of all events, both ratings of a month, and its rollbacks.

The journal states the digest of each when it is written, so that an altered one is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ratinglist.durable_files import sha256_of
from ratinglist.publication.placement import PUBLISHED, draft_path
from ratinglist.store import journal
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry


def draft_digests(drafts: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digest of the drafts of these files, by path below the published folder.

    ``names``: their paths below the home.
    """
    return {name.removeprefix(f"{PUBLISHED}/"): sha256_of(draft_path(drafts, name)) for name in sorted(names)}


def newest_digests(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the newest digest that a journal states of each table, by path."""
    return {path: sha256 for entry in entries for path, sha256 in entry.facts.get("tables", {}).items()}


def recorded(store: Store, paths: Iterable[str]) -> dict[str, str]:
    """Return the newest digest that the journal of a store states of these tables."""
    newest = newest_digests(journal.entries(store))
    return {path: newest[path] for path in paths if path in newest}
