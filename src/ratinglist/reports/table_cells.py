"""The cells of a table that an officer delivers as CSV or Parquet: a manifest, the events, the games.

The files are untrusted: what they take is bounded (:mod:`~ratinglist.files.parquet_files`). A row of a CSV file is one
line, so that a row has the number that an editor shows; the header is row 1. The first row of a Parquet file, which has
no header, is row 1 too. Cells are trimmed; those of a CSV file are separated by ``,``, ``;`` or a tab.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl
import pyarrow as pa

from ratinglist.errors import first_line
from ratinglist.files import parquet_files
from ratinglist.files.parquet_files import BoundedFile, RowLimit, TooLargeError, texts
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
from ratinglist.text import shortened

MISPLACED: Final = "a misplaced quotation mark in its"
"""What a line has that is broken by a quotation mark, where else its number of cells is said."""
BLANKS: Final = (
    " \t\n\r\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What is trimmed from a cell: the blanks of any width. A separator of lines or of paragraphs, U+2028, is none."""
_ROWS_AT_ONCE: Final = 200_000
_ROW_LIMIT: Final = RowLimit(small=100_000, bytes_per_row=TABLE_PARQUET_BYTES_PER_ROW, most=TABLE_ROWS)
_UNREADABLE: Final = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
_BROKEN: Final = pl.Schema({"row": pl.Int32, "key": pl.String, "cells": pl.UInt32})
_REMEDY: Final = "Look whether every column holds what its name says, and deliver the events in several parts."


class UnreadableTableError(ValueError):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """The cells of a table.

    ``rows``: ``row`` and the columns that are read, as trimmed text, blank where the cell or the column is missing.
    ``numbers``: the number, from 1, of each of these columns in the file. ``broken``: of the lines that do not fit the
    header ``row``, ``key`` (the cell of the first required column) and ``cells`` (how many there are; null for a
    quotation mark that does not quote a whole cell). ``width``: the columns of the header. ``notes``: one sentence for
    each column that is not read.
    """

    name: str
    rows: pl.DataFrame
    numbers: dict[str, int]
    broken: pl.DataFrame
    width: int
    notes: Sequence[str]


def read_cells(
    name: str,
    data: bytes,
    required: Sequence[str],
    optional: Sequence[str] = (),
    *,
    most_rows: int = TABLE_ROWS,
    may_be_short: bool = False,
) -> TableCells:
    """Read the table ``data`` that was delivered as ``name``: Parquet where the name says so, else CSV.

    ``may_be_short``: a row may lack its last cells, as a row written by hand does. Raises
    :class:`UnreadableTableError` for a file over a limit, one that is damaged, and one without a column of
    ``required``, of which the first is the key.
    """
    known = (*required, *optional)
    if name.lower().endswith(".parquet"):
        columns, rows, broken = _parquet(name, data, required, known)
    else:
        columns, rows, broken = _csv(name, data, required, known, most_rows, may_be_short=may_be_short)
    return TableCells(
        name,
        rows.select(
            pl.col("row").cast(pl.Int32),
            *(
                pl.col(column).str.strip_chars(BLANKS) if column in columns else pl.lit("").alias(column)
                for column in known
            ),
        ),
        {column: number for number, column in enumerate(columns, start=1)},
        broken,
        len(columns),
        [
            f"{name}: the column '{shortened(column, SHOWN_LENGTH)}' is not one of {', '.join(known)}; it is not read"
            for column in columns
            if column and column not in known
        ],
    )


_Table = tuple[list[str], pl.DataFrame, pl.DataFrame]
"""The names of the columns, the rows, and the broken lines."""


def _parquet(name: str, data: bytes, required: Sequence[str], known: Sequence[str]) -> _Table:
    try:
        file = parquet_files.bounded(data, _ROW_LIMIT)
        columns = _column_names(name, file.schema.names, required)
        wanted = {field.name: column for field, column in zip(file.schema, columns, strict=True) if column in known}
        rows = _rows(file, list(wanted)).rename(wanted)
    except TooLargeError as error:
        raise UnreadableTableError(f"{name} {error}. {_REMEDY}") from None
    except _UNREADABLE as error:
        raise UnreadableTableError(
            f"{name} is not a readable Parquet file ({shortened(first_line(error), 3 * SHOWN_LENGTH)}). Write it again."
        ) from None
    return columns, rows.with_row_index("row", 1), _BROKEN.to_frame()


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


