"""What a run leaves on the dashboard; its trouble never stops a list."""

from __future__ import annotations

import re
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
from prefect.runtime import flow_run

from ratinglist.config import Settings
from ratinglist.pages.document import Code, Document, Entries, Table
from ratinglist.pages.markdown import as_markdown
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
    key = key_of(_settings(), "list", period)
    with _best_effort(key):
        create_table_artifact(summary.rows(), key=key, description=f"The list of {period}")
    key = key_of(_settings(), "refused", period)
    with _best_effort(key):
        create_markdown_artifact(refused_as_markdown(period, summary), key=key, description="Refused reports")


def keep_charts(period: Period, markdown: str) -> None:
    """Keep the list in pictures."""
    key = key_of(_settings(), "charts", period)
    with _best_effort(key):
        create_markdown_artifact(markdown, key=key, description="The list in pictures")


def keep_preview(period: Period, seen: PreviewSummary) -> None:
    """Keep the report of a preview."""
    key = key_of(_settings(), "preview", period)
    with _best_effort(key):
        report = Path(seen.report).read_text(encoding="utf-8")
        create_markdown_artifact(report, key=key, description=f"To be decided: {seen.digest}")


def keep_publication(settings: Settings, period: Period, published: PublishSummary) -> None:
    """Keep where a list is published, with its digest, where the refused reports are, and its report if it has one."""
    report = settings.previews / str(period) / "REPORT.md"
    stated = {
        "folder": published.path,
        "digest": published.digest,
        **({"report of the preview": f"{report}"} if report.is_file() else {}),
        "refused reports": f"ratinglist quarantine {period}",
    }
    entries = Entries.of((f"{what}: ", Code(value)) for what, value in stated.items())
    text = as_markdown(Document(f"{period} published as {published.revision}", [entries]))
    key = key_of(settings, "published", period)
    with _best_effort(key):
        create_markdown_artifact(text, key=key, description=published.digest)


def key_of(settings: Settings, kind: str, period: Period | None = None) -> str:
    """Return the key of an artifact: the name of the home, the rule family, the kind and the month.

    One server may have several offices, and an artifact is found by its key.
    """
    parts = (settings.home.resolve().name, settings.family, kind, "" if period is None else str(period))
    # Prefect allows only these characters.
    plain = (re.sub("[^a-z0-9]+", "-", one.lower()).strip("-") for one in parts)
    return "-".join(one for one in plain if one)


def _settings() -> Settings:
    """Return the settings by the parameters of the flow."""
    return Settings.read(home=flow_run.parameters.get("home"), family=flow_run.parameters.get("rules"))


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month as Markdown: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))


@contextmanager
def shown_progress(settings: Settings, step: str, period: Period | None = None) -> Iterator[Settings]:
    """Yield settings that show on the dashboard how far a step is, once it takes long.

    ``step``: what the key of the progress artifact names.
    """
    progress = _Progress(key_of(settings, f"progress-of-{step}", period))
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
