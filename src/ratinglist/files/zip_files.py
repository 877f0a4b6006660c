"""Validation of a zip archive's table of contents, before any entry is unpacked.

Nothing in the table is trusted. Its length is read first, so that reading it costs no more than its limit; then the
entries are compared with each other and with the length of the file. An entry that passes can be unpacked as a stream
of the size it states. Names of entries are never used as paths: a report is stored under its digest.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO

from ratinglist.limits import ARCHIVE_ENTRIES, ARCHIVE_RATIO, ARCHIVE_TABLE_BYTES, FOLDER_DEPTH
from ratinglist.text import first_forbidden_in_name

DAMAGED = (EOFError, zipfile.BadZipFile, zlib.error)
"""Exceptions of the standard library while it unpacks an entry of a damaged archive."""

UNREADABLE = (*DAMAGED, OSError, ValueError, RuntimeError, NotImplementedError, struct.error)
"""Exceptions of the standard library for an archive that is damaged or packed in an unknown way."""

# The other methods unpack a block without a bound on the size of the output.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_IN_ZIP64_END = 0xFFFFFFFF
_LOCAL_HEADER = 30
_MAX_COMMENT = 0xFFFF


class TooLargeError(Exception):
    """The archive is over a limit. The message continues a sentence that begins with the archive's name."""


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
    size = file.seek(0, os.SEEK_END)
    table = _table_bytes(file, size)
    if table > ARCHIVE_TABLE_BYTES:
        raise TooLargeError(f"has a table of contents of {table} bytes, more than {ARCHIVE_TABLE_BYTES}")
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        # Offsets count from the first byte of the archive, and the file may have other data before it.
        end = archive.start_dir
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > ARCHIVE_ENTRIES or unpacked > max_bytes:
        raise TooLargeError(
            f"holds {len(entries)} files of {unpacked} bytes, more than {ARCHIVE_ENTRIES} files or {max_bytes} bytes"
        )
    # Windows programs write backslashes; the names of reports have slashes everywhere.
    names = [entry.filename.replace("\\", "/") for entry in entries]
    occurrences = Counter(names)
    overlapping = _overlapping(entries, end)
    return [
        Member(
            entry,
            name,
            problem_of(entry)
            or ("another file of the archive has the same name" if occurrences[name] > 1 else "")
            or ("it shares bytes with another file of the archive" if number in overlapping else ""),
        )
        for number, (entry, name) in enumerate(zip(entries, names, strict=True))
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
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link"
    if kind not in (0, stat.S_IFREG):
        return "it is not an ordinary file"
    if entry.compress_type not in _METHODS:
        return f"its method of packing is not read ({entry.compress_type}); pack it the ordinary way, by Deflate"
    if entry.file_size > ARCHIVE_RATIO * max(entry.compress_size, 1):
        return f"it unpacks to more than {ARCHIVE_RATIO} times its size"
    return ""


def _table_bytes(file: IO[bytes], size: int) -> int:
    """Return the length of the table of contents that the end record states; 0 where there is no end record."""
    tail_bytes = min(size, _END.size + _MAX_COMMENT)
    file.seek(size - tail_bytes)
    tail = file.read(tail_bytes)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + _END.size:
        return 0
    table = _END.unpack_from(tail, end)[5]
    locator = end - _LOCATOR_64.size
    if locator >= 0 and tail.startswith(b"PK\x06\x07", locator):
        # A Zip64 archive has a second end record: in front of the locator, or at the offset that the locator states.
        table = 0 if table == _IN_ZIP64_END else table
        for second in (size - tail_bytes + locator - _END_64.size, _LOCATOR_64.unpack_from(tail, locator)[2]):
            file.seek(min(max(second, 0), size))
            found = file.read(_END_64.size)
            if len(found) == _END_64.size and found.startswith(b"PK\x06\x06"):
                table = max(table, _END_64.unpack(found)[8])
    return int(table)


def _overlapping(entries: Sequence[zipfile.ZipInfo], end: int) -> set[int]:
    """Return the indexes of the entries whose bytes overlap the next entry or the table of contents."""
    order = sorted(range(len(entries)), key=lambda number: entries[number].header_offset)
    found: set[int] = set()
    for number, following in zip(order, [*order[1:], None], strict=True):
        entry = entries[number]
        limit = end if following is None else entries[following].header_offset
        if entry.header_offset + _LOCAL_HEADER + entry.compress_size > limit:
            found |= {number} if following is None else {number, following}
    return found
