"""The letter about one report to its arbiter: rated, refused or waiting, why, and what to do.

The texts are a template of one language (``data/letters/<language>.toml``). A reason, a finding or a reason of a game
without a text of its own in the template has the English text of the catalogue. No birth date gets into a letter: a
finding shows no text of a line that may hold one, and no date besides those of the event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ratinglist import births
from ratinglist.findings import RULES
from ratinglist.messages import EVENT_REASONS, GAME_REASONS
from ratinglist.text import on_one_line

_OF_THE_OFFICE = frozenset(
    {"unseen_character", "encoding_assumed", "padded_by_bytes", "default_registration", "office_time_control"}
    | {"official_event"}
)
"""Notes that tell an arbiter nothing: the file was read all the same, or the office decides."""
_MADE_CODE = re.compile("[0-9a-f]{16}")


Template = Mapping[str, Any]
"""The texts of a letter in one language, as its file has them; words in braces are filled in."""


@dataclass(frozen=True, slots=True)
class ReportResult:
    """What became of one report on the list of a month.

    ``file``: its name without folders. ``arbiter``: empty where the report names none. ``status`` and ``reason``: as in
    ``events``. ``findings`` and ``notes``: rows with ``line``, ``column``, ``value``, ``detail`` and ``rule``.
    ``results``: of players in games; ``not_rated``: how many were not rated, by reason. ``last_list`` and ``until``:
    the last list that can rate it, and its closing date; empty where there is none.
    """

    month: str
    event_id: str
    event: str
    start_date: str
    end_date: str
    file: str
    received_on: str
    arbiter: str
    status: str
    reason: str
    findings: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[Mapping[str, Any]] = ()
    results: int = 0
    rated: int = 0
    not_rated: Mapping[str, int] = field(default_factory=dict)
    last_list: str = ""
    until: str = ""


def letter_text(result: ReportResult, template: Template) -> str:
    """Return the letter about one report."""
    lines = [
        template["to"].format(arbiter=_plain(result.arbiter) or template["no_arbiter"]),
        template["report"].format(
            event=_event(result), days=_days_between(result.start_date, result.end_date, template)
        ),
        template["file"].format(file=_plain(result.file), received_on=result.received_on),
        "",
        template["status"][result.status].format(month=result.month),
    ]
    if why := _why(result, template):
        lines += ["", f"{template['why']}:", *why]
    if result.until:
        lines += ["", template["until"].format(last_list=result.last_list, until=result.until)]
    if result.results:
        lines += ["", template["results"].format(rated=result.rated, results=result.results)]
        lines += [
            "- " + template["results_not_rated"].format(count=count, why=_of_game(reason, template))
            for reason, count in sorted(result.not_rated.items())
        ]
    if notes := [note for note in result.notes if note["rule"] not in _OF_THE_OFFICE]:
        lines += ["", f"{template['notes']}:", *_findings(notes, template)]
    return "\n".join([*lines, "", template["signature"], ""])


def is_made_code(code: str) -> bool:
    """Return whether the code of an event is the beginning of a digest: its report came without one."""
    return _MADE_CODE.fullmatch(code) is not None


def _event(result: ReportResult) -> str:
    """Return the name of the event and its code, unless that is a digest that the program made."""
    name, code = _plain(result.event), _plain(result.event_id)
    return name if name and is_made_code(code) else f"{name} ({code})" if name else code


def _days_between(first: str, last: str, template: Template) -> str:
    start, end = (day or template["unknown_date"] for day in (first, last))
    if start == end:
        return str(template["one_day"].format(day=start))
    return str(template["days"].format(start_date=start, end_date=end))


def _why(result: ReportResult, template: Template) -> list[str]:
    """Return the findings that refuse the report, else the reason of the list; nothing where it is rated."""
    if result.findings:
        return _findings(result.findings, template)
    if not result.reason:
        return []
    own, reason = template["reasons"].get(result.reason, {}), EVENT_REASONS[result.reason]
    remedy = own.get("remedy", reason.remedy)
    return [f"- {own.get('sentence', reason.sentence)}", "  " + template["remedy"].format(remedy=remedy)]


def _findings(rows: Sequence[Mapping[str, Any]], template: Template) -> list[str]:
    lines = []
    for row in rows:
        own, rule = template["findings"].get(row["rule"], {}), RULES[row["rule"]]
        values = {name: _plain(births.of_finding(row["rule"], row[name])) for name in ("value", "detail")}
        place = ""
        if row["line"] is not None:
            form = template["place_line"] if row["column"] is None else template["place_column"]
            place = form.format(line=row["line"], column=row["column"]) + ": "
        lines.append(f"- {place}{own.get('sentence', rule.sentence).format(**values)}")
        remedy = own.get("remedy", rule.remedy).format(**values)
        lines.append("  " + template["remedy"].format(remedy=remedy))
    return lines


def _of_game(reason: str, template: Template) -> str:
    return str(template.get("games", {}).get(reason, {}).get("sentence", GAME_REASONS[reason].sentence))


def _plain(text: str) -> str:
    return on_one_line(text.strip())
