"""A rating period, named by the list that closes it.

`2025-11` always means *the list that takes effect on 1 November 2025*. A period is a whole number of months, so
the window of 26 months and the limit of three lists are plain subtraction, never calendar arithmetic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from ratinglist.errors import CommandLineError

MONTH_NAME = re.compile(r"([12][0-9]{3})-(0[1-9]|1[0-2])")
"""A month as it is written in commands, in files and in the names of folders."""

REVISION_NAME = re.compile(r"r[1-9][0-9]{0,8}")
"""The name of the folder of a revision."""

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""The names of the months."""


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """One rating month. ``index`` counts months from year 0."""

    index: int

    @classmethod
    def parse(cls, text: str) -> Period:
        """Parse ``YYYY-MM``; raise :class:`CommandLineError` for any other text."""
        digits = MONTH_NAME.fullmatch(text)
        if not digits:
            raise CommandLineError(f"'{text}' is not a month: write YYYY-MM, for example 2025-11.")
        return cls(int(digits[1]) * 12 + int(digits[2]) - 1)

    @classmethod
    def of(cls, day: date) -> Period:
        """Return the month of ``day``: the newest list in force on that day, where every month has one."""
        return cls(day.year * 12 + day.month - 1)

    @property
    def first_day(self) -> date:
        """The day the list takes effect."""
        return date(self.index // 12, self.index % 12 + 1, 1)

    def days_before(self, days: int) -> date:
        """Return the closing date: ``days`` before the list takes effect (B.02 7.1.3)."""
        return self.first_day - timedelta(days=days)

    def __add__(self, months: int) -> Period:
        return Period(self.index + months)

    def __sub__(self, months: int) -> Period:
        return Period(self.index - months)

    def __str__(self) -> str:
        return f"{self.index // 12:04d}-{self.index % 12 + 1:02d}"
