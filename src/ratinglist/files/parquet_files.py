"""Read a Parquet file that may come from anybody, in batches.

Some hundred bytes of Parquet can hold a billion rows of one value, or one text of a megabyte that every row repeats. So
the rows that a file states are compared with its size before any is read, texts are read as dictionaries, which hold a
repeated text once, and the longest is measured there. Columns that are not needed are never decoded.

The cells of a batch can be had as text, in the form that a CSV file has them.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratinglist.limits import TooLargeError

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The first of January of the year 1 and the last of December of 9999, in days from 1970 on."""
_PER_DAY: Final = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


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


@dataclass(frozen=True, slots=True)
class BoundedFile:
    """A Parquet file whose number of rows is within the limit (:func:`bounded`)."""

    content: Path | bytes
    schema: pa.Schema

    def batches(self, columns: Collection[str], rows: int, text_bytes: int) -> Iterator[pa.RecordBatch]:
        """Yield ``columns`` in batches of at most ``rows`` rows, in order.

        ``text_bytes``: the most that a text may have. Every text is a dictionary. Raises :class:`TooLargeError`,
        perhaps after some batches; what pyarrow raises for a damaged file.
        """
        texts = [field.name for field in self.schema if field.name in columns and _is_text(field.type)]
        first = 1
        with _opened(self.content, texts) as file:
            for batch in file.iter_batches(rows, columns=list(columns)):
                _check_texts(batch, first, text_bytes)
                # Arrow does not check texts as it reads them.
                batch.validate(full=True)
                yield batch
                first += batch.num_rows


def bounded(content: Path | bytes, limit: RowLimit) -> BoundedFile:
    """Return a Parquet file that states no more rows than ``limit`` allows.

    Raises :class:`TooLargeError` for a file over a limit, ``ValueError`` or an exception of pyarrow for one that is not
    Parquet or is damaged.
    """
    with _opened(content) as file:
        rows, schema = file.metadata.num_rows, file.schema_arrow.remove_metadata()
    limit.check(rows, len(content) if isinstance(content, bytes) else content.stat().st_size)
    return BoundedFile(content, schema)


def _opened(content: Path | bytes, dictionaries: Collection[str] = ()) -> pq.ParquetFile:
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    return pq.ParquetFile(source, pre_buffer=False, read_dictionary=list(dictionaries))


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _check_texts(batch: pa.RecordBatch, first: int, most: int) -> None:
    """Raise :class:`TooLargeError` for a text of more than ``most`` bytes. ``first``: the number of the first row."""
    import pyarrow.compute as pc

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if not pa.types.is_dictionary(column.type):
            continue
        lengths = pc.binary_length(column.dictionary)
        longest = pc.max(lengths).as_py() or 0
        if longest > most:
            row = first + pc.index(column.indices, pc.index(lengths, longest).cast(column.indices.type)).as_py()
            raise TooLargeError(
                f"has a text of {longest} bytes in row {row}, column {name}, and at most {most} are read"
            )


def is_plain(kind: pa.DataType) -> bool:
    """Return whether a column of this type can be read as text: no list, no struct, no binary data."""
    if pa.types.is_dictionary(kind):
        return bool(is_plain(kind.value_type) and not pa.types.is_dictionary(kind.value_type))
    types = pa.types
    plain = (
        *(types.is_string, types.is_large_string, types.is_string_view, types.is_integer, types.is_boolean),
        *(types.is_date, types.is_timestamp, types.is_float32, types.is_float64, types.is_decimal128, types.is_null),
    )
    return any(is_it(kind) for is_it in plain)


def texts(batch: pa.RecordBatch) -> pl.DataFrame:
    """Return every column as text, blank as ``""``. A timestamp becomes its day.

    Raises ``ValueError`` for a column whose type is not :func:`is_plain`.
    """
    for column in batch.schema:
        if not is_plain(column.type):
            raise ValueError(f"column {column.name}: its type is {column.type}, and no text, whole number or date")
    frame = pl.DataFrame(
        {name: _values(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    )
    return frame.select(pl.all().cast(pl.String).fill_null(""))


def _values(column: pa.Array) -> pl.Series:
    """Return a column in a type that Polars has and can write as text for every value."""
    kind = column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _days(column)
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
    return pl.Series(column)


def _days(column: pa.Array) -> pl.Series:
    """Return the days of dates or timestamps as text; one outside the years 1 to 9999 is named as such.

    Polars panics when it writes a year that is too large. The file is refused for such a text, which is no date.
    """
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_date32(kind):
        days = pl.Series(column.cast(pa.int32())).cast(pl.Int64)
    else:
        if pa.types.is_timestamp(kind) and kind.tz:
            column = pc.local_timestamp(column)
        per_day = _PER_DAY[kind.unit if pa.types.is_timestamp(kind) else "ms"]
        days = pl.Series(column.cast(pa.int64())) // per_day
    possible = days.is_between(_FIRST_DAY, _LAST_DAY)
    return pl.select(
        pl.when(possible)
        .then(pl.when(possible).then(days).cast(pl.Int32).cast(pl.Date).cast(pl.String))
        .otherwise(pl.format("a date outside the years 1 to 9999 (day {} from 1970-01-01)", days))
    ).to_series()
