"""Hide what may be a date of birth in a text for people: in a finding, in a line of a report, in what a command prints.

Texts that are published are compared with the dates that the store knows (:mod:`ratinglist.store.received`). Here no
store is asked: every day is hidden that is not plainly one of an event or of the office.
"""

from __future__ import annotations

import re

WITHHELD = "[...]"
_DAY = re.compile(
    r"(?<![\w/.-])(?:(?P<year>\d{4})([-/._·–−])\d{1,2}\2\d{1,2}|\d{1,2}([-/._·–−])\d{1,2}\3(?:\d{4}|\d{2}))(?![\w-])"
    r"|(?<=')(?:\d{4} \d{1,2} \d{1,2}|\d{1,2} \d{1,2} \d{4}|(?:19|20)\d{6}|\d{4}(?:19|20)\d{2})(?=')"
)
"""A day as reports and tables write it; behind a stroke, as in the name of a rule set, there is none."""
_HOLD_A_LINE = frozenset({"birth_unreadable", "player_line_misplaced", "unknown_text", "unknown_code"})
"""Findings whose value is a birth, or a part of a line that may hold one."""
_OF_THE_EVENT = frozenset(
    {"start_date_unreadable", "end_date_unreadable", "date_implausible", "dates_reversed", "event_too_long"}
    | {"two_digit_year", "round_date_unreadable", "dates_contradicted", "received_before_start"}
    | {"received_in_the_future", "manifest_value"}
)
"""Findings whose value is a day of the event or of the office, or a cell of a manifest."""
_YOUNGEST = 4
"""Years: a player is older than this."""
_BIRTH = slice(69, 79)
"""Where a player's line of a TRF has the birth."""
_RECORD_OF_THE_EVENT = re.compile(r"(?:042|052|132|XXD|09[0-9]|16[0-9])\b")
"""Records with dates of the event."""


def without_births(text: str, year: int | None = None) -> str:
    """Return a text without the days in it.

    ``year``: the present one, where a day of an event or a list, written as this program writes days, may stay.
    """

    def shown(day: re.Match[str]) -> str:
        is_of_the_office = year is not None and day[2] == "-" and int(day["year"]) > year - _YOUNGEST
        return day[0] if is_of_the_office else WITHHELD

    return _DAY.sub(shown, text)


def of_finding(rule: str, text: str) -> str:
    """Return a text of a finding of a rule without what may be a date of birth."""
    if rule in _HOLD_A_LINE:
        return WITHHELD
    return text if rule in _OF_THE_EVENT else without_births(text)


def of_line(line: str) -> str:
    """Return a line of a report with a dot for each digit of what may be a date of birth; dates of the event stay."""
    if _RECORD_OF_THE_EVENT.match(line):
        return line
    if line.startswith("001"):
        line = line[: _BIRTH.start] + _dotted(line[_BIRTH]) + line[_BIRTH.stop :]
    return _DAY.sub(lambda day: _dotted(day[0]), line)


def _dotted(text: str) -> str:
    return re.sub(r"\d", "·", text)
