"""The cells of a Parquet file as text: whole numbers, days, flags and texts in one form, as a CSV file has them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pyarrow as pa

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The first of January of the year 1 and the last of December of 9999, in days from 1970 on."""
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


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
    """Return every column as text, blank as ``""``. A timestamp becomes its day."""
    frame = pl.DataFrame(
        {name: _values(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    )
    return frame.select(pl.all().cast(pl.String).fill_null(""))


def with_short_texts(batch: pa.RecordBatch, lengths: Mapping[str, int], mark: str) -> pa.RecordBatch:
    """Return ``batch`` with trimmed texts of at most ``lengths`` characters; a longer one is cut off, and has ``mark``.

    A text of a dictionary is cut before it is repeated in the rows.
    """
    columns = [
        _short(column, lengths[name], mark) if name in lengths else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _short(column: pa.Array, length: int, mark: str) -> pa.Array:
    # Here, because its import takes a tenth of a short command, and few commands need it.
    import pyarrow.compute as pc

    types = pa.types
    kind = column.type
    if types.is_dictionary(kind):
        if len(column.dictionary) > len(column):
            return _short(column.dictionary_decode(), length, mark)
        return pa.DictionaryArray.from_arrays(column.indices, _short(column.dictionary, length, mark))
    if types.is_string_view(kind):
        column = column.cast(pa.large_string())
    elif not (types.is_string(kind) or types.is_large_string(kind)):
        return column
    trimmed = pc.utf8_trim_whitespace(column)
    is_long = pc.greater(pc.utf8_length(trimmed), length)
    if not pc.any(is_long).as_py():
        return trimmed
    cut = pc.binary_join_element_wise(
        pc.utf8_slice_codeunits(trimmed, 0, length), pa.scalar(mark, trimmed.type), pa.scalar("", trimmed.type)
    )
    return pc.if_else(is_long, cut, trimmed)


def _values(column: pa.Array) -> pl.Series:
    """Return a column in a type that Polars has and can write as text for every value."""
    kind = column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _days(column)
    if pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    elif pa.types.is_decimal256(kind):
        column = column.cast(pa.string())
    elif pa.types.is_dictionary(kind):
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
