"""A file that stands in its place whole or not at all: written beside it, synced and renamed."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ratinglist.errors import CommandLineError

STDOUT = Path("-")
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The only day that a zip can say of every file without knowing one."""
_UNIX = 3


@dataclass(frozen=True, slots=True)
class Placed:
    """A file that was written: its size in bytes and the digest of its bytes."""

    path: Path
    bytes: int
    sha256: str


def target(out: Path | None, name: str, home: Path) -> Path:
    """Where the file goes: ``out`` itself, ``name`` in the folder ``out``, or ``name`` in the current folder.

    Raises :class:`CommandLineError` where the folder is not there, where something else than an ordinary file stands in
    the place, and where the place is in the office's ``home``, by whatever way it is told.
    """
    if out == STDOUT:
        return STDOUT
    path = Path(name) if out is None else out / name if out.is_dir() else out
    if not path.parent.is_dir():
        raise CommandLineError(f"{path.parent} is not a folder: make it, or name a file in another one.")
    try:
        stands_there = stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        stands_there = True
    if not stands_there:
        raise CommandLineError(
            f"{path} is a device, a pipe, a link or a folder, and a file would take its place. Name a file; --out - is "
            "standard output."
        )
    if _is_of_office(path, home):
        raise CommandLineError(
            f"{path} is in the home of the office ({home}), which keeps what was received and published. Name a file "
            "somewhere else with --out."
        )
    return path


def _is_of_office(path: Path, home: Path) -> bool:
    """Whether a file at ``path`` would stand in the home, or take the place of something that the home links to."""
    if not home.is_dir():
        return False
    own = [home, *home.iterdir()]
    # The same file, not the same spelling: a disk may be mounted twice, or not tell capitals from small letters.
    ways = [one for one in (path, *(path.parent.resolve() / path.name).parents) if one.exists()]
    return any(one.exists() and way.samefile(one) for way in ways for one in own)


def place(path: Path, write: Callable[[Path], None], member: str | None = None) -> Placed:
    """Have ``write`` write a file, and put it at ``path``, replacing what stood there; :data:`STDOUT`: print its bytes.

    ``member``: as the one file of a zip, under that name. A reader of ``path`` sees the old file or the new one; where
    ``write`` fails nothing is left.
    """
    with TemporaryDirectory(dir=None if path == STDOUT else path.parent, prefix=".tmp-export-") as folder:
        aside = Path(folder) / (member or "export")
        write(aside)
        if member is not None:
            aside = _zipped(aside, Path(folder) / "zip")
        with aside.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
            os.fsync(stream.fileno())
            if path == STDOUT:
                stream.seek(0)
                shutil.copyfileobj(stream, sys.stdout.buffer)
                sys.stdout.buffer.flush()
        if path != STDOUT:
            aside.replace(path)
    return Placed(path, size, digest)


def _zipped(file: Path, archive: Path) -> Path:
    """``archive`` with ``file`` in it: the same bytes on every day and system."""
    info = zipfile.ZipInfo(file.name, _OLDEST)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = 0o644 << 16
    info.file_size = file.stat().st_size
    with zipfile.ZipFile(archive, "w") as whole, file.open("rb") as source, whole.open(info, "w") as into:
        shutil.copyfileobj(source, into, 1024 * 1024)
    return archive
