"""The list as Parquet with the published column names, one row per player and time control.

Reading: in batches. The numbers of rows and bytes in the file's footer are compared with its size before a row is read,
because a small file can claim billions of rows.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from ratinglist.limits import (
    PARQUET_BYTES_PER_ROW,
    PARQUET_GROUP_BYTES,
    PARQUET_ROWS,
    PARQUET_ZIPPED_BYTES,
    SHOWN_LENGTH,
)
from ratinglist.lists.csv_list import COLUMNS, PARQUET_MARK, check_columns, raw_list
from ratinglist.lists.export_request import ExportRequest, PreparedExport
from ratinglist.lists.inspection import Inspection, OfficialListError
from ratinglist.lists.raw_list import RawList
from ratinglist.safe_text import shortened
from ratinglist.schemas import LISTED
from ratinglist.store import table_files

# ---------------------------------------------------------------------------------------------------------- reading

BATCH_ROWS = 200_000
_SMALL = 100_000
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, OSError, ValueError)


def recognises(head: bytes) -> bool:
    """Whether a file with these first bytes is Parquet."""
    return head.startswith(PARQUET_MARK)


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the Parquet list in the open file ``stream``; a file in a zip is read into memory.

    Raises :class:`OfficialListError` if it is not readable, too large, or has a column of an unexpected type.
    """
    if not isinstance(stream, zipfile.ZipExtFile):
        return _read(Path(stream.name), inspection)
    content = stream.read(PARQUET_ZIPPED_BYTES + 1)
    if len(content) > PARQUET_ZIPPED_BYTES:
        raise inspection.refused(f"it has more than {PARQUET_ZIPPED_BYTES} bytes in a zip", "give the file itself")
    return _read(content, inspection)


def _read(content: Path | bytes, inspection: Inspection) -> RawList:
    try:
        file = pq.ParquetFile(pa.BufferReader(content) if isinstance(content, bytes) else content, pre_buffer=False)
        schema = file.schema_arrow
    except _UNREADABLE as wrong:
        raise _unreadable(wrong, inspection) from None
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    _check_size(file.metadata, size, inspection)
    check_columns(schema.names, inspection)
    read_columns = [name for name in schema.names if name in {*COLUMNS, "list_month"}]
    for name in read_columns:
        if not _is_plain(schema.field(name).type):
            raise inspection.refused(
                f"column {name}: its type is {shortened(str(schema.field(name).type), SHOWN_LENGTH)}",
                "write texts, whole numbers and dates",
            )
    return raw_list(_rows(file, read_columns, inspection), schema.names, inspection)


def _rows(file: pq.ParquetFile, read_columns: list[str], inspection: Inspection) -> Iterator[pl.DataFrame]:
    first = 1
    try:
        for batch in file.iter_batches(BATCH_ROWS, columns=read_columns):
            # Polars does not check that Arrow's texts are UTF-8.
            batch.validate(full=True)
            frame = pl.DataFrame(pl.from_arrow(batch)).select(_texts(batch.schema))
            yield frame.with_row_index("line", first)
            first += frame.height
    except _UNREADABLE as wrong:
        raise _unreadable(wrong, inspection) from None


def _texts(schema: pa.Schema) -> list[pl.Expr]:
    """Return every column as text, blank as ``""``. A timestamp becomes its day."""
    return [
        (pl.col(field.name).dt.date() if pa.types.is_timestamp(field.type) else pl.col(field.name))
        .cast(pl.String)
        .fill_null("")
        for field in schema
    ]


def _check_size(metadata: pq.FileMetaData, size: int, inspection: Inspection) -> None:
    rows = metadata.num_rows
    if rows > PARQUET_ROWS or rows > _SMALL + size // PARQUET_BYTES_PER_ROW:
        raise inspection.refused(f"it claims {rows} rows in {size} bytes", "write it again, a row per player and list")
    for number in range(metadata.num_row_groups):
        if (unpacked := metadata.row_group(number).total_byte_size) > PARQUET_GROUP_BYTES:
            raise inspection.refused(
                f"row group {number + 1} unpacks to {unpacked} bytes, and at most {PARQUET_GROUP_BYTES} are read",
                "write it again with row groups of at most a million rows",
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
    reason = (str(wrong).splitlines() or [type(wrong).__name__])[0]
    return inspection.refused(f"not a readable Parquet file ({shortened(reason, 3 * SHOWN_LENGTH)})", "write it again")


# ---------------------------------------------------------------------------------------------------------- writing


def write(path: Path, prepared: PreparedExport, _request: ExportRequest) -> None:
    """Write the rows with the plain types of the published lists."""
    columns = {name: LISTED.columns[name] for name in prepared.rows.columns}
    table_files.write_parquet(path, replace(LISTED, columns=columns), prepared.rows)
