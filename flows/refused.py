"""The refused reports of a month as a page, for the artifact of the task that calculates it."""

from __future__ import annotations

from ratinglist.pages.document import Document, Table, as_markdown
from ratinglist.period import Period
from ratinglist.summaries import MonthSummary

_COLUMNS = ("file", "line", "column", "event_id", "says", "remedy")


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))
