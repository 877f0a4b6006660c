"""Values made ahead: the same ones in the same order, errors where they belong."""

import threading
from collections.abc import Iterator

import pytest

from ratinglist.concurrency import ahead, beside, two_at_once


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


def test_what_is_made_two_at_once_comes_in_order():
    first_may_end = threading.Event()

    def doubled(number: int) -> int:
        if number == 0:
            assert first_may_end.wait(timeout=10)
        elif number == 1:
            first_may_end.set()
        return number * 2

    assert list(two_at_once(doubled, range(7))) == [0, 2, 4, 6, 8, 10, 12]


def test_what_goes_wrong_two_at_once_is_raised_where_it_belongs():
    def inverse(number: int) -> int:
        return 6 // number

    made = two_at_once(inverse, [3, 2, 0, 1])
    assert [next(made), next(made)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(made)


def test_work_beside_is_done_in_order_when_the_block_ends():
    done: list[int] = []
    with beside() as later:
        note = later(done.append)
        for number in range(20):
            note(number)
    assert done == list(range(20))


def test_work_beside_that_goes_wrong_is_not_forgotten():
    def refuse(why: str) -> None:
        raise OSError(why)

    with pytest.raises(OSError, match="disk full"), beside() as later:
        later(refuse)("disk full")


def test_work_beside_waits_for_what_lags_behind():
    may_go_on, most_undone = threading.Event(), 2
    started: list[int] = []

    def slow(number: int) -> None:
        started.append(number)
        assert may_go_on.wait(timeout=10)

    with beside(most_undone) as later:
        ask = later(slow)
        ask(0)
        ask(1)
        third = threading.Thread(target=ask, args=(2,))
        third.start()
        third.join(timeout=0.05)
        assert third.is_alive()
        may_go_on.set()
        third.join(timeout=10)
    assert started == [0, 1, 2]
