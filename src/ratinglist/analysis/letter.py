"""The letter about one report to its arbiter: rated, refused or waiting, why, and what to do.

The texts are a template of one language (``data/letters/<language>.toml``). A reason, a finding or a reason of a game
without a text of its own in the template has the English text of the catalogue. No birth date gets into a letter: a
finding shows no text of a line that may hold one, and no date besides those of the event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from string import Formatter
from typing import Any, ClassVar

from ratinglist import births, strict_toml
from ratinglist.findings import RULES
from ratinglist.reasons import EVENT_REASONS, GAME_REASONS
from ratinglist.strict_toml import Text
from ratinglist.text import on_one_line

_OF_THE_OFFICE = frozenset(
    {"unseen_character", "encoding_assumed", "padded_by_bytes", "default_registration", "office_time_control"}
    | {"official_event"}
)
"""Notes that tell an arbiter nothing: the file was read all the same, or the office decides."""
_MADE_CODE = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class CatalogueText:
    """The text of a code in another language, or for an arbiter; what is empty is taken from the catalogue."""

    sentence: Text = ""
    remedy: Text = ""


@dataclass(frozen=True, slots=True)
class StatusTexts:
    """The first sentence of a letter, by the status of the report."""

    rated: Text
    refused: Text
    waiting: Text
    deferred: Text
    late: Text
    duplicate: Text
    superseded: Text


@dataclass(frozen=True, slots=True)
class LetterTemplate:
    """The texts of a letter in one language; words in braces are filled in."""

    __pydantic_config__: ClassVar = strict_toml.FORBID_UNKNOWN_KEYS

    to: Text
    no_arbiter: Text
    report: Text
    days: Text
    one_day: Text
    file: Text
    why: Text
    place_line: Text
    place_column: Text
    remedy: Text
    results: Text
    results_not_rated: Text
    notes: Text
    until: Text
    signature: Text
    unknown_date: Text
    status: StatusTexts
    reasons: dict[str, CatalogueText] = field(default_factory=dict)
    findings: dict[str, CatalogueText] = field(default_factory=dict)
    games: dict[str, CatalogueText] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise :class:`ValueError` for an unknown code, and for braces that cannot be filled in."""
        for section, known in (("reasons", EVENT_REASONS), ("findings", RULES), ("games", GAME_REASONS)):
            if unknown := sorted(set(getattr(self, section)) - set(known)):
                raise ValueError(f"unknown code {strict_toml.as_toml(unknown[0])} in [{section}]")
        for name, text in _texts(self):
            allowed = _FILLED_IN[name] if name in _FILLED_IN else _FILLED_IN[name.partition(".")[0]]
            if (wrong := _wrong_braces(text, allowed)) is not None:
                raise ValueError(f"'{name}' has {wrong}; it may have {', '.join(f'{{{one}}}' for one in allowed)}")


_FILLED_IN: Mapping[str, tuple[str, ...]] = {
    "to": ("arbiter",),
    "report": ("event", "days"),
    "days": ("start_date", "end_date"),
    "one_day": ("day",),
    "file": ("file", "received_on"),
    "place_line": ("line",),
    "place_column": ("line", "column"),
    "remedy": ("remedy",),
    "results": ("rated", "results"),
    "results_not_rated": ("count", "why"),
    "until": ("last_list", "until"),
    "status": ("month",),
    "findings": ("value", "detail"),
    **dict.fromkeys(("no_arbiter", "why", "notes", "signature", "unknown_date", "reasons", "games"), ()),
}
"""The words that a text may have in braces, by its key or its section."""


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


def parse_template(text: str) -> LetterTemplate:
    """Return the template of a TOML ``text``; raise :class:`ValueError` with one sentence where it is wrong."""
    return strict_toml.checked(LetterTemplate, strict_toml.parse(text))


