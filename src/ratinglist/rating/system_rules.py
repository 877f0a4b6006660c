"""The sections that the rule files of several systems besides FIDE's have.

A rule file that names a ``system`` has the sections of that system's dataclass, and no other. The common section
``list`` holds what every system needs: when a list is published, when it closes, and which ratings the games use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ratinglist.strict_toml import Allowed, Text, Whole

FIDE_SYSTEM = "fide"
"""The system of a rule file that names none."""

EVERY_MONTH = "every month"
"""The value of ``list.published_in`` of a family that publishes a list on the first of every month."""


def _months(value: str) -> None:
    if value != EVERY_MONTH and not re.fullmatch(r"(0[1-9]|1[0-2])(, (0[1-9]|1[0-2]))*", value):
        raise ValueError(f"is '{value}': write '{EVERY_MONTH}', or months as numbers such as '01, 07'")


@dataclass(frozen=True, slots=True)
class SystemListRules:
    """Rules of the list.

    ``ratings_used``: the ratings of the list in force when the event began, of the family's newest list, or after the
    events that ended before (``event_before``) or the months of play before (``month_before``).
    """

    published_in: Annotated[str, Allowed(_months)]
    closing_days_before: Whole
    official_closing_days_before: Whole
    ratings_used: Literal["event_start", "list_before", "event_before", "month_before"]


@dataclass(frozen=True, slots=True)
class SystemSections:
    """The sections of every system. ``SYSTEM``: the name that a rule file gives under ``system``."""

    SYSTEM: ClassVar[str]
    list: SystemListRules


@dataclass(frozen=True, slots=True)
class TableRules:
    """The expected score: a table of hundredths, looked up for a difference that is cut to ``cap``."""

    table: Text
    cap: Whole


@dataclass(frozen=True, slots=True)
class ThousandthsRules:
    """The expected score: a table of thousandths, looked up for the whole difference."""

    table: Text


@dataclass(frozen=True, slots=True)
class FixedEntryRules:
    """An unlisted player enters at this rating with the first list on which a game is counted."""

    rating: Whole


@dataclass(frozen=True, slots=True)
class ChangeUpRules:
    """The new rating is rounded once, a half upwards."""

    halves: Literal["up_of_rating"]
