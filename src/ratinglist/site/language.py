"""How a language writes counts, months and days: the CLDR data that Babel has.

The pages are written with it, and the script of the site gets its words among the texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from babel.core import Locale

_LOCALES = {"en": "en_GB"}
"""The locale of a language, where it is not the language's own: 1 December 2025, not December 1, 2025."""
_FIELDS = re.compile(r"'([^']*)'|y+|[ML]+|d+")
_FROM_RIGHT = re.compile("[\u0590-\u08ff]|^[0-9]*$")
_SIGNS = re.compile(r"(?<=\d)[,.](?=\d)")
_NAMES = {"y": "year", "M": "month", "L": "month", "d": "day"}


@dataclass(frozen=True, slots=True)
class Language:
    """How a language writes counts and days.

    ``plurals``: its plural categories, such as ``one`` and ``other``. ``direction``: ``ltr`` or ``rtl``. ``words``: by
    name what months and figures are written with. ``month_1`` is the month alone, ``month_of_day_1`` the month behind a
    day, ``month_short_1`` the month on a chart; ``thousands`` and ``decimal`` are signs. ``month_of_year``,
    ``day_of_month``, ``days_of_month`` and ``day_of_year`` are the order of the parts, which stand in braces.
    """

    locale: Locale
    plurals: tuple[str, ...]
    direction: str
    words: Mapping[str, str]

    def plural(self, count: int) -> str:
        """Return the plural category of a count."""
        return self.locale.plural_form(count)

    def apart(self, text: str) -> str:
        """Return figures and names that are written from the left apart from a text that is written from the right."""
        is_apart = self.direction == "rtl" and not _FROM_RIGHT.search(text)
        return f"\u2068{text}\u2069" if is_apart else text

    def figures(self, text: str) -> str:
        """Return figures such as ``1,950.43`` with the language's signs between thousands and before decimals."""
        return _SIGNS.sub(lambda sign: self.words["thousands" if sign[0] == "," else "decimal"], text)

    def whole(self, count: int) -> str:
        """Return a count with the language's sign between thousands."""
        return self.figures(f"{count:,}")

    def month(self, month: str) -> str:
        """Return ``YYYY-MM`` as people write it, such as ``December 2025``."""
        return self.words["month_of_year"].format(month=self.words[f"month_{int(month[5:7])}"], year=month[:4])

    def day(self, day: str) -> str:
        """Return ``YYYY-MM-DD`` as people write it, such as ``1 December 2025``."""
        return self.words["day_of_year"].format(day=int(day[8:]), month=self._month_of(day), year=day[:4])

    def days(self, first: str, last: str) -> str:
        """Return the days of an event, such as ``20–22 November`` or ``27 September – 3 October``; empty without."""
        found = list(dict.fromkeys(one for one in (first, last) if one))
        if len(found) == 2 and first[:7] == last[:7]:
            return self.words["days_of_month"].format(
                first=int(first[8:]), last=int(last[8:]), month=self._month_of(first)
            )
        return " – ".join(
            self.words["day_of_month"].format(day=int(one[8:]), month=self._month_of(one)) for one in found
        )

    def _month_of(self, day: str) -> str:
        return self.words[f"month_of_day_{int(day[5:7])}"]


@cache
def language(name: str) -> Language:
    """Return how a language writes counts and days, by its code, such as ``en``."""
    locale = Locale.parse(_LOCALES.get(name, name))
    rules, skeletons = locale.plural_form, locale.datetime_skeletons
    words = {
        "thousands": locale.number_symbols["latn"]["group"],
        "decimal": locale.number_symbols["latn"]["decimal"],
        "month_of_year": _in_braces(str(skeletons["yMMMM"])),
        "day_of_month": _in_braces(str(skeletons["MMMMd"])),
        "days_of_month": _days_of_month(locale),
        "day_of_year": _in_braces(str(locale.date_formats["long"].pattern)),
    }
    named: tuple[tuple[str, Any], ...] = (
        ("month", locale.months["stand-alone"]["wide"]),
        ("month_of_day", locale.months["format"]["wide"]),
        ("month_short", locale.months["stand-alone"]["abbreviated"]),
    )
    words |= {f"{name}_{number}": months[number] for name, months in named for number in range(1, 13)}
    if name == "en":
        # Three letters, as the other months have, and not the Sept of British English.
        words["month_short_9"] = "Sep"
    # The rules state every category but that of all other numbers.
    return Language(locale, (*sorted(rules.tags), "other"), locale.text_direction, words)


def _in_braces(pattern: str) -> str:
    """Return a pattern of CLDR, such as ``d MMMM y``, with the names of the parts in braces."""
    return _FIELDS.sub(lambda part: part[1] if part[1] is not None else f"{{{_NAMES[part[0][0]]}}}", pattern)


def _days_of_month(locale: Locale) -> str:
    """Return how two days of one month are written; a locale may know it with the short name of the month alone."""
    intervals = locale.interval_formats
    parts = (intervals.get("MMMMd") or intervals["MMMd"])["d"]
    written = _in_braces("".join(parts))
    return written.replace("{day}", "{first}", 1).replace("{day}", "{last}", 1)
