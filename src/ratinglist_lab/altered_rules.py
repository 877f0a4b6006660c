"""A copy of a family's rule files with some values changed: what a what-if replays. No list of it is ever published."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError, RulesError
from ratinglist.rating.rules import RuleBook, shown

_WHOLE = re.compile(r"-?[0-9]+")
_MOST_DIGITS = 6
"""No value of a regulation has as many, and the numbers of a list have room for what is calculated with it."""
_ARTICLE = "what-if"


def parse_changes(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse ``section.key=value`` of every change.

    Raises :class:`CommandLineError` for a text without ``=``, and for a key that is changed twice.
    """
    changes: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or "." not in key:
            raise CommandLineError(f"--change {text}: write section.key=value, such as list.floor=1000.")
        if key.strip() in changes:
            raise CommandLineError(f"--change {text}: {key.strip()} is changed twice.")
        changes[key.strip()] = value.strip()
    return changes


def altered_name(family: str, changes: Mapping[str, str]) -> str:
    """Return the name of a changed family: ``fide+2`` for two changes."""
    return f"{family}+{len(changes)}"


def altered(book: RuleBook, family: str, changes: Mapping[str, str]) -> RuleBook:
    """Return the rule book with the changed family besides, named by :func:`altered_name`.

    Every rule set of the family gets the values, whatever its time control and date. Raises :class:`CommandLineError`
    for a key that the family has not, a value that the key does not allow, and changes that change nothing.
    """
    sets, name = book.of(family), altered_name(family, changes)
    _check_keys(family, list(sets[0].values()), changes)
    values = {key: _value(key, text) for key, text in changes.items()}
    if all(rule_set.values()[key] == value for rule_set in sets for key, value in values.items()):
        listed = ", ".join(f"{key}={text}" for key, text in changes.items())
        raise CommandLineError(f"The family '{family}' has these values already: {listed}. There is nothing to replay.")
    files = {
        path.replace(family, name, 1): _altered_file(text, name, values)
        for path, text in book.files.items()
        if path.startswith(f"{family}/")
    }
    changed = replace(book, files={**book.files, **files})
    try:
        changed.of(name)
    except RulesError as error:
        raise CommandLineError(f"--change: {str(error).removesuffix(' Fix the file.')}") from None
    return changed


def described(book: RuleBook, family: str, changes: Mapping[str, str], days: Sequence[date]) -> list[str]:
    """Return every change as ``key: before -> after``; several values before, where it changed within the days."""
    in_force = [rule_set for day in days for rule_set in book.in_force(family, day)]
    lines = []
    for key, value in changes.items():
        before = dict.fromkeys(shown(rule_set.values()[key]) for rule_set in in_force)
        lines.append(f"{key}: {', '.join(before)} -> {value}")
    return lines


def _check_keys(family: str, known: Sequence[str], changes: Mapping[str, str]) -> None:
    for key, text in changes.items():
        if key not in known:
            near = get_close_matches(key, known, n=3)
            meant = f" Did you mean {', '.join(near)}?" if near else ""
            raise CommandLineError(
                f"--change {key}={text}: the family '{family}' has no such value.{meant} "
                f"`ratinglist rules --rules {family}` shows all."
            )


def _value(key: str, text: str) -> int | bool | str:
    """Return a value as the rule files write it; raise :class:`CommandLineError` for a number that is too large."""
    if not _WHOLE.fullmatch(text):
        return {"true": True, "false": False}.get(text, text)
    if len(text.lstrip("-0")) > _MOST_DIGITS:
        raise CommandLineError(f"--change {key}={text[:20]}: a whole number has at most {_MOST_DIGITS} digits.")
    return int(text)


def _altered_file(text: str, name: str, values: Mapping[str, int | bool | str]) -> str:
    """Return the text of a rule file as one of the family ``name``, with other values."""
    content = {**strict_toml.parse(text), "family": name}
    for key, value in values.items():
        section, _, field = key.partition(".")
        content[section][field] = {"value": value, "article": _ARTICLE}
    lines = [f"{key} = {_toml(value)}" for key, value in content.items() if not isinstance(value, dict)]
    for section, cells in content.items():
        if isinstance(cells, dict):
            lines += [f"[{section}]", *(f"{key} = {_inline(cell)}" for key, cell in cells.items())]
    return "\n".join(lines)


def _inline(cell: Mapping[str, object]) -> str:
    return f"{{ {', '.join(f'{key} = {_toml(value)}' for key, value in cell.items())} }}"


def _toml(value: object) -> str:
    """Return a value as TOML writes it: a date plainly, a number, a flag and a text as JSON does."""
    return str(value) if isinstance(value, date) else json.dumps(value, ensure_ascii=False)
