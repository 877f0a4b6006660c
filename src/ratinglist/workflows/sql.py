"""The command `ratinglist sql`: SQL over the published files, in a session that can only read them; its result.

No statement holds the store: DuckDB locks its file for readers and writers, so a forgotten session would stop the
rating run.

Three measures protect the disk. The session may open only published files, by name, so it can neither create a file nor
read another; the published files are not writable; and only statements that read are taken.

To know these, the first word is not enough: a ``COPY`` can be inside a ``WITH``, or inside a text that a table function
executes. So every part of DuckDB's own parse tree is compared with lists of the node types and table functions that
only read. A part that is not in the lists is refused, and so is any that a later DuckDB adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from numbers import Real
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa

from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError, is_shortage, system_error_text
from ratinglist.files import resources
from ratinglist.limits import MIB, SQL_MEMORY_BYTES, SQL_RESULT_BYTES, SQL_RESULT_ROWS
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.tables import (
    BOTH_NUMBERS,
    ENTRY,
    EVENT,
    EVENT_STATUS,
    LISTS,
    POOL,
    SYSTEM_CHANGE,
    SYSTEM_DIFF,
    SYSTEM_GAME,
    SYSTEM_LISTED,
    UNRATED,
    Table,
)
from ratinglist.text import as_pattern, quoted, quoted_path
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

_QUERIES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_TABLE_FUNCTIONS = {
    *("range", "generate_series", "repeat", "repeat_row", "unnest", "histogram", "histogram_values"),
    *("json_each", "json_tree", "read_json", "read_json_auto", "read_json_objects"),
    *("read_csv", "read_csv_auto", "sniff_csv", "read_text", "read_blob", "glob"),
    *("read_parquet", "parquet_scan", "parquet_schema", "parquet_metadata", "parquet_file_metadata"),
    *("duckdb_columns", "duckdb_views", "duckdb_functions", "duckdb_settings", "duckdb_keywords", "pragma_version"),
}
_PARTS = """
    with tree as (
        select key, path, atom ->> '$' as value
        from json_tree(json_serialize_sql($sql::varchar))
    )

    select
        list(distinct value) filter (where key = 'type' and value like '%\\_NODE' escape '\\') as queries,
        list(distinct lower(value)) filter (where key = 'function_name' and path like '%.function') as table_functions
    from tree
