"""Random numbers by key: fixed values, whatever frame they are drawn in."""

from __future__ import annotations

import hashlib

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from ratinglist.simulation.keyed_random import per_thousand, roll

WORD = (1 << 64) - 1


def plain_roll(seed: int, what: str, *keys: int, sides: int) -> int:
    """The same number in plain Python integers."""
    number = int.from_bytes(hashlib.blake2b(f"{seed} {what}".encode(), digest_size=8).digest(), "big")
    for key in keys:
        number = ((number ^ (key & WORD)) + 0x9E3779B97F4A7C15) & WORD
        number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & WORD
        number ^= number >> 31
    return ((number >> 32) * sides) >> 32


def rolls(seed: int, what: str, count: int, sides: int) -> pl.Series:
    return pl.select(pl.int_range(count).alias("key")).select(roll(seed, what, pl.col("key"), sides=sides))["roll"]


@given(
    seed=st.integers(0, 2**63),
    what=st.text(),
    keys=st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**32 - 1)), min_size=1),
    sides=st.integers(1, 2**32),
)
def test_a_roll_is_the_number_that_plain_integers_give(seed, what, keys, sides):
    frame = pl.DataFrame(keys, schema={"a": pl.Int64, "b": pl.UInt32}, orient="row")
    rolled = frame.select(number=roll(seed, what, pl.col("a"), pl.col("b"), sides=sides))["number"]
    assert rolled.dtype == pl.Int64
    assert rolled.to_list() == [plain_roll(seed, what, a, b, sides=sides) for a, b in keys]


def test_the_numbers_never_change():
    assert rolls(1, "lot", 8, 1000).to_list() == [317, 778, 192, 205, 162, 676, 80, 297]


def test_the_type_of_a_key_does_not_matter():
    frame = pl.DataFrame({"key": [0, 1, 77]})
    wide, narrow = (
        frame.select(roll(5, "lot", pl.col("key").cast(dtype), sides=10_000))["roll"] for dtype in (pl.Int64, pl.UInt16)
    )
    assert wide.to_list() == narrow.to_list()


def test_the_order_of_the_rows_does_not_matter():
    frame = pl.select(pl.int_range(1000).alias("key")).with_columns(number=roll(3, "x", pl.col("key"), sides=50))
    backwards = frame.select("key").reverse().with_columns(number=roll(3, "x", pl.col("key"), sides=50))
    assert backwards.sort("key").equals(frame)


def test_chunks_do_not_matter():
    whole = pl.select(pl.int_range(1000).alias("key"))
    parts = pl.concat([whole.slice(0, 300), whole.slice(300)], rechunk=False)
    drawn = [frame.select(roll(3, "x", pl.col("key"), sides=50))["roll"].to_list() for frame in (whole, parts)]
    assert drawn[0] == drawn[1]


def test_seed_name_and_order_of_the_keys_each_give_other_numbers():
    frame = pl.select(pl.int_range(200).alias("a"), pl.int_range(200, 400).alias("b"))
    a, b = pl.col("a"), pl.col("b")
    drawn = frame.select(
        one=roll(1, "x", a, b, sides=10**6),
        seed=roll(2, "x", a, b, sides=10**6),
        name=roll(1, "y", a, b, sides=10**6),
        order=roll(1, "x", b, a, sides=10**6),
    )
    assert all((drawn["one"] == drawn[name]).sum() <= 1 for name in ("seed", "name", "order"))


def test_neighbouring_keys_and_rounds_are_independent():
    frame = pl.select(pl.int_range(100_000).alias("key"))
    pairs = frame.select(a=roll(7, "x", pl.col("key"), sides=4), b=roll(7, "x", pl.col("key") + 1, sides=4))
    counts = pairs.group_by("a", "b").len()["len"]
    assert len(counts) == 16
    # 6,250 expected, a standard deviation of 77.
    assert counts.is_between(5_900, 6_600).all()


def test_a_chance_comes_true_as_often_as_given():
    frame = pl.select(pl.int_range(100_000).alias("key"))
    assert 2_800 < frame.select(per_thousand(1, "x", pl.col("key"), chance=30)).to_series().sum() < 3_200


def test_a_chance_of_nothing_never_and_a_chance_of_a_thousand_always_comes_true():
    frame = pl.select(pl.int_range(5_000).alias("key"))
    assert not frame.select(per_thousand(1, "x", pl.col("key"), chance=0)).to_series().any()
    assert frame.select(per_thousand(1, "x", pl.col("key"), chance=1000)).to_series().all()