def letter_text(result: ReportResult, template: LetterTemplate) -> str:
    """Return the letter about one report."""
    lines = [
        template.to.format(arbiter=_plain(result.arbiter) or template.no_arbiter),
        template.report.format(event=_event(result), days=_days_between(result.start_date, result.end_date, template)),
        template.file.format(file=_plain(result.file), received_on=result.received_on),
        "",
        getattr(template.status, result.status).format(month=result.month),
    ]
    if why := _why(result, template):
        lines += ["", f"{template.why}:", *why]
    if result.until:
        lines += ["", template.until.format(last_list=result.last_list, until=result.until)]
    if result.results:
        lines += ["", template.results.format(rated=result.rated, results=result.results)]
        lines += [
            "- " + template.results_not_rated.format(count=count, why=_text(template.games, reason, "sentence"))
            for reason, count in sorted(result.not_rated.items())
        ]
    if notes := [note for note in result.notes if note["rule"] not in _OF_THE_OFFICE]:
        lines += ["", f"{template.notes}:", *_findings(notes, template)]
    return "\n".join([*lines, "", template.signature, ""])


def is_made_code(code: str) -> bool:
    """Return whether the code of an event is the beginning of a digest: its report came without one."""
    return _MADE_CODE.fullmatch(code) is not None


def _event(result: ReportResult) -> str:
    """Return the name of the event and its code, unless that is a digest that the program made."""
    name, code = _plain(result.event), _plain(result.event_id)
    return name if name and is_made_code(code) else f"{name} ({code})" if name else code


def _days_between(first: str, last: str, template: LetterTemplate) -> str:
    start, end = (day or template.unknown_date for day in (first, last))
    if start == end:
        return template.one_day.format(day=start)
    return template.days.format(start_date=start, end_date=end)


def _why(result: ReportResult, template: LetterTemplate) -> list[str]:
    """Return the findings that refuse the report, else the reason of the list; nothing where it is rated."""
    if result.findings:
        return _findings(result.findings, template)
    if not result.reason:
        return []
    own, found = template.reasons.get(result.reason, CatalogueText()), EVENT_REASONS[result.reason]
    remedy = own.remedy or found.remedy
    return [f"- {own.sentence or found.sentence}", f"  {template.remedy.format(remedy=remedy)}"]


def _findings(rows: Sequence[Mapping[str, Any]], template: LetterTemplate) -> list[str]:
    lines = []
    for row in rows:
        own, rule = template.findings.get(row["rule"], CatalogueText()), RULES[row["rule"]]
        values = {name: _plain(births.of_finding(row["rule"], row[name])) for name in ("value", "detail")}
        place = ""
        if row["line"] is not None:
            form = template.place_line if row["column"] is None else template.place_column
            place = form.format(line=row["line"], column=row["column"]) + ": "
        lines.append(f"- {place}{(own.sentence or rule.sentence).format(**values)}")
        lines.append(f"  {template.remedy.format(remedy=(own.remedy or rule.remedy).format(**values))}")
    return lines


def _text(own: Mapping[str, CatalogueText], reason: str, part: str) -> str:
    found = getattr(own.get(reason, CatalogueText()), part) or getattr(GAME_REASONS[reason], part)
    return str(found)


def _plain(text: str) -> str:
    return on_one_line(text.strip())


def _texts(template: LetterTemplate) -> list[tuple[str, str]]:
    texts = [(one.name, getattr(template, one.name)) for one in fields(template)]
    found = [(name, text) for name, text in texts if isinstance(text, str)]
    found += [(f"status.{one.name}", getattr(template.status, one.name)) for one in fields(template.status)]
    for section in ("reasons", "findings", "games"):
        for code, one in getattr(template, section).items():
            found += [(f"{section}.{code}.sentence", one.sentence), (f"{section}.{code}.remedy", one.remedy)]
    return found


def _wrong_braces(text: str, allowed: Sequence[str]) -> str | None:
    """Return what a text has in braces that is not allowed; None where nothing is."""
    try:
        found = [(name, form, conversion) for _, name, form, conversion in Formatter().parse(text) if name is not None]
    except ValueError:
        return "a brace without its other half"
    for name, form, conversion in found:
        if name not in allowed or form or conversion:
            return f"{{{name}}}"
    return None
