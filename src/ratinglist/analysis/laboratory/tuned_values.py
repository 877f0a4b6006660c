"""The values that a tuning tries: a range in the command line, and the attribute of an analyst's class."""

from __future__ import annotations

import re
from decimal import Decimal

from ratinglist.analysis.laboratory.own_class import OwnClass, failure_text
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


def own_value(own: OwnClass, key: str) -> str:
    """Return the value of a number that an analyst's class has as attribute ``key``.

    Raises :class:`CommandLineError` where it has none.
    """
    value = _attribute(own, key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CommandLineError(f"The system '{own.name}' has no number '{key}' to tune.")
    return f"{value}"


def set_own_value(own: OwnClass, key: str, text: str) -> None:
    """Set a number of an analyst's system: whole where the text has no fraction.

    Raises :class:`CommandLineError` where the class does not let it be set.
    """
    try:
        setattr(own.system, key, float(text) if "." in text else int(text))
    except BaseException as error:
        raise CommandLineError(
            f"The attribute '{key}' of {own.name} cannot be set to {text}: {failure_text(error)} ({own.file})."
        ) from None


def _attribute(own: OwnClass, key: str) -> object:
    try:
        return getattr(own.system, key, None)
    except BaseException as error:
        raise CommandLineError(
            f"The attribute '{key}' of {own.name} cannot be read: {failure_text(error)} ({own.file})."
        ) from None
