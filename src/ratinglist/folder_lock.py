"""Lock a folder for a process: the system ends the lock when the process ends in any way."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from ratinglist.errors import StoreInUseError


def locked_folder(folder: Path, in_use: str, *, shared: bool = False) -> int:
    """Lock a folder and return its handle; the lock ends when that is closed.

    ``shared``: others may lock it so too. Raises :class:`StoreInUseError` with the text ``in_use`` where another
    process has it, :class:`OSError` where it cannot be opened.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise StoreInUseError(in_use) from None
    return handle
