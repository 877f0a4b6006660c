"""A regulation with some values changed, in memory: what a what-if replays. No list of it is ever published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from difflib import get_close_matches

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError
from ratinglist.rating.fide_rules import list_rules
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet, shown

_WHOLE = re.compile(r"-?[0-9]+")
_LARGEST = 1_000_000
"""No value of a regulation is near it, and the numbers of a list have room for what is calculated with it."""
_ARTICLE = "what-if"


def parse_changes(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse ``section.key=value`` of every change.

    Raises :class:`CommandLineError` for a text without ``=``, and for a key that is changed twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or "." not in key:
            raise CommandLineError(f"--change {text}: write section.key=value, such as list.floor=1000.")
        if key.strip() in found:
            raise CommandLineError(f"--change {text}: {key.strip()} is changed twice.")
        found[key.strip()] = value.strip()
    return found


def altered_name(family: str, changes: Mapping[str, str]) -> str:
    """Return the name of a changed family: ``fide+2`` for two changes."""
    return f"{family}+{len(changes)}"


def altered(book: RuleBook, family: str, changes: Mapping[str, str]) -> RuleBook:
    """Return the rule book with the changed family besides, named by :func:`altered_name`.

    Every rule set of the family gets the values, whatever its time control and date. Raises :class:`CommandLineError`
    for a key that the family has not, a value that the key does not allow, and changes that change nothing.
    """
    sets = book.of(family)
    changed = [_altered(one, altered_name(family, changes), changes) for one in sets]
    if all(new.values() == old.values() for new, old in zip(changed, sets, strict=True)):
        values = ", ".join(f"{key}={value}" for key, value in changes.items())
        raise CommandLineError(f"The family '{family}' has these values already: {values}. There is nothing to replay.")
    tables = {*book.expected_score, *book.thousandths}
    for one in changed:
        table = one.values().get("expected_score.table")
        if table is not None and table not in tables:
            raise CommandLineError(f"--change: there is no table '{table}': choose one of {', '.join(sorted(tables))}.")
        if one.entry.performance_table not in book.performance:
            raise CommandLineError(f"--change: there is no table '{one.entry.performance_table}'.")
    return replace(book, made=(*book.made, *changed))


def described(book: RuleBook, family: str, changes: Mapping[str, str], days: Sequence[date]) -> list[str]:
    """Return every change as ``key: before -> after``; several values before, where it changed within the days."""
    in_force = [one for day in days for one in book.in_force(family, day)]
    lines = []
    for key, value in changes.items():
        before = dict.fromkeys(shown(one.values()[key]) for one in in_force)
        lines.append(f"{key}: {', '.join(before)} -> {value}")
    return lines


def _altered(rule_set: RuleSet, name: str, changes: Mapping[str, str]) -> RuleSet:
    sections = dict(rule_set.sections())
    known = rule_set.values()
    for key, text in changes.items():
        if key not in known:
            near = get_close_matches(key, known, n=3)
            meant = f" Did you mean {', '.join(near)}?" if near else ""
            raise CommandLineError(
                f"--change {key}={text}: the family '{rule_set.family}' has no such value.{meant} "
                f"`ratinglist rules --rules {rule_set.family}` shows all."
            )
        section, _, field = key.partition(".")
        try:
            sections[section] = strict_toml.checked(
                type(sections[section]), asdict(sections[section]) | {field: _value(text)}
            )
        except ValueError as error:
            raise CommandLineError(f"--change {key}={text}: {error}.") from None
    articles = {**rule_set.articles, **dict.fromkeys(changes, _ARTICLE)}
    if isinstance(rule_set, SystemRuleSet):
        own = replace(rule_set.own, **sections)
        return replace(rule_set, family=name, own=own, list=list_rules(own.list), articles=articles)
    return replace(rule_set, family=name, articles=articles, **sections)


def _value(text: str) -> int | bool | str:
    """Return a value as the rule files write it; raise :class:`ValueError` for a number that is too large."""
    if _WHOLE.fullmatch(text):
        # Python refuses to parse thousands of digits.
        if len(text.lstrip("-0")) > len(str(_LARGEST)) or abs(int(text)) > _LARGEST:
            raise ValueError(f"a whole number must be from {-_LARGEST:,} to {_LARGEST:,}")
        return int(text)
    return {"true": True, "false": False}.get(text, text)
