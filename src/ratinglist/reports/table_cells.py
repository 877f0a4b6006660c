"""The cells of a table of events or of games, delivered as CSV or Parquet: every cell as text, with its row.

The file is untrusted: what it takes is bounded (:mod:`~ratinglist.files.parquet_files`), and no cell is interpreted
here. A row of a CSV file is one line, so that a row has the number that an editor shows; the header is row 1. The first
row of a Parquet file, which has no header, is row 1 too.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl
import pyarrow as pa

from ratinglist.files import parquet_files
from ratinglist.files.parquet_files import BoundedFile, RowLimit, TooLargeError, is_plain, texts
from ratinglist.findings import RULES, refuses
from ratinglist.limits import (
    HEADER_LENGTH,
    LINE_LENGTH,
    PARQUET_TEXT_BYTES,
    SHOWN_LENGTH,
    TABLE_CELL_BYTES,
    TABLE_COLUMNS,
    TABLE_PARQUET_BYTES_PER_ROW,
    TABLE_ROWS,
)
from ratinglist.reports.encoding import decode
from ratinglist.system_errors import first_line
from ratinglist.text import shortened

BLANKS: Final = (
    " \t\n\r\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What is trimmed from a cell: the blanks of any width. A separator of lines or of paragraphs, U+2028, is none."""
_ROWS_AT_ONCE: Final = 200_000
_ROW_LIMIT: Final = RowLimit(small=100_000, bytes_per_row=TABLE_PARQUET_BYTES_PER_ROW, most=TABLE_ROWS)
_UNREADABLE: Final = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
_BROKEN: Final = pl.Schema({"row": pl.Int32, "event_id": pl.String, "cells": pl.UInt32})
_REMEDY: Final = "Look whether every column holds what its name says, and deliver the events in several parts."


class UnreadableTableError(Exception):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """The cells of a table.

    ``rows``: ``row`` and the columns that are read, as trimmed text, blank where the cell or the column is missing.
    ``numbers``: the number, from 1, of each of these columns in the file. ``broken``: ``row``, ``event_id`` and
    ``cells`` (how many it has; null for a quotation mark that does not quote a whole cell) of the lines that do not fit
    the header. ``width``: the columns of the header. ``notes``: one sentence for each column that is not read.
    """

    name: str
    rows: pl.DataFrame
    numbers: dict[str, int]
    broken: pl.DataFrame
    width: int
    notes: tuple[str, ...]


