"""Who may use a home: one writer at a time, and readers whose files no writer deletes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ratinglist.errors import StoreInUseError
from ratinglist.files.folder_lock import locked_folder

_TRIES = 10
IN_USE = "{home} is in use by another command that writes. Wait until it has finished, then run the command again."


@contextmanager
def writing(home: Path) -> Iterator[None]:
    """Hold a home inside the block against any other command that writes, checks, copies or rebuilds it.

    Raises :class:`StoreInUseError` where another one has it, :class:`OSError` where the folder cannot be opened.
    """
    handle = _held(home)
    try:
        yield
    finally:
        os.close(handle)


def _held(home: Path) -> int:
    """Return the handle of a home that no other command has, after some tries: one that only reads may look."""
    for _ in range(_TRIES):
        with suppress(StoreInUseError):
            return locked_folder(home, "")
        time.sleep(1 / 50)
    return locked_folder(home, IN_USE.format(home=home))


def is_being_written(home: Path) -> bool:
    """Return whether another command has the home now."""
    try:
        with writing(home):
            return False
    except StoreInUseError:
        return True
    except OSError:
        return False


@contextmanager
def holding_calculations(folder: Path, *, shared: bool = False) -> Iterator[bool]:
    """Yield whether ``HOME/calculations`` is held inside the block, by a reader (``shared``) or a writer that deletes.

    No writer deletes files that a reader holds. Where a reader cannot hold them, such as while files are being deleted
    for some milliseconds, it reads all the same.
    """
    try:
        handle = locked_folder(folder, "", shared=shared)
    except (OSError, StoreInUseError):
        yield False
        return
    try:
        yield True
    finally:
        os.close(handle)
