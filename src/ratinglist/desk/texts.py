"""The texts of the desk in a language, and how months, days and changes are written in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache

from markupsafe import Markup, escape

from ratinglist.files import resources

ENGLISH = "en"


@cache
def texts_of(language: str) -> Mapping[str, str]:
    """Return the texts of a language by key."""
    return tomllib.loads((resources.data("desk") / f"{language}.toml").read_text(encoding="utf-8"))


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
_ISO_MONTH = re.compile(r"(?<![\w/.-])\d{4}-\d{2}(?![\w/-]|\.\w)")
_WORD = (
    r'(?:--(?:preview|undo)\b|--[a-z-]+(?:[ =](?:"[^"]*"|[\w./=-]*[\w=](?:"[^"]*")?))?|"[^"]*"|[A-Z_]{2,}\b'
    r'|[A-Z]*\d[\w-]*|\w+=(?:"[^"]*"|\S*\w)|[\w./-]*\w\.\w{2,8}\b)'
)
_COMMAND = re.compile(
    rf"`([^`]+)`|(ratinglist [a-z-]+(?: (?:merge|player|report|result|undo|withdraw)\b)?(?: {_WORD})*)"
)
"""A command in a sentence, between backticks or as far as its words look like those of a command."""
_OPTION = re.compile(
    r"(?:Invalid value for )?'?--([a-z-]+)\b'?|Invalid value for '([A-Z_]+)'|(?<![\w/.])([a-z_]+)=(?=[^\s=])"
)
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
_FIELDS: Mapping[str, str] = {
    "from": "rerate_from",
    "id": "fide_id",
    "key": "key_file",
    "month": "list_month",
    "received": "received_on",
    "to": "back_to",
}
"""The key of the label of the field of an option or argument, where it is another than its name."""


def worded(text: str, texts: Mapping[str, str], language: str = ENGLISH) -> Markup:
    """Return a sentence of a command as a page says it: days in words, forms and fields in the place of commands.

    A sentence that says how a day is typed keeps its days; a file name or a rule set with a day in it stays as it is.
    """
    parts, at = [], 0
    for found in _COMMAND.finditer(text):
        parts += [_sentence(text[at : found.start()], text, texts), _form(found[1] or found[2], texts)]
        at = found.end()
    said = Markup("").join([*parts, _sentence(text[at:], text, texts)])
    return said if language == ENGLISH else Markup('<span lang="en">{}</span>').format(said)


def _sentence(part: str, text: str, texts: Mapping[str, str]) -> Markup:
    """Return a part of a sentence without commands. Its days are English, as it is."""
    if "YYYY-MM" not in text:
        part = _ISO_DAY.sub(lambda one: day_text(one[0], texts_of(ENGLISH)), part)
        part = _ISO_MONTH.sub(lambda one: month_text(one[0], texts_of(ENGLISH)), part)
    return escape(_OPTION.sub(lambda one: _field(one, texts), part))


def _field(found: re.Match[str], texts: Mapping[str, str]) -> str:
    """Return the label of a field in the place of the option, argument or key that it fills."""
    name = (found[1] or found[2] or found[3]).lower().replace("-", "_")
    label = texts.get(_FIELDS.get(name, name))
    if label is None:
        return found[0]
    return f"{label}: " if found[3] else f"“{label}”"


def _form(command: str, texts: Mapping[str, str]) -> Markup:
    """Return the form of a command as a link; the command where it has none."""
    if '="..."' in command:
        return escape(texts["below"])
    name = command.split()[1] if command.startswith("ratinglist ") else ""
    has_form = name in _FORMS and "--file" not in command and command.count("--id") < 2 and ".toml" not in command
    if not has_form:
        return Markup("<code>{}</code>").format(command)
    address, key = _FORMS[name]
    month = re.search(r"\b\d{4}-\d{2}\b", command)
    if "{month}" in address and month is None:
        address = "/publications" if "publications" in address else "/"
    return Markup('<a href="{}">{}</a>').format(address.format(month=month[0] if month else ""), texts[key])


def word(code: str, texts: Mapping[str, str]) -> str:
    """Return what a form calls a code, such as a time control, or a month; the code where it has no word."""
    return texts.get(f"word_{code}", "") or month_text(str(code), texts)


def signed(change: int | None) -> str:
    """Return a change with its sign, a true minus; an en dash where there is none."""
    if change is None:
        return "–"
    return f"{change:+}".replace("-", "−") if change else "0"
