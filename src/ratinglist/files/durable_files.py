"""Files and folders of an office: read, hashed, written aside, synced and renamed, kept private, locked.

What holds birth dates is closed to other accounts, what is published is not. A private folder is made with mode 0700
and a private file with 0600; what lies in a private folder needs no mode of its own. A home whose folder the group may
write, such as one of mode 2770, is shared with that group: there the group keeps its access (0770, 0660). The home
itself and ``published`` have the modes that the umask gives them: readers go through the home to what is published.

A lock ends when its process ends in any way. It needs no library: portalocker takes a tenth of a second to import, and
filelock puts a file into each folder that it locks, also where a folder is published or can only be read.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ratinglist.errors import AlteredError, CommandLineError, StoreInUseError
from ratinglist.settings import STORE

_SHARING_A_SYNC: Final = 16
COUNT: Final = range(2**63)
"""A number of things."""
DIGEST: Final = re.compile("[0-9a-f]{64}")
"""A sha256 in hex."""
TEMPORARY_PREFIX = ".tmp-"
"""The beginning of the name of a file or folder that is still being written. No reader opens it."""
NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
"""Open a pipe without waiting for its other end. Windows has no pipes among its files."""
NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""Open no link. Where the system cannot say so, the check before has to do."""
_READING: Final = os.O_RDONLY | NO_WAIT | NO_LINK | getattr(os, "O_BINARY", 0)

OF_A_DESKTOP: Final = frozenset((".ds_store", "thumbs.db", "desktop.ini"))
"""The files that file managers leave in every folder, in small letters: they are nothing."""
WORK: Final = f"{TEMPORARY_PREFIX}store"
"""The private folder of a home in which a store is made that takes the place of the one before."""
PRIVATE: Final = (
    *(STORE, WORK),
    *("last-backup.json", "told"),
    *("log", "originals", "reports", "calculations", "previews", "drafts", "reconciled", "lab"),
    # Prefect's own files: refused reports, and lists that nobody has approved.
    "prefect",
    # What a rebuild or a restore makes and replaces: parts of a home.
    *("replaced", ".tmp-restore"),
)
"""What a home has that other accounts may not read: the store, the files received, and what was made of them."""

_ALL: Final = stat.S_IRWXG | stat.S_IRWXO
LOCK_FILE: Final = ".lock"
"""The file that is locked on Windows, which opens no folder."""
_FAR: Final = 2**20
"""The byte that Windows locks: a lock keeps others from reading what is locked, so it is behind every content."""


@contextmanager
def named_in_errors(path: Path) -> Iterator[None]:
    """Name ``path``, a file or the folder that the block writes to, in an error of the system that names no file.

    The system names none where it refuses to write.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def remove_folder(folder: Path) -> None:
    """Delete a folder and all in it; an error of the system names it in full, as ``shutil.rmtree`` does not."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        error.filename = str(folder)
        raise


def remove(path: Path) -> None:
    """Delete a file or a folder, if it is there; what a link leads to stays."""
    if path.is_dir() and not path.is_symlink():
        remove_folder(path)
    else:
        path.unlink(missing_ok=True)


