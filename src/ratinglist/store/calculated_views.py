"""The views over the files of the calculated months that count, and what SQL reads Parquet files from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl

from ratinglist import tables
from ratinglist.errors import NothingReadError
from ratinglist.home.history import History
from ratinglist.period import Period
from ratinglist.store.calculation_folder import (
    CONSIDERED_EVENT,
    INPUT,
    MISSING_REMEDY,
    MONTH_OF_PATH,
    STATE,
    CalculationFolder,
)
from ratinglist.system_errors import first_line, is_shortage
from ratinglist.tables import Table

Folders = dict[str, tuple[CalculationFolder, CalculationFolder]]
"""The folders of two calculations of each month: of the one that counts, and of the one that is shown.

Shown is what the first revision of a month showed, without withdrawn ones; a month that was never published is shown as
it is.
"""


def standing_folders(history: History, folders: Path) -> Folders:
    """Return the folders, below ``folders``, of every month whose calculation counts, in order."""
    shown = history.shown_calculations()
    return {
        month: (
            CalculationFolder(folders, period, number),
            CalculationFolder(folders, period, shown.get(month, number)),
        )
        for month, one in sorted(history.standing_calculations().items())
        for period, number in [(Period.parse(month), one.number)]
    }


def views_of(standing: Folders) -> dict[str, str]:
    """Return the query of every view; raise :class:`NothingReadError` where a file of theirs is missing."""
    current, shown = ([both[place] for both in standing.values()] for place in (0, 1))
    for folder in current:
        folder.check_complete()
    for folder in shown:
        folder.check_state()
    return {
        "calculated_state": _view_of(STATE, [one.state for one in current]),
        "first_calculated_state": _view_of(STATE, [one.state for one in shown]),
        "calculated_system_state": _view_of(
            tables.SYSTEM_STATE, [one.system_state for one in current if one.system_state.exists()]
        ),
        "first_calculated_system_state": _view_of(
            tables.SYSTEM_STATE, [one.system_state for one in shown if one.system_state.exists()]
        ),
        "event": _view_of(CONSIDERED_EVENT, [one.events for one in current]),
        "calculation_input": _view_of(INPUT, [one.inputs for one in current]),
        "game": _view_of(tables.GAME, [one.table_file("games") for one in current]),
        "change": _view_of(tables.CHANGE, [one.table_file("changes") for one in current]),
        "entry": _view_of(tables.ENTRY, [one.table_file("entries") for one in current]),
        "pool": _view_of(tables.POOL, [one.table_file("pool") for one in current]),
    }


@contextmanager
def damage_named(folders: Path) -> Iterator[None]:
    """Raise :class:`NothingReadError` for an error of DuckDB that names a file of a calculation."""
    try:
        yield
    except duckdb.Error as error:
        if str(folders) not in str(error) or is_shortage(error):
            raise
        said = first_line(error).partition(": ")[2] or str(error)
        raise NothingReadError(f"{said.rstrip('.')}. The file is damaged. {MISSING_REMEDY}") from None


def _view_of(table: Table, files: Sequence[Path]) -> str:
    """Return the query of ``month`` and the columns of ``table`` from its files, one or several for each month."""
    columns = ", ".join(table.columns)
    if not files:
        nothing = ", ".join(f"null::{_TYPES[column.dtype]} as {name}" for name, column in table.columns.items())
        return f"select null::varchar as month, {nothing} where false"
    # DuckDB could read the month from the folder's name itself, but would then take any folder above the home that is
    # named so for a column too.
    named = ", ".join(quoted(_literal_path(path)) for path in files)
    month = f"regexp_extract(filename, {quoted(MONTH_OF_PATH)}, 1) as month"
    source = f"read_parquet([{named}], filename = true, hive_partitioning = false)"
    return f"select {month}, {columns} from {source}"  # noqa: S608 - names and paths of our own


def quoted(text: str) -> str:
    """Return ``text`` as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def parquet_source(*paths: Path) -> str:
    """Return what a statement reads the Parquet files of one table from, whatever characters their paths have."""
    named = ", ".join(quoted(_literal_path(path)) for path in paths)
    return f"read_parquet([{named}], hive_partitioning = false)"


def _literal_path(path: Path) -> str:
    """Return a path with the characters escaped that DuckDB takes for a pattern."""
    return re.sub(r"([\[*?])", r"[\1]", str(path))


_TYPES: dict[pl.DataType, str] = {
    pl.String(): "varchar",
    pl.Int32(): "integer",
    pl.Int64(): "bigint",
    pl.Date(): "date",
    pl.Boolean(): "boolean",
    pl.Decimal(12, 2): "decimal(12, 2)",
}
