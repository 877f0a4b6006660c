"""What changed in the regulations between two days, for people and for programs."""

from __future__ import annotations

from datetime import date

from ratinglist.errors import RulesError
from ratinglist.rating.rules import RuleBook, shown


def rule_changes(book: RuleBook, family: str, first: date, second: date) -> list[dict[str, object]]:
    """The differences between the rule sets in force on two days, one entry per time control and value.

    Out: ``time_control``, ``from`` and ``to`` (rule sets), ``key``, ``before``, ``after`` and the ``article`` of the
    later text. A time control without a text on the first day has one entry whose ``key`` is empty and whose ``from``
    is null. Raises :class:`RulesError` where nothing is in force on the second day, ``CommandLineError`` for an unknown
    family.
    """
    found: list[dict[str, object]] = []
    in_force = 0
    for time_control in book.time_controls(family):
        before, after = book.on(family, time_control, first), book.on(family, time_control, second)
        if after is None:
            continue
        in_force += 1
        ends: dict[str, object] = {
            "time_control": time_control,
            "from": before.name if before else None,
            "to": after.name,
        }
        if before is None:
            found.append(ends | {"key": "", "before": None, "after": None, "article": after.source})
        else:
            found += [ends | {"key": key} | change for key, change in after.changes_from(before).items()]
    if not in_force:
        raise RulesError(f"The family '{family}' has no rule set in force on {second}.")
    return found


def rule_changes_text(found: list[dict[str, object]]) -> str:
    """:func:`rule_changes` as text: a paragraph per time control, a line per value."""
    lines: list[str] = []
    heading = None
    for one in found:
        if (one["from"], one["to"]) != heading:
            heading = (one["from"], one["to"])
            lines += ["", f"{one['from'] or 'no text'} -> {one['to']}"]
        if one["key"]:
            change = f"{shown(one['before'])} -> {shown(one['after'])}"
            lines.append(f"  {one['key']:<48} {change:<44} {one['article']}")
    return "\n".join(lines[1:]) or "Nothing changed between the two days."
