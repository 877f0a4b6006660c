"""Which values of a parameter the ordinary run takes, where all of them take the same way through the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def long_but(values: Iterable[Any], *quick: Any) -> list[Any]:
    """Mark all values for ``make test-long`` but the ``quick`` ones, which must be among them."""
    listed = list(values)
    assert all(value in listed for value in quick), quick
    return [value if value in quick else pytest.param(value, marks=pytest.mark.long) for value in listed]
