"""Read a Parquet file that may come from anybody, in batches of bounded size.

Some hundred bytes of Parquet can hold a billion rows of one value, or one text of a megabyte that every row repeats,
and nothing that a file states of itself can be trusted. So pyarrow reads it in a process that is ended when it takes
too much memory (:mod:`~ratinglist.files.limited_process`), and this process gets batches that it can bear. Columns
that are not needed are never decoded.

The cells of a batch can be had as text, in the form that a CSV file has them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratinglist.files.limited_process import MemoryLimitError, ProcessEndedError, TimeLimitError, results
from ratinglist.limits import PARQUET_BATCH_BYTES, PARQUET_MEMORY_BYTES, PARQUET_SECONDS

_FEW_ROWS: Final = 100
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The first of January of the year 1 and the last of December of 9999, in days from 1970 on."""
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


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


@dataclass(frozen=True, slots=True)
class BoundedFile:
    """A Parquet file whose number of rows was found to be within the limit (:func:`bounded`)."""

    content: Path | bytes
    rows: int
    schema: pa.Schema

    def batches(self, columns: Collection[str], rows: int, text_bytes: int) -> Iterator[pa.RecordBatch]:
        """Yield ``columns`` in batches of at most ``rows`` rows and :data:`PARQUET_BATCH_BYTES`, in order.

        ``text_bytes``: the most that a text may have. Texts that are a dictionary in the file are texts. Raises
        :class:`TooLargeError`, perhaps after some batches; what pyarrow raises for a damaged file.
        """
        try:
            for part in _limited(_parts, self.content, list(columns), rows, text_bytes):
                yield pa.ipc.open_stream(part).read_next_batch()
        except MemoryLimitError as error:
            # The first long text of some rows may be found where all of a batch take too much memory.
            with suppress(MemoryLimitError):
                for _ in _limited(_parts, self.content, list(columns), _FEW_ROWS, text_bytes):
                    pass
            raise TooLargeError(f"{error}") from None


@contextmanager
def bounded(content: Path | bytes, limit: RowLimit) -> Iterator[BoundedFile]:
    """Open a Parquet file that states no more rows than ``limit`` allows.

    Raises :class:`TooLargeError` for a file over a limit, ``ValueError`` or an exception of pyarrow for one that is not
    Parquet or is damaged.
    """
    if isinstance(content, Path):
        # The process may have been started in another folder.
        content = content.absolute()
    try:
        ((rows, schema),) = _limited(_shape, content)
    except MemoryLimitError as error:
        raise TooLargeError(f"{error}") from None
    limit.check(rows, len(content) if isinstance(content, bytes) else content.stat().st_size)
    yield BoundedFile(content, rows, schema)


def _limited(
    function: Callable[Arguments, Iterator[Result]], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Iterator[Result]:
    try:
        yield from results(PARQUET_MEMORY_BYTES, PARQUET_SECONDS, function, *args, **kwargs)
    except (TimeLimitError, ProcessEndedError) as error:
        raise TooLargeError(f"{error}") from None


def _opened(content: Path | bytes) -> pq.ParquetFile:
    return pq.ParquetFile(pa.BufferReader(content) if isinstance(content, bytes) else content, pre_buffer=False)


def _shape(content: Path | bytes) -> Iterator[tuple[int, pa.Schema]]:
    """Yield the rows that a file states, and its columns with their types."""
    with _opened(content) as file:
        yield file.metadata.num_rows, file.schema_arrow.remove_metadata()


def _parts(content: Path | bytes, columns: list[str], rows: int, text_bytes: int) -> Iterator[pa.Buffer]:
    """Yield ``columns`` in batches as Arrow's streams have them: a part of a batch is pickled with the whole batch."""
    with _opened(content) as file:
        first = 1
        for batch in file.iter_batches(rows, columns=columns):
            # Arrow does not check texts as it reads them.
            batch.validate(full=True)
            plain = pa.RecordBatch.from_arrays([*map(_plain, batch.columns)], names=batch.schema.names)
            _check_texts(plain, first, text_bytes)
            for part in _halved(plain):
                stream = pa.BufferOutputStream()
                with pa.ipc.new_stream(stream, part.schema) as writer:
                    writer.write_batch(part)
                yield stream.getvalue()
            first += batch.num_rows


def _plain(column: pa.Array) -> pa.Array:
    """Return ``column`` without a dictionary and without views of texts, whose slices have the bytes of the whole."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _check_texts(batch: pa.RecordBatch, first: int, most: int) -> None:
    """Raise :class:`TooLargeError` for a text of more than ``most`` bytes. ``first``: the number of the first row."""
    import pyarrow.compute as pc

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            continue
        lengths = pc.binary_length(column)
        longest = pc.max(lengths).as_py() or 0
        if longest > most:
            row = first + pc.index(lengths, longest).as_py()
            raise TooLargeError(
                f"has a text of {longest} bytes in row {row}, column {name}, and at most {most} are read"
            )


def _halved(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield ``batch`` in parts of at most :data:`PARQUET_BATCH_BYTES`."""
    if batch.nbytes <= PARQUET_BATCH_BYTES or batch.num_rows <= 1:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _halved(batch.slice(0, half))
    yield from _halved(batch.slice(half))


def is_plain(kind: pa.DataType) -> bool:
    """Return whether a column of this type can be read as text: no list, no struct, no binary data."""
    if pa.types.is_dictionary(kind):
        return bool(is_plain(kind.value_type) and not pa.types.is_dictionary(kind.value_type))
    types = pa.types
    plain = (
        *(types.is_string, types.is_large_string, types.is_string_view, types.is_integer, types.is_boolean),
        *(types.is_date, types.is_timestamp, types.is_floating, types.is_decimal, types.is_null),
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
    if pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    elif pa.types.is_decimal256(kind):
        column = column.cast(pa.string())
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
