"""Show the reports received: what became of each, and one with the lines that are wrong and what its arbiter has to do.

No date of birth leaves this module: in a line of a report it is masked, and a finding has the text of the letters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import polars as pl

from ratinglist import births
from ratinglist.analysis import event_status
from ratinglist.analysis.letter import ReportResult, is_made_code, letter_text
from ratinglist.errors import NothingReadError
from ratinglist.findings import RULES
from ratinglist.messages import EVENT_REASONS, STATUS_SENTENCES, WAITING
from ratinglist.reports import decode
from ratinglist.settings import Settings
from ratinglist.store import quarantine
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.letters import arbiter, by_report, report_findings, template_of
from ratinglist.workflows.opening import open_to_read

CONTEXT = 2
"""How many lines before and after a wrong one are shown."""
_KEY_DIGITS = 16
FACTS = (
    *("event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
    *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
)
"""What a manifest can say of a report, as the store has it."""


@dataclass(frozen=True, slots=True)
class Received:
    """A report received. ``key``: names it in an address. ``file``: its name without folders.

    ``state``: ``ready`` for the next list, ``rated``, ``refused``, ``waits``, ``dismissed``, ``withdrawn``, or another
    status of an event. ``reason``, ``says`` and ``remedy``: why, as a code and in words, and what to do; empty where
    nothing is to be said. ``until``: the last day on which a list may still rate it.
    """

    key: str
    report_id: str
    sha256: str
    file: str
    event_id: str
    event: str
    state: str
    reason: str
    says: str
    remedy: str
    list_month: str
    received_on: str
    until: str
    findings: Sequence[Mapping[str, Any]] = ()

    @property
    def needs_a_hand(self) -> bool:
        """Return whether an officer has something to do."""
        return self.state in ("refused", "waits")


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

    report: Received
    facts: Mapping[str, str]
    places: Sequence[tuple[str, str, str, Sequence[ReportLine]]]
    letter: str
    unknown: Sequence[tuple[int, str, str, str]] = ()
    data: bytes = field(default=b"", repr=False)


def received(settings: Settings) -> list[Received]:
    """Return the reports that count or may count: those that need a hand first, then the newest."""
    with open_to_read(settings) as store:
        rows = event_status.statuses(store, rule_book(), settings.family)
        rows = event_status.without_replaced_versions(rows).filter(pl.col("status") != "replaced")
        found = _described(store, _without_doubles(store, rows))
    # Sorting is stable: by name, then the newest, then those that need a hand.
    found.sort(key=lambda one: one.file)
    found.sort(key=lambda one: (one.list_month or "9999", one.received_on), reverse=True)
    found.sort(key=lambda one: not one.needs_a_hand)
    return found


def opened_report(
    settings: Settings, reports: Sequence[Received], key: str, month: str, language: str = "en"
) -> OpenedReport:
    """Return the one of the ``reports`` received that has this key.

    ``month``: the next list, which the letter names. Raises :class:`NothingReadError` where there is none.
    """
    report = next((one for one in reports if one.key == key), None)
    with open_to_read(settings) as store:
        number = {"report_id": report.report_id if report else ""}
        stored = store.read("select * from report where report_id = $report_id", **number).to_dicts()
        if report is None or not stored:
            raise NothingReadError("No report has this address any more: it was received again, or undone.")
        unknown = store.rows(
            "select fide_id, name, federation, sex from unknown_player where report_id = $report_id order by line",
            **number,
        )
        is_it = pl.col("report_id") == report.report_id
        refused = by_report(*(report_findings(store, which).filter(is_it) for which in ("refused", "unknown")))
    path = settings.reports / report.sha256
    data = path.read_bytes() if path.is_file() else b""
    # The rows of a finding on an event of tables are those of the tables.
    lines = decode(data).text.splitlines() if stored[0]["report_format"] != "table" else []
    places = [(str(one["reason"]), one["says"], one["remedy"], _around(lines, one["line"])) for one in report.findings]
    stated = {name: _text(stored[0][name]) for name in FACTS}
    if is_made_code(stated["event_id"]):
        stated["event_id"] = ""
    if not report.needs_a_hand:
        return OpenedReport(report, stated, places, "", (), data)
    result = _result(report, stored[0], arbiter(path), month, refused.get(report.report_id, []))
    return OpenedReport(report, stated, places, letter_text(result, template_of(language)), unknown, data)


def _described(store: Store, rows: pl.DataFrame) -> list[Received]:
    """Return the reports with these statuses, in their order."""
    dismissed = set(store.read("select report_id from dismissed_report")["report_id"])
    findings = quarantine.by_report(store, rows["report_id"])
    return [_one(row, findings.get(row["report_id"], []), dismissed) for row in rows.iter_rows(named=True)]


def _without_doubles(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` without the reports whose file was loaded again, with other facts of a manifest.

    Of the same bytes, what lists looked at stays where one rated them; else what was loaded last.
    """
    numbered = rows.join(store.read("select report_id, report_no from report"), on="report_id", maintain_order="left")
    is_rated = (pl.col("status") == "rated").any().over("report_sha256")
    is_last = pl.col("report_no") == pl.col("report_no").max().over("report_sha256")
    stays = pl.when(is_rated).then(pl.col("list_month").is_not_null()).otherwise(is_last)
    return numbered.filter(stays).drop("report_no")


