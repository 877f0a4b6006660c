"""Data files of the site: every byte and every value comes out of the script as it was."""

from __future__ import annotations

import json
import random

import polars as pl

from ratinglist.site import data_file
from ratinglist.site.columns import PART, Packing, packed
from tests.site_files import LEFT_OUT, tables_of, unpacked


def shown(content: bytes) -> dict[str, list[list[object]]]:
    """The columns of the tables of a file."""
    line, _, columns = content.partition(b"\n")
    return tables_of(json.loads(line), columns)


def test_every_pair_of_bytes_comes_out_of_the_script(monkeypatch):
    monkeypatch.setattr(data_file, "_LEVEL", 0)
    pairs = b"".join(pair.to_bytes(2, "little") for pair in range(2**16))
    for content in (b"", b"1", pairs, b"1" + pairs, pairs[::-1], random.Random(1).randbytes(99_999)):
        script = data_file.encode("h/0", "0123456789ab", content)
        assert unpacked("h/0", script) == content
        # Strict: no half of a pair of letters.
        assert script.decode("utf-16").startswith('RL("h/0","0123456789ab",')


def test_numbers_and_texts_come_out_of_the_columns_of_their_file():
    numbers = [None, 0, -1, 1, 126, 127, -128, 2**31, -(2**31), 2**40, None, 7]
    texts = [None, "", "a", "Žitnik, Zoë", "two\nlines", "null", "b", "c", "d", "e", "f", "g"]
    rows = pl.DataFrame(
        {PART: [1] * 10 + [4] * 2, "n": numbers, "t": texts, "day": [True, False] * 6, "_hidden": numbers},
        schema_overrides={PART: pl.Int64},
    )
    files = dict(packed({"one": (rows, Packing()), "none": (rows.clear(), Packing())}))
    assert sorted(files) == [1, 4]
    assert shown(files[1]) == {"one": [numbers[:10], texts[:10], [1, 0] * 5]}
    assert shown(files[4]) == {"one": [numbers[10:], texts[10:], [1, 0]]}


def test_a_byte_that_ends_texts_is_left_out_of_them():
    rows = pl.DataFrame({PART: [0, 0], "t": ["a\0b", "\0"]})
    ((_, content),) = packed({"one": (rows, Packing())})
    assert shown(content) == {"one": [["ab", ""]]}


def test_differences_begin_again_in_each_file_and_what_is_computed_is_left_out():
    rows = pl.DataFrame(
        {PART: [0, 0, 0, 1, 1], "id": [5, 9, 2, 70, 71], "sum": [3, 4, None, None, 0], "_a": [1, 2, 3, None, 0]}
    )
    packing = Packing(["id"], {"sum": pl.col("_a") + 2})
    files = dict(packed({"one": (rows, packing)}))
    assert shown(files[0]) == {"one": [[5, 9, 2], [LEFT_OUT, LEFT_OUT, None]]}
    assert shown(files[1]) == {"one": [[70, 71], [LEFT_OUT, 0]]}
