"""A month in buckets is the month as a whole, however many buckets: on the made-up months of the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from ratinglist.engine import LocalEngine, rate_month
from tests.bucketed import rate_in_buckets
from tests.reference.test_calculation_reference import COURSE, CURRENT, OLDER, THREE, inputs_of, make_world, months_of

TABLES = ("events", "sides", "changes", "entries", "pool", "list_state", "coincidences")
EVENTFUL = 17
"""A world with games in two reports, coincidences, results of unrated players that do not count, and short games."""


class EachTwice(LocalEngine):
    """Does every bucket twice, as where a worker ends after it has written its file and before it can say so."""

    def map_buckets(
        self, function: Callable[[int], Any], buckets: Sequence[int], done: Callable[[], None]
    ) -> list[Any]:
        for bucket in reversed(buckets):
            function(bucket)
        return super().map_buckets(function, buckets, done)


def assert_same(
    seed: int, folder: Path | None, buckets: list[int], engine: LocalEngine | None = None
) -> set[str | None]:
    """Compare every month of a world, and return the reasons of its sides; ``folder``: None for buckets in memory."""
    reasons: set[str | None] = set()
    for office, _ in months_of(make_world(Random(seed), CURRENT + OLDER + COURSE, THREE)):
        inputs = inputs_of(office)
        whole = rate_month(inputs)
        for number in buckets:
            into = None if folder is None else folder / f"{office.month}-{number}"
            in_buckets = rate_in_buckets(inputs, into, number, engine)
            for table in TABLES:
                assert_frame_equal(getattr(whole, table), getattr(in_buckets, table))
        reasons |= set(whole.sides["reason"])
    return reasons


@pytest.mark.long
def test_a_month_in_buckets_is_the_month_as_a_whole(tmp_path):
    reasons = assert_same(EVENTFUL, tmp_path, [1, 3])
    # Only with these must a bucket find out what others have.
    assert {"", "same_game", "counts_for_entry", "zero_first_event", "opponent_unrated"} <= reasons


def test_buckets_in_memory_are_the_month_as_a_whole():
    assert_same(EVENTFUL, None, [2])


@pytest.mark.long
def test_a_bucket_done_twice_is_a_bucket_done_once(tmp_path):
    assert_same(EVENTFUL, tmp_path, [2], EachTwice())
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".parquet"]
    assert left == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 40))
def test_many_months_in_buckets_are_the_months_as_a_whole(seed, tmp_path):
    assert_same(seed, tmp_path, [1, 2, 7])
