"""The command `ratinglist sql`: SQL over the published files, in a session that can only read them; its result.

No statement holds the store: DuckDB locks its file for readers and writers, so a forgotten session would stop the
rating run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from numbers import Real
from pathlib import Path

import polars as pl

from ratinglist.analysis import sql_session
from ratinglist.analysis.sql_session import Session, View, quoted_list
from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.limits import SQL_SECONDS
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.store.table_files import csv_text
from ratinglist.tables import (
    BOTH_NUMBERS,
    ENTRY,
    EVENT,
    EVENT_STATUS,
    LISTS,
    OWN_COLUMN_STEMS,
    POOL,
    SYSTEM_CHANGE,
    SYSTEM_DIFF,
    SYSTEM_GAME,
    SYSTEM_LISTED,
    UNRATED,
    Table,
    own_columns,
)
from ratinglist.text import quoted
from ratinglist.workflows.opening import check_published

BASE_VIEWS: dict[str, Table] = {
    "lists": SYSTEM_LISTED,
    "changes": SYSTEM_CHANGE,
    "games": SYSTEM_GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
    "unrated": UNRATED,
    "diff": SYSTEM_DIFF,
}
"""The views over the files themselves: ``list_month`` and ``revision``, then the columns of the table.

The columns that only families of other systems have are null in the rows of the others.
"""

_IN_PATH = r"/(\d{4}-\d{2})/r(\d+)/(?:\w+/)?[^/]+$"


def session_of(folder: Path) -> Session:
    """Return a session with views over the newest revision of every month under ``folder`` (``HOME/published``).

    The views are :data:`BASE_VIEWS`, ``both_numbers``, ``event_status`` and one for each file of
    ``sql/published``; they are empty where nothing is published.
    """
    folder = folder.resolve()
    current = list(revisions.every_latest(folder).values())
    outside = [*folder.glob(f"*/{BOTH_NUMBERS.name}.parquet"), *folder.glob("events.parquet")]
    files = [*folder.glob("*/r*/*"), *outside]
    views = [
        *(
            View(name, _over(name, table, current), f"One row per list and {table.one_row_per}.")
            for name, table in BASE_VIEWS.items()
        ),
        View("both_numbers", _both_numbers(folder), f"One row per {BOTH_NUMBERS.one_row_per}."),
        View(
            EVENT_STATUS.name,
            _typed(_kinds(EVENT_STATUS), _rows_of(folder.glob("events.parquet"))),
            f"One row per {EVENT_STATUS.one_row_per}.",
        ),
        *(
            View(name, query, query.partition("\n")[0].removeprefix("--").strip())
            for name, query in published_views().items()
        ),
    ]
    newest = max((revision.parent.name for revision in current), default="")
    return Session(folder.as_posix(), [file.as_posix() for file in files], views, newest)


def query(settings: Settings, sql: str, seconds: int = SQL_SECONDS) -> pl.DataFrame:
    """Return the result of an analyst's statement over everything that an office has published.

    Takes ``SELECT``, ``FROM``, ``WITH``, ``VALUES``, ``PIVOT``, ``DESCRIBE``, ``SUMMARIZE``, ``SHOW``, ``EXPLAIN``.
    Raises :class:`~ratinglist.errors.CheckError` where the store and the published files do not agree; else as
    :func:`~ratinglist.analysis.sql_session.result`.
    """
    check_published(settings)
    if not settings.published.is_dir():
        settings.warn(f"nothing was published in {settings.home} yet: every table is empty.")
    return run(settings.published, sql, seconds)


def run(folder: Path, sql: str, seconds: int = SQL_SECONDS) -> pl.DataFrame:
    """Return the result of a statement over the published ``folder``, stopped after ``seconds``."""
    return sql_session.result(session_of(folder), sql, seconds)


def published_views() -> dict[str, str]:
    """Return the views in ``sql/published``, name to text, sorted by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("published").glob("*.sql"))}


