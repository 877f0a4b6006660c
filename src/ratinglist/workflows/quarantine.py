"""The command `ratinglist quarantine`: every report that is not rated, why, and what to do about it."""

from __future__ import annotations

from typing import Any

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.errors import NothingReadError
from ratinglist.pages.document import Document, Table
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import calculations, quarantine
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary
from ratinglist.workflows.opening import open_to_read

NOT_RATED = ("refused", "deferred", "late", "duplicate", "superseded")
"""The statuses of an event that `rate` and `run` count besides ``rated``."""

_COLUMNS = ("file", "line", "column", "event_id", "says", "remedy")


def quarantined(settings: Settings, period: Period | None = None) -> list[dict[str, object]]:
    """Return the reports that are not rated, with the remedies (:data:`~ratinglist.store.quarantine.COLUMNS`).

    ``period``: those that the calculation of that month did not rate, as `run` counts them. Without it: all that may
    still be rated, and what the newest calculation found late, duplicate or superseded for good. A report that the next
    list takes up is not among them. Sorted by file, event and line. Raises :class:`NothingReadError` where the month
    was not calculated, or its list was withdrawn.
    """
    with open_to_read(settings) as store:
        if period is None:
            return _in_store(store, settings)
        current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        return quarantine.of_month(store, period, NOT_RATED)


def _in_store(store: Store, settings: Settings) -> list[dict[str, object]]:
    statuses = counting_statuses(store, settings)
    newest = max(store.log.history.standing_calculations(), default="")
    settled = statuses.filter(event_status.is_settled(), pl.col("list_month") == newest, pl.col("status") != "rated")
    # Sorting is stable: the findings of a report stay in their order.
    rows = [quarantine.of_event(row) for row in settled.iter_rows(named=True)]
    rows += [finding for _, findings in open_reports(store, statuses) for finding in findings]
    return sorted(rows, key=lambda row: (str(row["file"]), str(row["event_id"])))


def counting_statuses(store: Store, settings: Settings) -> pl.DataFrame:
    """Return the status of every report that counts or may count (:func:`~ratinglist.analysis.event_status.statuses`).

    A report that another one has replaced, or that was set aside, is over.
    """
    every = event_status.statuses(store, rule_book(), settings.family).filter(pl.col("status") != "replaced")
    counting = quarantine.without_dismissed(store, event_status.without_replaced_versions(every))
    return counting.sort("file_name", "event_id", "received_on", "report_id")


def open_reports(store: Store, statuses: pl.DataFrame) -> list[tuple[dict[str, Any], list[dict[str, object]]]]:
    """Return the reports that a list may still rate, each with what keeps it out: rows as of :func:`quarantined`.

    A report that the next list takes up has none.
    """
    rows = statuses.filter(~event_status.is_settled())
    findings = quarantine.by_report(store, rows["report_id"])
    reports = []
    for row in rows.iter_rows(named=True):
        lines = findings.get(row["report_id"], [])
        # Without a finding, a report whose time control was not known was loaded again with it.
        if lines or row["reason"] != "time_control_unknown":
            reports.append((row, lines or ([quarantine.of_event(row)] if row["reason"] else [])))
    return reports


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))
