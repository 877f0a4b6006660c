"""The texts of the desk in a language, and how months, days and changes are written in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache

from markupsafe import Markup, escape

from ratinglist.analysis.letter import WITHHELD
from ratinglist.files import resources
from ratinglist.site import ENGLISH, parse_texts

_DAY = re.compile(
    r"(?<![\w/.-])(?:(?P<year>\d{4})([-/._·–−])\d{1,2}\2\d{1,2}|\d{1,2}([-/._·–−])\d{1,2}\3(?:\d{4}|\d{2}))(?![\w-])"
    r"|(?<=')(?:\d{4} \d{1,2} \d{1,2}|\d{1,2} \d{1,2} \d{4}|(?:19|20)\d{6}|\d{4}(?:19|20)\d{2})(?=')"
)
"""A day as reports and tables write it; behind a stroke, as in the name of a rule set, there is none."""
_YOUNGEST = 4
"""Years: the day of a younger event or list is shown, where it is written as this program writes days."""


@cache
def texts_of(language: str) -> Mapping[str, str]:
    """Return the texts of a language by key; those of another language have the keys of the English ones."""
    folder = resources.data("desk")
    english = parse_texts((folder / f"{ENGLISH}.toml").read_text(encoding="utf-8"))
    if language == ENGLISH:
        return english.page
    return parse_texts((folder / f"{language}.toml").read_text(encoding="utf-8"), english).page


def languages() -> list[str]:
    """Return the languages that there are texts for."""
    return sorted(path.stem for path in resources.data("desk").glob("*.toml"))


def language_of(accepted: str) -> str:
    """Return the language of a browser's ``Accept-Language``; English where there are no texts in any of them."""
    for part in accepted.split(","):
        name = part.partition(";")[0].strip()[:2].lower()
        if name in languages():
            return name
    return ENGLISH


def month_text(month: str, texts: Mapping[str, str]) -> str:
    """Return ``2025-12`` as ``December 2025``; what is no month stays as it is."""
    year, _, number = month.partition("-")
    if not (year.isdigit() and number.isdigit() and 1 <= int(number) <= 12):
        return month
    return f"{texts['months'].split()[int(number) - 1]} {year}"


def day_text(day: str | date, texts: Mapping[str, str]) -> str:
    """Return a day as ``22 November 2025``; empty where there is none."""
    try:
        found = day if isinstance(day, date) else date.fromisoformat(day)
    except ValueError:
        return str(day)
    return f"{found.day} {month_text(found.isoformat()[:7], texts)}"


_ISO_DAY = re.compile(r"(?<![\w/.-])\d{4}-\d{2}-\d{2}(?![\w/-]|\.\w)")
_ISO_MONTH = re.compile(r"(?<!for example )(?<![\w/.-])\d{4}-\d{2}(?![\w/-]|\.\w)")


def worded(text: str, texts: Mapping[str, str]) -> Markup:
    """Return a sentence of a command with its days and months in words, and its commands as such.

    A file name or a rule set with a day in it stays as it is.
    """
    found = _ISO_DAY.sub(lambda one: day_text(one[0], texts), text)
    found = _ISO_MONTH.sub(lambda one: month_text(one[0], texts), found)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(found))))  # noqa: S704 - escaped just before


def word(code: str, texts: Mapping[str, str]) -> str:
    """Return what a form calls a code, such as a time control, or a month; the code where it has no word."""
    return texts.get(f"word_{code}", "") or month_text(str(code), texts)


def signed(change: int | None) -> str:
    """Return a change with its sign, a true minus; an en dash where there is none."""
    if change is None:
        return "–"
    return f"{change:+}".replace("-", "−") if change else "0"


def without_births(text: str, year: int) -> str:
    """Return what a command printed without what may be a date of birth. ``year``: the present one."""

    def shown_day(found: re.Match[str]) -> str:
        is_of_the_office = found[2] == "-" and int(found["year"]) > year - _YOUNGEST
        return found[0] if is_of_the_office else WITHHELD

    return _DAY.sub(shown_day, text)
