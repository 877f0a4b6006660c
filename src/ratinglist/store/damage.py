"""Say what is wrong with a store that DuckDB cannot open or read, in one sentence and with the way out.

DuckDB raises errors of many classes for a damaged file; so an error is judged by its class and by the beginning of its
message, as DuckDB 2.0 writes it.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from ratinglist import resources
from ratinglist.errors import NewerStoreError, NothingReadError, RatinglistError, StoreDamagedError, StoreInUseError
from ratinglist.store import write_ahead_log

REMEDY: Final = (
    "ratinglist doctor shows what is damaged, and ratinglist doctor --rebuild makes the store again from what the home "
    "keeps; or put back a backup: ratinglist restore DIR."
)
"""The ways out of a damaged store."""
NEWER_REMEDY: Final = (
    "Use that version or a later one; or put back a backup that was made by this version: ratinglist restore DIR."
)
"""The ways out of a store of a newer version."""

NOTHING_CHANGED: Final = "Nothing was changed. "

_HEADER_BYTES: Final = 4096
_MARK: Final = b"DUCK"
_MARK_AT: Final = 8
"""Where a DuckDB file has its mark: behind the checksum of the header."""
_IN_USE: Final = 'Could not set lock on file "{path}": Conflicting lock is held in '
_NEWER: Final = "Trying to read a database file with storage version number"
_DAMAGED: Final = (
    *("Corrupt", "Failure while replaying WAL file", "This WAL was created for", "WAL does not match"),
    *("Could not read enough bytes", "Failed to load metadata pointer", "Failed to decode"),
)
"""The beginnings of messages on damage that have no class of their own, without their kind, such as ``IO Error:``."""
_DAMAGED_KINDS: Final = (duckdb.InternalException, duckdb.FatalException, duckdb.SerializationException)
"""Kinds of error that a block with altered bytes leads to where no checksum is compared."""
_FAULTS_OF_THE_DISK: Final = ("No space left", "Permission denied", "Read-only file system", "Input/output error")


def check_files(store: Path) -> None:
    """Raise :class:`StoreDamagedError` where a store or its write-ahead log is no file of DuckDB; write nothing.

    DuckDB itself would read a text file as CSV, ask the network for what reads an SQLite file, and replay nothing of a
    log whose beginning is damaged.
    """
    if store.exists() and not stat.S_ISREG(store.stat().st_mode):
        raise _damaged(store, "it is not a file")
    if store.exists():
        with store.open("rb") as file:
            head = file.read(_HEADER_BYTES)
        if not head.strip(b"\0"):
            raise _damaged(store, "it is empty" if not head else "it begins with zeros alone")
        if head[_MARK_AT : _MARK_AT + len(_MARK)] != _MARK:
            raise _damaged(store, "it is not a DuckDB file")
    if problem := write_ahead_log.problem_of(log := write_ahead_log.path_of(store)):
        raise StoreDamagedError(
            f"{log} {problem}: the last commits of a process that was killed cannot be read. Nothing was changed. "
            f"{REMEDY}"
        )


@contextmanager
def opening(store: Path) -> Iterator[None]:
    """Raise the error for the officer where DuckDB cannot open the store; nothing was changed then."""
    try:
        yield
    except duckdb.Error as error:
        text = _text(error)
        if isinstance(error, duckdb.IOException) and text.startswith(_IN_USE.format(path=store)):
            raise StoreInUseError(
                f"{store} is in use by another writer. Wait until it has finished, then run the command again."
            ) from None
        if text.startswith(_NEWER):
            raise _other_format(store, str(error)) from None
        if found := _damage(store, error, NOTHING_CHANGED):
            raise found from None
        raise NothingReadError(
            f"{store} cannot be opened: {text}. Nothing was changed. Check that the file and its folder may be read "
            "and written, and that the disk works; then run the command again."
        ) from None


@contextmanager
def reading(store: Path, changed: str = "") -> Iterator[None]:
    """Raise :class:`StoreDamagedError` for an error of DuckDB that comes from a damaged block of an open store.

    ``changed``: what the message states of changes; a command that only reads has made none.
    """
    try:
        yield
    except duckdb.Error as error:
        if found := _damage(store, error, changed):
            raise found from None
        raise


def _damage(store: Path, error: duckdb.Error, changed: str) -> StoreDamagedError | None:
    """Return the error for the officer, None where ``error`` is not about damage."""
    text = _text(error)
    if any(fault in str(error) for fault in _FAULTS_OF_THE_DISK):
        return None
    if isinstance(error, duckdb.CatalogException):
        missing = re.match(r"Table with name (\w+) does not exist", text)
        is_ours = missing and any(
            re.search(rf"\bcreate table {missing[1]}\b", file.read_text(encoding="utf-8"))
            for file in resources.sql("migrations").glob("*.sql")
        )
        return _damaged(store, f"its table {missing[1]} is missing", changed) if missing and is_ours else None
    # DuckDB's Python has no class for damage: it raises the base class itself.
    is_damage = type(error) is duckdb.Error or isinstance(error, _DAMAGED_KINDS) or text.startswith(_DAMAGED)
    if not is_damage:
        return None
    # DuckDB names the file by its absolute path.
    path = "|".join(re.escape(str(one)) for one in (store.absolute(), store.resolve(), store))
    text = re.sub(path, store.name, re.sub(rf'\bfile "({path})"', "the file", text))
    return _damaged(store, text.rstrip("."), changed)


def _damaged(store: Path, what: str, changed: str = NOTHING_CHANGED) -> StoreDamagedError:
    return StoreDamagedError(f"{store} is damaged: {what}. {changed}{REMEDY}")


def _other_format(store: Path, message: str) -> RatinglistError:
    """Return the error for a file of a DuckDB whose format this one does not read."""
    version = re.search(r"version number (\d+)", message)
    form = f"its storage format is {version[1]}" if version else "its storage format is another"
    if "created with a newer version" in message:
        return NewerStoreError(
            f"{store} was made by a newer version of ratinglist: {form}, which this version does not read. Nothing was "
            f"changed. {NEWER_REMEDY}"
        )
    return NothingReadError(
        f"{store} was made by a DuckDB that is older than any ratinglist: {form}. Nothing was changed. {REMEDY}"
    )


def _text(error: duckdb.Error) -> str:
    """Return the first line of the message without its kind, such as ``IO Error:``."""
    first_line = (str(error).splitlines() or [type(error).__name__])[0]
    return re.sub(r"^[A-Z][A-Za-z]*(?: [A-Za-z]+)? Error: ", "", first_line)
