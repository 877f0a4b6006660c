"""Put a rebuilt or restored home in the place of the old parts, which are kept.

The new parts are made in a folder of their own and moved to ``HOME/rebuilt`` when they are complete. While that folder
is there, no command opens the store: the next one first moves what a killed one did not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ratinglist.config import STORE
from ratinglist.durable_files import TEMPORARY_PREFIX, synced
from ratinglist.private_files import make_private_folder

FOLDER = "replaced"
"""The folder of what was replaced: a folder for each time."""
SCRATCH = f"{TEMPORARY_PREFIX}rebuild"
"""The folder in which the new parts are made."""
_READY = "rebuilt"
_COMPLETE = f"{TEMPORARY_PREFIX}{_READY}"
_LOG = f"{STORE}.wal"


def is_interrupted(home: Path) -> bool:
    """Return whether a process was killed that made new parts, or put them in their place."""
    return any((home / name).is_dir() for name in (SCRATCH, _COMPLETE, _READY))


def remove_scratch(home: Path) -> None:
    """Delete parts that are not complete; folders that they link to stay."""
    for name in (SCRATCH, _COMPLETE):
        shutil.rmtree(home / name, ignore_errors=True)


def make_ready(home: Path, parts: Sequence[str]) -> None:
    """Sync these parts, files or folders in the scratch folder, and move them to the one that marks them complete."""
    complete = home / _COMPLETE
    make_private_folder(complete)
    for part in parts:
        path = home / SCRATCH / part
        for one in (path, *path.rglob("*")):
            synced(one)
        path.rename(complete / part)
    synced(complete)
    complete.rename(home / _READY)
    synced(home)


def put_in_place(home: Path, kept: Path | None = None) -> None:
    """Move complete parts to their places, and what was there to the folder ``kept``, by default a new one.

    The store is the last: without it, a home cannot be written.
    """
    ready = home / _READY
    if not ready.is_dir():
        return
    kept = kept or next_folder(home)
    make_private_folder(kept.parent)
    make_private_folder(kept)
    if (ready / STORE).exists() and (home / _LOG).exists():
        (home / _LOG).rename(kept / _LOG)
    for part in sorted((path.name for path in ready.iterdir()), key=lambda name: (name == STORE, name)):
        if os.path.lexists(home / part):
            (home / part).rename(kept / part)
        (ready / part).rename(home / part)
    synced(home)
    # Before the folder goes that marks an interrupted process: a killed one may have left an empty folder, too.
    _remove_empty(home / FOLDER)
    ready.rmdir()
    synced(home)


def _remove_empty(folder: Path) -> None:
    """Delete the folders in ``folder`` that keep nothing, and ``folder`` where it has no other."""
    for path in (*folder.iterdir(), folder):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def next_folder(home: Path) -> Path:
    """Return the folder for what is replaced next; it is not made yet."""
    there = [int(path.name) for path in (home / FOLDER).glob("*") if path.name.isdigit()]
    return home / FOLDER / str(max(there, default=0) + 1)
