"""A table of events or of games as it was delivered: the text of every cell, and where it is in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

CUT: Final = "\uffff"
"""The end of a cell that was longer than its column allows, and was cut off there. No cell with it can be valid, since
it is no character, and no shortened cell may be taken for another value."""


class UnreadableTableError(Exception):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """The cells of a table, or of some rows of it.

    ``rows``: ``row`` and the columns that are read, as trimmed text, blank where the cell or the column is missing;
    a cell that is too long for its column is cut off, and ends in :data:`CUT`.
    ``numbers``: the number, from 1, of each of these columns in the file. ``broken``: ``row``, ``event_id`` and
    ``cells`` (how many it has; null for a quotation mark that is not closed) of the lines that do not fit the header.
    ``width``: the columns of the header. ``notes``: one sentence for each column that is not read.
    """

    name: str
    rows: pl.DataFrame
    numbers: dict[str, int]
    broken: pl.DataFrame
    width: int
    notes: tuple[str, ...]
