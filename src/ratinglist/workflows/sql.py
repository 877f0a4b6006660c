"""The command `ratinglist sql`: SQL over the published files, in a session that can only read them; its result.

No statement holds the store: DuckDB locks its file for readers and writers, so a forgotten session would stop the
rating run. The statement runs in a process of its own (:mod:`~ratinglist.files.limited_process`), which is ended at a
limit of memory, of its result, or of time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from numbers import Real
from pathlib import Path

import polars as pl
import psutil
import pyarrow as pa

from ratinglist.analysis import sql_session
from ratinglist.analysis.sql_session import Session, View, quoted_list
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import limited_process, resources
from ratinglist.limits import MIB, SQL_MEMORY_BYTES, SQL_RESULT_BYTES, SQL_RESULT_ROWS, SQL_SECONDS
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
    # Half of the machine's memory, at most the limit.
    memory = min(psutil.virtual_memory().total // 2, SQL_MEMORY_BYTES)
    return Session(folder.as_posix(), [file.as_posix() for file in files], views, newest, memory)


def query(settings: Settings, sql: str, seconds: int = SQL_SECONDS) -> pl.DataFrame:
    """Return the result of an analyst's statement over everything that an office has published.

    Raises :class:`~ratinglist.errors.CheckError` where the store and the published files do not agree; else as
    :func:`run_limited`.
    """
    check_published(settings)
    if not settings.published.is_dir():
        settings.warn(f"nothing was published in {settings.home} yet: every table is empty.")
    return run_limited(settings.published, sql, seconds)


def run_limited(folder: Path, sql: str, seconds: int) -> pl.DataFrame:
    """Return the result of one statement of anybody, which runs in a process of its own.

    Takes ``SELECT``, ``FROM``, ``WITH``, ``VALUES``, ``PIVOT``, ``DESCRIBE``, ``SUMMARIZE``, ``SHOW``, ``EXPLAIN``.
    Sums of integers are returned as Int64 where they fit. Raises what :func:`~ratinglist.analysis.sql_session.batches`
    raises; :class:`NothingReadError` where the statement is stopped after ``seconds``, needs too much memory or has too
    large a result.
    """
    session = session_of(folder)
    try:
        return _frame(limited_process.results(session.memory, seconds, sql_session.batches, session, sql))
    except limited_process.TimeLimitError:
        raise NothingReadError(
            f"The query was stopped after {seconds:g} seconds: select fewer months or columns, or give it more time "
            "with --timeout SECONDS."
        ) from None
    except limited_process.MemoryLimitError:
        raise sql_session.too_much_memory(session.memory) from None
    except limited_process.LimitError as error:
        raise CommandLineError(f"The query {error}. Write it in another way.") from None


def run(folder: Path, sql: str) -> pl.DataFrame:
    """Return the result of a statement of this program, in this process: see :func:`run_limited`."""
    return _frame(sql_session.batches(session_of(folder), sql))


def _frame(parts: Iterator[pa.Schema | pa.RecordBatch]) -> pl.DataFrame:
    """Return the rows of a result; raise :class:`NothingReadError` before more of them are held than the limits."""
    schema = next(parts)
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in parts:
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows > SQL_RESULT_ROWS or size > SQL_RESULT_BYTES:
            raise NothingReadError(
                f"The result has more than {SQL_RESULT_ROWS:,} rows or {SQL_RESULT_BYTES // MIB} MiB, and was stopped: "
                "sum it up, add a LIMIT, or read the Parquet files with another program."
            )
    if repeated := sorted({name for name in schema.names if schema.names.count(name) > 1}):
        raise CommandLineError(f"Columns of the result have the same name, {repeated[0]}: name each with AS.")
    try:
        frame = pl.DataFrame(pa.Table.from_batches(batches, schema))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise CommandLineError(f"A column of the result cannot be shown, cast it to text: {error}") from None
    return frame.with_columns(_as_int64(column) for column in frame if column.dtype == pl.Decimal(38, 0))


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


def _as_int64(column: pl.Series) -> pl.Series:
    """Cast a sum of integers to Int64 where it fits: DuckDB sums into 128 bits, which Polars reads as a decimal."""
    integers = column.cast(pl.Int64, strict=False)
    return integers if integers.null_count() == column.null_count() else column


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
