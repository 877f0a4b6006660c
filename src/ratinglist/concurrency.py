"""Work done in threads: prefetching, a map of two calls at once, calls in the background."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

Value = TypeVar("Value")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def prefetch(values: Iterator[Value]) -> Iterator[Value]:
    """Yield ``values`` in their order, each computed in another thread while the caller uses the one before it.

    At most one value is computed in advance. An exception is raised in the place of the value it prevented. Closing
    the iterator waits until the value that is being computed is complete.
    """
    with ThreadPoolExecutor(max_workers=1) as executor:
        following = executor.submit(_next, values)
        while value := following.result():
            following = executor.submit(_next, values)
            yield value[0]


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


@contextmanager
def background(max_pending: int = 3) -> Iterator[Callable[[Callable[Arguments, None]], Callable[Arguments, None]]]:
    """Give a decorator whose functions run in one background thread, in the order of the calls.

    All calls are complete when the block ends. A call blocks while more than ``max_pending`` calls are not complete.
    An exception is raised by a later call, or at the end of the block.
    """
    pending: deque[Future[None]] = deque()
    with ThreadPoolExecutor(max_workers=1) as executor:

        def in_background(function: Callable[Arguments, None]) -> Callable[Arguments, None]:
            def submit(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
                pending.append(executor.submit(function, *args, **kwargs))
                while len(pending) > max_pending:
                    pending.popleft().result()

            return submit

        yield in_background
        for call in pending:
            call.result()


def _next(values: Iterator[Value]) -> tuple[Value] | None:
    for value in values:
        return (value,)
    return None
