"""The tables of a published revision, and what has to hold of their rows before one byte is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.schemas import LISTS, PUBLISHED, Table

_MAY_BE_ABSENT = {*LISTS, "diff"}


@dataclass(frozen=True, slots=True)
class InNumbers:
    """A table whose rows are numbers yet: millions of words are laid down slice by slice, where they are needed.

    ``numbers`` stand in the published order; ``told`` gives any slice of them as the table has it, where words of few
    may be numbers still (:meth:`~ratinglist.schemas.Table.conform_encoded`). ``check`` is asked of every slice, given
    the row before it, and raises :class:`CheckError`.
    """

    numbers: pl.DataFrame
    told: Callable[[pl.DataFrame], pl.DataFrame]
    check: Callable[[pl.DataFrame | None, pl.DataFrame], None] = lambda _before, _rows: None

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.numbers.height

    def slices(self, most: int) -> Iterator[pl.DataFrame]:
        """The table in slices of so many rows."""
        before = None
        for numbers in self.numbers.iter_slices(most):
            rows = self.told(numbers)
            self.check(before, rows)
            yield rows
            before = rows.tail(1)


Rows = pl.DataFrame | InNumbers
"""A published table, in words or still in numbers."""


def slices_of(table: Rows, most: int) -> Iterator[pl.DataFrame]:
    """The rows of ``table`` in slices of so many."""
    return table.iter_slices(most) if isinstance(table, pl.DataFrame) else table.slices(most)


def whole(tables: Mapping[str, Rows]) -> dict[str, pl.DataFrame]:
    """The ``tables``, each in words."""
    return {
        stem: table if isinstance(table, pl.DataFrame) else PUBLISHED[stem].conform(table.told(table.numbers))
        for stem, table in tables.items()
    }


@dataclass(frozen=True, slots=True)
class Made:
    """The ``tables`` of a month by file stem, and the ``players`` (``PLAYER``) they were made with, where at hand."""

    tables: dict[str, Rows]
    players: pl.DataFrame | None = None


def checked(period: Period, tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """The tables in the order of :data:`PUBLISHED`, each with exactly its columns and sorted.

    What is still in numbers is looked at when it is told. Raises :class:`CheckError` where a table is missing or
    unknown, a key is not unique, an obligatory value is empty, or a row belongs to another list;
    ``polars.exceptions`` errors where a frame does not have its table's columns.
    """
    if wrong := (set(tables) - set(PUBLISHED)) | (set(PUBLISHED) - _MAY_BE_ABSENT - set(tables)):
        raise CheckError(f"Unknown or missing tables: {', '.join(sorted(wrong))}. Nothing was published.")
    return {
        stem: _checked(stem, table, tables[stem], str(period)) for stem, table in PUBLISHED.items() if stem in tables
    }


def _checked(stem: str, table: Table, rows: Rows, month: str) -> Rows:
    if isinstance(rows, InNumbers):
        # An order that is not that of the key lets a key stand twice; its numbers tell.
        if table.order:
            _check_keys(stem, [name for name in table.key if name in rows.numbers.columns], rows.numbers)
        return replace(rows, check=partial(_check_slice, stem, table, month))
    frame = table.conform(rows)
    in_order = table.is_in_order(frame)
    _check_values(stem, table, frame, month)
    if table.order or not in_order:
        _check_keys(stem, table.key, frame)
    return frame if in_order else table.sorted(frame)


def _check_slice(stem: str, table: Table, month: str, before: pl.DataFrame | None, rows: pl.DataFrame) -> None:
    """As of a whole table, of its rows from ``before`` on; they have to stand in the order of the key."""
    _check_values(stem, table, rows, month)
    meeting = rows.head(1) if before is None else pl.concat([before, rows.head(1)])
    if not (table.is_in_order(meeting) and table.is_in_order(rows)):
        _check_keys(stem, table.key, meeting)
        _check_keys(stem, table.key, rows)
        raise CheckError(f"{stem}: the rows do not stand in their order. Nothing was published.")


def _check_values(stem: str, table: Table, frame: pl.DataFrame, month: str) -> None:
    for name, column in table.columns.items():
        if not column.null and frame.get_column(name).null_count():
            raise CheckError(f"{stem}: {name} is empty in some rows. Nothing was published.")
    if stem in LISTS:
        strange = frame.filter((pl.col("list_month") != month) | (pl.col("time_control") != stem)).sort("fide_id")
        if strange.height:
            raise CheckError(
                f"{stem}: player {strange.item(0, 'fide_id')} belongs to the {strange.item(0, 'time_control')} list "
                f"of {strange.item(0, 'list_month')}, not to that of {month}. Nothing was published."
            )


def _check_keys(stem: str, key: Sequence[str], frame: pl.DataFrame) -> None:
    # A number that never stands twice says that the whole key does not.
    if any(frame[name].dtype == pl.Int64 and frame[name].n_unique() == frame.height for name in key):
        return
    twice = frame.filter(frame.select(key).is_duplicated()).sort(key)
    if twice.height:
        first = ", ".join(f"{name} {twice.item(0, name)}" for name in key)
        raise CheckError(f"{stem}: more than one row for {first}. Nothing was published.")
