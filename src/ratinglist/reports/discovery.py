"""What was delivered, file by file: folders walked, archives opened, nothing decoded yet.

An archive comes from anywhere, so its table of contents is not believed (:mod:`~ratinglist.zip_files`), and of
what is read no more than its limit is ever held. A folder may hold anything: links are not followed, and what is no
ordinary file is never opened, so that a pipe nobody writes to keeps nobody waiting.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import BinaryIO

from ratinglist import zip_files
from ratinglist.errors import NothingReadError
from ratinglist.limits import ARCHIVE_BYTES, DELIVERY_FILES, FOLDER_DEPTH, PATH_LENGTH
from ratinglist.reports.manifest import ManifestFacts
from ratinglist.safe_text import first_forbidden_in_name, on_one_line
from ratinglist.zip_files import UNREADABLE

_LEFTOVERS = (".tmp", ".temp", ".part", ".partial", ".crdownload", "~")


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """One file of a delivery, not yet read.

    ``name`` is the path as delivered (``DELIVERED.file_name``), ``source`` the file or archive on disk, ``member`` the
    entry of the archive, ``size`` in bytes, ``stated`` what a manifest says of it.
    """

    name: str
    source: Path
    size: int
    member: zipfile.ZipInfo | None = None
    facts: ManifestFacts = field(default_factory=ManifestFacts)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was passed over, and why."""

    name: str
    why: str


