"""Hold the folder of the laboratory, so that no command replaces what another one reads or writes there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratinglist.folder_lock import locked_folder
from ratinglist.store.frozen_months import FOLDER


@contextmanager
def held_laboratory(home: Path, *, writes: bool) -> Iterator[None]:
    """Hold ``HOME/lab`` inside the block; where there is no such folder, nothing is held.

    A command that writes holds it alone; commands that only read may hold it together. Raises
    :class:`~ratinglist.errors.StoreInUseError` while another laboratory command holds it.
    """
    folder = home / FOLDER
    if not folder.is_dir():
        yield
        return
    in_use = (
        f"{folder} is in use: another laboratory command is running. Wait until it has finished, then run the command "
        "again."
    )
    handle = locked_folder(folder, in_use, shared=not writes)
    try:
        yield
    finally:
        os.close(handle)
