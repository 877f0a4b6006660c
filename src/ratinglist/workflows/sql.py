"""The command `ratinglist sql`: SQL over the published files, in an in-memory DuckDB that can only read them.

No statement holds the store: DuckDB locks its file for readers and writers, so a forgotten session would stop the
rating run. The store is open only before the statement, to compare what is published.

Three measures protect the disk. The session may open only published files, by name, so it can neither create a file nor
read another; the published files are not writable; and :func:`run` takes only statements that
:mod:`ratinglist.analysis.sql_guard` finds to read. A statement is stopped at a limit of memory, of its result, or of
time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa

from ratinglist import resources, schemas
from ratinglist.analysis.sql_guard import reads
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError
from ratinglist.limits import MIB, SQL_LENGTH, SQL_MEMORY_BYTES, SQL_RESULT_BYTES, SQL_RESULT_ROWS, SQL_SECONDS
from ratinglist.publication import revisions
from ratinglist.schemas import (
    BOTH_NUMBERS,
    ENTRY,
    EVENT,
    EVENT_STATUS,
    POOL,
    SYSTEM_CHANGE,
    SYSTEM_GAME,
    SYSTEM_LISTED,
    UNRATED,
    Table,
)
from ratinglist.store import table_parts
from ratinglist.workflows.opening import check_published

BASE_VIEWS: dict[str, Table] = {
    "lists": SYSTEM_LISTED,
    "changes": SYSTEM_CHANGE,
    "games": SYSTEM_GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
    "unrated": UNRATED,
}
"""The views over the files themselves: ``list_month`` and ``revision``, then the columns of the table.

The columns that only families of other systems have are null in the rows of the others.
"""

_BATCH_ROWS = 100_000
_IN_PATH = r"/(\d{4}-\d{2})/r(\d+)/(?:\w+/)?[^/]+$"


def open_published(folder: Path) -> duckdb.DuckDBPyConnection:
    """Open a locked session with views over the newest revision of every month under ``folder`` (``HOME/published``).

    The views are :data:`BASE_VIEWS`, ``both_numbers``, ``event_status`` and one for each file of ``sql/published``;
    they are empty where nothing is published. The macro ``newest_list()`` returns the newest month.

    Raises :class:`NothingReadError` where a published file is damaged.
    """
    folder = folder.resolve()
    current = [revision for month in revisions.months(folder) if (revision := revisions.latest(folder, month))]
    connection = duckdb.connect(
        ":memory:",
        config={
            # A mistyped function name must not make DuckDB download an extension.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            # DuckDB must not spill to a temporary folder in the current directory.
            "temp_directory": "",
            "memory_limit": f"{_memory() // MIB}MiB",
        },
    )
    # The order matters: the allowed paths cannot be set after outside access is off.
    other_files = [*folder.glob(f"*/{BOTH_NUMBERS.name}.parquet"), *folder.glob("events.parquet")]
    files = [*folder.glob("*/r*/*"), *folder.glob("*/r*/*/part-*.parquet"), *other_files]
    connection.execute(f"set allowed_paths = {_texts(files)}::varchar[]")
    connection.execute("set enable_external_access = false")
    try:
        for name, table in BASE_VIEWS.items():
            _create_view(connection, name, _over(name, table, current), f"One row per list and {table.one_row_per}.")
        _create_view(connection, "both_numbers", _both_numbers(folder), f"One row per {BOTH_NUMBERS.one_row_per}.")
        _create_view(connection, "event_status", _event_status(folder), f"One row per {EVENT_STATUS.one_row_per}.")
        for name, text in published_views().items():
            _create_view(connection, name, text, text.partition("\n")[0].removeprefix("--").strip())
    except duckdb.Error as error:
        connection.close()
        raise _damaged(error) from None
    # A macro is inlined as a constant, so a condition on it opens the files of one month; a subquery would open all.
    newest = max((revision.parent.name for revision in current), default=None)
    connection.execute(f"create macro newest_list() as {_text(newest) if newest else 'null::varchar'}")
    connection.execute("set lock_configuration = true")
    return connection


def query(settings: Settings, sql: str, seconds: int = SQL_SECONDS) -> pl.DataFrame:
    """Return the result of one reading statement over everything that an office has published.

    Raises :class:`~ratinglist.errors.CheckError` where the store and the published files do not agree; else as
    :func:`run`. The store is closed before the statement runs.
    """
    check_published(settings)
    if not settings.published.is_dir():
        settings.warn(f"nothing was published in {settings.home} yet: every table is empty.")
    return run(settings.published, sql, seconds)


def run(folder: Path, sql: str, seconds: int = SQL_SECONDS) -> pl.DataFrame:
    """Return the result of one reading statement over everything published under ``folder``.

    Takes ``SELECT``, ``FROM``, ``WITH``, ``VALUES``, ``PIVOT``, ``DESCRIBE``, ``SUMMARIZE``, ``SHOW``, ``EXPLAIN``.
    Sums of integers are returned as Int64 where they fit. Raises :class:`CommandLineError` with DuckDB's message, which
    has the position, and the names of the views; :class:`NothingReadError` where the statement is stopped after
    ``seconds``, needs too much memory or has too large a result, and where a published file is damaged.
    """
    if len(sql) > SQL_LENGTH:
        raise CommandLineError(
            f"The statement has {len(sql)} characters, and at most {SQL_LENGTH} are allowed: shorten it."
        )
    with open_published(folder) as connection:
        try:
            with _interrupted_after(connection, seconds):
                _check_it_reads(connection, sql)
                frame = pl.DataFrame(_result(connection, sql))
        except (duckdb.Error, OSError, pa.ArrowException) as error:
            raise _error(error, folder.resolve(), seconds) from None
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise CommandLineError(f"A column of the result cannot be shown, cast it to text: {error}") from None
    return frame.with_columns(_as_int64(column) for column in frame if column.dtype == pl.Decimal(38, 0))


def _result(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """Return the rows of a statement; raise :class:`NothingReadError` before more of them are held than the limits."""
    relation = connection.sql(sql)
    if relation is None:
        return pa.table({})
    reader = relation.to_arrow_reader(_BATCH_ROWS)
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
    return pa.Table.from_batches(batches, reader.schema)


@contextmanager
def _interrupted_after(connection: duckdb.DuckDBPyConnection, seconds: int) -> Iterator[None]:
    """Interrupt what the connection runs in the block after so many seconds."""
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _memory() -> int:
    """Return the bytes of memory that a query may take: half of the machine's, at most the limit."""
    return min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2, SQL_MEMORY_BYTES)


