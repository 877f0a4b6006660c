"""Values made ahead: the same ones in the same order, errors where they belong."""

import threading
from collections.abc import Iterator

import pytest

from ratinglist.reports.ahead import ahead


def test_values_come_in_their_order_whatever_they_are():
    assert list(ahead(iter([1, 0, None, [], 2]))) == [1, 0, None, [], 2]


def test_nothing_gives_nothing():
    assert list(ahead(iter([]))) == []


def test_the_next_value_is_made_while_one_is_used():
    made = [threading.Event() for _ in range(3)]

    def numbers() -> Iterator[int]:
        for number, event in enumerate(made):
            event.set()
            yield number

    values = ahead(numbers())
    assert next(values) == 0
    assert made[1].wait(timeout=10)
    assert next(values) == 1
    assert list(values) == [2]


def test_only_one_value_is_made_ahead():
    made = []

    def numbers() -> Iterator[int]:
        for number in range(5):
            made.append(number)
            yield number

    values = ahead(numbers())
    next(values)
    values.close()
    assert made == [0, 1]


def test_an_error_is_raised_where_the_value_would_have_come():
    def numbers() -> Iterator[int]:
        yield 1
        raise ValueError("the second")

    values = ahead(numbers())
    assert next(values) == 1
    with pytest.raises(ValueError, match="the second"):
        next(values)


def test_one_may_stand_on_another():
    assert list(ahead(number * 2 for number in ahead(iter(range(4))))) == [0, 2, 4, 6]
