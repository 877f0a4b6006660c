"""Lock a folder or an open file for a process: the system ends the lock when the process ends in any way.

Not by a library: portalocker takes a tenth of a second to import, and filelock puts a file into each folder that it
locks, also where a folder is published or can only be read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from ratinglist.errors import StoreInUseError

LOCK_FILE: Final = ".lock"
"""The file that is locked on Windows, which opens no folder."""
_FAR: Final = 2**20
"""The byte that Windows locks: a lock keeps others from reading what is locked, so it is behind every content."""


def locked_folder(folder: Path, in_use: str, *, shared: bool = False) -> int:
    """Lock a folder and return its handle; the lock ends when that is closed.

    ``shared``: others may lock it so too; Windows lets one after the other. Raises :class:`StoreInUseError` with the
    text ``in_use`` where another process has it, :class:`OSError` where it cannot be opened.
    """
    if sys.platform == "win32":
        handle = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    else:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock_file(handle, shared=shared)
    except OSError:
        os.close(handle)
        raise StoreInUseError(in_use) from None
    return handle


def lock_file(handle: int, *, shared: bool = False) -> None:
    """Lock an open file until it is closed; raise :class:`BlockingIOError` where another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
        finally:
            os.lseek(handle, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
