"""The published files that no manifest names: the status of all events, both ratings of a month, and its rollbacks.

The journal states the digest of each when it is written, so that an altered one is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ratinglist.durable_files import sha256_of
from ratinglist.publication import rollback_log
from ratinglist.publication.placement import PUBLISHED, draft_path
from ratinglist.schemas import BOTH_NUMBERS
from ratinglist.store import baseline, journal
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry

EVENTS = "events.parquet"
"""The status of all events, published once for all months."""
OF_MONTH = (f"{BOTH_NUMBERS.name}.parquet", rollback_log.NAME)
"""The files of one month."""
_FOLDER = f"{PUBLISHED}/"


def is_file(name: str) -> bool:
    """Return whether a path below the published folder is that of such a file."""
    return name == EVENTS or name.rpartition("/")[2] in OF_MONTH


def digests_of_all(published: Path) -> dict[str, str]:
    """Return the digest of each such file of a published folder, by path below it."""
    paths = [path for name in OF_MONTH for path in published.glob(f"*/{name}")]
    paths += [published / EVENTS] if (published / EVENTS).exists() else []
    return {path.relative_to(published).as_posix(): sha256_of(path) for path in paths}


def draft_digests(drafts: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digest of the drafts of these files, by path below the published folder.

    ``names``: their paths below the home.
    """
    return {name.removeprefix(f"{PUBLISHED}/"): sha256_of(draft_path(drafts, name)) for name in sorted(names)}


def newest_digests(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the newest digest that a journal states of each table, by path; a table that was deleted is not there."""
    newest = {path: sha256 for entry in entries for path, sha256 in entry.facts.get("tables", {}).items()}
    return {path: sha256 for path, sha256 in newest.items() if sha256}


def recorded_of_all(store: Store) -> dict[str, str]:
    """Return the digest that the journal of a store states of each such file, by path; not of one that was deleted.

    A baseline states those that were published before the journal began.
    """
    stated: dict[str, str] = {}
    for entry in (*journal.entries_with(store, '"kept": {'), *journal.entries_with(store, '"tables": {')):
        stated |= entry.facts.get("tables", {})
        if entry.kind == baseline.KIND:
            names = {name.removeprefix(_FOLDER): name for name in entry.facts["kept"] if name.startswith(_FOLDER)}
            of_files = {name: entry.facts["kept"][path] for name, path in names.items() if is_file(name)}
            stated = {**of_files, **stated}
    return {path: sha256 for path, sha256 in stated.items() if sha256}


def recorded(store: Store, paths: Iterable[str]) -> dict[str, str]:
    """Return the newest digest that the journal of a store states of these tables."""
    newest = newest_digests(journal.entries(store))
    return {path: newest[path] for path in paths if path in newest}
