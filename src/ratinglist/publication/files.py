"""One published table as one file: Parquet for programs, CSV for people. The same rows always give the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from ratinglist.schemas import Table

ROW_GROUP = 131_072
"""Rows of a row group: fixed, for the default depends on how the frame happens to be chunked."""


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a published table: plain types that every reader of Parquet knows."""
    return pa.schema(
        pa.field(name, _arrow_type(column.dtype), nullable=column.null) for name, column in table.columns.items()
    )


def write_parquet(path: Path, table: Table, frame: pl.DataFrame) -> Path:
    """Write ``frame``, which conforms to ``table``, and give back ``path``.

    Raises ``pyarrow.ArrowInvalid`` or ``ValueError`` where a value does not fit its column.
    """
    schema = arrow_schema(table)
    # Polars itself writes text as large_string or a view. Slices, because Arrow's plain string holds 2 GB a chunk;
    # one chunk each, because pages would end where chunks do.
    with pq.ParquetWriter(path, schema, version="2.6", compression="zstd", compression_level=3) as writer:
        for rows in frame.iter_slices(ROW_GROUP):
            plain = rows.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(schema).combine_chunks()
            writer.write_table(plain, ROW_GROUP)
    return path


def write_beside(path: Path, table: Table, frame: pl.DataFrame) -> Path:
    """As :func:`write_parquet`, in the place of a file that readers may have open: they see the old or the new one."""
    aside = path.with_name(f".tmp-{path.name}")
    write_parquet(aside, table, frame)
    with aside.open("rb") as file:
        os.fsync(file.fileno())
    return aside.replace(path)


def write_csv(path: Path, frame: pl.DataFrame) -> Path:
    """Write :func:`csv_text` and give back ``path``."""
    path.write_text(csv_text(frame), encoding="utf-8", newline="")
    return path


def csv_text(frame: pl.DataFrame) -> str:
    """``frame`` as CSV without a mark, ended by LF, quoted only where RFC 4180 asks for it.

    An empty text and an absent number are both an empty cell.
    """
    return frame.with_columns(pl.col(pl.String).replace("", None)).write_csv(
        include_bom=False, line_terminator="\n", quote_style="necessary", null_value=""
    )


def _arrow_type(dtype: pl.DataType) -> pa.DataType:
    if isinstance(dtype, pl.Decimal):
        return pa.decimal128(dtype.precision, dtype.scale)
    plain = {
        pl.String(): pa.string(),
        pl.Int32(): pa.int32(),
        pl.Int64(): pa.int64(),
        pl.Date(): pa.date32(),
        pl.Boolean(): pa.bool_(),
    }
    return plain[dtype]
