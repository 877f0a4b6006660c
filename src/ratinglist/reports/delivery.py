"""What was delivered, file by file: folders walked, archives opened, nothing decoded yet.

An archive comes from anywhere, so its table of contents is not believed: names that lead out of it, links, members that
would swell beyond the limits and archives inside archives are left unread and listed.
"""

from __future__ import annotations

import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import TracebackType

from ratinglist.errors import NothingReadError
from ratinglist.reports.manifest import Stated

# The largest events known are below 1 MB as TRF.
REPORT_BYTES = 8 * 2**20
ARCHIVE_BYTES = 512 * 2**20
ARCHIVE_ENTRIES = 20_000
# Unpacked over packed. A report padded with blanks stays below 50.
ARCHIVE_RATIO = 200

_LEFTOVERS = (".tmp", ".temp", ".part", ".partial", ".crdownload", "~")
_UNREADABLE = (OSError, EOFError, ValueError, NotImplementedError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One file of a delivery, not yet read.

    ``name`` is the path as delivered (``DELIVERED.file_name``), ``source`` the file or archive on disk, ``member`` the
    entry of the archive, ``size`` in bytes, ``stated`` what a manifest says of it.
    """

    name: str
    source: Path
    size: int
    member: zipfile.ZipInfo | None = None
    stated: Stated = field(default_factory=Stated)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was passed over, and why."""

    name: str
    why: str


@dataclass(slots=True)
class Found:
    """Everything below the paths of a delivery: files, what was passed over, and what could not be read and should."""

    files: list[Delivery] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def walk(paths: Sequence[Path]) -> Found:
    """Every file in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives, in any order.

    A file reached by two paths is found once. Raises :class:`NothingReadError` for a path that does not exist, and for
    an archive that cannot be opened where it is all there is.
    """
    found = Found()
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise NothingReadError(
                f"{_told(path)} does not exist: name a report, a folder of reports or a .zip archive."
            )
        for file, place in _below(path, found):
            if place not in seen:
                seen.add(place)
                _add(file, found)
    if len(paths) == 1 and paths[0].is_file() and found.problems and not found.files:
        raise NothingReadError(" ".join(found.problems))
    return found


def _below(path: Path, found: Found) -> Iterator[tuple[Path, Path]]:
    """``path`` itself, or the files in its folders, each with the place where it really is.

    A path named by hand is taken even where it is hidden or a link. Below it no link is followed, so a file's real
    place follows from that of ``path``.
    """
    place = path.resolve()
    if not path.is_dir():
        yield path, place
        return

    def unreadable(error: OSError) -> None:
        found.problems.append(
            f"{_told(Path(error.filename))} could not be read: {error.strerror}. Check its permissions."
        )

    top = os.fspath(path)
    for folder, folders, names in os.walk(top, onerror=unreadable):
        for name in sorted(folders):
            inner = Path(folder, name)
            if why := _passed_over(inner):
                folders.remove(name)
                found.skipped.append(Skipped(_told(inner), why))
        below = f"{place}{folder.removeprefix(top)}"
        for name in names:
            inner = Path(folder, name)
            if why := _passed_over(inner):
                found.skipped.append(Skipped(_told(inner), why))
            else:
                yield inner, Path(below, name)


def _add(path: Path, found: Found) -> None:
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        found.skipped.append(Skipped(_told(path), "not an ordinary file"))
    elif path.suffix.lower() == ".zip":
        _add_members(path, found)
    else:
        found.files.append(Delivery(_told(path), path, about.st_size))


def _add_members(path: Path, found: Found) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
    except _UNREADABLE as error:
        found.problems.append(f"{_told(path)} is not a .zip archive that can be read: {error}. Pack it again.")
        return
    size = sum(member.file_size for member in members)
    if len(members) > ARCHIVE_ENTRIES or size > ARCHIVE_BYTES:
        found.problems.append(
            f"{_told(path)} holds {len(members)} files of {size} bytes, more than {ARCHIVE_ENTRIES} files or "
            f"{ARCHIVE_BYTES} bytes. Unpack it, or split it."
        )
        return
    names: set[str] = set()
    for member in members:
        # Windows programs write backslashes; a report's name is told with slashes everywhere.
        inner = member.filename.replace("\\", "/")
        name = f"{_told(path)}/{inner}"
        why = next((why for part in PurePosixPath(inner).parts if (why := _by_its_name(part))), "")
        problem = _refused(member, inner) or ("another file of the archive has the same name" if name in names else "")
        names.add(name)
        if problem:
            found.problems.append(f"{name} was not read: {problem}.")
        elif why or inner.lower().endswith(".zip"):
            found.skipped.append(Skipped(name, why or "an archive inside an archive is not opened"))
        else:
            found.files.append(Delivery(name, path, member.file_size, member))


def _told(path: Path) -> str:
    """``path`` as text that can be stored and printed: bytes of a name that are no UTF-8 become U+FFFD."""
    return os.fsencode(path.as_posix()).decode(errors="replace")


def _passed_over(path: Path) -> str:
    """Why what stands at ``path`` in a folder is not taken; empty where it is."""
    return _by_its_name(path.name) or ("a link is not followed" if path.is_symlink() else "")


def _by_its_name(name: str) -> str:
    if name.startswith(".") or name == "__MACOSX":
        return "hidden"
    if name.lower().endswith(_LEFTOVERS) or name.startswith("~$"):
        return "left over by another program"
    return ""


def _refused(member: zipfile.ZipInfo, inner: str) -> str:
    """Why this member of an archive is not read; empty where it is."""
    windows = PureWindowsPath(inner)
    if inner.startswith("/") or windows.drive or ".." in windows.parts:
        return "its name leads out of the archive"
    if member.flag_bits & 0x1:
        return "it is encrypted; pack it without a password"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a link"
    if member.file_size > ARCHIVE_RATIO * max(member.compress_size, 1):
        return f"it unpacks to more than {ARCHIVE_RATIO} times its size"
    return ""


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

    def read(self, delivery: Delivery, most: int) -> bytes:
        """The first ``most`` bytes of a delivery.

        Raises :class:`NothingReadError`, with the file's name and the cause, where it cannot be read.
        """
        try:
            if delivery.member is None:
                with delivery.source.open("rb") as file:
                    return file.read(most)
            with self._opened(delivery.source).open(delivery.member) as unpacked:
                return unpacked.read(most)
        except _UNREADABLE as error:
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise NothingReadError(f"{delivery.name} could not be read: {cause}. Deliver it anew.") from error

    def _opened(self, path: Path) -> zipfile.ZipFile:
        if self._archive is None or self._path != path:
            self._close()
            self._archive, self._path = zipfile.ZipFile(path), path
        return self._archive

    def _close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._archive = self._path = None
