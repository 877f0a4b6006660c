"""The tables of a published revision, and what has to hold of their rows before one byte is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.schemas import CHANGE, DIFF, ENTRY, EVENT, GAME, LISTED, POOL, Table

LISTS = ("standard", "rapid", "blitz")
"""The time controls, each a list of its own: there where it has a rated player."""

PUBLISHED: dict[str, Table] = {
    **dict.fromkeys(LISTS, LISTED),
    "changes": CHANGE,
    "games": GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
    "diff": DIFF,
}
"""File stem to table: the allow-list of what may ever be published."""

_MAY_BE_ABSENT = {*LISTS, "diff"}


@dataclass(frozen=True, slots=True)
class Made:
    """The ``tables`` of a month by file stem, and the ``players`` (``PLAYER``) they were made with, where at hand."""

    tables: dict[str, pl.DataFrame]
    players: pl.DataFrame | None = None


def checked(period: Period, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables in the order of :data:`PUBLISHED`, each with exactly its columns and sorted.

    Raises :class:`CheckError` where a table is missing or unknown, a key is not unique, an obligatory value is empty,
    or a row belongs to another list; ``polars.exceptions`` errors where a frame does not have its table's columns.
    """
    if wrong := (set(tables) - set(PUBLISHED)) | (set(PUBLISHED) - _MAY_BE_ABSENT - set(tables)):
        raise CheckError(f"Unknown or missing tables: {', '.join(sorted(wrong))}. Nothing was published.")
    ready = {}
    for stem, table in PUBLISHED.items():
        if stem in tables:
            frame = table.conform(tables[stem])
            in_order = table.is_in_order(frame)
            # The order says that no key stands twice, where it is the order of the key; so does a part never repeated.
            unique = (in_order and not table.order) or any(
                table.columns[name].dtype == pl.Int64 and frame[name].n_unique() == frame.height for name in table.key
            )
            _check_rows(stem, table, frame, str(period), unique=unique)
            ready[stem] = frame if in_order else table.sorted(frame)
    return ready


def _check_rows(stem: str, table: Table, frame: pl.DataFrame, month: str, *, unique: bool) -> None:
    for name, column in table.columns.items():
        if not column.null and frame.get_column(name).null_count():
            raise CheckError(f"{stem}: {name} is empty in some rows. Nothing was published.")
    twice = frame.clear() if unique else frame.filter(frame.select(table.key).is_duplicated()).sort(table.key)
    if twice.height:
        first = ", ".join(f"{name} {twice.item(0, name)}" for name in table.key)
        raise CheckError(f"{stem}: more than one row for {first}. Nothing was published.")
    if stem in LISTS:
        strange = frame.filter((pl.col("list_month") != month) | (pl.col("time_control") != stem)).sort("fide_id")
        if strange.height:
            raise CheckError(
                f"{stem}: player {strange.item(0, 'fide_id')} belongs to the {strange.item(0, 'time_control')} list "
                f"of {strange.item(0, 'list_month')}, not to that of {month}. Nothing was published."
            )
