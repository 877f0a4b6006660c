"""Which values of a parameter the ordinary run takes, where all of them take the same way through the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thorough_but(values: Iterable[Any], *quick: Any) -> list[Any]:
    """Mark all values for ``make test-thorough`` but the ``quick`` ones, which must be among them."""
    found = list(values)
    assert all(one in found for one in quick), quick
    return [one if one in quick else pytest.param(one, marks=pytest.mark.long) for one in found]
