"""What a run leaves on the dashboard; its trouble never stops a list."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from prefect import get_run_logger
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import MonthSummary, PreviewSummary
from ratinglist.workflows import report

LONG_SECONDS = 10.0
"""How long a step may take before its progress is shown."""

SHOWN_SECONDS = 2.0
"""How long at least a shown progress stays the same."""


def keep_month(settings: Settings, period: Period, summary: MonthSummary) -> None:
    """Keep the counts of a month, and its refused reports."""
    key = key_of(settings, f"list {period}")
    with _best_effort(key):
        create_table_artifact(summary.rows(), key=key, description=f"The list of {period}")
    keep(settings, f"refused {period}", report.refused_as_markdown(period, summary), "Refused reports")


def keep_preview(settings: Settings, seen: PreviewSummary) -> None:
    """Keep the report of a preview."""
    with _best_effort(seen.report):
        text = Path(seen.report).read_text(encoding="utf-8")
        keep(settings, f"preview {seen.month}", text, f"To be decided: {seen.digest}")


def keep(settings: Settings, what: str, markdown: str, description: str) -> None:
    """Keep a page. ``what``: its kind and month."""
    key = key_of(settings, what)
    with _best_effort(key):
        create_markdown_artifact(markdown, key=key, description=description)


def key_of(settings: Settings, what: str) -> str:
    """Return the key of an artifact: the name of the home, the rule family, and ``what`` it is.

    One server may have several offices, and an artifact is found by its key.
    """
    # Prefect allows only these characters.
    return re.sub("[^a-z0-9]+", "-", f"{settings.home.resolve().name} {settings.family} {what}".lower()).strip("-")


@contextmanager
def shown_progress(settings: Settings, step: str) -> Iterator[Settings]:
    """Yield settings that show on the dashboard how far a ``step`` is, once it takes long."""
    key, artifact, due = key_of(settings, f"progress of {step}"), list[UUID](), time.monotonic() + LONG_SECONDS

    def show(percent: float, text: str) -> None:
        with _best_effort(key):
            if artifact:
                update_progress_artifact(artifact[0], percent, description=text)
            else:
                artifact.append(create_progress_artifact(percent, key=key, description=text))  # type: ignore[arg-type] # not awaitable here

    def progress(text: str, done: int, of: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            show(100 * min(done / of, 1), text)
            due = time.monotonic() + SHOWN_SECONDS

    yield replace(settings, progress=progress)
    if artifact:
        show(100, "done")


@contextmanager
def _best_effort(key: str) -> Iterator[None]:
    """Log why an artifact could not be kept, instead of failing the run: the list does not depend on it."""
    try:
        yield
    except Exception as error:  # whatever it is: an ornament is missing, and the log states which one
        get_run_logger().warning("The artifact %s was not kept on the dashboard: %s", key, visible(repr(error)))
