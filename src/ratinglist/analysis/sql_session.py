"""A session of DuckDB in memory that can only read published files, and what an analyst's statement returns in it.

Three measures protect the disk. The session may open only published files, by name, so it can neither create a file nor
read another; the published files are not writable; and only statements that read are taken.

To know these, the first word is not enough: a ``COPY`` can be inside a ``WITH``, inside the statement that an ``EXPLAIN
ANALYZE`` runs, or inside a text that a table function executes. So every part of DuckDB's own parse tree is compared
with lists of the node types and table functions that only read. A part that is not in the lists is refused, and so is
any that a later DuckDB adds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Timer
from typing import NamedTuple

import duckdb
import polars as pl
import pyarrow as pa

from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError
from ratinglist.limits import MIB, SQL_MEMORY_BYTES, SQL_RESULT_BYTES, SQL_RESULT_ROWS
from ratinglist.system_errors import is_shortage, system_error_text
from ratinglist.text import counted, quoted

_QUERIES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_TABLE_FUNCTIONS = {
    *("range", "generate_series", "repeat", "repeat_row", "unnest", "histogram", "histogram_values"),
    *("json_each", "json_tree", "read_json", "read_json_auto", "read_json_objects"),
    *("read_csv", "read_csv_auto", "sniff_csv", "read_text", "read_blob", "glob"),
    *("read_parquet", "parquet_scan", "parquet_schema", "parquet_metadata", "parquet_file_metadata"),
    *("duckdb_columns", "duckdb_views", "duckdb_functions", "duckdb_settings", "duckdb_keywords", "pragma_version"),
}
_WRITING_WORDS = {"copy", "insert", "update", "delete", "merge"}
_EXPLAIN = re.compile(r"\s*explain\b(\s+analyze\b)?(\s*\(\s*(analyze|format)\b[^()]*\))?", re.IGNORECASE)
_PIVOT = re.compile(r"\s*(pivot|pivot_wider|from|with|select|\()", re.IGNORECASE)
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


class View(NamedTuple):
    """A view of a session: its name, its query, and what one row of it is."""

    name: str
    query: str
    comment: str


@dataclass(frozen=True, slots=True)
class Session:
    """What a session may read.

    ``folder``: the published folder, in full. ``files``: the files in it that may be opened. ``newest``: the newest
    month, empty where nothing is published.
    """

    folder: str
    files: Sequence[str]
    views: Sequence[View]
    newest: str

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a locked connection with the views; raise :class:`NothingReadError` where a published file is damaged.

        The macro ``newest_list()`` returns the newest month.
        """
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
        connection.execute(f"set allowed_paths = {quoted_list(self.files)}::varchar[]")
        connection.execute("set enable_external_access = false")
        try:
            for name, query, comment in self.views:
                connection.execute(f"create view {name} as\n{query}")
                connection.execute(f"comment on view {name} is {quoted(comment)}")
        except duckdb.Error as error:
            connection.close()
            raise _damaged(error) from None
        # A macro is inlined as a constant, so a condition on it opens the files of one month; a subquery would open
        # all.
        connection.execute(f"create macro newest_list() as {quoted(self.newest) if self.newest else 'null::varchar'}")
        connection.execute("set lock_configuration = true")
        return connection


def result(session: Session, sql: str, seconds: int) -> pl.DataFrame:
    """Return the rows of one reading statement.

    Sums of integers are returned as Int64 where they fit. Raises :class:`CommandLineError` with DuckDB's message, which
    has the position, and the names of the views; :class:`NothingReadError` where the statement is stopped after
    ``seconds``, needs too much memory or has too large a result, and where a published file is damaged.
    """
    with session.connect() as connection:
        is_over = Event()
        timer = Timer(seconds, _interrupt, (connection, is_over))
        timer.daemon = True
        timer.start()
        try:
            _check_it_reads(connection, sql, session)
            relation = connection.sql(sql)
            return pl.DataFrame() if relation is None else _frame(relation.to_arrow_reader(_BATCH_ROWS))
        except (duckdb.Error, OSError, pa.ArrowException) as error:
            if is_over.is_set():
                raise NothingReadError(
                    f"The query was stopped after {counted(seconds, 'second')}: select fewer months or columns, or "
                    "give it more time with --timeout SECONDS."
                ) from None
            raise _error(error, session) from None
        finally:
            timer.cancel()


