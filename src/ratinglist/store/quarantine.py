"""The quarantine: refused reports and events, each with the reason and the remedy.

A report is refused by findings in its own lines, an event by the verdict of a list.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist.findings import RULES
from ratinglist.period import Period
from ratinglist.reasons import EVENT_REASONS
from ratinglist.store.database import Store

_REPLACED = " (the event has another, accepted report)"
_REASONS_WITH_LINES = ("report_refused", "unknown_player", "time_control_unknown")
"""The reasons of an event that come from single lines of its report."""
WAITING = ("unknown_player", "time_control_unknown")
"""Findings, and reasons of an event, for which a report waits: a fact is missing, and the report is whole."""
COLUMNS = ("file", "event_id", "line", "column", "value", "reason", "says", "remedy", "source", "status")


def in_store(store: Store) -> dict[str, list[dict[str, object]]]:
    """Return the findings of every refused report, and of every accepted one that waits (:data:`WAITING`).

    A refused version is left out once its event has an accepted one. Out: by ``report_id``, a row of :data:`COLUMNS`
    per finding. Two reports may have one file name and one event code.
    """
    found: dict[str, list[dict[str, object]]] = {}
    for row in store.read("select * from unrateable_report").to_dicts():
        found.setdefault(row["report_id"], []).append(_finding(row))
    return found


def of_reports(store: Store, report_ids: pl.Series) -> list[dict[str, object]]:
    """Return the findings of these reports, as :func:`by_report` does, in one sequence."""
    return [row for rows in by_report(store, report_ids).values() for row in rows]


def by_report(store: Store, report_ids: pl.Series) -> dict[str, list[dict[str, object]]]:
    """Return the findings of these reports, as :func:`in_store`, and of those whose event has an accepted version.

    The officer needs the reason of every refusal of a report that was just delivered, or that no list has rated.
    """
    with store.seeing(sent=pl.DataFrame([report_ids.alias("report_id")])):
        # The view is sorted, but a semi join does not keep the order of many rows on several threads.
        rows = store.read(
            """
            select * from unrateable_report semi join sent using (report_id)
            order by file_name, event_id, line, "column", rule, value
            """
        )
        replaced = store.read(
            """
            select report.report_id, report.file_name, report.event_id, finding.line, finding."column", finding.value,
                finding.rule, finding.detail
            from finding join report using (report_id) semi join sent using (report_id)
            anti join dismissed_report using (report_id)
            where finding.effect = 'refused' and not report.accepted
            order by report.file_name, report.event_id, finding.line, finding."column", finding.rule, finding.value
            """
        ).join(rows, on="report_id", how="anti", maintain_order="left")
    found: dict[str, list[dict[str, object]]] = {}
    for row in rows.to_dicts():
        found.setdefault(row["report_id"], []).append(_finding(row))
    for row in replaced.to_dicts():
        finding = _finding(row)
        found.setdefault(row["report_id"], []).append({**finding, "says": f"{finding['says']}{_REPLACED}"})
    return found


def of_month(store: Store, period: Period, statuses: Sequence[str] = ("refused",)) -> list[dict[str, object]]:
    """Return the events to which a month's calculation gave one of ``statuses``, by default those it refused.

    A report that was set aside is left out. Out: a row per finding where there are any, else one row of
    :data:`COLUMNS`.
    """
    refused = store.read(
        """
        select event.report_id, event.event_id, event.status, event.reason, report.file_name
        from event join report using (report_id)
        anti join dismissed_report using (report_id)
        where event.month = $month and event.status in (select unnest($statuses))
        order by report.file_name, event.event_id
        """,
        month=str(period),
        statuses=list(statuses),
    )
    # Reading the findings of all reports is expensive, and most months refuse nothing.
    findings = in_store(store) if refused["reason"].is_in(_REASONS_WITH_LINES).any() else {}
    rows: list[dict[str, object]] = []
    for event in refused.to_dicts():
        lines = findings.get(event["report_id"], []) if event["reason"] in _REASONS_WITH_LINES else []
        is_solved = event["reason"] == "unknown_player" and not lines
        rows += lines or [of_event(event["file_name"], event["event_id"], event["status"], event["reason"])]
        if is_solved:
            rows[-1]["says"] = f"{rows[-1]['says']}, then; all are now"
            rows[-1]["remedy"] = "rate the next list, which takes it up"
    return rows


def of_event(file_name: str, event_id: str, status: str, reason: str) -> dict[str, object]:
    """Return what a list decided on a report as a row of :data:`COLUMNS`."""
    found = EVENT_REASONS[reason]
    return {
        "file": file_name,
        "event_id": event_id,
        "line": None,
        "column": None,
        "value": "",
        "reason": reason,
        "says": found.sentence,
        "remedy": found.remedy,
        "source": found.article,
        "status": "waiting" if reason in WAITING else status,
    }


def _finding(row: dict[str, object]) -> dict[str, object]:
    """Return a finding as a row of :data:`COLUMNS`: ``refused`` or ``waiting``."""
    rule = RULES[str(row["rule"])]
    values = {"value": row["value"], "detail": row["detail"]}
    return {
        "file": row["file_name"],
        "event_id": row["event_id"],
        "line": row["line"],
        "column": row["column"],
        "value": row["value"],
        "reason": row["rule"],
        "says": rule.sentence.format(**values),
        "remedy": rule.remedy.format(**values),
        "source": rule.source,
        "status": "waiting" if row["rule"] in WAITING else "refused",
    }