def _one(row: dict[str, Any], findings: list[dict[str, object]], dismissed: set[str]) -> Received:
    status, reason = row["status"], row["reason"]
    lines = [] if status in event_status.SETTLED or reason == "withdrawn" else [_public(one) for one in findings]
    decided = EVENT_REASONS.get(reason)
    says, remedy = (decided.sentence, row["missing"]) if decided else (STATUS_SENTENCES.get(status, ""), row["missing"])
    if row["report_id"] in dismissed:
        state = "dismissed"
    elif reason == "withdrawn":
        state = reason
    elif lines:
        state = "waits" if lines[0]["status"] == "waiting" else "refused"
        reason, says, remedy = (str(lines[0][name]) for name in ("reason", "says", "remedy"))
    elif status == "waiting" or reason == "unknown_player":
        # Every player is registered now: the next list takes it up.
        state, says, remedy = "ready", "", ""
    else:
        state = "waits" if reason in WAITING else status
    return Received(
        key=hashlib.sha256(row["report_id"].encode()).hexdigest()[:_KEY_DIGITS],
        report_id=row["report_id"],
        sha256=row["report_sha256"],
        file=PurePath(row["file_name"]).name,
        event_id=row["event_id"],
        event=row["name"],
        state=state,
        reason=reason,
        says=says,
        remedy=remedy,
        list_month=row["list_month"] or "",
        received_on=str(row["received_on"]),
        until=str(row["rateable_until"] or ""),
        findings=lines,
    )


def _public(finding: dict[str, object]) -> dict[str, object]:
    """Return a finding whose sentence has no date of birth."""
    code = str(finding["reason"])
    says = births.of_finding(code, str(finding["says"]))
    if says != births.WITHHELD:
        return {**finding, "says": says}
    texts = {"says": RULES[code].sentence, "remedy": RULES[code].remedy}
    return finding | {name: text.format(value=says, detail=says) for name, text in texts.items()}


def _around(lines: list[str], number: object) -> list[ReportLine]:
    """Return the line and those around it; none where the finding names no line."""
    if not isinstance(number, int):
        return []
    first, last = max(number - CONTEXT, 1), min(number + CONTEXT, len(lines))
    return [ReportLine(one, births.of_line(lines[one - 1]), one == number) for one in range(first, last + 1)]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return "" if value is None else str(value)


def _result(
    report: Received, facts: Mapping[str, Any], of_arbiter: str, month: str, findings: Sequence[Mapping[str, Any]]
) -> ReportResult:
    """Return what the letter on a report that needs a hand is made of; others get one when their list is calculated."""
    reasons = [str(one["reason"]) for one in report.findings if one["reason"] in EVENT_REASONS]
    return ReportResult(
        month=report.list_month or month,
        event_id=report.event_id,
        event=report.event,
        start_date=_text(facts["start_date"]),
        end_date=_text(facts["end_date"]),
        file=report.file,
        received_on=report.received_on,
        arbiter=of_arbiter,
        status="waiting" if report.state == "waits" else "refused",
        reason=reasons[0] if reasons else "",
        findings=findings,
    )