def _interrupt(connection: duckdb.DuckDBPyConnection, is_over: Event) -> None:
    is_over.set()
    connection.interrupt()


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
    try:
        frame = pl.DataFrame(pa.Table.from_batches(batches, reader.schema))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise CommandLineError(f"A column of the result cannot be shown, cast it to text: {error}") from None
    return frame.with_columns(_as_int64(column) for column in frame if column.dtype == pl.Decimal(38, 0))


def _as_int64(column: pl.Series) -> pl.Series:
    """Cast a sum of integers to Int64 where it fits: DuckDB sums into 128 bits, which Polars reads as a decimal."""
    integers = column.cast(pl.Int64, strict=False)
    return integers if integers.null_count() == column.null_count() else column


def quoted_list(values: Sequence[str]) -> str:
    """Return ``values`` as a list of texts of SQL."""
    return f"[{', '.join(map(quoted, values))}]"


def _error(error: Exception, session: Session) -> RatinglistError:
    """Return the error for the analyst. One that comes after the first rows is of pyarrow, with the text of DuckDB."""
    message = str(error)
    if "Out of Memory Error" in message:
        return NothingReadError(
            f"The query needs more than {SQL_MEMORY_BYTES // MIB:,} MiB of memory, and was stopped: select fewer "
            "months or columns, or read the Parquet files with another program."
        )
    reads_outside = isinstance(error, duckdb.PermissionException)
    if "TProtocolException" in message or (session.folder in message and not reads_outside):
        return _damaged(error)
    return CommandLineError(f"{message}\n\n{_hint(session)}")


def _damaged(error: Exception) -> NothingReadError:
    if is_shortage(error):
        return NothingReadError(system_error_text(error))
    return NothingReadError(
        f"A published file is damaged: {error}\nPut back a copy of that revision's folder, or publish the month again."
    )


def _hint(session: Session) -> str:
    names = ", ".join(view.name for view in session.views)
    return f"Views: {names}. Columns of one: DESCRIBE lists. The newest month: newest_list()."


def _check_it_reads(connection: duckdb.DuckDBPyConnection, sql: str, session: Session) -> None:
    """Raise :class:`CommandLineError` unless ``sql`` is exactly one statement, and one that only reads."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise CommandLineError(f"{len(statements)} statements: write exactly one.\n\n{_hint(session)}")
    if not reads(connection, statements[0]):
        raise CommandLineError(
            "Only statements that read are taken: SELECT, FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE, EXPLAIN.\n\n"
            + _hint(session)
        )


def reads(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> bool:
    """Return whether ``statement``, from ``connection.extract_statements``, can only read.

    Raises ``duckdb.Error`` where the statement behind an ``EXPLAIN`` cannot be parsed.
    """
    try:
        kind = statement.type
    except ValueError:  # DuckDB's Python lacks names for the newest kinds of statement; none of them reads.
        return False
    if kind == duckdb.StatementType.EXPLAIN:
        return _selects(connection, _EXPLAIN.sub("", statement.query, count=1))
    if kind == duckdb.StatementType.MULTI:
        return _pivots(connection, statement.query)
    return kind == duckdb.StatementType.SELECT and _selects(connection, statement.query)


def _selects(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Return whether ``sql`` is a SELECT, contains only SELECTs, and calls only table functions that read."""
    ((queries, table_functions),) = connection.execute(_PARTS, {"sql": sql}).fetchall()
    return bool(queries) and set(queries) <= _QUERIES and set(table_functions or ()) <= _TABLE_FUNCTIONS


def _pivots(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Return whether ``sql`` is a PIVOT that looks up its own columns and has no word in it that could write.

    DuckDB turns it into two statements and gives no parse tree, so the words of the text are compared instead. A PIVOT
    that holds such a word in a string is refused too.
    """
    other = connection.execute("select function_name from duckdb_functions() where function_type = 'table'").fetchall()
    suspect = _WRITING_WORDS | {name for (name,) in other} - _TABLE_FUNCTIONS
    return bool(_PIVOT.match(sql)) and not suspect & set(re.findall(r"\w+", sql.lower()))
