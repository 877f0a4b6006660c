"""The list as an SQLite database: one table with the published columns, and indexes for what is searched."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import polars as pl

from ratinglist.lists.selection import ExportRequest, PreparedExport

TABLE: Final = "rating_list"
_KEY: Final = ("fide_id", "time_control")
_INDEXED: Final = ("name", "federation", "rating")
_ROWS_AT_ONCE: Final = 50_000


def write(path: Path, prepared: PreparedExport, request: ExportRequest) -> None:
    """Write the rows to a new database, a row per player and time control.

    The table :data:`TABLE` has the published columns in their order: whole numbers as INTEGER, all else as TEXT; what
    is not known is NULL. Its key is the FIDE ID and the time control; name, federation and rating have an index. The
    period stands in ``user_version``, as 202512.
    """
    rows = prepared.rows
    types = {name: "INTEGER" if dtype.is_integer() else "TEXT" for name, dtype in rows.schema.items()}
    key = [name for name in _KEY if name in types]
    columns = [f"{name} {of_type}" for name, of_type in types.items()]
    # Every name is one of our own columns.
    table = f"create table {TABLE} ({', '.join(columns)}, primary key ({', '.join(key)})) without rowid"
    row = f"insert into {TABLE} values ({', '.join('?' * len(types))})"  # noqa: S608 - as above
    indexes = [f"create index {TABLE}_{name} on {TABLE} ({name})" for name in _INDEXED if name in types]
    period = f"pragma user_version = {request.period.first_day:%Y%m}"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        # The file is new and is renamed when it is whole: a journal would guard nothing.
        for statement in ("pragma journal_mode = off", period, "begin", table):
            database.execute(statement)
        for part in rows.iter_slices(_ROWS_AT_ONCE):
            database.executemany(row, part.with_columns(pl.col(pl.Date).cast(pl.String)).rows())
        for statement in (*indexes, "commit"):
            database.execute(statement)
