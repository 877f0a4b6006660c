"""What is on the disk, and what it is by digest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def synced(path: Path) -> Path:
    """``path``, a file or folder, once the disk has it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return path


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
