"""Hold which columns each published table carries: every column of the contract, or fewer where the office chose so.

``office.toml`` names the columns that are left out, by the names the tables have in SQL::

    [fields.without]
    lists = ["sex", "birth_year"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from ratinglist.strict_toml import as_toml
from ratinglist.tables import (
    BOTH_NUMBERS,
    EVENT_STATUS,
    LISTED,
    LISTS,
    PUBLISHED,
    SYSTEM_PUBLISHED,
    Table,
    published_table,
)

ARTEFACTS: dict[str, Table] = {
    "lists": LISTED,
    **{stem: table for stem, table in PUBLISHED.items() if stem not in LISTS},
    "both_numbers": BOTH_NUMBERS,
    "event_status": EVENT_STATUS,
}
"""The tables that may carry fewer columns, by their names in SQL."""

_WITH_OWN = ("lists", "changes", "games")
"""The tables that have more columns in another system than FIDE's."""

Without = Mapping[str, tuple[str, ...]]
"""Columns left out, by table."""


@dataclass(frozen=True, slots=True)
class FieldPolicy:
    """The columns that an office leaves out of its published files; by default none."""

    without: Without = field(default_factory=dict)

    def table(self, stem: str, columns: Mapping[str, pl.DataType] | None = None) -> Table:
        """Return the table that a published file carries, by its file stem or its name in SQL.

        ``columns``: those of its rows, with their types; some say that the table is one of another system than FIDE's.
        """
        name = "lists" if stem in LISTS else stem
        table = published_table(stem, columns or {}) if stem in PUBLISHED else ARTEFACTS[name]
        out = self.without.get(name, ())
        return replace(table, columns={name: column for name, column in table.columns.items() if name not in out})

    def and_without(self, more: Without) -> FieldPolicy:
        """Return the policy that leaves out ``more`` too."""
        names = {*self.without, *more}
        return FieldPolicy({name: (*self.without.get(name, ()), *more.get(name, ())) for name in sorted(names)})

    def masked(self, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Return published tables by file stem, with all columns, null where a column is left out."""
        return {
            stem: frame.with_columns(
                pl.lit(None, dtype=frame.schema[column]).alias(column)
                for column in frame.columns
                if column not in self.table(stem, frame.schema).columns
            )
            for stem, frame in tables.items()
        }

    def as_dict(self) -> dict[str, list[str]]:
        """Return the columns left out, for the manifest: tables and columns sorted."""
        return {name: sorted(columns) for name, columns in sorted(self.without.items()) if columns}

    def check(self) -> None:
        """Raise :class:`ValueError` for an unknown table or column, and for one that identifies or sorts rows."""
        for name, columns in self.without.items():
            if name not in ARTEFACTS:
                raise ValueError(
                    f"unknown table {as_toml(name)} in [fields.without] - known are {', '.join(ARTEFACTS)}"
                )
            table = ARTEFACTS[name]
            own = SYSTEM_PUBLISHED[LISTS[0] if name == "lists" else name].columns if name in _WITH_OWN else {}
            for column in columns:
                if column not in table.columns and column not in own:
                    raise ValueError(
                        f"unknown column {as_toml(column)} of {name} in [fields.without] - known are "
                        f"{', '.join(table.columns)}"
                    )
                if column in (*table.key, *table.order):
                    raise ValueError(f"'{column}' of {name} cannot be left out: it identifies or sorts the rows")
