"""Validation of a zip archive's table of contents, before any entry is unpacked.

Nothing in the table is trusted: the files and the bytes that it states are counted against limits. An entry that
passes can be unpacked as a stream of the size it states. Names of entries are never used as paths: a report is stored
under its digest.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO

from ratinglist.limits import ARCHIVE_ENTRIES, ARCHIVE_RATIO, FOLDER_DEPTH, TooLargeError
from ratinglist.text import first_forbidden_in_name

DAMAGED = (EOFError, zipfile.BadZipFile, zlib.error)
"""Exceptions of the standard library while it unpacks an entry of a damaged archive."""

UNREADABLE = (*DAMAGED, OSError, ValueError, RuntimeError, NotImplementedError, struct.error)
"""Exceptions of the standard library for an archive that is damaged or packed in an unknown way."""

# The other methods unpack a block without a bound on the size of the output.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: its entry, its name with slashes, and why it is not read (``problem``, or empty)."""

    entry: zipfile.ZipInfo
    name: str
    problem: str


def members(file: IO[bytes], max_bytes: int) -> list[Member]:
    """Return the files in the zip archive ``file``, in the order of its table of contents.

    ``max_bytes``: the limit for all files together, unpacked. Raises :class:`TooLargeError` for an archive over this or
    another limit, one of :data:`UNREADABLE` for a file that is no archive.
    """
    with zipfile.ZipFile(file) as archive:
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > ARCHIVE_ENTRIES or unpacked > max_bytes:
        raise TooLargeError(
            f"holds {len(entries)} files of {unpacked} bytes, more than {ARCHIVE_ENTRIES} files or {max_bytes} bytes"
        )
    # Windows programs write backslashes; the names of reports have slashes everywhere.
    names = [entry.filename.replace("\\", "/") for entry in entries]
    occurrences = Counter(names)
    twice = "another file of the archive has the same name"
    return [
        Member(entry, name, problem_of(entry) or twice * (occurrences[name] > 1))
        for entry, name in zip(entries, names, strict=True)
    ]


def problem_of(entry: zipfile.ZipInfo) -> str:
    """Return why this entry of an archive is not read, judged by itself alone; empty where it is read."""
    name = entry.filename.replace("\\", "/")
    windows = PureWindowsPath(name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    # The standard library cuts a name at a NUL; the characters behind it are checked too.
    character = first_forbidden_in_name(entry.orig_filename)
    if character:
        return f"its name holds the character {character}, which no name may"
    if not name:
        return "it has no name"
    if name.startswith("/") or windows.drive or ".." in windows.parts:
        return "its name leads out of the archive"
    if len(PurePosixPath(name).parts) > FOLDER_DEPTH:
        return "it is too many folders deep"
    if entry.flag_bits & 0x1:
        return "it is encrypted; pack it without a password"
    if kind not in (0, stat.S_IFREG):
        return "it is not an ordinary file"
    if entry.compress_type not in _METHODS:
        return f"its method of packing is not read ({entry.compress_type}); pack it the ordinary way, by Deflate"
    if entry.file_size > ARCHIVE_RATIO * max(entry.compress_size, 1):
        return f"it unpacks to more than {ARCHIVE_RATIO} times its size"
    return ""
