"""How far the numbers of a column reach."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.reports.largest import largest


def test_the_largest_number_is_found_among_those_that_are_known() -> None:
    assert largest(pl.Series([3, None, 12, 7], dtype=pl.Int32)) == 12


@pytest.mark.parametrize("numbers", [[], [None, None]])
def test_where_there_is_no_number_it_is_0(numbers: list[None]) -> None:
    assert largest(pl.Series(numbers, dtype=pl.UInt32)) == 0


def test_what_is_no_whole_number_has_no_largest() -> None:
    with pytest.raises(TypeError, match="points"):
        largest(pl.Series("points", [0.5, 1.0]))
