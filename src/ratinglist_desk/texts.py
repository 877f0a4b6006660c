"""The texts of the desk in a language, and how months, days and changes are written in it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from ratinglist.files import resources
from ratinglist.period import MONTH_NAME
from ratinglist.text import visible

ENGLISH = "en"


@cache
def texts_of(language: str) -> Mapping[str, str]:
    """Return the texts of a language by key."""
    return resources.texts("desk", language)


def language_of(accepted: str) -> str:
    """Return the language of a browser's ``Accept-Language``; English where there are no texts in any of them."""
    for part in accepted.split(","):
        name = part.partition(";")[0].strip()[:2].lower()
        if name in resources.languages("desk"):
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
    month, _, number = str(day).rpartition("-")
    return f"{int(number)} {month_text(month, texts)}" if month else ""


_FORMS: Mapping[str, tuple[str, str]] = {
    "approve": ("/month/{month}", "approvals"),
    "backup": ("/publications#backup", "backup"),
    "correct": ("/corrections", "nav_corrections"),
    "dismiss": ("/inbox", "nav_inbox"),
    "explain": ("/players", "find_player"),
    "export": ("/publications/{month}", "exports"),
    "find": ("/players", "find_player"),
    "import-list": ("/players#import-list", "import_list"),
    "import-players": ("/players#import", "import_players"),
    "letters": ("/publications/{month}", "letters"),
    "load": ("/inbox", "nav_inbox"),
    "log": ("/log", "nav_log"),
    "publish": ("/month/{month}", "preview"),
    "quarantine": ("/inbox", "nav_inbox"),
    "rate": ("/month/{month}", "calculate"),
    "rerate": ("/corrections#rerate", "rerate"),
    "retract": ("/log", "nav_log"),
    "rollback": ("/publications/{month}", "nav_publications"),
    "run": ("/", "nav_home"),
    "sign": ("/publications/{month}", "signature"),
    "site": ("/publications", "site"),
    "status": ("/", "nav_home"),
    "verify": ("/publications", "verify"),
}
"""The form of each command: its address, and the key of what it is called."""


def said(text: str, language: str = ENGLISH) -> Markup:
    """Return what a command said as a page shows it: as it is, no character unseen, and marked as English."""
    text = visible(text)
    return escape(text) if language == ENGLISH else Markup('<span lang="en">{}</span>').format(text)


def form_of(remedy: Mapping[str, Any], texts: Mapping[str, str]) -> Markup:
    """Return the form of the command that mends a doubt as a link; the command itself where the desk has none for it.

    ``remedy``: its ``command`` and ``arguments``, as ``--json`` has them.
    """
    typed = shlex.join(["ratinglist", remedy["command"], *remedy["arguments"]])
    if remedy["command"] not in _FORMS:
        return Markup("<code>{}</code>").format(typed)
    address, key = _FORMS[remedy["command"]]
    month = next((part for part in remedy["arguments"] if MONTH_NAME.fullmatch(part)), "")
    if "{month}" in address and not month:
        address = "/publications" if "publications" in address else "/"
    link = Markup('<a href="{}">{}</a>').format(address.format(month=month), texts[key])
    return Markup("{} <code>{}</code>").format(link, typed)


def word(code: str, texts: Mapping[str, str]) -> str:
    """Return what a form calls a code, such as a time control, or a month; the code where it has no word."""
    return texts.get(f"word_{code}", "") or month_text(str(code), texts)
