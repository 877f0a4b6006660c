"""A table of events or of games as it was delivered: its columns, the text of every cell, and where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.limits import (
    EVENT_ID_LENGTH,
    SHOWN_LENGTH,
    TABLE_COLUMNS,
    TABLE_LONG_CELLS,
    TABLE_NAME_LENGTH,
    TABLE_VALUE_LENGTH,
)
from ratinglist.safe_text import shortened

_LENGTHS = {"event_id": EVENT_ID_LENGTH, "name": TABLE_NAME_LENGTH}
REMEDY: Final = "Look whether every column holds what its name says, and deliver the events in several parts."

CUT: Final = "\uffff"
"""The end of a cell that was longer than its column allows, and was cut off there. No cell with it can be valid, since
it is no character, and no shortened cell may be taken for another value."""

BLANKS: Final = (
    " \t\n\r\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What is trimmed from a cell: the blanks of any width. A separator of lines or of paragraphs, U+2028, is none."""


class UnreadableTableError(Exception):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """The cells of a table, or of some rows of it.

    ``rows``: ``row`` and the columns that are read, as trimmed text, blank where the cell or the column is missing;
    a cell that is too long for its column is cut off, and ends in :data:`CUT`.
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
