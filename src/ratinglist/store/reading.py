"""Open the store of a home for a command that only reads: nothing is created or written.

DuckDB lets any number of processes read its file, or one write it. So a reading command opens the file for reading.
Where another process is writing, it reads a copy of the store as it is at that moment
(:mod:`~ratinglist.store.snapshot`), and does not wait for the end of a run. A command that writes waits for the
readers, which take seconds (:func:`~ratinglist.store.opening.connect_to_write`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from ratinglist import resources
from ratinglist.errors import NothingReadError, StoreDamagedError, StoreInUseError
from ratinglist.store import damage, journal
from ratinglist.store.calculation_folder import MISSING_REMEDY
from ratinglist.store.database import Store
from ratinglist.store.opening import CONFIG, check_present, make_views, open_store
from ratinglist.store.snapshot import copy_store

_TRIES = 3
"""A run that ends while a copy of its store is opened deletes files that the copy names: then it is copied again."""


@contextmanager
def open_to_read(path: Path, threads: int | None = None) -> Iterator[Store]:
    """Open the store at ``path`` for reading, also on a disk that cannot be written and while a run is on.

    A store of an earlier version is migrated first, where it may be written. Raises :class:`StoreInUseError` where the
    file changes all the time, :class:`NothingReadError` where there is no store or it cannot be opened, and what
    :func:`~ratinglist.store.opening.open_store` raises for a store that is damaged, newer, or older than its journal.
    """
    check_present(path)
    if not path.exists():
        raise NothingReadError(f"{path} does not exist: nothing was imported into this home yet. {FIRST}")
    damage.check_files(path)
    config: dict[str, Any] = {**CONFIG, **({"threads": threads} if threads else {})}
    with damage.reading(path, damage.NOTHING_CHANGED):
        connection, store, is_copy = _opened(path, config)
        with connection:
            try:
                yield store
            except NothingReadError as error:
                if not is_copy:
                    _check_age(store, error)
                elif MISSING_REMEDY in str(error):
                    # The writer has replaced a calculation whose files the copy names.
                    raise StoreInUseError(f"{path} was changed while it was read. Run the command again.") from None
                raise


@contextmanager
def open_to_compare(path: Path) -> Iterator[Store | None]:
    """Open the store at ``path`` for reading where that can be done at once, for a command that needs it for a check.

    Yields None where there is no store, or this account may not read it; where another process writes it; where it has
    the layout of another version; and where it is damaged: then the command has nothing to compare with. A store that
    turns out to be damaged inside the block raises :class:`~ratinglist.errors.StoreDamagedError`.
    """
    connection = None
    if path.is_file() and os.access(path, os.R_OK):
        try:
            damage.check_files(path)
            connection = duckdb.connect(str(path), read_only=True, config=CONFIG)
            if not _is_current(connection):
                connection.close()
                connection = None
        except (duckdb.Error, StoreDamagedError):
            connection = None
    if connection is None:
        yield None
        return
    with connection, damage.reading(path, damage.NOTHING_CHANGED):
        yield Store(connection, path.parent)


FIRST = "To begin: ratinglist import-list FILE --month YYYY-MM"
"""The command that makes a home."""


def _opened(
    path: Path, config: Mapping[str, Any], tries: int = _TRIES
) -> tuple[duckdb.DuckDBPyConnection, Store, bool]:
    """Return a connection, the store with its views, and whether it is a copy."""
    connection, is_copy = _connect(path, config)
    try:
        if not _is_current(connection):
            connection.close()
            _migrate(path)
            connection, is_copy = _connect(path, config)
        store = Store(connection, path.parent, is_copy=is_copy)
        try:
            make_views(store)
        except NothingReadError as error:
            if not is_copy:
                _check_age(store, error)
            raise
    except BaseException as error:
        connection.close()
        if not (is_copy and isinstance(error, NothingReadError)) or tries == 1:
            raise
        return _opened(path, config, tries - 1)
    return connection, store, is_copy


def _check_age(store: Store, error: NothingReadError) -> None:
    """Raise :class:`HomeError` where the file of a calculation is missing because the store is older than its home.

    No other process writes, so every entry in the copies of the journal is in the store.
    """
    if MISSING_REMEDY in str(error):
        journal.check_copies(store)


def _connect(path: Path, config: Mapping[str, Any]) -> tuple[duckdb.DuckDBPyConnection, bool]:
    """Return a connection that only reads, and whether it is to a copy: that is where another process writes."""
    try:
        return duckdb.connect(str(path), read_only=True, config=dict(config)), False
    except duckdb.Error as error:
        if "Could not set lock" not in str(error):
            with damage.opening(path):
                raise
    with TemporaryDirectory(prefix="ratinglist-") as folder:
        copy = copy_store(path, Path(folder))
        if copy is None:
            raise StoreInUseError(f"{path} is being written. Run the command again when the other one has finished.")
        # The open file stays readable once its name is deleted, so a killed command leaves no copy.
        with damage.opening(path):
            return duckdb.connect(str(copy), read_only=True, config=dict(config)), True


def _is_current(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a store has exactly the migrations of this program."""
    try:
        done = connection.execute("select name, sha256 from migration").fetchall()
    except duckdb.CatalogException:
        return False
    files = resources.sql("migrations").glob("*.sql")
    return dict(done) == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _migrate(path: Path) -> None:
    """Run the missing migrations; raise where the store was made by another program than this."""
    if not os.access(path.parent, os.W_OK) or not os.access(path, os.W_OK):
        raise NothingReadError(
            f"{path} has the layout of another version of ratinglist and cannot be written here. Run the command once "
            "where the home may be written: that changes the layout and no figure."
        )
    with open_store(path):
        pass
