"""Parquet files of other programs that are made to do harm: small files of many rows, long texts, impossible values.

How much memory they take is measured in :mod:`tests.hostile.bombs`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ratinglist.files.parquet_files import RowLimit
from ratinglist.lists import list_reader
from ratinglist.lists.list_reader import OfficialListError
from ratinglist.period import Period

MONTH = Period.parse("2026-10")
COLUMNS = {"fide_id": [7, 8], "name": ["A", "B"], "time_control": ["blitz", "blitz"]}


def list_of(path: Path, **columns: object) -> Path:
    """A Parquet list of two players; ``columns`` replace or add to the ordinary ones."""
    pq.write_table(pa.table({**COLUMNS, **columns}), path)
    return path


def refusal(path: Path) -> str:
    """Why a list is refused."""
    with pytest.raises(OfficialListError) as error:
        list(list_reader.read(path, month=MONTH, time_control=None))
    return str(error.value)


def rows(path: Path) -> list[dict[str, object]]:
    """The rows of a list that is read."""
    return [row for batch in list_reader.read(path, month=MONTH, time_control=None) for row in batch.rows.to_dicts()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


# ---------------------------------------------------------------------------------------------------------- sizes


def test_a_list_may_not_claim_more_rows_than_its_bytes_can_hold(path, monkeypatch):
    monkeypatch.setattr(list_reader, "_ROWS", RowLimit(10, 2, 1_000_000))
    pl.select(fide_id=pl.repeat(7, 9000), name=pl.lit("A"), time_control=pl.lit("blitz")).write_parquet(path)
    assert "it claims 9000 rows in" in refusal(path)


def test_a_long_text_in_every_row_is_named_before_it_is_repeated(path):
    """A megabyte, of which one batch of rows has 1,000 GB of text."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), ["A" * 10_000_000])
    numbers = range(100_000)
    pq.write_table(pa.table({"fide_id": numbers, "name": texts, "time_control": ["blitz"] * len(numbers)}), path)
    assert path.stat().st_size < 2_000_000
    assert "it has a text of 10000000 bytes in row 1, column name, and at most 2000 are read" in refusal(path)


def test_a_column_that_is_not_read_may_hold_anything(path):
    columns = {"photo": [b"x" * 9000] * 2, "tags": [["a"] * 3000] * 2, "remark": ["B" * 9000] * 2}
    assert [row["fide_id"] for row in rows(list_of(path, **columns))] == [7, 8]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip"])
def test_lists_of_any_writer_are_read(path, version, codec):
    table = pa.table({**COLUMNS, "rating": [2000, None], "birth_date": [date(1990, 1, 2), None]})
    pq.write_table(table, path, data_page_version=version, compression=codec)
    assert [(row["rating"], row["birth_date"]) for row in rows(path)] == [(2000, date(1990, 1, 2)), (None, None)]


# --------------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda _data: b"PAR1",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2] + b"PAR1",
        lambda data: data[:4] + bytes(len(data) - 12) + data[-8:],
        lambda data: data[:-8] + struct.pack("<I", 4_000_000) + b"PAR1",
        lambda data: b"PAR1" + b"\xff" * 60 + data[64:],
    ],
)
def test_a_damaged_file_is_refused(path, damage: Callable[[bytes], bytes]):
    path.write_bytes(damage(list_of(path).read_bytes()))
    assert "not a readable Parquet file (" in refusal(path)


# --------------------------------------------------------------------------------------------------------- values


def dates(days: list[int | None], kind: pa.DataType, of: pa.DataType) -> pa.Array:
    return pa.array(days, kind).cast(of)


OUTSIDE = "line 1, column birth_date: 'a date outside the years 1 to 9999 ({})' is not a date; write YYYY-MM-DD"
NO_RATING = "is not a rating from 0 to 4000"


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"name": ["A", "B" * 2001]}, {"use_dictionary": False}, "it has a text of 2001 bytes in row 2, column name"),
        # A text of a megabyte takes some bytes, and they cannot be read as a dictionary.
        ({}, {"use_dictionary": False, "column_encoding": {"name": "DELTA_BYTE_ARRAY"}}, "save it again, or as CSV"),
        ({"name": [["A"], ["B"]]}, {}, "column name: its type is"),
        ({"name": [{"a": 1}, {"a": 2}]}, {}, "column name: its type is"),
        ({"name": [b"A", b"B"]}, {}, "column name: its type is"),
        # Numbers of a type that hardly a program writes.
        ({"rating": pa.nulls(2, pa.decimal256(76, 0))}, {}, "column rating: its type is"),
        ({"rating": pa.nulls(2, pa.float16())}, {}, "column rating: its type is"),
        # Days out of range, and numbers.
        *(
            ({"birth_date": dates([day, None], kind, of)}, {}, OUTSIDE.format(f"day {shown} from 1970-01-01"))
            for day, kind, of, shown in [
                (2_932_896 + 1, pa.int32(), pa.date32(), 2932897),
                (-(2**31), pa.int32(), pa.date32(), -2147483648),
                (2**62, pa.int64(), pa.timestamp("us"), 53375995),
                (-(2**62), pa.int64(), pa.timestamp("ms"), -53375995584),
            ]
        ),
        ({"rating": pa.array([Decimal(10**37), None], pa.decimal128(38, 0))}, {}, NO_RATING),
        (
            {"rating": pa.array([2**64 - 1, None], pa.uint64())},
            {},
            f"'18446744073709551615' {NO_RATING}",
        ),
        ({"rating": pa.array([float("nan"), None])}, {}, f"line 1, column rating: 'NaN' {NO_RATING}"),
        ({"rating": pa.array([1.5e300, None])}, {}, NO_RATING),
    ],
)
def test_what_no_list_has_is_refused(path, columns, options, message):
    pq.write_table(pa.table({**COLUMNS, **columns}), path, **options)
    assert message in refusal(path)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_a_timestamp_is_read_as_its_day(path, unit, zone):
    instants = pa.array([date(1969, 12, 31), date(1990, 5, 6)]).cast(pa.timestamp(unit))
    if zone:
        # 20 hours in Greenwich are the next day in Tokyo.
        instants = pa.compute.add(instants, pa.scalar(20 * 3600, pa.duration("s"))).cast(pa.timestamp(unit, zone))
    days = [row["birth_date"] for row in rows(list_of(path, birth_date=instants))]
    assert days == ([date(1970, 1, 1), date(1990, 5, 7)] if zone else [date(1969, 12, 31), date(1990, 5, 6)])
