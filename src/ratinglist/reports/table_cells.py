"""The cells of a table of events or of games, delivered as CSV or Parquet: every cell as text, with its row.

The file is untrusted: the memory that it takes is bounded (:mod:`~ratinglist.files.parquet_files`), and no cell is
interpreted here. A row of a CSV file is one line, so that a row has the number that an editor shows; the header is
row 1. The first row of a Parquet file, which has no header, is row 1 too. Some hundred thousand rows are read at once,
so that a table of millions takes little memory.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl
import pyarrow as pa

from ratinglist.files import parquet_files
from ratinglist.files.parquet_files import BoundedFile, RowLimit, TooLargeError, is_plain, texts
from ratinglist.findings import RULES
from ratinglist.limits import (
    EVENT_ID_LENGTH,
    HEADER_LENGTH,
    PARQUET_TEXT_BYTES,
    SHOWN_LENGTH,
    TABLE_BYTES,
    TABLE_CELL_BYTES,
    TABLE_COLUMNS,
    TABLE_LINE_LENGTH,
    TABLE_LONG_CELLS,
    TABLE_NAME_LENGTH,
    TABLE_PARQUET_BYTES_PER_ROW,
    TABLE_ROWS,
    TABLE_VALUE_LENGTH,
)
from ratinglist.reports.encoding import UndecodableError, decoded_pieces
from ratinglist.reports.table_events import CUT, TableCells, UnreadableTableError
from ratinglist.system_errors import first_line
from ratinglist.text import shortened

_LENGTHS = {"event_id": EVENT_ID_LENGTH, "name": TABLE_NAME_LENGTH}
REMEDY: Final = "Look whether every column holds what its name says, and deliver the events in several parts."

BLANKS: Final = (
    " \t\n\r\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What is trimmed from a cell: the blanks of any width. A separator of lines or of paragraphs, U+2028, is none."""


