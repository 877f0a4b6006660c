"""One published table as one file: Parquet for programs, CSV for people. The same rows always give the same bytes."""

from __future__ import annotations

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


def write_csv(path: Path, frame: pl.DataFrame) -> Path:
    """Write ``frame`` as UTF-8 without a mark, LF, quoted only where RFC 4180 asks for it; give back ``path``.

    An empty text and an absent number are both an empty cell.
    """
    frame.with_columns(pl.col(pl.String).replace("", None)).write_csv(
        path, include_bom=False, line_terminator="\n", quote_style="necessary", null_value=""
    )
    return path


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
