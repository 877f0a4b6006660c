"""A system's state of its own: what it keeps of players from list to list in a table that it declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.tables import Column, Table

NO_STATE = pl.DataFrame(schema={"fide_id": pl.Int64})
"""The state of a system that keeps none, and of every system before its first list."""


@dataclass(frozen=True, slots=True)
class OwnState:
    """What a system declares of its own state: a table with a row for each player, or with several.

    ``version``: counts up with every change of the columns, or of what they mean; a state of another version is not
    read. ``columns``: ``fide_id`` and the others. ``key``: what identifies a row; where a FIDE ID was merged into
    another, the other's rows go before those with the same key.
    """

    version: int
    columns: Mapping[str, Column]
    key: tuple[str, ...] = ("fide_id",)

    @property
    def table(self) -> Table:
        """Return the table."""
        return Table("own_state", "row that the system keeps", dict(self.columns), key=self.key)

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows kept of the list before, with all columns; none where that list has no state."""
        return self.table.conform(rows) if self.columns.keys() <= set(rows.columns) else self.table.empty()
