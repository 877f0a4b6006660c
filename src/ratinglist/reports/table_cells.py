"""The cells of a table of events or of games, delivered as CSV or Parquet: every cell as text, with its row.

The file is untrusted. Its decoded size is bounded before it is decoded (:mod:`~ratinglist.parquet_files`), and no cell
is interpreted here. A row of a CSV file is one line, so that a row has the number that an editor shows; the header is
row 1. The first row of a Parquet file, which has no header, is row 1 too. Some hundred thousand rows are read at once,
so that a table of millions takes little memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl
import pyarrow as pa

from ratinglist import parquet_files
from ratinglist.limits import (
    PARQUET_TEXT_BYTES,
    SHOWN_LENGTH,
    TABLE_BYTES,
    TABLE_CELL_BYTES,
    TABLE_PARQUET_BYTES_PER_ROW,
    TABLE_ROWS,
)
from ratinglist.parquet_files import BoundedFile, RowLimit, TooLargeError
from ratinglist.parquet_texts import is_plain, texts, with_short_texts
from ratinglist.reports import table_csv
from ratinglist.reports.delivered_table import (
    CUT,
    REMEDY,
    TableCells,
    UnreadableTableError,
    cell_length,
    check_long_cells,
    named_columns,
    trimmed_columns,
)
from ratinglist.safe_text import shortened

_BATCH_ROWS = 200_000
_ROW_LIMIT = RowLimit(small=100_000, bytes_per_row=TABLE_PARQUET_BYTES_PER_ROW, most=TABLE_ROWS)
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


def read(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> TableCells:
    """Read the whole table ``data``: see :func:`slices`."""
    parts = list(slices(name, data, required, optional))
    return replace(
        parts[0], rows=pl.concat(part.rows for part in parts), broken=pl.concat(part.broken for part in parts)
    )


def slices(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> Iterator[TableCells]:
    """Yield the rows of the table ``data`` that was delivered as ``name``, ending in ``.csv`` or ``.parquet``.

    Some rows are read at once, in their order; at least one slice is yielded. Raises :class:`UnreadableTableError` for
    a file over a limit, one that is damaged, and one without a column of ``required``, among them ``event_id``: maybe
    after some slices, so no slice may be used before the last one is read.
    """
    if len(data) > TABLE_BYTES:
        raise UnreadableTableError(f"{name} has more than {TABLE_BYTES} bytes. Deliver the events in several parts.")
    if name.lower().endswith(".parquet"):
        return _parquet(name, data, required, optional)
    return table_csv.slices(name, data, required, optional)


def _parquet(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> Iterator[TableCells]:
    try:
        with parquet_files.bounded(data, _ROW_LIMIT) as file:
            header = file.schema.names
            columns, notes = named_columns(name, header, required, optional)
            wanted = [given for given, column in zip(header, columns, strict=True) if column in (*required, *optional)]
            for given in wanted:
                kind = file.schema.field(given).type
                if not is_plain(kind):
                    raise UnreadableTableError(
                        f"{name}, column {given}: its type is {shortened(str(kind), SHOWN_LENGTH)}. Write texts, whole "
                        "numbers and dates."
                    )
            for rows in _rows(name, file, wanted):
                yield TableCells(
                    name,
                    trimmed_columns(rows.rename(_column_name), (*required, *optional)),
                    {column: number for number, column in enumerate(columns, start=1)},
                    pl.DataFrame(schema={"row": pl.Int32, "event_id": pl.String, "cells": pl.UInt32}),
                    len(columns),
                    notes,
                )
    except TooLargeError as wrong:
        raise UnreadableTableError(f"{name} {wrong}. {REMEDY}") from None
    except _UNREADABLE as wrong:
        reason = (str(wrong).splitlines() or [type(wrong).__name__])[0]
        raise UnreadableTableError(
            f"{name} is not a readable Parquet file ({shortened(reason, 3 * SHOWN_LENGTH)}). Write it again."
        ) from None


def _column_name(given: str) -> str:
    return given.strip().casefold()


def _rows(name: str, file: BoundedFile, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield ``row`` and the columns as text; raise :class:`TooLargeError` as soon as they have too many bytes."""
    lengths = {column: cell_length(column) for column in columns}
    size = row = long_cells = 0
    yield pl.DataFrame(schema={"row": pl.Int32, **dict.fromkeys(columns, pl.String)})
    for batch in file.batches(columns, _BATCH_ROWS, PARQUET_TEXT_BYTES):
        rows = texts(with_short_texts(batch, lengths, CUT))
        size += int(rows.estimated_size())
        if size > TABLE_CELL_BYTES:
            raise TooLargeError(f"has cells of more than {TABLE_CELL_BYTES} bytes")
        rows = rows.with_row_index("row", row + 1)
        long_cells = check_long_cells(name, rows, long_cells)
        row += rows.height
        yield rows