def _error(error: Exception, folder: Path, seconds: int) -> RatinglistError:
    """Return the error for the analyst. One that comes after the first rows is of pyarrow, with the text of DuckDB."""
    text = str(error)
    if text.startswith("INTERRUPT Error"):
        return NothingReadError(
            f"The query was stopped after {seconds} seconds: select fewer months or columns, or give it more time "
            "with --timeout SECONDS."
        )
    if "Out of Memory Error" in text:
        return NothingReadError(
            f"The query needs more than {_memory() // MIB:,} MiB of memory, and was stopped: select fewer months or "
            "columns, or read the Parquet files with another program."
        )
    reads_outside = isinstance(error, duckdb.PermissionException)
    if "TProtocolException" in text or (str(folder) in text and not reads_outside):
        return _damaged(error)
    return CommandLineError(f"{text}\n\n{_hint()}")


def _damaged(error: Exception) -> NothingReadError:
    return NothingReadError(
        f"A published file is damaged: {error}\nPut back a copy of that revision's folder, or publish the month again."
    )


def published_views() -> dict[str, str]:
    """Return the views in ``sql/published``, name to text, sorted by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("published").glob("*.sql"))}


def _over(view: str, table: Table, revisions: Iterable[Path]) -> str:
    """Return a query over the files of ``revisions`` with exactly the table's columns and types.

    Columns that an older file lacks are null; without files the result is empty.
    """
    stems = schemas.LISTS if view == "lists" else (view,)
    files = [path for revision in revisions for stem in stems for path in table_parts.files_of(revision, stem)]
    own = {name: _sql_type(column.dtype) for name, column in table.columns.items() if name != "list_month"}
    kinds = {"list_month": "varchar", "revision": "integer", **own}
    query = "select " + ", ".join(f"null::{kind} as {name}" for name, kind in kinds.items()) + " where false"
    if files:
        # Month and revision come from the path, so that a condition on them does not open the other files.
        from_path = "filename, list_month" if "list_month" in table.columns else "filename"
        query += f"""
            union all by name
            select
                regexp_extract(filename, '{_IN_PATH}', 1) as list_month,
                regexp_extract(filename, '{_IN_PATH}', 2)::integer as revision,
                * exclude ({from_path})
            from read_parquet({_texts(files)}, filename = true, union_by_name = true)"""  # noqa: S608 - quoted by _text
    return f"select {', '.join(kinds)} from ({query})"  # noqa: S608 - names and types of the schemas


def _both_numbers(folder: Path) -> str:
    """Return a query for the ratings as published and as now known; they are equal where nothing was recalculated."""
    files = sorted(folder.glob(f"*/{BOTH_NUMBERS.name}.parquet"))
    columns = ", ".join(BOTH_NUMBERS.columns)
    months = [path.parent.name for path in files]
    corrected = f"union all by name select {columns} from read_parquet({_texts(files)})" if files else ""  # noqa: S608 - quoted by _text
    return f"""
        select list_month, time_control, fide_id, name, federation, rating as as_published, rating as as_now_known
        from lists where not list_contains([{", ".join(map(_text, months))}]::varchar[], list_month)
        {corrected}"""  # noqa: S608 - names of the schema and paths quoted by _text


def _event_status(folder: Path) -> str:
    """Return a query for the status of every report."""
    kinds = {name: _sql_type(column.dtype) for name, column in EVENT_STATUS.columns.items()}
    if (file := folder / "events.parquet").exists():
        return f"select {', '.join(kinds)} from read_parquet({_text(str(file))})"  # noqa: S608 - quoted by _text
    return "select " + ", ".join(f"null::{kind} as {name}" for name, kind in kinds.items()) + " where false"


def _create_view(connection: duckdb.DuckDBPyConnection, name: str, query: str, comment: str) -> None:
    connection.execute(f"create view {name} as\n{query}")
    connection.execute(f"comment on view {name} is {_text(comment)}")


def _check_it_reads(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise :class:`CommandLineError` unless ``sql`` is exactly one statement, and one that only reads."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise CommandLineError(f"{len(statements)} statements: write exactly one.\n\n{_hint()}")
    if not reads(connection, statements[0]):
        raise CommandLineError(
            "Only statements that read are taken: SELECT, FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE, EXPLAIN.\n\n"
            + _hint()
        )


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


def _texts(paths: Iterable[Path]) -> str:
    return f"[{', '.join(_text(str(path)) for path in paths)}]"


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _hint() -> str:
    views = ", ".join([*BASE_VIEWS, "both_numbers", "event_status", *published_views()])
    return f"Views: {views}. Columns of one: DESCRIBE lists. The newest month: newest_list()."
