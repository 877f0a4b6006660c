"""A text file of any size as chunks of whole lines that know their numbers."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import polars as pl

from ratinglist.limits import LIST_LINE_BYTES, LIST_LINES_AT_ONCE
from ratinglist.lists.list_source import Inspection

CHUNK_BYTES = 16 * 1024 * 1024
"""About 100,000 lines of a FIDE text list."""
_BLANKS = " \t\x1a"


@dataclass(frozen=True, slots=True)
class LineChunk:
    """Some lines of a file. ``first`` is the number of the first, ``data`` their bytes, each line ended by LF only.

    They are UTF-8 where they are valid UTF-8, else Windows-1252, which has every letter of Latin-1.
    """

    first: int
    data: bytes

    def __len__(self) -> int:
        """How many lines there are; the last may lack its end."""
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))

    def lines(self) -> pl.DataFrame:
        """``line`` (Int64, from 1) and ``text``, without lines that hold only blanks or the end mark of old systems."""
        lines = pl.Series("text", [_decoded(self.data).removesuffix("\n")]).str.split("\n").explode()
        numbers = pl.int_range(self.first, self.first + lines.len(), eager=True)
        return pl.DataFrame({"line": numbers, "text": lines}).filter(pl.col("text").str.strip_chars(_BLANKS) != "")

    def parted(self) -> tuple[int, str, LineChunk]:
        """Number and text of the first line that is not blank, and the lines behind it."""
        number, rest = self.first, self.data
        line, _, rest = rest.partition(b"\n")
        while rest and not line.strip(_BLANKS.encode()):
            line, _, rest = rest.partition(b"\n")
            number += 1
        return number, _decoded(line), LineChunk(number + 1, rest)


def line_chunks(stream: IO[bytes], inspection: Inspection, chunk_bytes: int | None = None) -> Iterator[LineChunk]:
    """``stream`` in chunks of whole lines; lines may end in LF, CRLF or CR, and a byte order mark is dropped.

    Raises :class:`OfficialListError` where a line does not end, for its beginning would have to be kept, and where
    there are too many to look at at once.
    """
    following = 1
    for data in _chunks(stream, chunk_bytes or CHUNK_BYTES):
        if data is None:
            raise inspection.refused(
                f"line {following}: it has more than {LIST_LINE_BYTES} bytes",
                "end every line, and close every quotation",
            )
        chunk = LineChunk(following, data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data)
        following += len(chunk)
        if len(chunk) > LIST_LINES_AT_ONCE:
            raise inspection.refused(
                f"lines {chunk.first} to {following - 1}: {len(chunk)} lines of {len(chunk.data)} bytes, and at most "
                f"{LIST_LINES_AT_ONCE} are read at once",
                "take the blank lines out, and write a player on each",
            )
        yield chunk


def line_batches(stream: IO[bytes], inspection: Inspection, chunk_bytes: int | None = None) -> Iterator[pl.DataFrame]:
    """``stream`` in frames of decoded lines; see :func:`line_chunks` and :meth:`LineChunk.lines`."""
    return (chunk.lines() for chunk in line_chunks(stream, inspection, chunk_bytes))


def _chunks(stream: IO[bytes], size: int) -> Iterator[bytes | None]:
    """Whole lines of ``stream``; None, and nothing more, where one is too long."""
    rest = stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
    while more := stream.read(size):
        if more.endswith(b"\r"):
            # A CRLF must not be cut in two: it would count as two line ends.
            more += stream.read(1)
        chunk = rest + more
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        rest = chunk[end:]
        if end:
            yield chunk[:end]
        if len(rest) > LIST_LINE_BYTES:
            yield None
            return
    if rest:
        yield rest


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
