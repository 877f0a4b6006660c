"""What a run leaves on the dashboard; its trouble never stops a list."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

from prefect import get_run_logger
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from ratinglist.config import Settings
from ratinglist.markdown import cell
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import MonthSummary, PreviewSummary, PublishSummary

LONG_SECONDS = 10.0
"""How long a step may take before its progress is shown."""

SHOWN_SECONDS = 2.0
"""How long at least a shown progress stays the same."""

_COLUMNS = ("file", "line", "column", "event_id", "says", "remedy")


def keep_month(period: Period, summary: MonthSummary) -> None:
    """Keep the counts of a month, and its refused reports."""
    key = f"list-{period}"
    with _best_effort(key):
        create_table_artifact(summary.rows(), key=key, description=f"The list of {period}")
    key = f"refused-{period}"
    with _best_effort(key):
        create_markdown_artifact(refused_as_markdown(period, summary), key=key, description="Refused reports")


def keep_charts(period: Period, markdown: str) -> None:
    """Keep the list in pictures."""
    key = f"charts-{period}"
    with _best_effort(key):
        create_markdown_artifact(markdown, key=key, description="The list in pictures")


def keep_preview(period: Period, seen: PreviewSummary) -> None:
    """Keep the report of a preview."""
    key = f"preview-{period}"
    with _best_effort(key):
        report = Path(seen.report).read_text(encoding="utf-8")
        create_markdown_artifact(report, key=key, description=f"To be decided: {seen.digest}")


def keep_publication(settings: Settings, period: Period, published: PublishSummary) -> None:
    """Keep where a list is published, with its digest, and where its report and the refused reports are."""
    text = "\n".join(
        [
            f"# {period} published as {cell(published.revision)}",
            "",
            f"- folder: `{published.path}`",
            f"- digest: `{published.digest}`",
            f"- report: `{settings.previews / str(period) / 'REPORT.md'}` (where the list was previewed)",
            f"- refused reports: `ratinglist quarantine {period}`",
            "",
        ]
    )
    key = f"published-{period}"
    with _best_effort(key):
        create_markdown_artifact(text, key=key, description=published.digest)


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month as Markdown: a row per finding, with its place and what to do."""
    if not summary.refused:
        return f"# {period}: no report was refused\n"
    rows = [[_text(report.get(column)) for column in _COLUMNS] for report in summary.refused]
    lines = [_COLUMNS, ("---",) * len(_COLUMNS), *rows]
    title = f"# {period}: refused reports ({len(rows)})"
    return "\n".join([title, "", *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"


@contextmanager
def shown_progress(settings: Settings, key: str) -> Iterator[Settings]:
    """Yield settings that show on the dashboard how far a step is, once it takes long.

    ``key``: of the progress artifact.
    """
    progress = _Progress(key)
    yield replace(settings, progress=progress)
    progress.end()


class _Progress:
    """Receives the progress of a step (:data:`~ratinglist.config.Progress`) and keeps it as an artifact."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._artifact: UUID | None = None
        self._next = time.monotonic() + LONG_SECONDS

    def __call__(self, step: str, done: int, of: int) -> None:
        if time.monotonic() >= self._next:
            self._keep(100 * min(done / of, 1), step)
            self._next = time.monotonic() + SHOWN_SECONDS

    def end(self) -> None:
        """Show that the step is done, if it was shown at all."""
        if self._artifact is not None:
            self._keep(100, "done")

    def _keep(self, percent: float, step: str) -> None:
        with _best_effort(self._key):
            if self._artifact is None:
                made: Any = create_progress_artifact(percent, key=self._key, description=step)
                self._artifact = made
            else:
                update_progress_artifact(self._artifact, percent, description=step)


@contextmanager
def _best_effort(key: str) -> Iterator[None]:
    """Log why an artifact could not be kept, instead of failing the run: the list does not depend on it."""
    try:
        yield
    except Exception as error:  # whatever it is: an ornament is missing, and the log states which one
        get_run_logger().warning("The artifact %s was not kept on the dashboard: %s", key, visible(repr(error)))


def _text(value: object) -> str:
    return "" if value is None else cell(str(value))
