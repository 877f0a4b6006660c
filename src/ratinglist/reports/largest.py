"""How far the numbers of a column reach: so many places has a table in which each of them is looked up."""

from __future__ import annotations

import polars as pl


def largest(numbers: pl.Series) -> int:
    """The largest of whole ``numbers``; 0 where there are none. Raises :class:`TypeError` where they are not whole."""
    most = numbers.max()
    if most is None:
        return 0
    if not isinstance(most, int):
        raise TypeError(f"column {numbers.name} holds {numbers.dtype}, no whole numbers")
    return most
