"""What waits for the disk and what computes take turns no longer: the next value is made while the last one is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

Value = TypeVar("Value")
Made = TypeVar("Made")
Given = ParamSpec("Given")


def ahead(values: Iterator[Value]) -> Iterator[Value]:
    """``values``, in their order, each made in a thread of its own while the one before is used; one is made ahead.

    What goes wrong in making a value is raised where the value would have come. Whoever stops asking waits until the
    value that is being made is made.
    """
    with ThreadPoolExecutor(max_workers=1) as maker:
        coming = maker.submit(_next, values)
        while value := coming.result():
            coming = maker.submit(_next, values)
            yield value[0]


def two_at_once(make: Callable[[Value], Made], values: Iterable[Value]) -> Iterator[Made]:
    """What ``make`` makes of each of ``values``, in their order; two are made at once while the one before is used.

    A batch alone leaves half of two processors idle, for its steps wait for each other. What goes wrong is raised
    where the value would have come.
    """
    with ThreadPoolExecutor(max_workers=2) as makers:
        coming: deque[Future[Made]] = deque()
        for value in values:
            coming.append(makers.submit(make, value))
            if len(coming) > 2:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


@contextmanager
def beside(most: int = 3) -> Iterator[Callable[[Callable[Given, None]], Callable[Given, None]]]:
    """Work that is done in a thread of its own, in the order it was asked for; at the end of the block all of it is.

    Whoever asks waits while more than ``most`` calls are not done. What goes wrong is raised to whoever asks next, or
    at the end of the block.
    """
    undone: deque[Future[None]] = deque()
    with ThreadPoolExecutor(max_workers=1) as worker:

        def later(work: Callable[Given, None]) -> Callable[Given, None]:
            def asked(*args: Given.args, **named: Given.kwargs) -> None:
                undone.append(worker.submit(work, *args, **named))
                while len(undone) > most:
                    undone.popleft().result()

            return asked

        yield later
        for one in undone:
            one.result()


def _next(values: Iterator[Value]) -> tuple[Value] | None:
    for value in values:
        return (value,)
    return None
