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

from ratinglist import parquet_files, parquet_pages
from ratinglist.lists import list_reader, parquet_list
from ratinglist.lists.list_reader import OfficialListError
from ratinglist.parquet_files import RowLimit, TooLargeError
from ratinglist.period import Period

MONTH = Period.parse("2026-10")
COLUMNS = {"fide_id": [7, 8], "name": ["A", "B"], "time_control": ["blitz", "blitz"]}
ANY = RowLimit(100, 1, 100)


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
    monkeypatch.setattr(parquet_list, "_ROWS", RowLimit(10, 2, 1_000_000))
    pl.select(fide_id=pl.repeat(7, 9000), name=pl.lit("A"), time_control=pl.lit("blitz")).write_parquet(path)
    assert "it claims 9000 rows in" in refusal(path)


def test_a_list_of_large_groups_is_refused(path, monkeypatch):
    monkeypatch.setattr(parquet_files, "PARQUET_GROUP_BYTES", 100)
    pl.select(fide_id=pl.int_range(1, 400), name=pl.lit("A"), time_control=pl.lit("blitz")).write_parquet(path)
    assert "it has a row group, number 1, that unpacks to more than 100 bytes" in refusal(path)


def test_a_list_of_many_pages_is_refused(path, monkeypatch):
    monkeypatch.setattr(parquet_files, "PARQUET_PAGES", 4)
    assert "it has a row group, number 1, of more than 4 pages" in refusal(list_of(path))


def test_a_list_of_many_row_groups_is_refused(path, monkeypatch):
    monkeypatch.setattr(parquet_files, "PARQUET_ELEMENTS", 10)
    pq.write_table(pa.table({**COLUMNS, "fide_id": [7, 8]}).take([0] * 20), path, row_group_size=1)
    assert "not a readable Parquet file" in refusal(path)


def test_a_list_with_a_long_footer_is_refused(path, monkeypatch):
    monkeypatch.setattr(parquet_files, "PARQUET_FOOTER_BYTES", 100)
    assert "it has a footer of " in refusal(list_of(path))


def test_a_text_that_is_too_long_is_named_by_its_row_before_the_rows_are_made(path):
    said = refusal(list_of(path, name=pa.array(["A", "B" * 2001]).dictionary_encode()))
    assert "it has a text of 2001 bytes in row 2, column name, and at most 2000 are read" in said


def test_an_ordinary_text_is_measured_too(path):
    pq.write_table(pa.table({**COLUMNS, "name": ["A", "B" * 2001]}), path, use_dictionary=False)
    assert "it has a text of 2001 bytes in row 2, column name" in refusal(path)


def test_a_column_that_is_not_read_may_hold_anything(path):
    columns = {"photo": [b"x" * 9000] * 2, "tags": [["a"] * 3000] * 2, "remark": ["B" * 9000] * 2}
    assert [row["fide_id"] for row in rows(list_of(path, **columns))] == [7, 8]


def test_texts_that_repeat_their_beginning_are_refused(path):
    pq.write_table(pa.table(COLUMNS), path, use_dictionary=False, column_encoding={"name": "DELTA_BYTE_ARRAY"})
    assert "it has texts in the encoding DELTA_BYTE_ARRAY, column name" in refusal(path)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip"])
def test_lists_of_any_writer_are_read(path, version, codec):
    table = pa.table({**COLUMNS, "rating": [2000, None], "birth_date": [date(1990, 1, 2), None]})
    pq.write_table(table, path, data_page_version=version, compression=codec)
    assert [(row["rating"], row["birth_date"]) for row in rows(path)] == [(2000, date(1990, 1, 2)), (None, None)]


def test_a_batch_of_long_texts_is_read_in_parts(path, monkeypatch):
    monkeypatch.setattr(parquet_files, "PARQUET_BATCH_BYTES", 30)
    texts = pa.array(["A" * 10] * 7 + ["B"]).dictionary_encode()
    pq.write_table(pa.table({"text": texts, "number": range(8)}), path)
    with parquet_files.bounded(path, ANY) as file:
        batches = list(file.batches(["number", "text"], 100, 10))
    assert [batch.num_rows for batch in batches] == [3, 3, 2]
    assert pa.Table.from_batches(batches)["number"].to_pylist() == list(range(8))


