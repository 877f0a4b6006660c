"""Copy the store of a home as it is at one moment, while another process may be writing it.

DuckDB never overwrites a block that its file header refers to: a checkpoint writes new blocks, then the header. So the
log and then the file, copied while the header stays the same, are what a process killed at that moment would have
left, and DuckDB opens that.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

_HEADERS = 3 * 4096
"""Bytes at the beginning of DuckDB's file: its main header, and two headers that checkpoints write by turns."""

_TRIES = 50


def copy_store(path: Path, folder: Path) -> Path | None:
    """Copy the store at ``path`` and its logs into ``folder``; return the copy, or None where it kept changing."""
    copy = folder / path.name
    for _ in range(_TRIES):
        header = _header(path)
        logs = logs_of(path)
        for old in folder.iterdir():
            old.unlink()
        try:
            for log in logs:
                shutil.copyfile(log, folder / log.name)
            shutil.copyfile(path, copy)
        except FileNotFoundError:  # A checkpoint has removed a log since.
            time.sleep(1 / 20)
            continue
        if header == _header(path) and logs == logs_of(path):
            return copy
        time.sleep(1 / 20)
    return None


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEADERS)


def logs_of(path: Path) -> list[Path]:
    """Return the logs of a store that its file does not contain yet: one, or two while a checkpoint is on.

    A log stays where the disk of the store has no space for what it would add to the file.
    """
    return sorted(path.parent.glob(f"{path.name}.*wal*"))
