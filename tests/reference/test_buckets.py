"""A month in buckets is the month as a whole, however many buckets: on the made-up months of the reference."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.rating.calculation import rate_month
from tests.bucketed import rate_in_buckets
from tests.reference.test_calculation_reference import COURSE, CURRENT, OLDER, THREE, inputs_of, make_world, months_of

TABLES = ("events", "sides", "changes", "entries", "pool", "list_state", "coincidences")


def assert_same(seed: int, folder: Path, buckets: list[int]) -> pl.DataFrame:
    sides = []
    for office, _ in months_of(make_world(Random(seed), CURRENT + OLDER + COURSE, THREE)):
        inputs = inputs_of(office)
        whole = rate_month(inputs)
        for number in buckets:
            in_buckets = rate_in_buckets(inputs, folder / f"{office.month}-{number}", number)
            for table in TABLES:
                assert_frame_equal(getattr(whole, table), getattr(in_buckets, table))
        sides.append(whole.sides.select("reason"))
    return pl.concat(sides)


def test_a_month_in_buckets_is_the_month_as_a_whole(tmp_path):
    sides = pl.concat(assert_same(seed, tmp_path / str(seed), [1, 3]) for seed in range(2))
    # Only then have the buckets had to find the other game, or the other results of a player.
    assert {"", "same_game", "counts_for_entry", "opponent_unrated"} <= set(sides["reason"])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 40))
def test_many_months_in_buckets_are_the_months_as_a_whole(seed, tmp_path):
    assert_same(seed, tmp_path, [1, 2, 7])