"""
_BATCH_ROWS = 100_000


def query(settings: Settings, sql: str) -> pl.DataFrame:
    """Return the result of an analyst's statement over everything that an office has published.

    Takes ``SELECT``, ``FROM``, ``WITH``, ``VALUES``, ``DESCRIBE``, ``SUMMARIZE``, ``SHOW``.
    Raises :class:`~ratinglist.errors.CheckError` where the store and the published files do not agree; else as
    :func:`run`.
    """
    check_published(settings)
    if not settings.published.is_dir():
        settings.warn(f"nothing was published in {settings.home} yet: every table is empty.")
    return run(settings.published, sql)


def run(folder: Path, sql: str) -> pl.DataFrame:
    """Return the rows of one reading statement over the published ``folder``.

    Sums of integers are returned as Int64 where they fit. Raises :class:`CommandLineError` with DuckDB's message, which
    has the position, and the names of the views; :class:`NothingReadError` where the statement needs too much memory or
    has too large a result, and where a published file is damaged.
    """
    folder = folder.resolve()
    with connect(folder) as connection:
        try:
            _check_it_reads(connection, sql)
            relation = connection.sql(sql)
            return pl.DataFrame() if relation is None else _frame(relation.to_arrow_reader(_BATCH_ROWS))
        except (duckdb.Error, OSError, pa.ArrowException) as error:
            raise _error(error, folder) from None


def connect(folder: Path) -> duckdb.DuckDBPyConnection:
    """Open a locked connection with views over the newest revision of every month under ``folder``.

    ``folder``: ``HOME/published``, in full. The views are :data:`BASE_VIEWS`, ``both_numbers``, ``event_status`` and
    one for each file of ``sql/published``; they are empty where nothing is published. The macro ``newest_list()``
    returns the newest month. Raises :class:`NothingReadError` where a published file is damaged.
    """
    current = list(revisions.every_latest(folder).values())
    events = list(folder.glob(revisions.EVENTS))
    files = [*folder.glob("*/r*/*"), *folder.glob(f"*/{revisions.NUMBERS}"), *events]
    connection = duckdb.connect(
        ":memory:",
        config={
            # A mistyped function name must not make DuckDB download an extension.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            # DuckDB must not spill to a temporary folder in the current directory.
            "temp_directory": "",
            "memory_limit": f"{SQL_MEMORY_BYTES // MIB}MiB",
        },
    )
    # The order matters: the allowed paths cannot be set after outside access is off.
    paths = [file.as_posix() for file in files]
    connection.execute("set allowed_paths = $paths", {"paths": [*paths, *map(as_pattern, paths)]})
    connection.execute("set enable_external_access = false")
    views = {name: _over(name, table, current) for name, table in BASE_VIEWS.items()}
    views[BOTH_NUMBERS.name] = _both_numbers(folder)
    views[EVENT_STATUS.name] = _typed(EVENT_STATUS, _kinds(EVENT_STATUS), _rows_of(events))
    try:
        for name, text in (views | published_views()).items():
            connection.execute(f"create view {name} as\n{text}")
            comment = text.partition("\n")[0].removeprefix("--").strip()
            connection.execute(f"comment on view {name} is {quoted(comment)}")
    except duckdb.Error as error:
        connection.close()
        raise _damaged(error) from None
    newest = max((revision.parent.name for revision in current), default="")
    # A macro is inlined as a constant, so a condition on it opens the files of one month; a subquery would open all.
    connection.execute(f"create macro newest_list() as {quoted(newest) if newest else 'null::varchar'}")
    connection.execute("set lock_configuration = true")
    return connection


def published_views() -> dict[str, str]:
    """Return the views in ``sql/published``, name to text, sorted by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("published").glob("*.sql"))}


def _over(view: str, table: Table, revisions: Iterable[Path]) -> str:
    """Return a query over the files of ``revisions``: the table's columns, then those of the systems in them."""
    stems = LISTS if view == "lists" else (view,)
    tables = [table_files.table_path(revision, stem) for revision in revisions for stem in stems]
    files = [path for path in tables if path.is_file()]
    # Month and revision come from the path, so that a condition on them does not open the other files.
    from_path = "filename, list_month" if "list_month" in table.columns else "filename"
    rows = f"""
        select
            regexp_extract(filename, '{_IN_PATH}', 1) as list_month,
            regexp_extract(filename, '{_IN_PATH}', 2)::integer as revision,
            * exclude ({from_path})
        from read_parquet({_paths(files)}, filename = true, union_by_name = true)"""  # noqa: S608 - names and quoted paths
    kinds = {"list_month": "varchar", "revision": "integer"} | _kinds(table)
    return _typed(table, kinds, [rows] if files else [])


def _typed(table: Table, kinds: Mapping[str, str], parts: Iterable[str]) -> str:
    """Return a query for the rows of all ``parts`` with these columns and types, then other columns of the parts.

    It begins with a comment that says what a row of ``table`` is, as the files in ``sql/published`` do.

    A column that a part lacks, because the office leaves it out, is null; without parts the result is empty.
    """
    nothing = "select " + ", ".join(f"null::{kind} as {name}" for name, kind in kinds.items()) + " where false"
    return f"-- One row per {table.one_row_per}.\n" + " union all by name ".join([nothing, *parts])


def _kinds(table: Table) -> dict[str, str]:
    return {name: _sql_type(column.dtype) for name, column in table.columns.items()}


def _rows_of(files: Iterable[Path]) -> list[str]:
    return [f"select * from read_parquet({_paths([file])})" for file in files]  # noqa: S608 - quoted paths


