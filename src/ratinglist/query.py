"""SQL over everything published: an in-memory DuckDB that can read the published files and do nothing else.

Readers never open the store: DuckDB locks its file both ways, so one forgotten session would stop the rating run.
Three walls stand between a statement and the disk. The session may open published files by name and no other path, so
it can create nothing and see nothing else; the files themselves are not writable; and :func:`run` takes a statement
only where DuckDB's own parse of it reads, because a ``COPY`` can hide in a ``WITH``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import duckdb
import polars as pl

from ratinglist import publish, resources
from ratinglist.errors import CommandLineError
from ratinglist.schemas import CHANGE, ENTRY, EVENT, GAME, LISTED, POOL, Table

BASE_VIEWS: dict[str, Table] = {
    "lists": LISTED,
    "changes": CHANGE,
    "games": GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
}
"""Views over the files themselves: the table's columns behind ``list_month`` and ``revision``."""

_READING_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_EXPLAIN = re.compile(r"\s*explain\b(\s+analyze\b)?(\s*\(\s*(analyze|format)\b[^()]*\))?", re.IGNORECASE)
_PIVOT_STARTS = re.compile(r"\s*(pivot\b|pivot_wider\b|from\b|with\b|select\b|\()", re.IGNORECASE)
_WRITES = re.compile(r"\b(copy|insert|update|delete|merge)\b", re.IGNORECASE)
_IN_PATH = r"/(\d{4}-\d{2})/r(\d+)/[^/]+$"
_SESSION: dict[str, str | bool | int | float | list[str]] = {
    # A mistyped function name must not reach for the network, nor a table name for a variable of this program.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    # Nothing is spilled to the disk, in whatever folder the command was started.
    "temp_directory": "",
}


def open_published(folder: Path) -> duckdb.DuckDBPyConnection:
    """A locked session with views over the newest revision of every month under ``folder`` (``HOME/published``).

    The views are :data:`BASE_VIEWS` and one for each file of ``sql/published``; without a published month they are
    there and empty. Raises :class:`~ratinglist.errors.NothingReadError` where ``folder`` is damaged.
    """
    folder = folder.resolve()
    current = [revision for month in publish.months(folder) if (revision := publish.latest(folder, month))]
    connection = duckdb.connect(":memory:", config=_SESSION)
    # The order matters: the paths cannot be named any more once outside access is off.
    connection.execute(f"set allowed_paths = {_texts(folder.glob('*/r*/*'))}::varchar[]")
    connection.execute("set enable_external_access = false")
    for name, table in BASE_VIEWS.items():
        stems = publish.LISTS if name == "lists" else (name,)
        files = [path for revision in current for stem in stems if (path := revision / f"{stem}.parquet").exists()]
        _create_view(connection, name, _over(table, files), f"One row per list and {table.one_row_per}.")
    for name, text in published_views().items():
        _create_view(connection, name, text, text.partition("\n")[0].removeprefix("--").strip())
    connection.execute("set lock_configuration = true")
    return connection


def run(folder: Path, sql: str) -> pl.DataFrame:
    """The result of one reading statement over everything published under ``folder``.

    Takes ``SELECT`` and its kin: ``FROM``, ``WITH``, ``VALUES``, ``PIVOT``, ``DESCRIBE``, ``SUMMARIZE``, ``SHOW``,
    ``EXPLAIN``. Whole numbers that DuckDB summed come back as Int64 where they fit. Raises :class:`CommandLineError`
    with DuckDB's own words, position included, and the names of the views.
    """
    with open_published(folder) as connection:
        try:
            _check_it_reads(connection, sql)
            frame: pl.DataFrame = connection.sql(sql).pl()
        except duckdb.Error as error:
            raise CommandLineError(f"{error}\n\n{_hint()}") from None
        except pl.exceptions.PolarsError as error:
            raise CommandLineError(f"A column of the result cannot be shown, cast it to text: {error}") from None
    return frame.with_columns(_counted(column) for column in frame if column.dtype == pl.Decimal(38, 0))


def published_views() -> dict[str, str]:
    """Name to text of the views in ``sql/published``, in the order of their names."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(resources.sql("published").glob("*.sql"))}


def _over(table: Table, files: Iterable[Path]) -> str:
    """A query that gives the table's columns and types, whether there are files or not and whatever old ones lack."""
    own = {name: _sql_type(column.dtype) for name, column in table.columns.items() if name != "list_month"}
    kinds = {"list_month": "varchar", "revision": "integer", **own}
    query = "select " + ", ".join(f"null::{kind} as {name}" for name, kind in kinds.items()) + " where false"
    if listed := list(files):
        # Month and revision come from the path, so a condition on them leaves the other files unopened.
        said_by_path = "filename, list_month" if "list_month" in table.columns else "filename"
        query += f"""
            union all by name
            select
                regexp_extract(filename, '{_IN_PATH}', 1) as list_month,
                regexp_extract(filename, '{_IN_PATH}', 2)::integer as revision,
                * exclude ({said_by_path})
            from read_parquet({_texts(listed)}, filename = true, union_by_name = true)"""  # noqa: S608 - quoted by _text
    return f"select {', '.join(kinds)} from ({query})"  # noqa: S608 - names and types of the schemas


def _create_view(connection: duckdb.DuckDBPyConnection, name: str, query: str, says: str) -> None:
    connection.execute(f"create view {name} as\n{query}")
    connection.execute(f"comment on view {name} is {_text(says)}")


def _check_it_reads(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise :class:`CommandLineError` unless ``sql`` is exactly one statement, and one that only reads."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise CommandLineError(f"{len(statements)} statements: write exactly one.\n\n{_hint()}")
    try:
        kind = statements[0].type
    except ValueError:  # DuckDB's Python has no name yet for the newest kinds of statement; none of them reads.
        raise CommandLineError(_refusal()) from None
    if kind == duckdb.StatementType.EXPLAIN:
        # What is explained is judged by itself: EXPLAIN ANALYZE runs it.
        reads = _selects(connection, _EXPLAIN.sub("", sql, count=1))
    elif kind == duckdb.StatementType.MULTI:
        # A PIVOT that looks up its own columns is two statements and has no parse tree to look at.
        reads = bool(_PIVOT_STARTS.match(sql)) and not _WRITES.search(sql)
    else:
        reads = kind == duckdb.StatementType.SELECT and _selects(connection, sql)
    if not reads:
        raise CommandLineError(_refusal())


def _selects(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Whether DuckDB parses ``sql`` as a SELECT with nothing but SELECTs inside it."""
    ((tree,),) = connection.execute("select json_serialize_sql(?::varchar)::varchar", [sql]).fetchall()
    # A quotation mark inside a text of the statement is escaped in JSON, so no text can pass for a node.
    nodes = set(re.findall(r'"type":\s*"([A-Z_]+_NODE)"', tree))
    return bool(nodes) and nodes <= _READING_NODES


def _counted(column: pl.Series) -> pl.Series:
    """A sum of whole numbers as Int64 where it fits: DuckDB sums into 128 bits, which arrive as a decimal."""
    counted = column.cast(pl.Int64, strict=False)
    return counted if counted.null_count() == column.null_count() else column


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


def _refusal() -> str:
    return f"Only statements that read are taken: SELECT, FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE, EXPLAIN.\n\n{_hint()}"


def _hint() -> str:
    return f"Views: {', '.join([*BASE_VIEWS, *published_views()])}. Columns of one: DESCRIBE lists"
