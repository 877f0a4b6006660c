"""The tables of a month's buckets, in files and in memory, and tables that are read part by part."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.engine import BucketFolder, assign_buckets
from ratinglist.engine.bucket_tables import BucketTables, MemoryTables
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.schemas import CHANGE, LISTED, dictionary_encode
from ratinglist.store.month_tables import PartedTable, checked
from tests.published_sample import rows


@pytest.fixture
def folder(tmp_path: Path) -> BucketFolder:
    made = BucketFolder(tmp_path / "buckets")
    made.make()
    return made


@pytest.fixture(params=["files", "memory"])
def tables(request: pytest.FixtureRequest, folder: BucketFolder) -> BucketTables:
    return folder if request.param == "files" else MemoryTables()


def test_a_bucket_written_again_replaces_the_first(tables):
    tables.write("sides", 0, pl.DataFrame({"k": [1]}))
    tables.write("sides", 0, pl.DataFrame({"k": [2, 3]}))
    assert tables.read("sides", 0)["k"].to_list() == [2, 3]


def test_a_bucket_written_again_leaves_one_file(folder):
    for k in (1, 2):
        folder.write("sides", 0, pl.DataFrame({"k": [k]}))
    assert [path.name for path in (folder.root / "sides").iterdir()] == ["bucket=0.parquet"]


def test_rows_go_to_the_bucket_they_are_split_for(tables):
    tables.write_split("sums", 0, pl.DataFrame({"k": [1, 2, 3], "to_bucket": [1, 0, 1]}))
    tables.write_split("sums", 1, pl.DataFrame({"k": [4], "to_bucket": [1]}))
    assert tables.gather("sums", 2, 1).rows() == [(1, 0), (3, 0), (4, 1)]
    assert tables.gather("sums", 2, 0).rows() == [(2, 0)]


def test_a_bucket_without_rows_has_the_columns(tables):
    tables.write_split("sums", 0, pl.DataFrame(schema={"k": pl.Int32(), "to_bucket": pl.Int32()}))
    assert tables.gather("sums", 1, 0).schema == {"k": pl.Int32(), "from_bucket": pl.Int32()}


def test_an_input_that_was_not_written_is_empty(tables):
    empty = pl.DataFrame(schema={"fide_id": pl.Int64()})
    assert_frame_equal(tables.read("persons", 3, empty), empty)


def test_rows_in_memory_are_freed_when_the_last_step_has_read_them():
    tables = MemoryTables()
    tables.write("games", 0, pl.DataFrame({"k": [1]}))
    tables.write_split("sums", 0, pl.DataFrame({"k": [1], "to_bucket": [0]}))
    assert tables.take("games", 0)["k"].to_list() == tables.gather("sums", 1, 0)["k"].to_list() == [1]
    with pytest.raises(KeyError):
        tables.read("games", 0)
    assert tables.gather("sums", 1, 0).is_empty()


def test_offered_rows_are_computed_when_they_are_read():
    tables, computed = MemoryTables(), []
    tables.offer("games", 0, lambda: computed.append(1) or pl.DataFrame({"k": [1]}))
    assert computed == []
    assert tables.take("games", 0)["k"].to_list() == [1]


def test_an_input_of_several_files_is_read_with_the_types_of_its_table(folder):
    bucket = folder.folder_of("persons") / "bucket=3"
    bucket.mkdir()
    for number in (1, 2):
        pl.DataFrame({"bucket": [3], "fide_id": [number]}, schema_overrides={"fide_id": pl.Int32}).write_parquet(
            bucket / f"query{number}_0.parquet"
        )
    rows = folder.read("persons", 3, pl.DataFrame(schema={"fide_id": pl.Int64()}))
    assert rows.schema == {"fide_id": pl.Int64()}
    assert rows["fide_id"].to_list() == [1, 2]


def test_a_range_is_read_from_all_buckets(tables):
    for bucket in range(2):
        tables.write_searched("listed", bucket, pl.DataFrame({"rating": [2000 - bucket, 1500, 1400 + bucket]}))
    assert tables.ranges("listed", 2, "rating", 1401, 1999)["rating"].to_list() == [1500, 1999, 1500, 1401]


def test_reports_are_cut_into_ranges_of_the_published_order():
    reports = pl.DataFrame(
        {
            "event_id": ["A", "B", "C", "D"],
            "time_control": ["standard", "blitz", "standard", "blitz"],
            "report_id": ["a", "b", "c", "d"],
            "games": [10, 0, 12, 10],
        }
    )
    assigned = assign_buckets(reports, 2)
    assert assigned.rows() == [(0, 0, "a"), (0, 1, "b"), (1, 0, "c"), (0, 2, "d")]


def changes(*fide_ids: int) -> pl.DataFrame:
    rows = [{"time_control": "standard", "fide_id": one, "games": 1, "status": "rated"} for one in fide_ids]
    return CHANGE.conform(
        pl.DataFrame(rows, schema_overrides={}).with_columns(
            *(pl.lit(None, dtype=pl.Int32).alias(name) for name in CHANGE.columns if name not in rows[0])
        )
    )


def parted(*parts: pl.DataFrame) -> PartedTable:
    height = sum(map(len, parts))
    table = PartedTable(lambda: parts, height, CHANGE.schema, CHANGE.conform)
    found = checked(Period.parse("2025-11"), {"changes": table})["changes"]
    assert isinstance(found, PartedTable)
    return found


def test_slices_are_the_same_whatever_the_parts_are():
    for parts in ([[1, 2, 3, 4, 5, 6, 7]], [[1], [2, 3, 4, 5], [6, 7]], [[1, 2, 3], [4, 5, 6], [7]]):
        slices = parted(*(changes(*part) for part in parts)).slices(3)
        assert [one["fide_id"].to_list() for one in slices] == [[1, 2, 3], [4, 5, 6], [7]]


def test_parts_out_of_order_are_an_error_where_they_meet():
    with pytest.raises(CheckError, match="not in their published order"):
        list(parted(changes(1, 5), changes(3, 7)).slices(2))


def test_slices_may_be_encoded_by_different_dictionaries():
    of_list: dict[str, object] = {"list_month": "2025-11", "time_control": "standard", "games": 10, "k": 10}
    rated = [(2500, "GM", 1), (2400, "IM", 2), (2300, "", 3)]
    players = [of_list | {"rating": rating, "title": title, "fide_id": fide_id} for rating, title, fide_id in rated]
    table = PartedTable(
        lambda: [rows(LISTED, *players)],
        3,
        LISTED.schema,
        lambda part: part.with_columns(dictionary_encode(part["title"])),
    )
    found = checked(Period.parse("2025-11"), {"standard": table})["standard"]
    assert isinstance(found, PartedTable)
    assert [one["title"].cast(pl.String).item() for one in found.slices(1)] == ["GM", "IM", ""]
