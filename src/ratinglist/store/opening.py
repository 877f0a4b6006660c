"""Open the store of a home: one writer at a time, migrated to the layout of this program."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from ratinglist import private_files, resources
from ratinglist.durable_files import TEMPORARY_PREFIX
from ratinglist.errors import CommandLineError, HomeError, NewerStoreError, StoreDamagedError
from ratinglist.store import archive, baseline, damage, journal, replaced_parts
from ratinglist.store.database import Store
from ratinglist.store.home_lock import held_home
from ratinglist.store.migration import migrate

CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # A month has some thousand events: what is summed by their numbers finds its place without a hash.
    "perfect_ht_threshold": 16,
}
"""DuckDB's settings for a store, of writers and of readers."""

_TRIES = 200
"""How often a writer tries to open a file that others read, 50 ms apart: ten seconds, and a reader takes one."""


@contextmanager
def open_store(path: Path, threads: int | None = None) -> Iterator[Store]:
    """Open the store for writing, creating and migrating it as needed; close its home to other accounts.

    Raises :class:`StoreInUseError` while another process has it open; :class:`StoreDamagedError` where it cannot be
    read, here or later in the block; :class:`NewerStoreError` where a newer version made it; :class:`NothingReadError`
    where the system does not let it be opened; :class:`HomeError` where it is missing in a home with publications, or
    older than its journal; :class:`CommandLineError` where the home is a file.
    """
    if path.parent.exists() and not path.parent.is_dir():
        raise CommandLineError(
            f"{path.parent} is a file: name a directory with --home, or one that does not exist yet."
        )
    if replaced_parts.is_interrupted(path.parent):
        with held_home(path.parent):
            finish_interrupted(path.parent)
    check_present(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    private_files.close(path.parent)
    withheld = private_files.withheld(path.parent)
    damage.check_files(path)
    if not path.exists():
        with private_files.made_private(withheld):
            _make(path)
    config: dict[str, Any] = {**CONFIG, **({"threads": threads} if threads else {})}
    with ExitStack() as stack:
        # Opened before the database and closed after it: the system ends DuckDB's lock when the process closes any
        # handle of the file.
        file = stack.enter_context(path.open("rb"))
        with damage.opening(path), private_files.made_private(withheld):
            connection = connect_to_write(path, config)
        stack.callback(_close, connection, withheld)
        with damage.reading(path):
            store = Store(connection, path.parent)
            try:
                migrate(store, path, file)
                archive.remove_unfinished(store.home)
                newest = journal.complete_copies(store)
            except (StoreDamagedError, NewerStoreError, HomeError):
                # Or DuckDB would replay the write-ahead log of a refused store into its file when it is closed.
                # A database that has failed accepts no statement, and then it replays nothing either.
                with suppress(duckdb.Error):
                    connection.execute("pragma disable_checkpoint_on_shutdown")
                raise
            make_views(store)
            baseline.write_if_needed(store, newest)
            yield store


def connect_to_write(path: Path, config: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Connect to a store for writing; wait for commands that read it, but not for another writer.

    Raises ``duckdb.Error`` as ``duckdb.connect`` does.
    """
    for _ in range(_TRIES):
        try:
            return duckdb.connect(str(path), config=config)
        except duckdb.IOException as error:
            # DuckDB adds this where the lock is that of a reader.
            if "able to open this database in read-only mode" not in str(error):
                raise
        time.sleep(1 / 20)
    return duckdb.connect(str(path), config=config)


def make_views(store: Store) -> None:
    """Offer the temporary views over the tables and over the files of calculations; nothing is written."""
    store.offer_views(resources.sql("views").rglob("*.sql"))
    store.show_calculations()


def _close(connection: duckdb.DuckDBPyConnection, withheld: int) -> None:
    with private_files.made_private(withheld):
        connection.close()


def _make(path: Path) -> None:
    """Make an empty database under another name and link it to ``path``: a killed process leaves no part of one."""
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{path.name}")
    temporary.unlink(missing_ok=True)
    try:
        duckdb.connect(str(temporary)).close()
        os.link(temporary, path)
    except FileExistsError:
        pass  # Another process has made the store since.
    except PermissionError:  # The file system has no hard links.
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)


def finish_interrupted(home: Path) -> None:
    """Put complete parts of a killed rebuild or restore in their place, and delete incomplete ones.

    The caller holds the home (:func:`~ratinglist.store.home_lock.held_home`).
    """
    replaced_parts.put_in_place(home)
    replaced_parts.remove_scratch(home)


def check_present(path: Path) -> None:
    """Raise :class:`HomeError` where the store is missing and its home holds lists or originals: it was lost.

    A new store would publish as if nothing had been published before.
    """
    if path.exists():
        return
    home = path.parent
    kept = [*home.glob("published/*/r*"), *journal.copies(home).values()]
    if kept:
        raise HomeError(
            f"{path} is missing, and this home is not a new one: it has {kept[0]}. Nothing was changed. Rebuild the "
            "store from the archive: ratinglist doctor --rebuild. Or put back the home of one day: ratinglist restore "
            "DIR"
        )
