"""The cells of a Parquet file as text: whole numbers, days, flags and texts in one form, as a CSV file has them."""

from __future__ import annotations

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
