"""Threads keep the order of values and raise errors in their place."""

import threading
from collections.abc import Iterator

import pytest

from ratinglist.concurrency import map_ordered, prefetch


def test_prefetch_keeps_the_order_of_any_values():
    assert list(prefetch(iter([1, 0, None, [], 2]))) == [1, 0, None, [], 2]


def test_prefetch_computes_the_next_value_while_one_is_used():
    computed = [threading.Event() for _ in range(3)]

    def numbers() -> Iterator[int]:
        for number, event in enumerate(computed):
            event.set()
            yield number

    values = prefetch(numbers())
    assert next(values) == 0
    assert computed[1].wait(timeout=10)
    assert next(values) == 1
    assert list(values) == [2]


def test_prefetch_computes_only_one_value_in_advance():
    computed = []

    def numbers() -> Iterator[int]:
        for number in range(5):
            computed.append(number)
            yield number

    values = prefetch(numbers())
    next(values)
    values.close()
    assert computed == [0, 1]


def test_prefetch_raises_an_error_in_the_place_of_its_value():
    def numbers() -> Iterator[int]:
        yield 1
        raise ValueError("the second")

    values = prefetch(numbers())
    assert next(values) == 1
    with pytest.raises(ValueError, match="the second"):
        next(values)


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