def read(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> TableCells:
    """Read the table ``data`` that was delivered as ``name``, ending in ``.csv`` or ``.parquet``.

    Raises :class:`UnreadableTableError` for a file over a limit, one that is damaged, and one without a column of
    ``required``, among them ``event_id``.
    """
    read_table = _parquet if name.lower().endswith(".parquet") else _csv
    columns, notes, rows, broken = read_table(name, data, required, optional)
    trimmed = rows.select(
        pl.col("row").cast(pl.Int32),
        *(
            pl.col(column).str.strip_chars(BLANKS) if column in columns else pl.lit("").alias(column)
            for column in (*required, *optional)
        ),
    )
    numbers = {column: number for number, column in enumerate(columns, start=1)}
    return TableCells(name, trimmed, numbers, broken, len(columns), notes)


_Table = tuple[list[str], tuple[str, ...], pl.DataFrame, pl.DataFrame]
"""The names of the columns, the notes on those not read, the rows, and the broken lines."""


def _named_columns(
    name: str, header: Sequence[str], required: Sequence[str], optional: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of the columns in lower case, and a note for each that is not read."""
    columns = [cell.strip().casefold() for cell in header]
    if len(columns) > TABLE_COLUMNS:
        raise UnreadableTableError(f"{name} has {len(columns)} columns, and at most {TABLE_COLUMNS} are read.")
    for column in required:
        if column not in columns:
            present = shortened(", ".join(header), SHOWN_LENGTH)
            raise UnreadableTableError(
                f"{name}: the column '{column}' is missing; found: {present}. Name the columns {', '.join(required)}."
            )
    repeated = sorted({column for column in columns if column and columns.count(column) > 1})
    if repeated:
        raise UnreadableTableError(
            f"{name}: the column '{shortened(repeated[0], SHOWN_LENGTH)}' appears twice. Leave one of them out."
        )
    read_columns = (*required, *optional)
    notes = tuple(
        f"{name}: the column '{shortened(column, SHOWN_LENGTH)}' is not one of {', '.join(read_columns)}; "
        "it is not read"
        for column in columns
        if column not in read_columns
    )
    return columns, notes


def _parquet(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> _Table:
    try:
        with parquet_files.bounded(data, _ROW_LIMIT) as file:
            columns, notes = _named_columns(name, file.schema.names, required, optional)
            wanted = {
                field.name: column
                for field, column in zip(file.schema, columns, strict=True)
                if column in (*required, *optional)
            }
            for heading in wanted:
                kind = file.schema.field(heading).type
                if not is_plain(kind):
                    raise UnreadableTableError(
                        f"{name}, column {heading}: its type is {shortened(str(kind), SHOWN_LENGTH)}. Write texts, "
                        "whole numbers and dates."
                    )
            rows = _rows(file, list(wanted)).rename(wanted)
    except TooLargeError as error:
        raise UnreadableTableError(f"{name} {error}. {_REMEDY}") from None
    except _UNREADABLE as error:
        raise UnreadableTableError(
            f"{name} is not a readable Parquet file ({shortened(first_line(error), 3 * SHOWN_LENGTH)}). Write it again."
        ) from None
    return columns, notes, rows.with_row_index("row", 1), _BROKEN.to_frame()


def _rows(file: BoundedFile, columns: list[str]) -> pl.DataFrame:
    """Return the columns as text; raise :class:`TooLargeError` as soon as they have too many bytes."""
    parts = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    size = 0
    for batch in file.batches(columns, _ROWS_AT_ONCE, PARQUET_TEXT_BYTES):
        parts.append(texts(batch))
        size += int(parts[-1].estimated_size())
        if size > TABLE_CELL_BYTES:
            raise TooLargeError(f"has cells of more than {TABLE_CELL_BYTES} bytes")
    return pl.concat(parts)


def _csv(name: str, data: bytes, required: Sequence[str], optional: Sequence[str]) -> _Table:
    decoded = decode(data, searched_for_forbidden=False)
    if refuses(decoded.rule or "encoding_assumed"):
        sentence = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        raise UnreadableTableError(f"{name}: {sentence}. Save it again as CSV in UTF-8.")
    if decoded.text.count("\n") > TABLE_ROWS:
        raise UnreadableTableError(f"{name} has more than {TABLE_ROWS} rows. Deliver the events in several parts.")
    lines = pl.Series("text", [decoded.text]).str.split("\n").explode().to_frame().with_row_index("row", 1)
    lines = lines.filter(pl.col("text").str.contains(r"\S"))
    row, header = lines.row(0)
    if len(header) > HEADER_LENGTH:
        raise UnreadableTableError(
            f"{name}, row {row}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}. Begin with "
            "the names of the columns."
        )
    separator = max(",;\t", key=header.count)
    try:
        headings = next(csv.reader([header], delimiter=separator, strict=True))
    except csv.Error as error:
        raise UnreadableTableError(f"{name}, row {row} is not readable as CSV: {error}. Save it again.") from None
    columns, notes = _named_columns(name, headings, required, optional)
    wanted = [column for column in columns if column in (*required, *optional)]
    parts = [
        split_lines(part, len(columns), separator, columns.index("event_id"))
        for part in lines.slice(1).iter_slices(_ROWS_AT_ONCE)
    ]
    rows = [
        sound.select("row", *(pl.col("cells").list.get(columns.index(column)).alias(column) for column in wanted))
        for sound, _ in parts
    ]
    none = pl.DataFrame(schema={"row": pl.UInt32, **dict.fromkeys(wanted, pl.String)})
    broken = [part for _, part in parts]
    return columns, notes, pl.concat([none, *rows]), pl.concat([_BROKEN.to_frame(), *broken])


def split_lines(
    lines: pl.DataFrame, width: int, separator: str, event_column: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``row`` and ``cells`` of the ``lines`` (``row``, ``text``) that have ``width`` cells, and the others.

    A cell has no quotation mark, or is wholly between two, with each mark inside it doubled. The others: see
    :attr:`TableCells.broken`.
    """
    text = pl.col("text")
    cell = f'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
    is_quoted = text.str.contains('"', literal=True)
    bare = pl.when(is_quoted).then(text.str.replace_all('"(?:[^"]|"")*"', "")).otherwise(text)
    counted = lines.with_columns(
        is_quoted.alias("is_quoted"),
        (is_quoted & ~text.str.contains(f"^{cell}(?:{separator}{cell})*$")).alias("is_misplaced"),
        (1 + bare.str.count_matches(separator, literal=True)).alias("number"),
    )
    fits = ~pl.col("is_misplaced") & (pl.col("number") == width) & (text.str.len_chars() <= LINE_LENGTH)
    event_id = text.str.slice(0, LINE_LENGTH).str.split(separator).list.get(event_column, null_on_oob=True)
    broken = counted.filter(~fits).select(
        pl.col("row").cast(pl.Int32),
        event_id.fill_null("").str.strip_chars(BLANKS + '"').alias("event_id"),
        pl.when(~pl.col("is_misplaced")).then("number").alias("cells"),
    )
    sound = counted.filter(fits & ~text.str.contains(f"^[\\s{separator}]*$"))
    plain, quoted = sound.filter(~pl.col("is_quoted")), sound.filter("is_quoted")
    cells = pl.Series("cells", list(csv.reader(quoted["text"], delimiter=separator)), dtype=pl.List(pl.String))
    both = [plain.select("row", text.str.split(separator).alias("cells")), quoted.select("row", cells)]
    return pl.concat(both).sort("row"), broken
