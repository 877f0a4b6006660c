"""Lists as Parquet with the contract's own columns, read batch by batch.

What the file says of itself is held against its own size before a row is read: few bytes can claim billions of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from ratinglist.limits import PARQUET_BYTES_PER_ROW, PARQUET_GROUP_BYTES, PARQUET_ROWS, SHOWN_LENGTH
from ratinglist.lists.csv_list import COLUMNS, check_columns, source_of
from ratinglist.lists.list_source import Inspection, OfficialListError, OfficialSource
from ratinglist.safe_text import shortened

BATCH_ROWS = 200_000
_SMALL = 100_000
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, OSError, ValueError)


def read_parquet(content: Path | bytes, inspection: Inspection) -> OfficialSource:
    """The Parquet list in the file ``content``, or in these bytes."""
    try:
        file = pq.ParquetFile(pa.BufferReader(content) if isinstance(content, bytes) else content, pre_buffer=False)
        schema = file.schema_arrow
    except _UNREADABLE as wrong:
        raise _unreadable(wrong, inspection) from None
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    _check_size(file.metadata, size, inspection)
    check_columns(schema.names, inspection)
    read = [name for name in schema.names if name in {*COLUMNS, "list_month"}]
    for name in read:
        if not _is_plain(schema.field(name).type):
            raise inspection.refused(
                f"column {name}: its type is {shortened(str(schema.field(name).type), SHOWN_LENGTH)}",
                "write texts, whole numbers and dates",
            )
    return source_of(_rows(file, read, inspection), schema.names, inspection)


def _rows(file: pq.ParquetFile, read: list[str], inspection: Inspection) -> Iterator[pl.DataFrame]:
    first = 1
    try:
        for batch in file.iter_batches(BATCH_ROWS, columns=read):
            # Polars believes what it is given: texts that are not UTF-8 would be found too late.
            batch.validate(full=True)
            frame = pl.DataFrame(pl.from_arrow(batch)).select(_texts(batch.schema))
            yield frame.with_row_index("line", first)
            first += frame.height
    except _UNREADABLE as wrong:
        raise _unreadable(wrong, inspection) from None


def _texts(schema: pa.Schema) -> list[pl.Expr]:
    """Every column as text, blank as ``""``. A point in time of a day is written as that day."""
    return [
        (pl.col(field.name).dt.date() if pa.types.is_timestamp(field.type) else pl.col(field.name))
        .cast(pl.String)
        .fill_null("")
        for field in schema
    ]


def _check_size(about: pq.FileMetaData, size: int, inspection: Inspection) -> None:
    rows = about.num_rows
    if rows > PARQUET_ROWS or rows > _SMALL + size // PARQUET_BYTES_PER_ROW:
        raise inspection.refused(f"it claims {rows} rows in {size} bytes", "write it anew, a row per player and list")
    for number in range(about.num_row_groups):
        if (unpacked := about.row_group(number).total_byte_size) > PARQUET_GROUP_BYTES:
            raise inspection.refused(
                f"row group {number + 1} unpacks to {unpacked} bytes, and at most {PARQUET_GROUP_BYTES} are read",
                "write it anew with row groups of at most a million rows",
            )


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return bool(_is_plain(kind.value_type) and not pa.types.is_dictionary(kind.value_type))
    types = pa.types
    plain = (
        *(types.is_string, types.is_large_string, types.is_string_view, types.is_integer, types.is_boolean),
        *(types.is_date, types.is_timestamp, types.is_floating, types.is_decimal, types.is_null),
    )
    return any(is_it(kind) for is_it in plain)


def _unreadable(wrong: Exception, inspection: Inspection) -> OfficialListError:
    told = (str(wrong).splitlines() or [type(wrong).__name__])[0]
    return inspection.refused(f"not a readable Parquet file ({shortened(told, 3 * SHOWN_LENGTH)})", "write it anew")
