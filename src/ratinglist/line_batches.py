"""A text file of any size as batches of decoded lines with their numbers."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO

import polars as pl

CHUNK_BYTES = 16 * 1024 * 1024
"""About 100,000 lines of a FIDE text list."""


def line_batches(stream: IO[bytes], chunk_bytes: int = CHUNK_BYTES) -> Iterator[pl.DataFrame]:
    """Read ``stream`` in chunks of whole lines.

    Gives frames with ``line`` (Int64, from 1) and ``text``; lines may end in LF, CRLF or CR, and those that hold only
    blanks (or the end mark of old systems) are left out but counted. A chunk is UTF-8 where it is valid UTF-8, else
    Latin-1, which is what FIDE's own lists are read as; a byte order mark is dropped.
    """
    following = 1
    for chunk in _chunks(stream, chunk_bytes):
        text = _decoded(chunk).replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        lines = pl.Series("text", [text]).str.split("\n").explode()
        batch = pl.DataFrame({"line": pl.int_range(following, following + lines.len(), eager=True), "text": lines})
        following += lines.len()
        yield batch.filter(pl.col("text").str.strip_chars(" \t\x1a") != "")


def _chunks(stream: IO[bytes], size: int) -> Iterator[bytes]:
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
    if rest:
        yield rest


def _decoded(chunk: bytes) -> str:
    try:
        return chunk.decode("utf-8")
    except UnicodeDecodeError:
        return chunk.decode("latin-1")
