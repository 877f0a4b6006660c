"""What a run leaves on the dashboard; its trouble never stops a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from prefect import get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.exceptions import PrefectException

from ratinglist.config import Settings
from ratinglist.markdown import cell
from ratinglist.period import Period
from ratinglist.summaries import MonthSummary, PreviewSummary, PublishSummary

_COLUMNS = ("file", "line", "column", "event_id", "says", "remedy")


def keep_month(period: Period, summary: MonthSummary) -> None:
    """Keep the counts of a month, and its refused reports."""
    _keep(create_table_artifact, key=f"list-{period}", table=summary.rows(), description=f"The list of {period}")
    text = refused_as_markdown(period, summary)
    _keep(create_markdown_artifact, key=f"refused-{period}", markdown=text, description="Refused reports")


def keep_charts(period: Period, markdown: str) -> None:
    """Keep the list in pictures."""
    _keep(create_markdown_artifact, key=f"charts-{period}", markdown=markdown, description="The list in pictures")


def keep_preview(period: Period, seen: PreviewSummary) -> None:
    """Keep the report of a preview."""
    key = f"preview-{period}"
    with _best_effort(key):
        report = Path(seen.report).read_text(encoding="utf-8")
        create_markdown_artifact(key=key, markdown=report, description=f"To be decided: {seen.digest}")


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
    _keep(create_markdown_artifact, key=f"published-{period}", markdown=text, description=published.digest)


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month as Markdown: a row per finding, with its place and what to do."""
    if not summary.refused:
        return f"# {period}: no report was refused\n"
    rows = [[_text(report.get(column)) for column in _COLUMNS] for report in summary.refused]
    lines = [_COLUMNS, ("---",) * len(_COLUMNS), *rows]
    title = f"# {period}: refused reports ({len(rows)})"
    return "\n".join([title, "", *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"


@contextmanager
def _best_effort(key: str) -> Iterator[None]:
    """Log where the dashboard refuses something, instead of failing the run: the list does not depend on it."""
    try:
        yield
    except (httpx.HTTPError, PrefectException, OSError) as error:
        get_run_logger().warning("The artifact %s was not kept on the dashboard: %s", key, error)


def _keep(create: Callable[..., Any], *, key: str, **content: Any) -> None:
    with _best_effort(key):
        create(key=key, **content)


def _text(value: object) -> str:
    return "" if value is None else cell(str(value))
