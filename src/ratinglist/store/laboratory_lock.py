"""Hold the folder of the laboratory, so that no command replaces what another one reads or writes there."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratinglist.errors import StoreInUseError
from ratinglist.store.frozen_months import FOLDER


@contextmanager
def held_laboratory(home: Path, *, writes: bool) -> Iterator[None]:
    """Hold ``HOME/lab`` inside the block; where there is no such folder, nothing is held.

    A command that writes holds it alone; commands that only read may hold it together. Raises
    :class:`StoreInUseError` while another laboratory command holds it.
    """
    folder = home / FOLDER
    if not folder.is_dir():
        yield
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if writes else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreInUseError(
                f"{folder} is in use: another laboratory command is running. Wait until it has finished, then run the "
                "command again."
            ) from None
        yield
    finally:
        os.close(handle)