def _csv(
    name: str, data: bytes, required: Sequence[str], known: Sequence[str], most_rows: int, *, may_be_short: bool
) -> _Table:
    decoded = decode(data, searched_for_forbidden=False)
    if decoded.rule and refuses(decoded.rule):
        sentence = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        raise UnreadableTableError(f"{name}: {sentence}. Save it again as CSV in UTF-8.")
    if decoded.text.count("\n") > most_rows:
        raise UnreadableTableError(f"{name} has more than {most_rows} rows. Deliver it in several parts.")
    lines = pl.Series("text", [decoded.text]).str.split("\n").explode().to_frame().with_row_index("row", 1)
    lines = lines.filter(pl.col("text").str.contains(r"\S"))
    row, header = lines.row(0)
    if len(header) > HEADER_LENGTH:
        raise UnreadableTableError(
            f"{name}, row {row}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}. Begin with "
            "the names of the columns."
        )
    separator = max(",;\t", key=header.count)
    columns = _column_names(f"{name}, row {row}", next(csv.reader([header], delimiter=separator)), required)
    parts = [
        split_lines(part, columns, separator, required[0], may_be_short=may_be_short)
        for part in lines.slice(1).iter_slices(_ROWS_AT_ONCE)
    ] or [split_lines(lines.clear(), columns, separator, required[0])]
    wanted = [
        pl.col("cells").list.get(at, null_on_oob=True).fill_null("").alias(column)
        for at, column in enumerate(columns)
        if column in known
    ]
    rows = pl.concat([sound.select("row", *wanted) for sound, _ in parts])
    return columns, rows, pl.concat([broken for _, broken in parts])


def split_lines(
    lines: pl.DataFrame, columns: Sequence[str], separator: str, key: str, *, may_be_short: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``row`` and ``cells`` of the ``lines`` (``row``, ``text``) that fit the ``columns``, and the others.

    A cell has no quotation mark, or is wholly between two, with each mark inside it doubled. The others: see
    :attr:`TableCells.broken`.
    """
    text, width = pl.col("text"), len(columns)
    cell = f'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
    is_quoted = text.str.contains('"', literal=True)
    bare = pl.when(is_quoted).then(text.str.replace_all('"(?:[^"]|"")*"', "")).otherwise(text)
    counted = lines.with_columns(
        is_quoted.alias("is_quoted"),
        (is_quoted & ~text.str.contains(f"^{cell}(?:{separator}{cell})*$")).alias("is_misplaced"),
        (1 + bare.str.count_matches(separator, literal=True)).alias("number"),
    )
    is_wide = pl.col("number").is_between(1 if may_be_short else width, width)
    fits = ~pl.col("is_misplaced") & is_wide & (text.str.len_chars() <= LINE_LENGTH)
    key_cell = text.str.slice(0, LINE_LENGTH).str.split(separator).list.get(columns.index(key), null_on_oob=True)
    broken = counted.filter(~fits).select(
        pl.col("row").cast(pl.Int32),
        key_cell.fill_null("").str.strip_chars(BLANKS + '"').alias("key"),
        pl.when(~pl.col("is_misplaced")).then("number").alias("cells"),
    )
    sound = counted.filter(fits & ~text.str.contains(f"^[\\s{separator}]*$"))
    plain, quoted = sound.filter(~pl.col("is_quoted")), sound.filter("is_quoted")
    cells = pl.Series("cells", list(csv.reader(quoted["text"], delimiter=separator)), dtype=pl.List(pl.String))
    both = [plain.select("row", text.str.split(separator).alias("cells")), quoted.select("row", cells)]
    return pl.concat(both).sort("row"), broken


def _column_names(place: str, header: Sequence[str], required: Sequence[str]) -> list[str]:
    """Return the names of the columns in small letters.

    Raises :class:`UnreadableTableError` without a column of ``required``, for too many columns and for one twice.
    """
    columns = [cell.strip().casefold() for cell in header]
    if len(columns) > TABLE_COLUMNS:
        raise UnreadableTableError(f"{place}: {len(columns)} columns; at most {TABLE_COLUMNS} are read.")
    if missing := [column for column in required if column not in columns]:
        raise UnreadableTableError(
            f"{place}: the column '{missing[0]}' is missing; found: {shortened(', '.join(header), SHOWN_LENGTH)}. Name "
            f"the columns {', '.join(required)}."
        )
    if repeated := sorted({column for column in columns if column and columns.count(column) > 1}):
        raise UnreadableTableError(
            f"{place}: the column '{shortened(repeated[0], SHOWN_LENGTH)}' appears twice. Leave one of them out."
        )
    return columns
