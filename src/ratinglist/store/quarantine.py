"""What is refused, why, and what to do about it: findings in the report itself, and verdicts of a list."""

from __future__ import annotations

import polars as pl

from ratinglist.findings import RULES
from ratinglist.period import Period
from ratinglist.reasons import EVENT_REASONS
from ratinglist.store.database import Store

_IN_PLACE = " (an accepted report of the event stands in its place)"
_OF_ITS_LINES = ("report_refused", "unknown_player")
"""Why an event is refused for what single lines of its report say."""
COLUMNS = ("file", "event_id", "line", "column", "value", "reason", "says", "remedy", "source")


def in_store(store: Store) -> list[dict[str, object]]:
    """Every refused report, and every accepted one with a player nobody has registered.

    A refused version is no longer shown once an accepted one of its event has come. Out: one entry per finding with
    :data:`COLUMNS`.
    """
    return [_told(row) for row in store.read("select * from unrateable_report").to_dicts()]


def of_reports(store: Store, report_ids: pl.Series) -> list[dict[str, object]]:
    """As :func:`in_store`, for these reports alone, and with those in whose place an accepted version stands.

    Somebody has just sent them, and is told why each is refused even where nothing waits for it.
    """
    with store.seeing(sent=pl.DataFrame([report_ids.alias("report_id")])):
        # The view has this order, but what is chosen from it need not keep it: of many rows, threads shuffle some
        # thousand.
        rows = store.read(
            """
            select * from unrateable_report semi join sent using (report_id)
            order by file_name, event_id, line, "column", rule, value
            """
        )
        in_place = store.read(
            """
            select report.report_id, report.file_name, report.event_id, finding.line, finding."column", finding.value,
                finding.rule, finding.detail
            from finding join report using (report_id) semi join sent using (report_id)
            where finding.effect = 'refused' and not report.accepted
            order by report.file_name, report.event_id, finding.line, finding."column", finding.rule, finding.value
            """
        ).join(rows, on="report_id", how="anti", maintain_order="left")
    return [
        *(_told(row) for row in rows.to_dicts()),
        *({**told, "says": f"{told['says']}{_IN_PLACE}"} for told in map(_told, in_place.to_dicts())),
    ]


def of_month(store: Store, period: Period) -> list[dict[str, object]]:
    """Every event a month's calculation refused, with the lines that refused it where there are any."""
    refused = store.read(
        """
        select event.report_id, event.event_id, event.reason, report.file_name
        from event join report using (report_id)
        where event.month = $month and event.status = 'refused'
        order by report.file_name, event.event_id
        """,
        month=str(period),
    )
    by_report: dict[object, list[dict[str, object]]] = {}
    # To look through every report ever received is dear, and mostly nothing was refused.
    if refused["reason"].is_in(_OF_ITS_LINES).any():
        for row in store.read("select * from unrateable_report").to_dicts():
            by_report.setdefault(row["report_id"], []).append(_told(row))
    told: list[dict[str, object]] = []
    for event in refused.to_dicts():
        reason = EVENT_REASONS[event["reason"]]
        lines = by_report.get(event["report_id"], []) if event["reason"] in _OF_ITS_LINES else []
        healed = event["reason"] == "unknown_player" and not lines
        told += lines or [
            {
                "file": event["file_name"],
                "event_id": event["event_id"],
                "line": None,
                "column": None,
                "value": "",
                "reason": event["reason"],
                "says": f"{reason.sentence}, then; all are now" if healed else reason.sentence,
                "remedy": "rate the next list, which takes it up" if healed else reason.remedy,
                "source": reason.article,
            }
        ]
    return told


def _told(row: dict[str, object]) -> dict[str, object]:
    rule = RULES[str(row["rule"])]
    words = {"value": row["value"], "detail": row["detail"]}
    return {
        "file": row["file_name"],
        "event_id": row["event_id"],
        "line": row["line"],
        "column": row["column"],
        "value": row["value"],
        "reason": row["rule"],
        "says": rule.sentence.format(**words),
        "remedy": rule.remedy.format(**words),
        "source": rule.source,
    }
