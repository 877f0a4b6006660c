"""Read and write a text file of any size in batches of whole lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import polars as pl

from ratinglist.limits import LIST_LINE_BYTES, LIST_LINES_AT_ONCE
from ratinglist.lists.raw_list import Inspection

CHUNK_BYTES = 16 * 1024 * 1024
"""About 100,000 lines of a FIDE text list."""
_BLANKS = " \t\x1a"
WRITTEN_ROWS = 131_072
"""Rows formatted at once, so that memory does not grow with the list."""


@dataclass(frozen=True, slots=True)
class LineChunk:
    """Some lines of a file: the number of the first one, and their bytes, each line ended by LF only.

    ``data`` is decoded as UTF-8 if it is valid UTF-8, else as Windows-1252, which has every letter of Latin-1.
    """

    first: int
    data: bytes

    def __len__(self) -> int:
        """Return the number of lines; the last may lack its end."""
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))

    def text(self) -> str:
        """Return the text of the lines, separated by LF."""
        return _decoded(self.data).removesuffix("\n")

    def lines(self) -> pl.DataFrame:
        """Return ``line`` (Int64, from 1) and ``text``, without lines of only blanks or a DOS end-of-file mark."""
        lines = pl.Series("text", [self.text()]).str.split("\n").explode()
        numbers = pl.int_range(self.first, self.first + lines.len(), eager=True)
        return pl.DataFrame({"line": numbers, "text": lines}).filter(pl.col("text").str.strip_chars(_BLANKS) != "")

    def parts(self, most: int) -> Iterator[LineChunk]:
        """Yield the chunk in parts of at most ``most`` lines, by halves."""
        end = self.data.find(b"\n", len(self.data) // 2) + 1
        if len(self) <= most or end in (0, len(self.data)):
            yield self
            return
        first = LineChunk(self.first, self.data[:end])
        yield from first.parts(most)
        yield from LineChunk(self.first + len(first), self.data[end:]).parts(most)

    def split_first_line(self) -> tuple[int, str, LineChunk]:
        """Return the number and the text of the first line that is not blank, and the lines after it."""
        number, rest = self.first, self.data
        line, _, rest = rest.partition(b"\n")
        while rest and not line.strip(_BLANKS.encode()):
            line, _, rest = rest.partition(b"\n")
            number += 1
        return number, _decoded(line), LineChunk(number + 1, rest)


def line_chunks(stream: IO[bytes], inspection: Inspection) -> Iterator[LineChunk]:
    """Read ``stream`` in chunks of whole lines; lines may end in LF, CRLF or CR, and a byte order mark is dropped.

    Raises :class:`OfficialListError` if a line is too long to be kept in memory, or a chunk has too many lines.
    """
    following = 1
    for data in _chunks(stream, CHUNK_BYTES):
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


def write_lines(stream: IO[bytes], rows: pl.DataFrame, line: pl.Expr, line_end: str) -> None:
    """Write the text ``line`` for each of ``rows``, unquoted."""
    for part in rows.iter_slices(WRITTEN_ROWS):
        part.select(line).write_csv(stream, include_header=False, quote_style="never", line_terminator=line_end)


def _chunks(stream: IO[bytes], size: int) -> Iterator[bytes | None]:
    """Yield whole lines of ``stream``; None, as the last value, if a line is too long."""
    rest = stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
    while more := stream.read(size):
        if more.endswith(b"\r"):
            # A CRLF that is split between two chunks would count as two line ends.
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


MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Byte order mark to encoding. A file without one is not recognised as UTF-16."""


class Utf16Stream:
    """The bytes in UTF-8 of the text in ``stream``, which is in ``encoding`` after a byte order mark.

    It has what the readers of lists use of a file: :meth:`read`, and :meth:`seek` to the beginning.
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._encoding = stream, encoding
        self._rest = b""
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self.seek(0)

    def seek(self, offset: int) -> int:
        """Go to the beginning; raise :class:`ValueError` for any other ``offset``."""
        if offset:
            raise ValueError("a converted stream is read from the beginning only")
        self._stream.seek(0)
        self._stream.read(len(codecs.BOM_UTF16_LE))
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._rest = b""
        return 0

    def read(self, size: int) -> bytes:
        """Return at most ``size`` bytes, none at the end; raise :class:`UnicodeDecodeError` for damaged text."""
        while len(self._rest) < size:
            piece = self._stream.read(size)
            self._rest += self._decoder.decode(piece, final=not piece).encode()
            if not piece:
                break
        data, self._rest = self._rest[:size], self._rest[size:]
        return data
