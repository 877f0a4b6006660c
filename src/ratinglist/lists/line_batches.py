"""Read a text file of any size in batches of whole lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

import polars as pl

from ratinglist.limits import LIST_LINE_BYTES
from ratinglist.lists.raw_list import Inspection

CHUNK_BYTES = 4 * 1024 * 1024
"""About 25,000 lines of a FIDE text list, and never more than four million lines or cells, however short they are."""
_BLANKS = " \t\x1a"


def text_lines(stream: IO[bytes], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Read ``stream`` in batches of ``line`` (Int64, from 1) and ``text``, without lines of only blanks.

    Lines may end in LF, CRLF or CR; a byte order mark and a DOS end-of-file mark are dropped. Raises
    :class:`OfficialListError` if a line is too long to be kept in memory.
    """
    following = 1
    rest = stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
    is_more = True
    while is_more:
        piece = stream.read(CHUNK_BYTES)
        is_more = bool(piece)
        if piece.endswith(b"\r"):
            # A CRLF that is split between two pieces would count as two line ends.
            piece += stream.read(1)
        data = rest + piece
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1 if is_more else len(data)
        rest = data[end:]
        if end:
            lines = pl.Series("text", [plain_text(data[:end]).removesuffix("\n")]).str.split("\n").explode()
            numbers = pl.int_range(following, following + lines.len(), eager=True)
            following += lines.len()
            yield pl.DataFrame({"line": numbers, "text": lines}).filter(pl.col("text").str.strip_chars(_BLANKS) != "")
        if len(rest) > LIST_LINE_BYTES:
            what = f"line {following}: it has more than {LIST_LINE_BYTES} bytes"
            raise inspection.refused(what, "end every line, and close every quotation")


def plain_text(data: bytes) -> str:
    """Return the text of ``data`` with lines ended by LF: in UTF-8 if it is valid, else in Windows-1252.

    Windows-1252 has every letter of Latin-1.
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def first_line(head: bytes) -> str:
    """Return the first line of a file that begins with ``head``, without a byte order mark and leading blanks."""
    beginning = head.removeprefix(codecs.BOM_UTF8).lstrip()
    return plain_text(re.split(rb"[\r\n]", beginning, maxsplit=1)[0])
