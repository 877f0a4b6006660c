"""The tables of the store, and those that SQL sees of the log, have the columns and types of schemas.py."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from ratinglist.home.history import TABLES
from ratinglist.messages import SETTLED
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.store.calculation_folder import CONSIDERED_EVENT
from ratinglist.store.database import Store
from ratinglist.tables import (
    CHANGE,
    DISMISSAL,
    ENTRY,
    FINDING,
    GAME,
    LIST_STATE,
    MEMBERSHIP,
    PLAYER,
    POOL,
    REFERENCE_RATING,
    REPORT,
    REPORT_GAME,
    REPORT_PLAYER,
    ROLLED_BACK,
)
from tests.stores import open_store

KEPT = {
    "report": (REPORT, ["report_no", "loaded_no"]),
    "report_player": (REPORT_PLAYER, ["report_no"]),
    "report_game": (REPORT_GAME, ["report_no"]),
    "finding": (FINDING, []),
    "player": (PLAYER, ["known_on", "source_no"]),
    "membership": (MEMBERSHIP, ["known_on", "source_no"]),
    "reference_list": (REFERENCE_RATING, ["source_no"]),
    "imported_list": (LIST_STATE, ["source_no"]),
}


NUMBERED = dict.fromkeys(("report_player", "report_game"), ("report_id",))
"""The columns that the store has not, because a number is in their place."""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that nothing was put in; look, do not touch."""
    with open_store(tmp_path_factory.mktemp("empty") / "store.duckdb") as store:
        yield store


@pytest.mark.parametrize("name", sorted(KEPT))
def test_a_stored_table_has_the_columns_and_types_of_its_schema(name: str, empty: Store) -> None:
    table, own = KEPT[name]
    stored = empty.read(f"select * from {name}")
    described = empty.read(f"describe {name}")
    columns = {column: wanted for column, wanted in table.columns.items() if column not in NUMBERED.get(name, ())}
    assert set(stored.columns) == set(columns) | set(own)
    for column, wanted in columns.items():
        # DuckDB gives back an Enum as words of no fixed order; which words it knows is looked at below.
        assert stored.schema[column] == (pl.Categorical() if wanted.dtype == pl.Enum else wanted.dtype), column
        nullable = described.filter(pl.col("column_name") == column)["null"].item() == "YES"
        assert nullable == wanted.null, column


def test_what_a_query_takes_for_settled_is_settled(empty: Store) -> None:
    statuses = pl.DataFrame({"status": sorted({*STATUS.values(), "replaced"})})
    with empty.with_frames(every=statuses):
        settled = empty.read("select status from every where is_settled(status)")["status"].to_list()
    assert set(settled) == set(SETTLED)


STATED = {"rolled_back": ROLLED_BACK, "dismissal": DISMISSAL}
"""The tables of the log that are described."""


@pytest.mark.parametrize("name", STATED)
def test_a_table_of_the_log_has_the_columns_and_types_of_its_schema(name: str, empty: Store) -> None:
    assert empty.read(f"select * from {name}").schema == STATED[name].schema


VIEWS = {
    "game": GAME,
    "change": CHANGE,
    "entry": ENTRY,
    "pool": POOL,
    "event": CONSIDERED_EVENT,
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("there", ["nothing calculated", "the sample"])
def test_a_view_of_what_was_calculated_has_the_columns_and_types_of_its_files(
    name: str, there: str, empty: Store, whole: Store
) -> None:
    seen = (empty if there == "nothing calculated" else whole).read(f"select * from {name} limit 1")
    assert seen.schema == {"month": pl.String(), **VIEWS[name].schema}


@pytest.mark.parametrize("there", ["nothing calculated", "the sample"])
def test_imported_and_calculated_lists_are_one_table(there: str, empty: Store, whole: Store) -> None:
    seen = (empty if there == "nothing calculated" else whole).read("select * from list_state limit 1")
    assert seen.schema == {**LIST_STATE.schema, "source_no": pl.Int32()}


BY_SQL_ALONE = {
    *("correction", "corrected_report", "corrected_game", "corrected_player", "corrected_data", "corrected_field"),
    *("source_file", "list_imported", "made_from"),
}
"""Written and read by SQL alone: no frame has their columns."""


def test_every_table_of_the_store_is_tested(empty: Store) -> None:
    tables = set(empty.read("select table_name from duckdb_tables()")["table_name"])
    assert tables == set(KEPT) | BY_SQL_ALONE


def test_no_table_of_the_store_repeats_the_log(empty: Store) -> None:
    tables = set(empty.read("select table_name from duckdb_tables()")["table_name"])
    assert tables & set(TABLES) == set()
