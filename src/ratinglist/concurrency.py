"""Work done in threads: a map of two calls at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Value = TypeVar("Value")
Result = TypeVar("Result")


def map_ordered(function: Callable[[Value], Result], values: Iterable[Value]) -> Iterator[Result]:
    """Yield ``function(value)`` for each of ``values``, in their order; two calls run at once in threads.

    The steps of one batch wait for each other, so that one call alone leaves half of two processors idle. An exception
    is raised in the place of the result it prevented.
    """
    with ThreadPoolExecutor(max_workers=2) as executor:
        pending: deque[Future[Result]] = deque()
        for value in values:
            pending.append(executor.submit(function, value))
            if len(pending) > 2:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
