"""A table in Parquet: row groups of one size, plain types, the statistics of the rows that a group has."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratinglist.store.table_files import ROW_GROUP, arrow_schema, write_parquet
from ratinglist.tables import Column, Table

TABLE = Table(
    "entry",
    "line",
    {
        "number": Column(pl.Int64(), "of the line"),
        "federation": Column(pl.String(), "few different texts"),
        "rule_set": Column(pl.String(), "few different texts, or null", null=True),
    },
    key=("number",),
)


def test_every_row_group_has_the_texts_it_contains(tmp_path: Path) -> None:
    count = ROW_GROUP + 50_000
    federations = [f"F{number // 1000:03}" for number in range(count)]
    rule_sets = pl.Series([None if number % 3 else f"r{number % 2}" for number in range(count)], dtype=pl.String)
    rows = TABLE.conform(pl.DataFrame({"number": range(count), "federation": federations, "rule_set": rule_sets}))
    path = write_parquet(tmp_path / "entry.parquet", TABLE, rows)
    assert pq.read_schema(path).equals(arrow_schema(TABLE))
    assert not any(pa.types.is_dictionary(field.type) for field in pq.read_table(path).schema)
    assert pl.read_parquet(path).equals(rows)
    assert duckdb.sql(f"select number, federation, rule_set from '{path}' order by number").pl().equals(rows)
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(number).num_rows for number in range(2)] == [ROW_GROUP, 50_000]
    second = metadata.row_group(1).column(1)
    assert (second.statistics.min, second.statistics.max) == (federations[ROW_GROUP], federations[-1])
