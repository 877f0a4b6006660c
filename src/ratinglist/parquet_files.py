"""Validation of a Parquet file's metadata, before anything in it is decoded, and reading in batches of bounded size.

Nothing that the file states of itself is trusted. Some hundred bytes of Parquet can hold a billion rows of one value,
or a dictionary with one text of a megabyte that every row repeats. So the footer is measured before it is parsed, the
header of every page is read before the page is unpacked, and texts stay dictionary-encoded until their size is known.
Columns that are not needed are never decoded.
"""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ratinglist.limits import (
    PARQUET_BATCH_BYTES,
    PARQUET_ELEMENTS,
    PARQUET_FOOTER_BYTES,
    PARQUET_GROUP_BYTES,
    PARQUET_PAGES,
)
from ratinglist.parquet_pages import DELTA_BYTE_ARRAY, DICTIONARY, page_header

MARK: Final = b"PAR1"
"""The first and the last bytes of a Parquet file."""
_FOOTER_END: Final = struct.Struct("<I4s")
_HEADER_BYTES: Final = 16 * 1024
"""Bytes read for the header of a page. It may hold a minimum and a maximum, which are cut off at some hundred bytes."""


class TooLargeError(Exception):
    """The file is over a limit. The message continues a sentence that begins with the file's name."""


