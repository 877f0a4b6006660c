"""Bring a store to the layout of this program: refuse a newer one, copy an older one, run what is missing."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import duckdb

from ratinglist import resources
from ratinglist.durable_files import TEMPORARY_PREFIX, synced
from ratinglist.errors import NewerStoreError, StoreDamagedError
from ratinglist.store import damage, published_revisions
from ratinglist.store.database import Store
from ratinglist.store.folders_from_tables import write_folders

_INTO_FILES: Final = "0009_calculations_as_files.sql"
_PUBLISHED_DIGESTS: Final = "0011_intentions.sql"


def migrate(store: Store, path: Path, file: IO[bytes]) -> None:
    """Run the migrations not yet run, each in a transaction with its own entry.

    ``path``, ``file``: the store's file and its opened bytes. A store that has run some migrations and not all is
    copied first (:func:`copy_path`). Raises :class:`NewerStoreError` where it has run one
    that this program does not have, or has another text of; then nothing was written.
    """
    with damage.opening(path):
        done = _done(store, path)
    texts = _texts()
    digests = _digests(texts)
    refuse_newer(path, done, digests)
    missing = [name for name in texts if name not in done]
    if missing and done:
        _copy(store, path, file, missing[-1])
    if not done:
        store.execute("create table if not exists migration (name varchar primary key, sha256 varchar not null)")
    for name in missing:
        with store.transaction():
            if name == _INTO_FILES:
                write_folders(store)
            store.execute(texts[name])
            # A new store knows no revision: any that are published come from another store.
            if name == _PUBLISHED_DIGESTS and done:
                published_revisions.adopt(store)
            store.execute("insert into migration values ($name, $digest)", name=name, digest=digests[name])


def refuse_newer(path: Path, done: Mapping[str, str], digests: Mapping[str, str] | None = None) -> None:
    """Raise :class:`NewerStoreError` where the store ``path`` has run a migration that this program does not have.

    ``done``: the digest of every migration that the store has run, by name; another text under a known name counts too.
    ``digests``: those of this program, read where they are left out.
    """
    digests = digests or _digests(_texts())
    if newer := sorted(done.keys() - digests.keys()):
        raise _newer(path, f"it has {newer[-1]}, and this version knows the layouts up to {max(digests)}")
    if changed := [name for name, digest in done.items() if digests[name] != digest]:
        raise _newer(path, f"it was made by another {changed[0]} than this version has")


def _texts() -> dict[str, str]:
    """Return the text of every migration of this program by name, in order."""
    return {one.name: one.read_text(encoding="utf-8") for one in sorted(resources.sql("migrations").glob("*.sql"))}


def _digests(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def copy_path(path: Path, migration: str) -> Path:
    """Return where the copy of the store ``path`` is kept that is made before ``migration`` runs."""
    return path.with_name(f"{path.name}.before-{migration.removesuffix('.sql')}")


def _done(store: Store, path: Path) -> dict[str, str]:
    """Return the digest of every migration that the store has run, by name; read without writing anything."""
    # To list the tables first would cost every command more than the rest of this function.
    with suppress(duckdb.CatalogException):
        return dict(store.rows("select name, sha256 from migration order by name"))
    tables = store.read("select table_name from duckdb_tables() where not temporary")["table_name"].to_list()
    if tables:
        raise StoreDamagedError(
            f"{path} is a database of another program: it has the table {min(tables)} and none of migrations. "
            f"Nothing was changed. {damage.REMEDY}"
        )
    return {}


def _newer(path: Path, what: str) -> NewerStoreError:
    return NewerStoreError(
        f"{path} was made by a newer version of ratinglist: {what}. Nothing was changed. {damage.NEWER_REMEDY}"
    )


def _copy(store: Store, path: Path, file: IO[bytes], migration: str) -> None:
    """Copy the store before it is migrated, sync the copy, and delete the copy of an earlier migration.

    ``file`` was opened before the database and is closed after it: the system ends the lock on a file when the process
    closes any handle of it.
    """
    # The file holds every commit only then.
    store.execute("checkpoint")
    target = copy_path(path, migration)
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{target.name}")
    file.seek(0)
    with temporary.open("wb") as copy:
        shutil.copyfileobj(file, copy)
    shutil.copymode(path, temporary)
    synced(temporary).replace(target)
    synced(path.parent)
    for earlier in path.parent.glob(f"{path.name}.before-*"):
        if earlier != target:
            earlier.unlink()
