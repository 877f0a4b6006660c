"""What the dashboard shows of a month, as Markdown: its charts, its refused reports, and where it is published."""

from __future__ import annotations

from ratinglist.config import Settings
from ratinglist.pages.document import Code, Document, Entries, Table
from ratinglist.pages.markdown import as_markdown, embedded
from ratinglist.period import Period
from ratinglist.publication import checks
from ratinglist.publication.checked_month import current_calculation
from ratinglist.publication.report_document import charts_document
from ratinglist.store import player_history
from ratinglist.summaries import MonthSummary, PublishSummary
from ratinglist.workflows.opening import open_to_read

_COLUMNS = ("file", "line", "column", "event_id", "says", "remedy")


def charts_as_markdown(settings: Settings, period: Period) -> str:
    """Return the charts of a calculated month as Markdown with the pictures in it.

    Raises :class:`~ratinglist.errors.NothingReadError` where the month was not calculated.
    """
    with open_to_read(settings) as store:
        calculation = current_calculation(store, period)
        before = checks.lists_before(store, period, player_history.players_of(store, period))
        return as_markdown(charts_document(period, calculation.folder.read_tables(), before), embedded)


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))


def publication_as_markdown(settings: Settings, period: Period, published: PublishSummary) -> str:
    """Return where a list is published, its digest, where its refused reports are, and the report of its preview."""
    report = settings.previews / str(period) / "REPORT.md"
    stated = {
        "folder": published.path,
        "digest": published.digest,
        **({"report of the preview": f"{report}"} if report.is_file() else {}),
        "refused reports": f"ratinglist quarantine {period}",
    }
    entries = Entries.of((f"{what}: ", Code(value)) for what, value in stated.items())
    return as_markdown(Document(f"{period} published as {published.revision}", [entries]))
