"""Show the reports received: what became of each, and one with the lines that are wrong and what its arbiter has to do.

No date of birth leaves this module: in a line of a report it is masked, and a finding has the text of the letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from ratinglist.analysis.report_states import ReportState, report_states
from ratinglist.errors import NothingReadError
from ratinglist.findings import RULES, WITHHELD, of_finding, of_line
from ratinglist.messages import EVENT_REASONS
from ratinglist.reports import decode
from ratinglist.settings import Settings
from ratinglist.workflows.letters import (
    ReportResult,
    arbiter,
    findings_by_report,
    is_made_code,
    letter_text,
    template_of,
)
from ratinglist.workflows.opening import open_to_read

__all__ = ["FACTS", "OpenedReport", "ReportLine", "ReportState", "opened_report", "received"]

CONTEXT = 2
"""How many lines before and after a wrong one are shown."""
FACTS = (
    *("event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
    *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
)
"""What a manifest can say of a report, as the store has it."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line of a report, dates of birth masked. ``is_wrong``: a finding names it."""

    number: int
    text: str
    is_wrong: bool


@dataclass(frozen=True, slots=True)
class OpenedReport:
    """A report with what an officer needs to put it right.

    ``facts``: what is known of it, by column of a manifest. ``places``: of each finding the code, the sentence, the
    remedy and the lines around. ``letter``: to its arbiter. ``unknown``: FIDE ID, and name, federation and sex as the
    report states them, of the players who are not registered. ``data``: the bytes as received.
    """

    report: ReportState
    facts: Mapping[str, str]
    places: Sequence[tuple[str, str, str, Sequence[ReportLine]]]
    letter: str
    unknown: Sequence[tuple[int, str, str, str]] = ()
    data: bytes = field(default=b"", repr=False)


def received(settings: Settings) -> list[ReportState]:
    """Return the reports that count or may count: those that need a hand first, then the newest."""
    with open_to_read(settings) as store:
        reports = [_public(state) for state in report_states(store, settings.family)]
    # Sorting is stable: by name, then the newest, then those that need a hand.
    reports.sort(key=lambda report: report.file)
    reports.sort(key=lambda report: (report.list_month or "9999", report.received_on), reverse=True)
    reports.sort(key=lambda report: not report.needs_a_hand)
    return reports


def opened_report(
    settings: Settings, reports: Sequence[ReportState], key: str, month: str, language: str = "en"
) -> OpenedReport:
    """Return the one of the ``reports`` received that has this key.

    ``month``: the next list, which the letter names. Raises :class:`NothingReadError` where there is none.
    """
    report = next((report for report in reports if report.key == key), None)
    with open_to_read(settings) as store:
        number = {"report_id": report.report_id if report else ""}
        stored = store.read("select * from report where report_id = $report_id", **number).to_dicts()
        if report is None or not stored:
            raise NothingReadError("No report has this address any more: it was received again, or undone.")
        unknown = store.rows(
            "select fide_id, name, federation, sex from unknown_player where report_id = $report_id order by line",
            **number,
        )
        findings = findings_by_report(store, pl.Series([report.report_id])).get(report.report_id, [])
    path = settings.reports / report.sha256
    data = path.read_bytes() if path.is_file() else b""
    # The rows of a finding on an event of tables are those of the tables.
    lines = decode(data).text.splitlines() if stored[0]["report_format"] != "table" else []
    shown = report.findings if report.is_open else ()
    places = [(str(row["reason"]), row["says"], row["remedy"], _around(lines, row["line"])) for row in shown]
    stated = {name: _text(stored[0][name]) for name in FACTS}
    if is_made_code(stated["event_id"]):
        stated["event_id"] = ""
    if not report.needs_a_hand:
        return OpenedReport(report, stated, places, "", (), data)
    result = _result(report, stored[0], arbiter(path), month, findings)
    return OpenedReport(report, stated, places, letter_text(result, template_of(language)), unknown, data)


def _public(report: ReportState) -> ReportState:
    """Return a report in whose sentences no date of birth is left."""
    findings = [_without_births(finding) for finding in report.findings]
    if not report.is_open:
        return replace(report, findings=findings)
    return replace(report, says=findings[0]["says"], remedy=findings[0]["remedy"], findings=findings)


def _without_births(finding: Mapping[str, Any]) -> dict[str, Any]:
    code = str(finding["reason"])
    says = of_finding(code, str(finding["says"]))
    if says != WITHHELD:
        return {**finding, "says": says}
    texts = {"says": RULES[code].sentence, "remedy": RULES[code].remedy}
    return {**finding, **{name: text.format(value=says, detail=says) for name, text in texts.items()}}


def _around(lines: list[str], number: object) -> list[ReportLine]:
    """Return the line and those around it; none where the finding names no line."""
    if not isinstance(number, int):
        return []
    first, last = max(number - CONTEXT, 1), min(number + CONTEXT, len(lines))
    return [ReportLine(place, of_line(lines[place - 1]), place == number) for place in range(first, last + 1)]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return "" if value is None else str(value)


def _result(
    report: ReportState, facts: Mapping[str, Any], of_arbiter: str, month: str, findings: Sequence[Mapping[str, Any]]
) -> ReportResult:
    """Return what the letter on a report that needs a hand is made of; others get one when their list is calculated."""
    reasons = [str(finding["reason"]) for finding in report.findings if finding["reason"] in EVENT_REASONS]
    return ReportResult(
        month=report.list_month or month,
        event_id=report.event_id,
        event=report.event,
        start_date=_text(facts["start_date"]),
        end_date=_text(facts["end_date"]),
        file=report.file,
        received_on=str(report.received_on),
        arbiter=of_arbiter,
        status="waiting" if report.state == "waits" else "refused",
        reason=reasons[0] if reasons else "",
        findings=findings,
    )
