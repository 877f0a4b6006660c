"""Check the write-ahead log of the store before DuckDB opens it.

DuckDB writes a commit to the log and later into the store's file. A log is on the disk only after a process was killed,
and the next one replays it. DuckDB takes a log whose beginning it cannot read for an empty one, and an entry that runs
over the end of the file for one that the killed process did not finish: a damaged byte there would lose commits in
silence. So the form of the log is checked here; DuckDB compares the checksums of its entries.
"""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from typing import Final

_HEADER_BYTES: Final = 128
_VALUE: Final = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
"""A whole number as DuckDB writes it (LEB128)."""
_HEADER: Final = re.compile(
    # Fields by number: 100 the kind of entry, 101 the version of the log, 102 the identifier of the database, which has
    # sixteen numbers, 103 the checkpoint that the log follows; 0xffff ends an object.
    rb"\x64\x00\x62\x65\x00\x02\x66\x00\x10(?:%b){16}\x67\x00%b\xff\xff" % (_VALUE, _VALUE),
    re.DOTALL,
)
_ENTRY: Final = struct.Struct("<QQ")
"""Before the bytes of an entry: their number and their checksum."""
_COMMIT: Final = bytes.fromhex("e7fe7d722fed3d5e 640064ffff")
"""The end of the entry that ends a transaction: its checksum and its bytes."""


def path_of(store: Path) -> Path:
    """Return where DuckDB writes the log of the database in ``store``."""
    return store.with_name(f"{store.name}.wal")


def problem_of(log: Path) -> str:
    """Return what is wrong with a log, following its name; empty where DuckDB replays every commit in it.

    An entry that is cut off at the end is not wrong: the process that wrote it was killed before its commit.
    """
    try:
        file = log.open("rb")
    except FileNotFoundError:
        return ""
    with file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(_HEADER_BYTES)
        header = _HEADER.match(head)
        if header is None:
            # A process can be killed before it has written the header.
            return "" if len(head) < _HEADER_BYTES and b"\xff\xff" not in head else "does not begin as a log does"
        end = header.end()
        while end < size:
            file.seek(end)
            entry = file.read(_ENTRY.size)
            if len(entry) < _ENTRY.size:
                break
            end += _ENTRY.size + _ENTRY.unpack(entry)[0]
        file.seek(-min(size, len(_COMMIT)), os.SEEK_END)
        if end != size and file.read() == _COMMIT:
            return "has an entry that states another length than it has"
    return ""