@dataclass(frozen=True, slots=True)
class RowLimit:
    """The most rows that a file of a certain size may have: ``small``, and one more for every ``bytes_per_row``."""

    small: int
    bytes_per_row: int
    most: int

    def check(self, rows: int, size: int) -> None:
        """Raise :class:`TooLargeError` where a file of ``size`` bytes states more ``rows``."""
        if rows > min(self.most, self.small + size // self.bytes_per_row):
            raise TooLargeError(f"claims {rows} rows in {size} bytes")


class BoundedFile:
    """An open Parquet file whose footer was found to be within the limits (:func:`bounded`)."""

    def __init__(self, content: Path | bytes, file: pq.ParquetFile, source: IO[bytes]) -> None:
        self._content, self._file, self._source = content, file, source

    @property
    def rows(self) -> int:
        """The rows that the file states."""
        return int(self._file.metadata.num_rows)

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""
        return self._file.schema_arrow

    def batches(self, columns: Collection[str], rows: int, text_bytes: int) -> Iterator[pa.RecordBatch]:
        """Yield ``columns`` in batches of at most ``rows`` rows and :data:`PARQUET_BATCH_BYTES` of text, in order.

        ``text_bytes``: the most that a text may have. Texts that are dictionary-encoded in the file still are. Raises
        :class:`TooLargeError`, perhaps after some batches; what pyarrow raises for a damaged file.
        """
        metadata = self._file.metadata
        encoded: set[str] = set()
        for group in range(metadata.num_row_groups):
            encoded |= self._check_pages(group, columns)
        texts = [name for name in columns if name in encoded and _is_text(self.schema.field(name).type)]
        with _opened(self._content, metadata=metadata, read_dictionary=texts) as file:
            first = 1
            for batch in file.iter_batches(rows, columns=list(columns)):
                # Arrow does not check texts as it reads them.
                batch.validate(full=True)
                yield from _slices(batch, first, text_bytes)
                first += batch.num_rows

    def _check_pages(self, number: int, columns: Collection[str]) -> set[str]:
        """Return the columns of a row group that are dictionary-encoded.

        Raises :class:`TooLargeError` where the pages of ``columns`` unpack to too many bytes.
        """
        group = self._file.metadata.row_group(number)
        encoded: set[str] = set()
        unpacked = pages = 0
        for index in range(group.num_columns):
            chunk = group.column(index)
            name = chunk.path_in_schema.split(".")[0]
            if name not in columns:
                continue
            start, end = _extent(chunk)
            while start < end:
                self._source.seek(start)
                page = page_header(self._source.read(_HEADER_BYTES))
                start += page.size + page.packed
                unpacked, pages = unpacked + page.unpacked, pages + 1
                if page.encoding in DICTIONARY:
                    encoded.add(name)
                if page.encoding == DELTA_BYTE_ARRAY:
                    raise TooLargeError(
                        f"has texts in the encoding DELTA_BYTE_ARRAY, column {name}, whose size cannot be known before "
                        "they are read"
                    )
                if unpacked > PARQUET_GROUP_BYTES:
                    raise TooLargeError(
                        f"has a row group, number {number + 1}, that unpacks to more than {PARQUET_GROUP_BYTES} bytes"
                    )
                if pages > PARQUET_PAGES:
                    raise TooLargeError(f"has a row group, number {number + 1}, of more than {PARQUET_PAGES} pages")
        return encoded


@contextmanager
def bounded(content: Path | bytes, limit: RowLimit) -> Iterator[BoundedFile]:
    """Open a Parquet file after its footer was measured.

    Raises :class:`TooLargeError` for a file over a limit, ``ValueError`` or an exception of pyarrow for one that is not
    Parquet or is damaged.
    """
    with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as source:
        size = source.seek(0, os.SEEK_END)
        source.seek(max(size - _FOOTER_END.size, 0))
        tail = source.read()
        if len(tail) < _FOOTER_END.size or not tail.endswith(MARK):
            raise ValueError("it does not end as a Parquet file does")
        footer = _FOOTER_END.unpack(tail)[0]
        if footer > size:
            raise ValueError("its footer is longer than the file")
        if footer > PARQUET_FOOTER_BYTES:
            raise TooLargeError(f"has a footer of {footer} bytes, more than {PARQUET_FOOTER_BYTES}")
        with _opened(content) as file:
            limit.check(file.metadata.num_rows, size)
            yield BoundedFile(content, file, source)


def decoded(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    """Return the columns of a batch by name, with texts in the place of positions in a dictionary."""
    return {
        name: column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    }


def _opened(content: Path | bytes, **options: object) -> pq.ParquetFile:
    # By its path: Arrow's threads outlive a Python file object and crash the program.
    readable = pa.BufferReader(content) if isinstance(content, bytes) else content
    return pq.ParquetFile(readable, pre_buffer=False, thrift_container_size_limit=PARQUET_ELEMENTS, **options)


def _extent(chunk: pq.ColumnChunkMetaData) -> tuple[int, int]:
    """Return where the pages of a column begin and end, as pyarrow takes it from the metadata."""
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    return start, start + chunk.total_compressed_size


def _slices(batch: pa.RecordBatch, first: int, text_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield ``batch`` in parts whose texts have at most :data:`PARQUET_BATCH_BYTES` bytes, dictionaries expanded.

    ``first``: the number of its first row.
    """
    # Here, because its import takes a tenth of a short command, and few commands need it.
    import pyarrow.compute as pc

    lengths = None
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if not _is_text(column.type):
            continue
        of_rows = _lengths(column)
        longest = pc.max(of_rows).as_py() or 0
        if longest > text_bytes:
            row = first + pc.index(of_rows, longest).as_py()
            raise TooLargeError(
                f"has a text of {longest} bytes in row {row}, column {name}, and at most {text_bytes} are read"
            )
        lengths = of_rows if lengths is None else pc.add(lengths, of_rows)
    if lengths is None or (pc.sum(lengths).as_py() or 0) <= PARQUET_BATCH_BYTES:
        yield batch
        return
    longest = pc.max(lengths).as_py()
    rows = max(PARQUET_BATCH_BYTES // longest, 1)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _lengths(column: pa.Array) -> pa.Array:
    """Return the bytes of every text, 0 for none."""
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        of_texts = _lengths(column.dictionary)
        return pc.fill_null(of_texts.take(column.indices), 0)
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    return pc.fill_null(pc.binary_length(column).cast(pa.int64()), 0)


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))
