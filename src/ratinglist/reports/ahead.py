"""The next value made while the last one is used: what waits for the disk and what computes take turns no longer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Value = TypeVar("Value")


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


def _next(values: Iterator[Value]) -> tuple[Value] | None:
    for value in values:
        return (value,)
    return None
