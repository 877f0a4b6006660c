"""The commands `ratinglist quarantine` and `event`: what became of reports, why, and what to do about it."""

from __future__ import annotations

from typing import Any

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.errors import NothingReadError
from ratinglist.messages import GAME_REASONS
from ratinglist.pages.document import Document, Table
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import calculations, quarantine
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary, finding_line
from ratinglist.workflows import named
from ratinglist.workflows.load import rivals
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
            # Without one, all players of a report that waited for them are registered by now.
            is_ready = row["reason"] in ("", "unknown_player")
            reports.append((row, lines or ([] if is_ready else [quarantine.of_event(row)])))
    return reports


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))


_FINDINGS_SHOWN = 5


def event_notes(settings: Settings, event_id: str) -> list[str]:
    """Return what an officer must know of an event besides its status, as sentences.

    These are the first findings that keep its reports out of every list, how two reports of its newest version differ,
    the lists that rated it and count none of its results, the reports that were set aside, and the corrections that no
    list was calculated with yet, each with the command.
    """
    with open_to_read(settings) as store:
        reports = store.read("select report_id, version from report where event_id = $code", code=event_id)
        newest = reports.filter(pl.col("version") == pl.col("version").max())
        return [
            *map(finding_line, quarantine.of_reports(store, reports["report_id"])[:_FINDINGS_SHOWN]),
            *rivals(store, newest["report_id"]),
            *_without_results(store, event_id),
            *quarantine.dismissals_of_event(store, event_id),
            *event_status.pending_corrections_of_event(store, event_id),
        ]


def _without_results(store: Store, event_id: str) -> list[str]:
    """Return a sentence for each list that rated the event and counts none of its results, with the main reason."""
    rows = store.read(
        """
        with rated as (
            select event.month, event.event_id
            from event join report using (report_id)
            where report.event_id = $code and event.status = 'rated'
        ),
        counted as (
            select month, event_id, reason, count(*) as results
            from game semi join rated using (month, event_id)
            group by all
        )
        select month, sum(results)::bigint as results, arg_max(reason, results) as reason
        from counted
        group by month, event_id
        having count(*) filter (reason in ('', 'counts_for_entry', 'counts_for_promotion')) = 0
        order by all
        """,
        code=event_id,
    )
    return [
        f"the list of {month} counts none of its {results:,} results; the reason of most: "
        f"{GAME_REASONS[reason].sentence}"
        for month, results, reason in rows.iter_rows()
    ]


def event_code(settings: Settings, text: str) -> str:
    """Return the code of the event named (:func:`~ratinglist.workflows.named.event_named`)."""
    with open_to_read(settings) as store:
        return named.event_named(store, text)


def report_statuses(settings: Settings, event_id: str) -> pl.DataFrame:
    """Return the status of the reports of an event (see :func:`~ratinglist.analysis.event_status.statuses`).

    Raises :class:`NothingReadError` where no report was received.
    """
    with open_to_read(settings) as store:
        rows = event_status.statuses(store, rule_book(), settings.family, event_id)
    if rows.is_empty():
        raise NothingReadError(f"No report of an event '{event_id}' was received: check the code, or load its report.")
    return rows.drop("report_id")
