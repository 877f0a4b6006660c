"""The command `ratinglist rules --diff`: what changed in the regulations between two days."""

from __future__ import annotations

from datetime import date

from ratinglist.errors import RulesError
from ratinglist.rating.rules import RuleBook, shown


def rule_changes(book: RuleBook, family: str, first: date, second: date) -> list[dict[str, object]]:
    """Return the differences between the rule sets in force on two days, one entry per time control and value.

    Out: ``time_control``, ``from`` and ``to`` (rule sets), ``key``, ``before``, ``after`` and the ``article`` of the
    later rule set. A time control without a rule set on the first day has one entry whose ``key`` is empty and whose
    ``from`` is null. Raises :class:`RulesError` where nothing is in force on the second day, ``CommandLineError`` for
    an unknown family.
    """
    changes: list[dict[str, object]] = []
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
            changes.append(ends | {"key": "", "before": None, "after": None, "article": after.source})
        else:
            changes += [ends | {"key": key} | change for key, change in after.changes_from(before).items()]
    if not in_force:
        raise RulesError(f"The family '{family}' has no rule set in force on {second}.")
    return changes


def rule_changes_text(changes: list[dict[str, object]]) -> str:
    """Format the entries of :func:`rule_changes`: a paragraph per time control, a line per value."""
    lines: list[str] = []
    heading = None
    for change in changes:
        if (change["from"], change["to"]) != heading:
            heading = (change["from"], change["to"])
            lines += ["", f"{change['from'] or 'no text'} -> {change['to']}"]
        if change["key"]:
            values = f"{shown(change['before'])} -> {shown(change['after'])}"
            lines.append(f"  {change['key']:<48} {values:<44} {change['article']}")
    return "\n".join(lines[1:]) or "Nothing changed between the two days."