def named_columns(
    name: str, header: Sequence[str], required: Sequence[str], optional: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of the columns in lower case, and a note for each that is not read."""
    columns = [cell.strip().casefold() for cell in header]
    if len(columns) > TABLE_COLUMNS:
        raise UnreadableTableError(f"{name} has {len(columns)} columns, and at most {TABLE_COLUMNS} are read.")
    read_columns = (*required, *optional)
    for column in required:
        if column not in columns:
            found = shortened(", ".join(header), SHOWN_LENGTH)
            raise UnreadableTableError(
                f"{name}: the column '{column}' is missing; found: {found}. Name the columns {', '.join(required)}."
            )
    repeated = sorted({column for column in columns if column and columns.count(column) > 1})
    if repeated:
        raise UnreadableTableError(
            f"{name}: the column '{shortened(repeated[0], SHOWN_LENGTH)}' appears twice. Leave one of them out."
        )
    notes = tuple(
        f"{name}: the column '{shortened(column, SHOWN_LENGTH)}' is not one of {', '.join(read_columns)}; "
        "it is not read"
        for column in columns
        if column not in read_columns
    )
    return columns, notes


def trimmed_columns(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return ``row`` and ``columns`` of ``rows``, trimmed; a column that the file does not have is blank."""
    return rows.select(
        pl.col("row").cast(pl.Int32),
        *(pl.col(name).str.strip_chars(BLANKS) if name in rows.columns else pl.lit("").alias(name) for name in columns),
    )


def check_long_cells(name: str, rows: pl.DataFrame, before: int) -> int:
    """Return how many cells of ``rows``, which have ``row``, were cut off, with those ``before``.

    Raises :class:`UnreadableTableError` for more than :data:`~ratinglist.limits.TABLE_LONG_CELLS`.
    """
    is_cut = rows.select("row", pl.col(pl.String).str.ends_with(CUT))
    cells = before + int(is_cut.drop("row").sum().sum_horizontal().item() or 0)
    if cells > TABLE_LONG_CELLS:
        column = next(column for column in is_cut.columns if column != "row" and is_cut[column].any())
        raise UnreadableTableError(
            f"{name} has more than {TABLE_LONG_CELLS} cells that are longer than their column allows, one of them in "
            f"row {is_cut.filter(column)['row'][0]}, column {column.strip()}, where at most {cell_length(column)} "
            f"characters are read. {REMEDY}"
        )
    return cells


def cell_length(column: str) -> int:
    """Return the most characters that a cell of ``column`` may have."""
    return _LENGTHS.get(column.strip().casefold(), TABLE_VALUE_LENGTH)


_BATCH_ROWS = 200_000
_ROW_LIMIT = RowLimit(small=100_000, bytes_per_row=TABLE_PARQUET_BYTES_PER_ROW, most=TABLE_ROWS)
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
_SEPARATORS = ",;\t"


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
    return _csv(name, data, required, optional)


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
        raise UnreadableTableError(
            f"{name} is not a readable Parquet file ({shortened(first_line(wrong), 3 * SHOWN_LENGTH)}). Write it again."
        ) from None


def _column_name(given: str) -> str:
    return given.strip().casefold()


def _rows(name: str, file: BoundedFile, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield ``row`` and the columns as text; raise :class:`TooLargeError` as soon as they have too many bytes."""
    size = row = long_cells = 0
    yield pl.DataFrame(schema={"row": pl.Int32, **dict.fromkeys(columns, pl.String)})
    for batch in file.batches(columns, _BATCH_ROWS, PARQUET_TEXT_BYTES):
        # What a cell says of a day that no calendar has is longer than a day may be.
        is_day = [pa.types.is_temporal(kind) for kind in batch.schema.types]
        rows = texts(batch).select(
            pl.col(one) if day else _short(one) for one, day in zip(columns, is_day, strict=True)
        )
        size += int(rows.estimated_size())
        if size > TABLE_CELL_BYTES:
            raise TooLargeError(f"has cells of more than {TABLE_CELL_BYTES} bytes")
        rows = rows.with_row_index("row", row + 1)
        long_cells = check_long_cells(name, rows, long_cells)
        row += rows.height
        yield rows


def _csv(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> Iterator[TableCells]:
    """Yield the rows of a table in CSV: see :func:`ratinglist.reports.table_cells.slices`."""
    header: _Header | None = None
    long_cells = 0
    for lines in _lines(name, data):
        _check_length(name, lines)
        if header is None and not lines.is_empty():
            header, lines = _header(name, lines, required, optional), lines.slice(1)
        if header is not None:
            cells = _slice(header, lines)
            long_cells = check_long_cells(name, cells.rows, long_cells)
            yield cells
    if header is None:
        raise UnreadableTableError(f"{name}: {RULES['empty_file'].sentence}. Save it again as CSV in UTF-8.")


def _lines(name: str, data: bytes) -> Iterator[pl.DataFrame]:
    """Yield ``row`` and ``text`` of the lines that are not blank, some at once."""
    before = found = 0
    try:
        for piece in decoded_pieces(data):
            lines = pl.Series("text", [piece]).str.split("\n").explode(empty_as_null=True).to_frame()
            lines = lines.with_row_index("row", before + 1)
            before += lines.height
            lines = lines.filter(pl.col("text").str.contains(r"\S"))
            found += lines.height
            # The header is none of the rows.
            if found > TABLE_ROWS + 1:
                raise UnreadableTableError(
                    f"{name} has more than {TABLE_ROWS} rows. Deliver the events in several parts."
                )
            yield lines
    except UndecodableError as wrong:
        sentence = RULES["binary_file"].sentence.format(detail=wrong)
        raise UnreadableTableError(f"{name}: {sentence}. Save it again as CSV in UTF-8.") from None


def _check_length(name: str, lines: pl.DataFrame) -> None:
    long = lines.filter(pl.col("text").str.len_chars() > TABLE_LINE_LENGTH)
    if not long.is_empty():
        raise UnreadableTableError(
            f"{name}, row {long['row'][0]}: it has {long['text'].str.len_chars()[0]} characters, and a row at most "
            f"{TABLE_LINE_LENGTH}. Save the table again."
        )


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a CSV file.

    ``columns``: the names in lower case. ``read``: the names of those that are read, where the file has them.
    """

    name: str
    separator: str
    columns: list[str]
    read: tuple[str, ...]
    notes: tuple[str, ...]


def _header(name: str, lines: pl.DataFrame, required: Sequence[str], optional: Sequence[str]) -> _Header:
    """Return the header of a table: the first of its ``lines``."""
    line, header = lines.row(0)
    if len(header) > HEADER_LENGTH:
        raise UnreadableTableError(
            f"{name}, row {line}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}. Begin with "
            "the names of the columns."
        )
    separator = max(_SEPARATORS, key=header.count)
    try:
        fields = next(csv.reader([header.removeprefix("\ufeff")], delimiter=separator, strict=True))
    except csv.Error as error:
        raise UnreadableTableError(f"{name}, row {line} is not readable as CSV: {error}. Save it again.") from None
    columns, notes = named_columns(name, fields, required, optional)
    return _Header(name, separator, columns, (*required, *optional), notes)


def _slice(header: _Header, lines: pl.DataFrame) -> TableCells:
    """Return the cells of some lines below the header."""
    columns = header.columns
    sound, broken = _split(lines, len(columns), header.separator, columns.index("event_id"))
    # A column without a name, as a separator at the end of every line makes one.
    names = [column or f" {number}" for number, column in enumerate(columns)]
    parsed = _parsed(header.name, sound, names, header.separator)
    cells = parsed.select("row", *(_short(one) for one in parsed.columns if one in header.read))
    return TableCells(
        header.name,
        trimmed_columns(cells, header.read),
        {column: number for number, column in enumerate(columns, start=1)},
        broken,
        len(columns),
        header.notes,
    )


def _split(lines: pl.DataFrame, width: int, separator: str, event_column: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lines that have ``width`` cells, and the others as :attr:`TableCells.broken`.

    A cell has no quotation mark, or is wholly between two, with each mark inside it doubled.
    """
    text = pl.col("text")
    has_mark = text.str.contains('"', literal=True)
    # One mark is left of each quoted cell. No other mark may be next to it, nor any other character but a separator.
    bare = pl.when(has_mark).then(text.str.replace_all(f'(^|{separator})"(?:[^"]|"")*"', '${1}"')).otherwise(text)
    is_odd = has_mark & (text.str.count_matches('"', literal=True) % 2 == 1)
    is_inside = has_mark & bare.str.contains(f'[^{separator}]"|"[^{separator}]')
    counted = lines.with_columns(
        (is_odd | is_inside).alias("is_misplaced"),
        (1 + bare.str.count_matches(separator, literal=True)).alias("cells"),
    )
    fits = ~pl.col("is_misplaced") & (pl.col("cells") == width)
    cells = text.str.split(separator)
    event_id = cells.list.get(event_column, null_on_oob=True).fill_null("").str.strip_chars(' "').alias("event_id")
    broken = counted.filter(~fits).with_columns(event_id)
    broken = broken.select(
        pl.col("row").cast(pl.Int32), _short("event_id"), pl.when(~pl.col("is_misplaced")).then("cells").alias("cells")
    )
    blank = text.str.contains(f"^[\\s{separator}]*$")
    return counted.filter(fits & ~blank).select("row", "text"), broken


def _parsed(name: str, lines: pl.DataFrame, columns: list[str], separator: str) -> pl.DataFrame:
    """Return ``row`` and ``columns`` of lines that each have as many cells."""
    if lines.is_empty():
        return pl.DataFrame(schema={"row": pl.Int32, **dict.fromkeys(columns, pl.String)})
    try:
        frame = pl.read_csv(
            lines.select(pl.col("text").str.join("\n")).item().encode(),
            has_header=False,
            schema=dict.fromkeys(columns, pl.String),
            separator=separator,
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError as error:
        reason = shortened(first_line(error), 2 * SHOWN_LENGTH)
        raise UnreadableTableError(
            f"{name} is not readable as CSV ({reason}). Put quotation marks only around whole cells."
        ) from None
    if frame.height != lines.height or frame.null_count().sum_horizontal().item():
        raise UnreadableTableError(f"{name} is not readable as CSV. Put quotation marks only around whole cells.")
    return frame.insert_column(0, lines["row"])


def _short(column: str) -> pl.Expr:
    """Return a column, trimmed; a cell that is too long is cut off, and ends in :data:`CUT`."""
    text, length = pl.col(column).str.strip_chars(BLANKS), cell_length(column)
    # A cut text is joined with its mark, so that it does not keep the memory of the whole one.
    cut = pl.concat_str(text.str.slice(0, length), pl.lit(CUT))
    return pl.when(text.str.len_chars() > length).then(cut).otherwise(text).alias(column)
