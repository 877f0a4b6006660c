"""Whether an analyst's SQL only reads, judged by DuckDB's own parse of it.

The first word says too little: a ``COPY`` can hide in a ``WITH``, in what an ``EXPLAIN ANALYZE`` runs, or in a text
that a table function executes. So every part of the parse tree is held against a list of what reads; a part that is
not on it is refused, also one that DuckDB may invent later.
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
        select key, path, atom ->> '$' as said
        from json_tree(json_serialize_sql($sql::varchar))
    )

    select
        list(distinct said) filter (where key = 'type' and said like '%\\_NODE' escape '\\') as queries,
        list(distinct lower(said)) filter (where key = 'function_name' and path like '%.function') as table_functions
    from tree
"""


def reads(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> bool:
    """Whether ``statement``, from ``connection.extract_statements``, can do nothing but read.

    Raises ``duckdb.Error`` where what an ``EXPLAIN`` explains cannot be parsed.
    """
    try:
        kind = statement.type
    except ValueError:  # DuckDB's Python has no name yet for the newest kinds of statement; none of them reads.
        return False
    if kind == duckdb.StatementType.EXPLAIN:
        return _selects(connection, _EXPLAIN.sub("", statement.query, count=1))
    if kind == duckdb.StatementType.MULTI:
        return _pivots(connection, statement.query)
    return kind == duckdb.StatementType.SELECT and _selects(connection, statement.query)


def _selects(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Whether ``sql`` is a SELECT, has nothing but SELECTs inside it and calls reading table functions only."""
    ((queries, table_functions),) = connection.execute(_PARTS, {"sql": sql}).fetchall()
    return bool(queries) and set(queries) <= _QUERIES and set(table_functions or ()) <= _TABLE_FUNCTIONS


def _pivots(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Whether ``sql`` is a PIVOT that looks up its own columns and has no word in it that could write.

    DuckDB makes two statements of it and gives no parse tree, so the words have to do: a text that holds one of them
    is refused as well.
    """
    other = connection.execute("select function_name from duckdb_functions() where function_type = 'table'").fetchall()
    suspect = _WRITING_WORDS | {name for (name,) in other} - _TABLE_FUNCTIONS
    return bool(_PIVOT.match(sql)) and not suspect & set(re.findall(r"\w+", sql.lower()))