@dataclass(slots=True)
class Found:
    """Everything below the paths of a delivery: files, what was passed over, and what could not be read and should."""

    files: list[DeliveredFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def walk(paths: Sequence[Path]) -> Found:
    """Every file in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives, in any order.

    A file reached by two paths is found once. Raises :class:`NothingReadError` for a path that does not exist or is a
    link itself (a folder above it may be one), for one with more files below it than any delivery has, and for an
    archive that cannot be opened where it is all there is.
    """
    found = Found()
    seen: set[str] = set()
    for path in paths:
        if _is_link(path):
            raise NothingReadError(
                f"{_told(path)} is a link, and links are not followed: whoever made it chose what would be read. Name "
                "the file or folder it leads to."
            )
        if not _exists(path):
            raise NothingReadError(
                f"{_told(path)} does not exist: name a report, a folder of reports or a .zip archive."
            )
        for file, place in _below(path, found):
            if place not in seen:
                seen.add(place)
                _add(file, found)
            if len(seen) + len(found.skipped) > DELIVERY_FILES:
                raise NothingReadError(
                    f"{_told(path)} holds more than {DELIVERY_FILES} files, which is no delivery: name the folder of "
                    "the reports alone, or deliver it in parts."
                )
    if len(paths) == 1 and paths[0].is_file() and found.problems and not found.files:
        raise NothingReadError(" ".join(found.problems))
    return found


def _below(path: Path, found: Found) -> Iterator[tuple[Path, str]]:
    """``path`` itself, or the files in its folders, each with the place where it really is.

    A path named by hand is taken even where it is hidden. Neither it nor anything below it is a link that is followed,
    so a file's real place follows from that of ``path``.
    """
    place = os.fspath(path.resolve())
    if not path.is_dir():
        yield path, place
        return

    def unreadable(error: OSError) -> None:
        found.problems.append(
            f"{_told(Path(error.filename))} could not be read: {error.strerror}. Check its permissions."
        )

    top = os.fspath(path)
    for folder, folders, names in os.walk(top, onerror=unreadable):
        depth = folder.removeprefix(top).count(os.sep)
        entered = []
        for name in sorted(folders):
            inner = Path(folder, name)
            if why := _passed_over(inner):
                found.skipped.append(Skipped(_told(inner), why))
            elif problem := (
                "it is too many folders deep" if depth >= FOLDER_DEPTH else _by_its_characters(os.fspath(inner))
            ):
                found.problems.append(f"{_told(inner)} was not read: {problem}. {_REMEDY}")
            else:
                entered.append(name)
        folders[:] = entered
        here, below = Path(folder), f"{place}{folder.removeprefix(top)}".rstrip(os.sep)
        for name in names:
            inner = here / name
            if why := _passed_over(inner):
                found.skipped.append(Skipped(_told(inner), why))
            else:
                yield inner, f"{below}{os.sep}{name}"


def _add(path: Path, found: Found) -> None:
    if problem := _by_its_characters(os.fspath(path)):
        found.problems.append(f"{_told(path)} was not read: {problem}. {_REMEDY}")
        return
    try:
        about = path.stat()
    except OSError as error:
        # It was there a moment ago.
        found.problems.append(f"{_told(path)} could not be read: {error.strerror}. Deliver it anew.")
        return
    if not stat.S_ISREG(about.st_mode):
        found.skipped.append(Skipped(_told(path), "not an ordinary file"))
    elif path.suffix.lower() == ".zip":
        _add_members(path, found)
    else:
        found.files.append(DeliveredFile(_told(path), path, about.st_size))


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        # A name that no file can have is told as one that does not exist.
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # A name that no file can have: too long, or with a NUL.
        return False


def _add_members(path: Path, found: Found) -> None:
    try:
        with path.open("rb") as file:
            members = zip_files.members(file, ARCHIVE_BYTES)
    except UNREADABLE as error:
        found.problems.append(
            f"{_told(path)} is not a .zip archive that can be read: {on_one_line(str(error))}. Pack it again."
        )
        return
    except zip_files.TooLargeError as error:
        found.problems.append(f"{_told(path)} {error}. Unpack it, or split it.")
        return
    for member in members:
        name = f"{_told(path)}/{on_one_line(member.name)}"
        why = next((why for part in PurePosixPath(member.name).parts if (why := _by_its_name(part))), "")
        problem = member.problem or _by_its_characters(name)
        if problem:
            found.problems.append(f"{name} was not read: {problem}.")
        elif why or member.name.lower().endswith(".zip"):
            found.skipped.append(Skipped(name, why or "an archive inside an archive is not opened"))
        else:
            found.files.append(DeliveredFile(name, path, member.entry.file_size, member.entry))


def _told(path: Path) -> str:
    """``path`` as text that can be stored and printed.

    Bytes of a name that are no UTF-8 become U+FFFD, characters that may not be printed their numbers.
    """
    return on_one_line(os.fsencode(path.as_posix()).decode(errors="replace"))


def _passed_over(path: Path) -> str:
    """Why what stands at ``path`` in a folder is not taken; empty where it is."""
    return _by_its_name(path.name) or ("a link is not followed" if path.is_symlink() else "")


def _by_its_name(name: str) -> str:
    if name.startswith(".") or name == "__MACOSX":
        return "hidden"
    if name.lower().endswith(_LEFTOVERS) or name.startswith("~$"):
        return "left over by another program"
    return ""


_REMEDY = "Give it another name, or another place."


def _by_its_characters(name: str) -> str:
    """Why a file of this name is refused; empty where it is not."""
    if len(name) > PATH_LENGTH:
        return f"its path has {len(name)} characters, and at most {PATH_LENGTH} are taken"
    character = first_forbidden_in_name(name)
    return f"its name holds the character {character}, which no name may" if character else ""


class Reader:
    """Reads deliveries; neighbours in one archive share its opening. Used as a context manager."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._archive: zipfile.ZipFile | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def read(self, delivery: DeliveredFile, most: int) -> bytes:
        """The first ``most`` bytes of a delivery.

        Raises :class:`NothingReadError`, with the file's name and the cause, where it cannot be read.
        """
        try:
            if delivery.member is None:
                with _ordinary(delivery.source) as file:
                    # Asked for more than there is, Python first makes room for all that was asked for.
                    data = file.read(min(most, delivery.size + 1))
                    return data if len(data) <= delivery.size else data + file.read(most - len(data))
            return self._unpacked(delivery.source, delivery.member, most)
        except UNREADABLE as error:
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise NothingReadError(
                f"{delivery.name} could not be read: {on_one_line(cause)}. Deliver it anew."
            ) from error

    def _unpacked(self, source: Path, member: zipfile.ZipInfo, most: int) -> bytes:
        with self._opened(source).open(member) as unpacked:
            data = unpacked.read(most)
        if len(data) < min(most, member.file_size):
            raise ValueError("it is shorter than the archive says")
        return data

    def _opened(self, path: Path) -> zipfile.ZipFile:
        if self._archive is None or self._path != path:
            self._close()
            self._archive, self._path = zipfile.ZipFile(path), path
        return self._archive

    def _close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._archive = self._path = None


def _ordinary(path: Path) -> BinaryIO:
    """``path`` opened for reading; raises :class:`OSError` where it is no ordinary file, and never waits for one.

    It was one when the delivery was walked. What has become a pipe since would be waited for, so it is opened without
    waiting and looked at before it is read.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise OSError("it is not an ordinary file")
    return file