def _both_numbers(folder: Path) -> str:
    """Return a query for the ratings as published and as now known; they are equal where nothing was recalculated."""
    files = sorted(folder.glob(f"*/{revisions.NUMBERS}"))
    months = ", ".join(quoted(path.parent.name) for path in files)
    uncorrected = f"""
        select list_month, time_control, fide_id, name, federation, rating as as_published, rating as as_now_known
        from lists where not list_contains([{months}]::varchar[], list_month)"""  # noqa: S608 - names of the schema and quoted paths
    return _typed(BOTH_NUMBERS, _kinds(BOTH_NUMBERS), [uncorrected, *_rows_of(files)])


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
    return f"[{', '.join(quoted_path(file.as_posix()) for file in files)}]"


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
        return {name: _as_json(inner) for name, inner in cell.items()}
    if isinstance(cell, list | pl.Series):
        return [_as_json(inner) for inner in cell]
    if isinstance(cell, Real):
        return cell if isfinite(cell) else None
    return cell if cell is None or isinstance(cell, str) else str(cell)


@showing()
def as_csv(rows: pl.DataFrame) -> str:
    """Return rows as the published CSV has them; CSV has no list and no struct."""
    return table_files.csv_text(rows)


def _frame(reader: pa.RecordBatchReader) -> pl.DataFrame:
    """Return the rows of a result; raise :class:`NothingReadError` before more of them are held than the limits."""
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows > SQL_RESULT_ROWS or size > SQL_RESULT_BYTES:
            raise NothingReadError(
                f"The result has more than {SQL_RESULT_ROWS:,} rows or {SQL_RESULT_BYTES // MIB} MiB, and was stopped: "
                "sum it up, add a LIMIT, or read the Parquet files with another program."
            )
    names = reader.schema.names
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise CommandLineError(f"Columns of the result have the same name, {repeated[0]}: name each with AS.")
    with showing():
        frame = pl.DataFrame(pa.Table.from_batches(batches, reader.schema))
    return frame.with_columns(_as_int64(column) for column in frame if column.dtype == pl.Decimal(38, 0))


def _as_int64(column: pl.Series) -> pl.Series:
    """Cast a sum of integers to Int64 where it fits: DuckDB sums into 128 bits, which Polars reads as a decimal."""
    integers = column.cast(pl.Int64, strict=False)
    return integers if integers.null_count() == column.null_count() else column


def _error(error: Exception, folder: Path) -> RatinglistError:
    """Return the error for the analyst. One that comes after the first rows is of pyarrow, with the text of DuckDB."""
    message = str(error)
    if "Out of Memory Error" in message:
        return NothingReadError(
            f"The query needs more than {SQL_MEMORY_BYTES // MIB:,} MiB of memory, and was stopped: select fewer "
            "months or columns, or read the Parquet files with another program."
        )
    reads_outside = isinstance(error, duckdb.PermissionException)
    if "TProtocolException" in message or (folder.as_posix() in message and not reads_outside):
        return _damaged(error)
    return CommandLineError(f"{message}\n\n{_hint()}")


def _damaged(error: Exception) -> NothingReadError:
    if is_shortage(error):
        return NothingReadError(system_error_text(error))
    return NothingReadError(
        f"A published file is damaged: {error}\nPut back a copy of that revision's folder, or publish the month again."
    )


def _hint() -> str:
    names = ", ".join([*BASE_VIEWS, BOTH_NUMBERS.name, EVENT_STATUS.name, *published_views()])
    return f"Views: {names}. Columns of one: DESCRIBE lists. The newest month: newest_list()."


def _check_it_reads(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise :class:`CommandLineError` unless ``sql`` is exactly one statement, and one that only reads."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise CommandLineError(f"{len(statements)} statements: write exactly one.\n\n{_hint()}")
    if not reads(connection, statements[0]):
        raise CommandLineError(
            f"Only statements that read are taken: SELECT, FROM, WITH, DESCRIBE, SUMMARIZE.\n\n{_hint()}"
        )


def reads(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> bool:
    """Return whether ``statement``, from ``connection.extract_statements``, can only read.

    That is a SELECT which contains only SELECTs and calls only table functions that read.
    """
    try:
        kind = statement.type
    except ValueError:  # DuckDB's Python lacks names for the newest kinds of statement; none of them reads.
        return False
    if kind != duckdb.StatementType.SELECT:
        return False
    ((queries, table_functions),) = connection.execute(_PARTS, {"sql": statement.query}).fetchall()
    return bool(queries) and set(queries) <= _QUERIES and set(table_functions or ()) <= _TABLE_FUNCTIONS
