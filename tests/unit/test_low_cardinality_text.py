"""Low-cardinality text may be dictionary-encoded: the files are the same as those written from plain text."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from ratinglist.store.table_files import ROW_GROUP, arrow_schema, write_parquet
from ratinglist.tables import Column, Table, dictionary_encode

TABLE = Table(
    "entry",
    "line",
    {
        "number": Column(pl.Int64(), "of the line"),
        "name": Column(pl.String(), "many different texts"),
        "federation": Column(pl.String(), "few different texts"),
        "rule_set": Column(pl.String(), "few different texts, or null", null=True),
    },
    key=("number",),
)


def lines(federations: list[str], rule_sets: list[str | None]) -> pl.DataFrame:
    """Return a line for each federation and rule set."""
    return TABLE.conform(
        pl.DataFrame(
            {
                "number": range(len(federations)),
                "name": [f"Player, {number}" for number in range(len(federations))],
                "federation": federations,
                "rule_set": pl.Series(rule_sets, dtype=pl.String),
            }
        )
    )


def encoded(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the same lines with dictionary-encoded text."""
    return rows.with_columns(dictionary_encode(rows[name]) for name in ("federation", "rule_set"))


TEXTS = st.sampled_from(["", "ITA", "YST", 'a "b"', "a,b", "two\nlines", "é"])


@given(st.lists(st.tuples(TEXTS, st.none() | TEXTS)))
def test_encoded_text_compares_as_text_does(cells: list[tuple[str, str | None]]) -> None:
    rows = lines([first for first, _ in cells], [second for _, second in cells])
    sorted_by = ["federation", "rule_set", "number"]
    assert encoded(rows).sort(sorted_by)["number"].equals(rows.sort(sorted_by)["number"])
    assert TABLE.conform(encoded(rows)).equals(rows)
    assert TABLE.conform_encoded(encoded(rows)).schema["federation"] != pl.String()


def test_a_file_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    rows = lines(["YST", "ITA", "", "YST"], ["b", None, "a", "b"])
    one, other = (write_parquet(tmp_path / str(n), TABLE, each) for n, each in enumerate([rows, encoded(rows)]))
    assert one.read_bytes() == other.read_bytes()


def test_every_row_group_has_the_texts_it_contains(tmp_path: Path) -> None:
    count = ROW_GROUP + 50_000
    federations = [f"F{number // 1000:03}" for number in range(count)]
    rows = lines(federations, [None if number % 3 else f"r{number % 2}" for number in range(count)])
    path = write_parquet(tmp_path / "encoded.parquet", TABLE, encoded(rows))
    assert pq.read_schema(path).equals(arrow_schema(TABLE))
    assert not any(pa.types.is_dictionary(field.type) for field in pq.read_table(path).schema)
    assert pl.read_parquet(path).equals(rows)
    found = duckdb.sql(f"select number, name, federation, rule_set from '{path}' order by number").pl()
    assert found.equals(rows)
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(number).num_rows for number in range(2)] == [ROW_GROUP, 50_000]
    second = metadata.row_group(1).column(2)
    assert (second.statistics.min, second.statistics.max) == (federations[ROW_GROUP], federations[-1])


def test_a_table_without_rows_is_a_file_with_its_columns(tmp_path: Path) -> None:
    empty = TABLE.empty()
    for number, frame in enumerate([empty, encoded(empty)]):
        path = write_parquet(tmp_path / f"{number}.parquet", TABLE, frame)
        assert pq.read_schema(path).equals(arrow_schema(TABLE))
        assert pl.read_parquet(path).is_empty()