def synced(path: Path) -> Path:
    """Sync ``path``, a file or folder, to the disk and return it."""
    if sys.platform == "win32" and path.is_dir():
        # Windows opens no folder, and keeps the names of files itself.
        return path
    # Windows syncs only what is open for writing.
    handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        with named_in_errors(path):
            os.fsync(handle)
    finally:
        os.close(handle)
    return path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hex.

    Raises ``OSError``, also for a pipe or a device: reading one may never end.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(content: Mapping[str, object]) -> str:
    """Return the digest that a JSON object states itself: of a manifest, an index, an entry of the log, a backup.

    ``content``: JSON values without fractions. Out: the sha256 of its canonical bytes (RFC 8785) without the key
    ``digest``, in hex.
    """
    without = {key: value for key, value in content.items() if key != "digest"}
    canonical = json.dumps(without, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def fits(value: object, shape: object) -> bool:
    """Return whether a value of JSON has a shape, which is one of these.

    A type; a pattern that a text matches in full; a range that a whole number is in; ``[shape]`` of a list of such
    values; ``{key: shape}`` of an object with these keys in this order; ``(shape, shape)`` of an object by its keys and
    its values.
    """
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if isinstance(shape, tuple):
        return isinstance(value, dict) and all(
            fits(key, shape[0]) and fits(content, shape[1]) for key, content in value.items()
        )
    if isinstance(shape, dict):
        return (
            isinstance(value, dict)
            and list(value) == list(shape)
            and all(fits(value[key], part) for key, part in shape.items())
        )
    return type(value) is shape


def finish(path: Path) -> None:
    """Make a file read-only and sync it: nothing writes it again."""
    if sys.platform == "win32":
        synced(path).chmod(0o444)
        return
    path.chmod(0o444)
    synced(path)


def write_finished(path: Path, data: bytes) -> None:
    """Write a new file and :func:`finish` it; an error of the disk names it."""
    with named_in_errors(path):
        path.write_bytes(data)
    finish(path)


def replace_file(path: Path, data: bytes) -> None:
    """Write ``data`` to a temporary file, sync it, and rename it to ``path``.

    Readers see the old file or the new one, and a killed process leaves one of them.
    """
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{path.name}")
    with named_in_errors(temporary):
        temporary.write_bytes(data)
    put_in_place(temporary, path)


def put_in_place(temporary: Path, path: Path) -> None:
    """Sync a file or folder that was written aside, rename it to ``path``, and sync the name too.

    The files of a folder are synced before. ``path`` is on the same disk.
    """
    synced(temporary).replace(path)
    synced(path.parent)


def link(source: Path, target: Path) -> None:
    """Give a finished file a second name; copy it where the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        finish(target)


def read_regular_file(path: Path, at_most: int) -> bytes | None:
    """Return the bytes of a regular file; None where it is a link, is missing or too large.

    Raises :class:`OSError` where it cannot be read.
    """
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > at_most:
            return None
        # A pipe may have taken its place since: opening one would not end.
        with os.fdopen(os.open(path, _READING), "rb") as file:
            return file.read(at_most)
    except (FileNotFoundError, NotADirectoryError):
        return None


def withheld(home: Path) -> int:
    """Return the permissions that a private file of ``home`` does not give: 0o077, or 0o007 in a shared home."""
    shared = home.is_dir() and home.stat().st_mode & stat.S_IWGRP
    return stat.S_IRWXO if shared else _ALL


def make_private_folder(folder: Path) -> None:
    """Make a private folder of a home and the folders above it, where they are missing; an existing one stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o777 & ~withheld(folder.parent), exist_ok=True)


def exposed(home: Path) -> list[Path]:
    """Return the private files and folders of ``home`` that give more permissions than they may."""
    more = withheld(home)
    return [path for name in PRIVATE if (path := home / name).exists() and path.stat().st_mode & more]


def close_to_others(home: Path) -> None:
    """Take away the permissions that the private files of ``home`` give too many.

    Those of another account stay as they are, because only their owner may change them: the next command of that
    account does. A file system without permissions has none to take away.
    """
    more = withheld(home)
    for path in exposed(home):
        with suppress(PermissionError):
            close(path, more)


def close(path: Path, more: int) -> None:
    """Take the permissions ``more`` (:func:`withheld`) from a file or folder.

    A file that others must not read at any time is made in a private folder first: the umask would hold for whatever
    the other threads of the process make, such as what they publish.
    """
    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~more)


def work_file(folder: Path) -> Path:
    """Return the path for a store that is being made: in the private folder :data:`WORK` of ``folder``, made empty.

    Raises :class:`CommandLineError` where it has a question mark: DuckDB looks for a file's write-ahead log elsewhere
    then.
    """
    work = folder / WORK
    if "?" in str(work.resolve()):
        raise CommandLineError(
            f"The path of {folder.resolve()} has a question mark, and no store can be written there. Rename that "
            "folder, or name another one with --home."
        )
    remove(work)
    make_private_folder(work)
    return work / STORE


