"""The files of a delivery: folders are walked and archives opened, nothing is decoded.

Archives are untrusted: the table of contents is validated (:mod:`~ratinglist.files.zip_files`), and no more than the
limit of a file is read into memory. Folders may hold anything: links are not followed, and anything but an ordinary
file is never opened, because opening a pipe without a writer would block.
"""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import BinaryIO

from ratinglist.errors import NothingReadError
from ratinglist.files import zip_files
from ratinglist.files.zip_files import UNREADABLE
from ratinglist.limits import ARCHIVE_BYTES, DELIVERY_FILES, FOLDER_DEPTH, PATH_LENGTH
from ratinglist.reports.manifest import ManifestFacts
from ratinglist.text import first_forbidden_in_name, on_one_line

_TEMPORARY_ENDINGS = (".tmp", ".temp", ".part", ".partial", ".crdownload", "~")
_FIRST_OF_LOG = "log/000001.json"


Inode = tuple[int, int]
"""The device and the number of a file, which no other file has at the same time."""


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """One file of a delivery, not yet read.

    ``name`` is the path as delivered (``DELIVERED.file_name``), ``source`` the file or archive on disk, ``inode`` its
    device and number when it was found, ``member`` the entry of the archive, ``size`` in bytes, ``facts`` the cells of
    its row in a manifest.
    """

    name: str
    source: Path
    size: int
    inode: Inode
    member: zipfile.ZipInfo | None = None
    facts: ManifestFacts = field(default_factory=ManifestFacts)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was not read because it is no report, and why."""

    name: str
    why: str


@dataclass(slots=True)
class FoundFiles:
    """Everything below the paths of a delivery.

    ``files``: the files to read; ``skipped``: files that are no reports; ``problems``: one sentence for each file or
    folder that should have been read and could not be.
    """

    files: list[DeliveredFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def walk(paths: Sequence[Path]) -> FoundFiles:
    """Find every file in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives, in any order.

    A file reached by two paths is found once. Raises :class:`NothingReadError` for a path that does not exist or is a
    link itself (a folder above it may be one), for more files than the limit of a delivery, for an archive inside an
    archive, and for an archive that cannot be opened where it is the only path.
    """
    found = FoundFiles()
    seen: set[str] = set()
    for path in paths:
        if _is_link(path):
            raise NothingReadError(
                f"{_printable(path)} is a link, and links are not followed, because a link can lead to any file. Name "
                "the file or folder it leads to."
            )
        if not _exists(path):
            raise NothingReadError(
                f"{_printable(path)} does not exist: name a report, a folder of reports or a .zip archive."
            )
        for file, resolved in _below(path, found):
            if resolved not in seen:
                seen.add(resolved)
                _add(file, found)
            if len(seen) + len(found.skipped) > DELIVERY_FILES:
                raise NothingReadError(
                    f"{_printable(path)} holds more than {DELIVERY_FILES} files, which is no delivery: name the folder "
                    "of the reports alone, or deliver it in parts."
                )
    if len(paths) == 1 and paths[0].is_file() and found.problems and not found.files:
        raise NothingReadError(" ".join(found.problems))
    return found


def _below(path: Path, found: FoundFiles) -> Iterator[tuple[Path, str]]:
    """Yield ``path`` itself, or the files in its folders, each with its resolved path.

    A path on the command line is read even where it is hidden. Neither it nor anything below it is a link that is
    followed, so the resolved path of a file follows from that of ``path``.
    """
    resolved = os.fspath(path.resolve())
    if not path.is_dir():
        yield path, resolved
        return

    def unreadable(error: OSError) -> None:
        found.problems.append(
            f"{_printable(Path(error.filename))} could not be read: {error.strerror}. Check its permissions."
        )

    top = os.fspath(path)
    for folder, folders, names in os.walk(top, onerror=unreadable):
        depth = folder.removeprefix(top).count(os.sep)
        entered = []
        for name in sorted(folders):
            inner = Path(folder, name)
            if why := _why_skipped(inner) or _why_home(inner):
                found.skipped.append(Skipped(_printable(inner), why))
            elif problem := (
                "it is too many folders deep" if depth >= FOLDER_DEPTH else _name_problem(os.fspath(inner))
            ):
                found.problems.append(f"{_printable(inner)} was not read: {problem}. {_REMEDY}")
            else:
                entered.append(name)
        folders[:] = entered
        here, below = Path(folder), f"{resolved}{folder.removeprefix(top)}".rstrip(os.sep)
        for name in names:
            inner = here / name
            if why := _why_skipped(inner):
                found.skipped.append(Skipped(_printable(inner), why))
            else:
                yield inner, f"{below}{os.sep}{name}"


def _add(path: Path, found: FoundFiles) -> None:
    if problem := _name_problem(os.fspath(path)):
        found.problems.append(f"{_printable(path)} was not read: {problem}. {_REMEDY}")
        return
    try:
        # Not of the file that a link leads to: a link may have taken its place since the walk.
        status = path.lstat()
    except OSError as error:
        # The file was removed after the walk found it.
        found.problems.append(f"{_printable(path)} could not be read: {error.strerror}. Deliver it again.")
        return
    if not stat.S_ISREG(status.st_mode):
        found.skipped.append(Skipped(_printable(path), "not an ordinary file"))
    elif path.suffix.lower() == ".zip":
        _add_members(path, _inode(status), found)
    else:
        found.files.append(DeliveredFile(_printable(path), path, status.st_size, _inode(status)))


def archived_file(name: str, path: Path, facts: ManifestFacts | None = None) -> DeliveredFile:
    """Return the kept report at ``path`` as it was delivered under ``name``."""
    status = path.stat()
    return DeliveredFile(name, path, status.st_size, _inode(status), facts=facts or ManifestFacts())


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        # A name that no file can have; the caller reports it as one that does not exist.
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # A name that no file can have: too long, or with a NUL.
        return False


def _add_members(path: Path, inode: Inode, found: FoundFiles) -> None:
    try:
        with _open_found(path, inode) as file:
            members = zip_files.members(file, ARCHIVE_BYTES)
    except UNREADABLE as error:
        found.problems.append(
            f"{_printable(path)} is not a .zip archive that can be read: {on_one_line(str(error))}. Pack it again."
        )
        return
    except zip_files.TooLargeError as error:
        found.problems.append(f"{_printable(path)} {error}. Unpack it, or split it.")
        return
    for member in members:
        name = f"{_printable(path)}/{on_one_line(member.name)}"
        why = next((why for part in PurePosixPath(member.name).parts if (why := _why_name_skipped(part))), "")
        problem = member.problem or _name_problem(name)
        if problem:
            found.problems.append(f"{name} was not read: {problem}.")
        elif why:
            found.skipped.append(Skipped(name, why))
        elif member.name.lower().endswith(".zip"):
            raise NothingReadError(
                f"{name}: an archive inside an archive is not opened, so nothing of this delivery was loaded. Unpack "
                f"{_printable(path)} and deliver what is in it."
            )
        else:
            found.files.append(DeliveredFile(name, path, member.entry.file_size, inode, member.entry))


def _printable(path: Path) -> str:
    """Return ``path`` as text that can be stored and printed.

    Bytes of a name that are not UTF-8 become U+FFFD; refused characters are escaped.
    """
    return on_one_line(os.fsencode(path.as_posix()).decode(errors="replace"))


def _why_skipped(path: Path) -> str:
    """Return why the entry ``path`` of a folder is skipped; empty where it is read."""
    return _why_name_skipped(path.name) or ("a link is not followed" if path.is_symlink() else "")


def _why_home(folder: Path) -> str:
    """Return why the home of an office is not entered: its kept reports lack the facts of their delivery."""
    return "the home of an office: what it holds was delivered before" if (folder / _FIRST_OF_LOG).is_file() else ""


def _why_name_skipped(name: str) -> str:
    if name.startswith(".") or name == "__MACOSX":
        return "hidden"
    if name.lower().endswith(_TEMPORARY_ENDINGS) or name.startswith("~$"):
        return "a temporary file of another program"
    return ""


_REMEDY = "Give it another name, or another place."


def _name_problem(name: str) -> str:
    """Return why a file of this name is refused; empty where it is read."""
    if len(name) > PATH_LENGTH:
        return f"its path has {len(name)} characters, and at most {PATH_LENGTH} are accepted"
    character = first_forbidden_in_name(name)
    return f"its name holds the character {character}, which no name may" if character else ""


class Reader:
    """Reader of delivered files, used as a context manager; an archive stays open for the next file read from it."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._archive: zipfile.ZipFile | None = None
        self._stream: BinaryIO | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def read(self, file: DeliveredFile, max_bytes: int) -> bytes:
        """Return the first ``max_bytes`` bytes of ``file``.

        Raises :class:`NothingReadError`, with the file's name and the cause, where it cannot be read.
        """
        try:
            if file.member is None:
                with _open_found(file.source, file.inode) as stream:
                    # Python allocates the number of bytes requested, so request no more than the file has.
                    data = stream.read(min(max_bytes, file.size + 1))
                    return data if len(data) <= file.size else data + stream.read(max_bytes - len(data))
            return self._unpacked(file, file.member, max_bytes)
        except UNREADABLE as error:
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise NothingReadError(f"{file.name} could not be read: {on_one_line(cause)}. Deliver it again.") from error

    def _unpacked(self, file: DeliveredFile, member: zipfile.ZipInfo, max_bytes: int) -> bytes:
        with self._opened(file).open(member) as unpacked:
            data = unpacked.read(max_bytes)
        if len(data) < min(max_bytes, member.file_size):
            raise ValueError("it is shorter than the archive states")
        return data

    def _opened(self, file: DeliveredFile) -> zipfile.ZipFile:
        if self._archive is None or self._path != file.source:
            self._close()
            self._stream = _open_found(file.source, file.inode)
            self._archive, self._path = zipfile.ZipFile(self._stream), file.source
        return self._archive

    def _close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        if self._stream is not None:
            self._stream.close()
        self._archive = self._path = self._stream = None


def _inode(status: os.stat_result) -> Inode:
    return status.st_dev, status.st_ino


def _open_found(path: Path, inode: Inode) -> BinaryIO:
    """Open the file ``path`` that the walk found, without blocking and without following a link.

    Raises :class:`OSError` where another file, a pipe or a link has taken its place, or that of a folder above it:
    it could be any file of this machine. Opening a pipe blocks, so the file is opened with ``O_NONBLOCK`` and checked
    before it is read.
    """
    flags = ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC")
    try:
        handle = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError("a link has taken its place since it was found, and links are not followed") from None
        raise
    file = os.fdopen(handle, "rb")
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise OSError("it is not an ordinary file")
    if _inode(status) != inode:
        file.close()
        raise OSError("another file has taken its place since it was found")
    return file
