"""Threads keep the order of values and raise errors in their place."""

import threading

import pytest

from ratinglist.concurrency import map_ordered


def test_map_ordered_keeps_the_order_of_the_values():
    first_may_end = threading.Event()

    def doubled(number: int) -> int:
        if number == 0:
            assert first_may_end.wait(timeout=10)
        elif number == 1:
            first_may_end.set()
        return number * 2

    assert list(map_ordered(doubled, range(7))) == [0, 2, 4, 6, 8, 10, 12]


def test_map_ordered_raises_an_error_in_the_place_of_its_result():
    def inverse(number: int) -> int:
        return 6 // number

    results = map_ordered(inverse, [3, 2, 0, 1])
    assert [next(results), next(results)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(results)
