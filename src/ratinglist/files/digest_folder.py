"""A folder of files that are named by the sha256 of their bytes.

A file is written to a temporary folder inside, synced, and renamed to its digest: a file named by a digest is complete,
even if the process that wrote it was killed. A file is compared with its name whenever it is read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    make_private_folder,
    named_in_errors,
    put_in_place,
    sha256_of,
    sync_all,
    synced,
)

UNFINISHED = f"{TEMPORARY_PREFIX}parts"
"""The folder inside for files that are not complete. A killed process leaves it behind."""

_FILES_PER_SYNC = 256
"""Files written between two syncs: a sync of many files takes little longer than a sync of one."""
_CHUNK = 2**20


def keep_all(folder: Path, originals: Mapping[str, bytes]) -> list[str]:
    """Write ``originals``, bytes by their sha256, into ``folder``, sync them, and return the digests of those written.

    A file that has these bytes already is left alone; one that was altered is replaced. Raises :class:`OSError` where
    the folder cannot be written; then no incomplete file is left.
    """
    written = [sha256 for sha256, data in originals.items() if not _has(folder / sha256, data)]
    missing = iter(written)
    make_private_folder(folder)
    while group := list(islice(missing, _FILES_PER_SYNC)):
        _write(folder, {sha256: originals[sha256] for sha256 in group})
    synced(folder)  # the names as well as the bytes
    return written


def keep_file(folder: Path, path: Path, written: list[str] | None = None) -> str:
    """Copy the file ``path`` into ``folder`` as :func:`keep_stream` does, and return its sha256."""
    with path.open("rb") as source:
        return keep_stream(folder, source, written)


def keep_stream(folder: Path, source: IO[bytes], written: list[str] | None = None) -> str:
    """Copy an open file into ``folder``, as :func:`keep_all` does, and return its sha256: that of the bytes copied.

    ``written``: receives the digest where the file was missing or altered.
    """
    unfinished = _unfinished(folder)
    copy = unfinished / "copy"
    try:
        digest = hashlib.sha256()
        with named_in_errors(copy), copy.open("wb") as target:
            while data := source.read(_CHUNK):
                digest.update(data)
                target.write(data)
        kept = folder / digest.hexdigest()
        if not is_whole(kept):
            put_in_place(copy, kept)
            if written is not None:
                written.append(kept.name)
    finally:
        remove_unfinished(folder)
    return kept.name


def checked(folder: Path, sha256: str, what: str) -> Path:
    """Return the path of a kept file whose bytes have the digest ``sha256``.

    ``what``: what the file is, for the message. Raises :class:`AlteredError` where it is missing or was altered.
    """
    path = folder / sha256
    if not is_whole(path):
        state = "was altered" if os.path.lexists(path) else "is missing"
        raise AlteredError(
            f"{path} {state}: it holds {what}. Give the original file to the program again, or restore a backup."
        )
    return path


def is_whole(path: Path) -> bool:
    """Return whether a file named by a digest has that digest."""
    try:
        return stat.S_ISREG(path.lstat().st_mode) and sha256_of(path) == path.name
    except OSError:
        return False


def remove_unfinished(folder: Path) -> None:
    """Delete what a killed process left incomplete in ``folder``."""
    shutil.rmtree(folder / UNFINISHED, ignore_errors=True)


def _has(path: Path, data: bytes) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode) and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _unfinished(folder: Path) -> Path:
    remove_unfinished(folder)
    unfinished = folder / UNFINISHED
    make_private_folder(folder)
    unfinished.mkdir()
    return unfinished


def _write(folder: Path, originals: Mapping[str, bytes]) -> None:
    """Write some files to the temporary folder, sync all of them, then rename each to its digest."""
    unfinished = _unfinished(folder)
    try:
        with named_in_errors(unfinished), ExitStack() as stack:
            files = [stack.enter_context((unfinished / sha256).open("xb")) for sha256 in originals]
            for file, data in zip(files, originals.values(), strict=True):
                file.write(data)
                file.flush()
            sync_all([file.fileno() for file in files])
        for sha256 in originals:
            (unfinished / sha256).replace(folder / sha256)
    finally:
        remove_unfinished(folder)
