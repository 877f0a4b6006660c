"""The DDL says what schemas says: one source of truth, in two languages."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ratinglist import schemas
from ratinglist.calculated import CALCULATED
from ratinglist.store import open_store

KEPT = {
    "report": (schemas.REPORT, []),
    "report_player": (schemas.REPORT_PLAYER, []),
    "report_game": (schemas.REPORT_GAME, []),
    "finding": (schemas.FINDING, []),
    "player": (schemas.PLAYER, ["known_on", "source_no"]),
    "list_state": (schemas.LIST_STATE, ["source_no"]),
    **{name: (table, ["month", *(["report_id"] if name == "event" else [])]) for name, table in CALCULATED.items()},
}


@pytest.mark.parametrize("name", sorted(KEPT))
def test_a_stored_table_has_the_columns_and_types_of_its_schema(name: str, tmp_path: Path) -> None:
    table, own = KEPT[name]
    with open_store(tmp_path / "store.duckdb") as store:
        stored = store.read(f"select * from {name}")
        described = store.read(f"describe {name}")
    assert set(stored.columns) == set(table.columns) | set(own)
    for column, wanted in table.columns.items():
        assert stored.schema[column] == wanted.dtype, column
        nullable = described.filter(pl.col("column_name") == column)["null"].item() == "YES"
        assert nullable == wanted.null, column


def test_every_table_of_the_migrations_is_looked_at(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.duckdb") as store:
        tables = set(store.read("select table_name from duckdb_tables()")["table_name"])
    assert tables == set(KEPT) | {"migration", "calculation", "source_file"}


def test_a_table_says_in_its_first_line_what_one_row_is() -> None:
    from ratinglist import resources

    for file in resources.sql("migrations").glob("*.sql"):
        blocks = [block for block in file.read_text().split("\n\n") if "create table" in block]
        assert blocks
        assert all(block.lstrip().startswith("-- One row per") for block in blocks)
