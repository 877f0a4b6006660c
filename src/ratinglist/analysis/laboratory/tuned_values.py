"""The values that a tuning tries: a range in the command line, and the attribute of an analyst's class."""

from __future__ import annotations

import re
from decimal import Decimal

from ratinglist.analysis.laboratory.own_system import OwnSystem
from ratinglist.errors import CommandLineError

_RANGE = re.compile(r"(-?\d{1,9}(?:\.\d{1,6})?):(-?\d{1,9}(?:\.\d{1,6})?):(\d{1,9}(?:\.\d{1,6})?)")


def value_range(text: str) -> list[str]:
    """Return the values of ``FROM:TO:STEP`` as texts, both ends included.

    Raises :class:`CommandLineError` where it is no range.
    """
    found = _RANGE.fullmatch(text.strip())
    if not found:
        raise CommandLineError(f"'{text}' is not a range: write KEY=FROM:TO:STEP, such as k=10:40:2.")
    first, last, step = map(Decimal, found.groups())
    if step <= 0 or last < first:
        raise CommandLineError(f"'{text}': FROM must not be above TO, and STEP must be above 0.")
    count = int((last - first) / step) + 1
    return [f"{first + number * step}" for number in range(count)]


def own_value(system: OwnSystem, key: str) -> str:
    """Return the value of a number that an analyst's class has as attribute ``key``.

    Raises :class:`CommandLineError` where it has none.
    """
    value = getattr(system, key, None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CommandLineError(f"The system '{system.name}' has no number '{key}' to tune.")
    return f"{value}"


def set_own_value(system: OwnSystem, key: str, text: str) -> None:
    """Set a number of an analyst's system: whole where the text has no fraction."""
    setattr(system, key, float(text) if "." in text else int(text))