def _over(view: str, table: Table, revisions: Iterable[Path]) -> str:
    """Return a query over the files of ``revisions``: the table's columns, then those of their systems."""
    stems = LISTS if view == "lists" else (view,)
    tables = [table_files.table_path(revision, stem) for revision in revisions for stem in stems]
    files = [path for path in tables if path.is_file()]
    of_systems = _own_columns(files) if stems[0] in OWN_COLUMN_STEMS else []
    # Month and revision come from the path, so that a condition on them does not open the other files.
    from_path = "filename, list_month" if "list_month" in table.columns else "filename"
    rows = f"""
        select
            regexp_extract(filename, '{_IN_PATH}', 1) as list_month,
            regexp_extract(filename, '{_IN_PATH}', 2)::integer as revision,
            * exclude ({from_path})
        from read_parquet({_paths(files)}, filename = true, union_by_name = true)"""  # noqa: S608 - names and quoted paths
    kinds = {"list_month": "varchar", "revision": "integer"} | _kinds(table)
    return _typed(kinds, [rows] if files else [], of_systems)


def _typed(kinds: Mapping[str, str], parts: Iterable[str], more: Iterable[str] = ()) -> str:
    """Return a query for the rows of all ``parts`` with these columns and types, then ``more`` columns of the parts.

    A column that a part lacks, because the office leaves it out, is null; without parts the result is empty.
    """
    nothing = "select " + ", ".join(f"null::{kind} as {name}" for name, kind in kinds.items()) + " where false"
    return f"select {', '.join([*kinds, *more])} from ({' union all by name '.join([nothing, *parts])})"  # noqa: S608 - names and types of the schemas


def _kinds(table: Table) -> dict[str, str]:
    return {name: _sql_type(column.dtype) for name, column in table.columns.items()}


def _rows_of(files: Iterable[Path]) -> list[str]:
    return [f"select * from read_parquet({_paths([file])})" for file in files]  # noqa: S608 - quoted paths


def _own_columns(files: Iterable[Path]) -> list[str]:
    """Return the columns that systems have added to published tables, quoted; a damaged file is named by its query."""
    found: dict[str, None] = {}
    for file in files:
        with suppress(OSError, pl.exceptions.PolarsError):
            found |= dict.fromkeys(own_columns(pl.read_parquet_schema(file)))
    return [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in found]


def _both_numbers(folder: Path) -> str:
    """Return a query for the ratings as published and as now known; they are equal where nothing was recalculated."""
    files = sorted(folder.glob(f"*/{BOTH_NUMBERS.name}.parquet"))
    months = ", ".join(quoted(path.parent.name) for path in files)
    uncorrected = f"""
        select list_month, time_control, fide_id, name, federation, rating as as_published, rating as as_now_known
        from lists where not list_contains([{months}]::varchar[], list_month)"""  # noqa: S608 - names of the schema and quoted paths
    return _typed(_kinds(BOTH_NUMBERS), [uncorrected, *_rows_of(files)])


def _sql_type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision}, {dtype.scale})"
    plain = {
        pl.String(): "varchar",
        pl.Int32(): "integer",
        pl.Int64(): "bigint",
        pl.Date(): "date",
        pl.Boolean(): "boolean",
    }
    return plain[dtype]


def _paths(files: Iterable[Path]) -> str:
    return quoted_list([file.as_posix() for file in files])


@contextmanager
def showing() -> Iterator[None]:
    """Raise :class:`CommandLineError` for a value that only DuckDB has: a day in the year 99999."""
    try:
        yield
    except (ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise CommandLineError(f"A value of the result cannot be shown, cast its column to text: {error}") from None


@showing()
def json_rows(rows: pl.DataFrame) -> list[dict[str, object]]:
    """Return rows for JSON, which has no infinity and no not-a-number: where a query computes one, it becomes null."""
    return [{name: _as_json(cell) for name, cell in row.items()} for row in rows.iter_rows(named=True)]


def _as_json(cell: object) -> object:
    """Return a cell as JSON has it: what is no text, number, list or object there is written as text."""
    if isinstance(cell, dict):
        return {name: _as_json(one) for name, one in cell.items()}
    if isinstance(cell, list | pl.Series):
        return [_as_json(one) for one in cell]
    if isinstance(cell, Real):
        return cell if isfinite(cell) else None
    return cell if cell is None or isinstance(cell, str) else str(cell)


@showing()
def as_csv(rows: pl.DataFrame) -> str:
    """Return rows as the published CSV has them; a list or a struct is its JSON."""
    nested = [name for name, kind in rows.schema.items() if kind.is_nested() or kind == pl.Object]
    return csv_text(rows.with_columns(pl.Series(name, [*map(_cell_text, rows[name])], pl.String) for name in nested))


def _cell_text(cell: object) -> str | None:
    return None if cell is None else json.dumps(_as_json(cell), ensure_ascii=False)
