"""What is on the disk, and what it is by digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

TEMPORARY_PREFIX = ".tmp-"
"""How the name of a file or folder begins that is being written, and that nobody reads yet."""


def synced(path: Path) -> Path:
    """``path``, a file or folder, once the disk has it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return path


def sync_all(handles: Sequence[int]) -> None:
    """Until the disk has all of some open files.

    Where the system can be told so, each is begun to be written before the first is waited for: then they share a wait
    that each would have for itself, which takes a third of the time for some dozen small files.
    """
    if hasattr(os, "posix_fadvise"):
        for handle in handles:
            # "Nobody reads it again": what is not on the disk yet is sent there at once.
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    for handle in handles:
        os.fsync(handle)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
