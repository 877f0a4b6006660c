"""Read a small file that may come from anybody: a link is not followed, and a pipe does not block."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
"""Open a pipe without waiting for its other end. Windows has no pipes among its files."""
NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""Open no link. Where the system cannot say so, the check before has to do."""
_READING: Final = os.O_RDONLY | NO_WAIT | NO_LINK | getattr(os, "O_BINARY", 0)


def read_regular_file(path: Path, at_most: int) -> bytes | None:
    """Return the bytes of a regular file; None where it is a link, is missing, too large, or cannot be read."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > at_most:
            return None
        # A pipe may have taken its place since: opening one would not end.
        with os.fdopen(os.open(path, _READING), "rb") as file:
            return file.read(at_most)
    except OSError:
        return None


def read_beginning(path: Path, at_most: int) -> bytes | None:
    """Return the first bytes of a regular file; None where something else is there: a link, a folder, a pipe, a device.

    Raises :class:`OSError` where nothing is there or the file cannot be read.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        return None
    with os.fdopen(os.open(path, _READING), "rb") as file:
        return file.read(at_most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
