"""Which columns each published artefact carries: every column of the contract, or fewer where the office says so.

``office.toml`` names what is left out, by the names the tables have in SQL::

    [fields.without]
    lists = ["sex", "birth_year"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.schemas import (
    BOTH_NUMBERS,
    CHANGE,
    DIFF,
    ENTRY,
    EVENT,
    EVENT_STATUS,
    GAME,
    LISTED,
    LISTS,
    POOL,
    Table,
)

ARTEFACTS: dict[str, Table] = {
    "lists": LISTED,
    "changes": CHANGE,
    "games": GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
    "diff": DIFF,
    "both_numbers": BOTH_NUMBERS,
    "event_status": EVENT_STATUS,
}
"""What may be narrowed, by the name it has in SQL."""

Without = Mapping[str, tuple[str, ...]]
"""Columns left out, by artefact."""


@dataclass(frozen=True, slots=True)
class FieldPolicy:
    """What an office leaves out of what it publishes; by default nothing."""

    without: Without = field(default_factory=dict)

    def table(self, stem: str) -> Table:
        """The table that a published file carries, by its file stem or its name in SQL."""
        name = "lists" if stem in LISTS else stem
        table, out = ARTEFACTS[name], self.without.get(name, ())
        return replace(table, columns={column: what for column, what in table.columns.items() if column not in out})

    def and_without(self, more: Without) -> FieldPolicy:
        """The policy that leaves out ``more`` too."""
        names = {*self.without, *more}
        return FieldPolicy({name: (*self.without.get(name, ()), *more.get(name, ())) for name in sorted(names)})

    def masked(self, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Published tables by file stem, whole, with null where a column is left out."""
        return {
            stem: frame.with_columns(
                pl.lit(None, dtype=frame.schema[column]).alias(column)
                for column in frame.columns
                if column not in self.table(stem).columns
            )
            for stem, frame in tables.items()
        }

    def as_dict(self) -> dict[str, list[str]]:
        """What is left out, for the manifest: artefacts and columns sorted."""
        return {name: sorted(columns) for name, columns in sorted(self.without.items()) if columns}


def parse(section: object, where: str) -> FieldPolicy:
    """The policy of a ``[fields]`` section of ``where``, as TOML gives it.

    Raises :class:`CommandLineError` naming the artefact or column for anything unknown, and for a column of the key or
    of the order of the rows, without which the others say nothing.
    """
    if not isinstance(section, Mapping) or set(section) - {"without"}:
        raise CommandLineError(f"{where}: [fields] has one key, 'without': write a section [fields.without].")
    named = section.get("without", {})
    if not isinstance(named, Mapping):
        raise CommandLineError(f"{where}: 'without' must be a section: [fields.without].")
    for name, columns in named.items():
        if name not in ARTEFACTS:
            raise CommandLineError(
                f"{where}: unknown table '{name}' in [fields.without] - known are {', '.join(ARTEFACTS)}."
            )
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise CommandLineError(f"{where}: '{name}' in [fields.without] must be a list of columns: [\"sex\"].")
        table = ARTEFACTS[name]
        for column in columns:
            if column not in table.columns:
                raise CommandLineError(
                    f"{where}: unknown column '{column}' of {name} in [fields.without] - known are "
                    f"{', '.join(table.columns)}."
                )
            if column in (*table.key, *table.order):
                raise CommandLineError(
                    f"{where}: '{column}' of {name} cannot be left out: it is what a row is known or sorted by."
                )
    return FieldPolicy({name: tuple(columns) for name, columns in named.items()})
