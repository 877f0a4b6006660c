"""The texts of the desk in a language, and how months, days and changes are written in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache

from ratinglist.files import resources
from ratinglist.site import ENGLISH, parse_texts


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


def signed(change: int | None) -> str:
    """Return a change with its sign, a true minus; an en dash where there is none."""
    if change is None:
        return "–"
    return f"{change:+}".replace("-", "−") if change else "0"