def test_a_page_that_unpacks_to_more_than_the_footer_states_is_found(path, monkeypatch):
    """The size that counts is the one in the header of the page."""
    monkeypatch.setattr(parquet_files, "PARQUET_GROUP_BYTES", 100_000)
    pq.write_table(pa.table({"text": ["A" * 60_000, "B" * 60_000]}), path, use_dictionary=False, compression="zstd")
    stated = pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    data = path.read_bytes()
    lying = data.replace(varint(stated), varint(stated - 60_000))
    assert lying != data
    path.write_bytes(lying)
    assert pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size < 100_000
    with parquet_files.bounded(path, ANY) as file, pytest.raises(TooLargeError, match="more than 100000 bytes"):
        list(file.batches(["text"], 100, 100_000))


def varint(number: int) -> bytes:
    """A whole number as Thrift's compact protocol writes it."""
    zigzag, data = number << 1, bytearray()
    while zigzag > 0x7F:
        data.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    return bytes([*data, zigzag])


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


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "damaged or too long"),
        (b"\x15\x00\x15", "damaged or too long"),
        (b"\x00", "states no size"),
        (b"\x15\x00\x15\x01\x15\x02\x00", "states no size"),
        (b"\x1c" * 9, "nested too deeply"),
        (b"\x19\x15", "a field that no page has"),
        (b"\x15" + b"\xff" * 20, "a number that is too long"),
        (b"\x18\x7f", "damaged or too long"),
    ],
)
def test_a_header_of_a_page_that_is_none_is_refused(header, message):
    with pytest.raises(parquet_pages.PageError, match=message):
        parquet_pages.page_header(header)


# --------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("name", [pl.Series([["A"]]), pl.Series([{"a": 1}]), pl.Series([b"A"])])
def test_a_list_of_anything_but_texts_numbers_and_dates_is_refused(path, name):
    pl.DataFrame({"fide_id": [7], "name": name, "time_control": ["blitz"]}).write_parquet(path)
    assert "column name: its type is" in refusal(path)


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (pa.array([2_932_896 + 1, None], pa.int32()).cast(pa.date32()), "day 2932897 from 1970-01-01"),
        (pa.array([-(2**31), 0], pa.int32()).cast(pa.date32()), "day -2147483648 from 1970-01-01"),
        (pa.array([2**62, 0], pa.int64()).cast(pa.timestamp("us")), "day 53375995 from 1970-01-01"),
        (pa.array([-(2**62), 0], pa.int64()).cast(pa.timestamp("ms")), "day -53375995584 from 1970-01-01"),
    ],
)
def test_a_day_out_of_range_is_no_date(path, values, shown):
    assert (
        f"line 1, column birth_date: 'a date outside the years 1 to 9999 ({shown})' is not a date; write YYYY-MM-DD"
        in refusal(list_of(path, birth_date=values))
    )


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_a_timestamp_is_read_as_its_day(path, unit, zone):
    instants = pa.array([date(1969, 12, 31), date(1990, 5, 6)]).cast(pa.timestamp(unit))
    if zone:
        # 20 hours in Greenwich are the next day in Tokyo.
        instants = pa.compute.add(instants, pa.scalar(20 * 3600, pa.duration("s"))).cast(pa.timestamp(unit, zone))
    days = [row["birth_date"] for row in rows(list_of(path, birth_date=instants))]
    assert days == ([date(1970, 1, 1), date(1990, 5, 7)] if zone else [date(1969, 12, 31), date(1990, 5, 6)])


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        (pa.array([Decimal(10**37), None], pa.decimal128(38, 0)), "is not a rating from 0 to 4000"),
        (pa.array([Decimal(10**70), None], pa.decimal256(76, 0)), "is not a rating from 0 to 4000"),
        (pa.array([2**64 - 1, None], pa.uint64()), "'18446744073709551615' is not a rating from 0 to 4000"),
        (pa.array([float("nan"), None]), "'NaN' is not a rating from 0 to 4000"),
        (pa.array([1.5e300, None]), "is not a rating from 0 to 4000"),
        (pa.array([2000.5, None], pa.float16()), "is not a rating from 0 to 4000"),
    ],
)
def test_a_number_out_of_range_is_no_rating(path, ratings, message):
    said = refusal(list_of(path, rating=ratings))
    assert "line 1, column rating: " in said
    assert message in said