def locked_folder(folder: Path, in_use: str, *, shared: bool = False) -> int:
    """Lock a folder and return its handle; the lock ends when that is closed.

    ``shared``: others may share the lock; Windows lets them in one after the other. Raises :class:`StoreInUseError`
    with the text ``in_use`` where another process has it, :class:`OSError` where it cannot be opened.
    """
    if sys.platform == "win32":
        handle = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    else:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock_file(handle, shared=shared)
    except OSError:
        os.close(handle)
        raise StoreInUseError(in_use) from None
    return handle


def lock_file(handle: int, *, shared: bool = False) -> None:
    """Lock an open file until it is closed; raise :class:`BlockingIOError` where another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
        finally:
            os.lseek(handle, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


UNFINISHED = f"{TEMPORARY_PREFIX}parts"
"""The folder inside for files that are not complete."""

_CHUNK = 2**20


def keep_all(folder: Path, originals: Mapping[str, bytes]) -> list[str]:
    """Write ``originals``, bytes by their sha256, into ``folder``, sync them, and return the digests of those written.

    A file that has these bytes already is left alone; one that was altered is replaced. Raises :class:`OSError` where
    the folder cannot be written, and names it; then no incomplete file is left.
    """
    written = [sha256 for sha256 in originals if not is_whole(folder / sha256)]
    make_private_folder(folder)
    with _unfinished(folder) as unfinished:
        for sha256 in written:
            (unfinished / sha256).write_bytes(originals[sha256])
        if sys.platform == "linux" and len(written) > _SHARING_A_SYNC:
            # Many files share one wait, a third of the time of as many syncs.
            os.sync()
        else:
            for sha256 in written:
                synced(unfinished / sha256)
        for sha256 in written:
            (unfinished / sha256).replace(folder / sha256)
    synced(folder)  # the names as well as the bytes
    return written


def keep_file(folder: Path, path: Path, written: list[str] | None = None) -> str:
    """Copy the file ``path`` into ``folder``, as :func:`keep_all` does, and return its sha256: of the bytes copied.

    ``written``: receives the digest where the file was missing or altered.
    """
    make_private_folder(folder)
    with _unfinished(folder) as unfinished:
        copy, digest = unfinished / "copy", hashlib.sha256()
        with path.open("rb") as source, copy.open("wb") as target:
            while data := source.read(_CHUNK):
                digest.update(data)
                target.write(data)
        kept = folder / digest.hexdigest()
        if not is_whole(kept):
            put_in_place(copy, kept)
            if written is not None:
                written.append(kept.name)
    return kept.name


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    """Yield the folder inside for files that are not complete, empty; what a killed process left there is deleted."""
    unfinished = folder / UNFINISHED
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    try:
        with named_in_errors(unfinished):
            yield unfinished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


IS_NO_FILE = "is a link, a folder or a device in the place of a file"
MISSING = "is missing"
ALTERED = "was altered: its digest is not the one recorded"


def problem_of_file(path: Path, sha256: str) -> str:
    """Return what is wrong with a file that was written once, by its sha256; empty where nothing is.

    Raises :class:`OSError` where it cannot be read.
    """
    try:
        # Opening a pipe would not end.
        if not stat.S_ISREG(path.lstat().st_mode):
            return IS_NO_FILE
        return "" if sha256_of(path) == sha256 else ALTERED
    except (FileNotFoundError, NotADirectoryError):
        return MISSING


def is_whole(path: Path) -> bool:
    """Return whether a file named by a digest has that digest. Raises :class:`OSError` where it cannot be read."""
    return not problem_of_file(path, path.name)


def checked(folder: Path, sha256: str, what: str) -> Path:
    """Return the path of a kept file whose bytes have the digest ``sha256``.

    ``what``: what the file is, for the message. Raises :class:`AlteredError` where it is missing or was altered.
    """
    path = folder / sha256
    if wrong := problem_of_file(path, sha256):
        raise AlteredError(
            f"{path} {wrong}. It is {what}. Give the original file to the program again, or restore a backup."
        )
    return path
