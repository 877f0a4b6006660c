"""Run one month's list as a Prefect flow: load, rate, publish.

The flow decides nothing about ratings. It adds retries while the store is in use, one run at a time, a schedule,
artifacts that an office reads without opening a file, and a pause for approval.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.runtime import flow_run

from flows.approval import PATIENT, wait_for_approval
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.markdown import cell
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import LoadSummary, MonthSummary, PublishSummary
from ratinglist.workflows import load as load_workflow
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import report as report_workflow
from ratinglist.workflows import site as site_workflow

SCHEDULE = "0 20 L * *"
"""20:00 UTC on the last day of every month: after the closing date (three days before the list takes effect) and on the
last day an official event may finish (7.1.3), before the list takes effect. ``L`` is the last day of any month."""


@task(task_run_name="load", **PATIENT)
def load(settings: Settings, paths: list[Path], received_on: date | None) -> LoadSummary:
    """Load reports into the store; safe to repeat."""
    return load_workflow.load(settings, paths, received_on)


@task(task_run_name="rate {period}", **PATIENT)
def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate the list of ``period`` into the store."""
    return rate_workflow.rate(settings, period)


@task(task_run_name="publish {period}", **PATIENT)
def publish(settings: Settings, period: Period) -> PublishSummary:
    """Check and publish the list of ``period``."""
    return publish_workflow.publish(settings, period)


@task(task_run_name="charts of {period}", **PATIENT)
def charts(settings: Settings, period: Period) -> str:
    """Draw the charts of the calculated list of ``period``, as Markdown."""
    return report_workflow.charts_as_markdown(settings, period)


@task(task_run_name="site", **PATIENT)
def make_site(settings: Settings) -> site_workflow.SiteSummary:
    """Make the office's site again, with what was published."""
    return site_workflow.site(settings)


@flow(name="monthly")
def monthly(
    month: str | None = None,
    reports: str | None = None,
    home: str | None = None,
    rules: str = "fide",
    received: str | None = None,
) -> tuple[MonthSummary, PublishSummary]:
    """Load ``reports``, where given, then rate and publish the list of ``month``.

    ``month`` is ``YYYY-MM``, by default the next list after the day this run was due. ``reports`` is a file, a
    directory or a zip; ``received`` the day its reports arrived, ``YYYY-MM-DD``. Raises the errors of
    :mod:`ratinglist.errors`.
    """
    settings = Settings.read(home=home, family=rules)
    period = Period.parse(month) if month else list_due(settings)
    take_delivery(settings, reports, received)
    published = compute_and_publish(settings, period)
    renew_site(settings)
    return published


def list_due(settings: Settings) -> Period:
    """Return the list that takes effect next after the day this run was due.

    A run delayed past midnight still calculates the list it was scheduled for, not the one a month later.
    """
    due: date = flow_run.scheduled_start_time.date()
    return Period.of(min(due, settings.today)) + 1


def take_delivery(settings: Settings, reports: str | None, received: str | None) -> None:
    """Load ``reports`` inside a flow, if there are any, and log the summary."""
    if reports is None:
        return
    try:
        received_on = date.fromisoformat(received) if received else None
    except ValueError:
        raise CommandLineError(f"received is '{received}': write YYYY-MM-DD.") from None
    get_run_logger().info(visible(load(settings, [Path(reports)], received_on).text()))


def compute_and_publish(settings: Settings, period: Period) -> tuple[MonthSummary, PublishSummary]:
    """Rate one month inside a flow, keep its artifacts, wait for approval where the office requires it, publish."""
    summary = rate(settings, period)
    create_table_artifact(key=f"list-{period}", table=summary.rows(), description=f"The list of {period}")
    create_markdown_artifact(
        key=f"refused-{period}", markdown=refused_as_markdown(period, summary), description="Refused reports"
    )
    create_markdown_artifact(
        key=f"charts-{period}",
        markdown=charts(settings, period),
        description="The list in pictures",
    )
    wait_for_approval(settings, period)
    return summary, publish(settings, period)


def renew_site(settings: Settings) -> None:
    """Make the site again inside a flow, where ``office.toml`` names a folder for it."""
    if site_workflow.site_folder(settings) is not None:
        get_run_logger().info(visible(make_site(settings).text()))


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month as Markdown: a row per finding, with what is wrong and the remedy."""
    columns = ("file", "event_id", "reason", "says", "remedy")
    if not summary.refused:
        return f"# {period}: no report was refused\n"
    rows = [[cell(report[column]) for column in columns] for report in summary.refused]
    lines = [columns, ("---",) * len(columns), *rows]
    title = f"# {period}: refused reports ({len(rows)})"
    return "\n".join([title, "", *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"
