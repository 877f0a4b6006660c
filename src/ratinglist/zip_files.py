"""A zip archive's table of contents, judged before anything of it is unpacked.

Nothing it says is believed. Its length is looked up first, so that reading it costs no more than its limit; then the
entries are held against one another and against the length of the file. What is left can be unpacked as a stream of
the size it claims. Names of entries are never used as paths: a report is kept under its digest.
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
from ratinglist.safe_text import first_forbidden_in_name

DAMAGED = (EOFError, zipfile.BadZipFile, zlib.error)
"""What it raises while an entry of a damaged archive is unpacked."""

UNREADABLE = (*DAMAGED, OSError, ValueError, RuntimeError, NotImplementedError, struct.error)
"""What the standard library raises for an archive that is damaged, or packed in a way it does not know."""

# The other methods unpack a piece without a bound on what comes of it.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_SEE_SECOND = 0xFFFFFFFF
_LOCAL_HEADER = 30
_LONGEST_COMMENT = 0xFFFF


class TooLargeError(Exception):
    """The archive has more of something than is read; the message continues a sentence that begins with its name."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: its entry, its name with slashes, and why it is not read (``problem``, else empty)."""

    entry: zipfile.ZipInfo
    name: str
    problem: str


def members(file: IO[bytes], max_bytes: int) -> list[Member]:
    """The files in the zip archive ``file``, in the order of its table of contents.

    ``max_bytes``: of all files together, unpacked. Raises :class:`TooLargeError` where there are more, or more files,
    than the limits say; one of :data:`UNREADABLE` where this is no archive.
    """
    size = file.seek(0, os.SEEK_END)
    table = _table_bytes(file, size)
    if table > ARCHIVE_TABLE_BYTES:
        raise TooLargeError(f"has a table of contents of {table} bytes, more than {ARCHIVE_TABLE_BYTES}")
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        # Offsets count from the first byte of the archive, which another program may have put something before.
        end = archive.start_dir
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > ARCHIVE_ENTRIES or unpacked > max_bytes:
        raise TooLargeError(
            f"holds {len(entries)} files of {unpacked} bytes, more than {ARCHIVE_ENTRIES} files or {max_bytes} bytes"
        )
    # Windows programs write backslashes; a report's name is told with slashes everywhere.
    names = [entry.filename.replace("\\", "/") for entry in entries]
    times = Counter(names)
    overlapping = _overlapping(entries, end)
    return [
        Member(
            entry,
            name,
            problem_of(entry)
            or ("another file of the archive has the same name" if times[name] > 1 else "")
            or ("it shares bytes with another file of the archive" if number in overlapping else ""),
        )
        for number, (entry, name) in enumerate(zip(entries, names, strict=True))
    ]


def problem_of(entry: zipfile.ZipInfo) -> str:
    """Why this entry of an archive is not read, whatever the others are; empty where it is."""
    name = entry.filename.replace("\\", "/")
    windows = PureWindowsPath(name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    # The standard library cuts a name at a NUL; what stands behind it is looked at too.
    character = first_forbidden_in_name(entry.orig_filename)
    if character:
        return f"its name holds the character {character}, which no name may"
    if not name:
        return "it has no name"
    if name.startswith("/") or windows.drive or ".." in windows.parts:
        return "its name leads out of the archive"
    if len(PurePosixPath(name).parts) > FOLDER_DEPTH:
        return "it lies too deep"
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
    """Bytes of the table of contents, as the end of the archive says; 0 where there is no such end."""
    tail_bytes = min(size, _END.size + _LONGEST_COMMENT)
    file.seek(size - tail_bytes)
    tail = file.read(tail_bytes)
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) < place + _END.size:
        return 0
    table = _END.unpack_from(tail, place)[5]
    locator = place - _LOCATOR_64.size
    if locator >= 0 and tail.startswith(b"PK\x06\x07", locator):
        # The archive has a second end for figures of 64 bits: in front of its locator, or where that says.
        table = 0 if table == _SEE_SECOND else table
        for second in (size - tail_bytes + locator - _END_64.size, _LOCATOR_64.unpack_from(tail, locator)[2]):
            file.seek(min(max(second, 0), size))
            found = file.read(_END_64.size)
            if len(found) == _END_64.size and found.startswith(b"PK\x06\x06"):
                table = max(table, _END_64.unpack(found)[8])
    return int(table)


def _overlapping(entries: Sequence[zipfile.ZipInfo], end: int) -> set[int]:
    """The numbers of the entries whose bytes reach into the next one's, or into the table of contents."""
    order = sorted(range(len(entries)), key=lambda number: entries[number].header_offset)
    found: set[int] = set()
    for number, following in zip(order, [*order[1:], None], strict=True):
        entry = entries[number]
        limit = end if following is None else entries[following].header_offset
        if entry.header_offset + _LOCAL_HEADER + entry.compress_size > limit:
            found |= {number} if following is None else {number, following}
    return found
