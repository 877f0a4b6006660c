"""Write a file atomically: to a temporary folder next to it, synced to disk and renamed."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import remove, synced
from ratinglist.settings import STORE

STDOUT = Path("-")
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The earliest timestamp of a zip, given to every member so that the bytes do not depend on the day."""
_UNIX = 3


def output_path(out: Path | None, name: str) -> Path:
    """Return the path of the file: ``out`` itself, ``name`` in the folder ``out``, or ``name`` in the current folder.

    Raises :class:`CommandLineError` if the folder does not exist, and what :func:`check_output` raises.
    """
    if out == STDOUT:
        return STDOUT
    path = Path(name) if out is None else out / name if out.is_dir() else out
    if not path.parent.is_dir():
        raise CommandLineError(f"{path.parent} is not a folder: make it, or name a file in another one.")
    check_output(path)
    return path


def check_output(path: Path, *inputs: Path) -> None:
    """Check that a file may be written to ``path``: it replaces nothing that an office or the command needs.

    ``inputs``: the files that the command reads. Raises :class:`CommandLineError` if the path is anything but an
    ordinary file, if it is one of the inputs, and if it is in an office, also through a link.
    """
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise CommandLineError(
            f"{path} is a device, a pipe, a link or a folder, and a file would take its place. Name a file; --out - is "
            "standard output."
        )
    if path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
        raise CommandLineError(f"{path} is the file that is read, and would be replaced. Name another one with --out.")
    check_not_in_an_office(path.parent, f"{path}")


def check_output_folder(folder: Path) -> None:
    """Check that files may be written to ``folder``, which is made where it is missing.

    Raises :class:`CommandLineError` if it is no folder, if the folder that it would be made in is none, and if it is in
    an office.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise CommandLineError(f"{folder} is not a folder: name one with --out.")
    if not folder.parent.is_dir():
        raise CommandLineError(f"{folder.parent} is not a folder: make it, or name another one with --out.")
    check_not_in_an_office(folder, f"{folder}")


def check_not_in_an_office(folder: Path, named: str) -> None:
    """Raise :class:`CommandLineError` if ``folder`` is in the home of any office, or in a folder that is published.

    ``named``: what the user named. A home is known by its store, a published folder by a month with ``latest``; a copy
    of a published folder counts, because it could not be verified any more.
    """
    resolved = folder.resolve()
    for parent in (resolved, *resolved.parents):
        if (parent / STORE).is_file():
            raise CommandLineError(
                f"{named} is in the home of an office ({parent}), which keeps what was received and published. Name "
                "another place."
            )
        if any(parent.glob("[12][0-9][0-9][0-9]-[01][0-9]/latest")):
            raise CommandLineError(
                f"{named} is in a folder of published lists ({parent}), which has nothing but these. Name "
                "another place."
            )


def write_atomically(
    path: Path,
    write: Callable[[Path], object],
    member: str | None = None,
) -> tuple[int, str]:
    """Call ``write`` with a temporary path and move the file to ``path``, replacing an older one.

    ``path`` may be :data:`STDOUT`: then the bytes are printed. ``member``: put the file into a zip, under that name.
    A reader of ``path`` sees the old file or the new one; if anything raises, the old one stays. Out: the size in
    bytes, and the SHA-256, of what was written.
    """
    with TemporaryDirectory() if path == STDOUT else _folder_beside(path) as folder:
        temporary = Path(folder) / (member or path.name)
        write(temporary)
        if member is not None:
            temporary = _zipped(temporary, Path(folder) / "zip")
        with temporary.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
            if path == STDOUT:
                stream.seek(0)
                shutil.copyfileobj(stream, sys.stdout.buffer)
                sys.stdout.buffer.flush()
        if path != STDOUT:
            # Not its name: the folder is not the office's, and may be on a disk that syncs no folders.
            synced(temporary).replace(path)
    return size, digest


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """Yield a folder beside ``path`` for the file while it is written; what a killed command left of it is deleted."""
    # The whole name may be too long with more before it.
    folder = path.with_name(f".tmp-export-{hashlib.sha256(path.name.encode()).hexdigest()[:16]}")
    remove(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        remove(folder)


def write_text_atomically(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8 to ``path`` as :func:`write_atomically` does."""
    write_atomically(path, lambda temporary: temporary.write_bytes(text.encode()))


def _zipped(file: Path, archive: Path) -> Path:
    """Write ``file`` into the zip ``archive`` and return it; the bytes are the same on every day and system."""
    info = zipfile.ZipInfo(file.name, _OLDEST)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = 0o644 << 16
    info.file_size = file.stat().st_size
    with zipfile.ZipFile(archive, "w") as whole, file.open("rb") as source, whole.open(info, "w") as into:
        shutil.copyfileobj(source, into, 1024 * 1024)
    return archive
