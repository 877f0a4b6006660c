"""The command `ratinglist quarantine`: every report that is not rated, why, and what to do about it."""

from __future__ import annotations

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
    newest = max(store.log.history.standing_calculations(), default=None)
    statuses = quarantine.without_dismissed(
        store, event_status.without_replaced_versions(event_status.statuses(store, rule_book(), settings.family))
    )
    findings = quarantine.by_report(store, statuses["report_id"])
    rows: list[dict[str, object]] = []
    for row in statuses.sort("file_name", "event_id", "received_on", "report_id").iter_rows(named=True):
        is_settled = row["status"] in event_status.SETTLED or row["reason"] == "withdrawn"
        if row["status"] in ("rated", "replaced") or (is_settled and row["list_month"] != newest):
            continue
        lines = [] if is_settled else findings.get(row["report_id"], [])
        if not lines and row["reason"] == "time_control_unknown":
            continue  # it was loaded again with its time control
        if lines or row["reason"]:
            rows += lines or [quarantine.of_event(row["file_name"], row["event_id"], row["status"], row["reason"])]
    return rows


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))
