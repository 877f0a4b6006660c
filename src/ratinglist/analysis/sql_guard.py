"""Decide whether an analyst's SQL only reads, by the parse tree of DuckDB itself.

The first word is not enough: a ``COPY`` can be inside a ``WITH``, inside the statement that an ``EXPLAIN ANALYZE``
runs, or inside a text that a table function executes. So every part of the parse tree is compared with lists of the
node types and table functions that only read. A part that is not in the lists is refused, and so is any that a later
DuckDB adds.
"""

from __future__ import annotations

import re

import duckdb

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
