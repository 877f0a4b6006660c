"""Run several months in one flow: a migration, or a re-rating after a correction of an old month.

The months run in sequence, because each list starts from the one before, and in one flow, because starting a flow costs
more than rating a month. Every step may be repeated: after a failure, call the flow again.
"""

from __future__ import annotations

from prefect import flow, task

from flows.monthly import compute_and_publish, renew_site, take_delivery
from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.summaries import MonthSummary, PublishSummary
from ratinglist.workflows import rerate as workflow


@flow(name="backfill", flow_run_name="lists {first} to {last}")
def backfill(
    first: str,
    last: str,
    reports: str | None = None,
    home: str | None = None,
    rules: str = "fide",
    received: str | None = None,
) -> list[tuple[MonthSummary, PublishSummary]]:
    """Load ``reports``, where given, then rate and publish every list from ``first`` to ``last``, both ``YYYY-MM``.

    ``reports`` may hold the reports of all months at once: what a list may count follows from the day each was
    received. Raises the errors of :mod:`ratinglist.errors`.
    """
    settings = Settings.read(home=home, family=rules)
    months = months_between(first, last)
    take_delivery(settings, reports, received)
    published = [compute_and_publish(settings, period) for period in months]
    renew_site(settings)
    return published


@flow(name="rerate", flow_run_name="lists from {start} again")
def rerate(start: str, home: str | None = None, rules: str = "fide") -> list[RevisedMonth]:
    """Calculate every list from ``start`` (``YYYY-MM``) on again, then publish those that changed, all or none.

    The calculation of each month is a task of its own. After an interruption, call the flow again. Raises the errors of
    :mod:`ratinglist.errors`.
    """
    settings = Settings.read(home=home, family=rules)
    months = workflow.months_to_rerate(settings, Period.parse(start))
    # Calculate all months before publishing one: an event may move from one list to another.
    for period in months:
        rate_again(settings, period)
    revised = publish_again(settings, Period.parse(start))
    renew_site(settings)
    return revised


@task(task_run_name="rate {period} again")
def rate_again(settings: Settings, period: Period) -> None:
    """Calculate one month again."""
    workflow.rate_again(settings, period)


@task(task_run_name="publish the lists from {start} again")
def publish_again(settings: Settings, start: Period) -> list[RevisedMonth]:
    """Publish every month from ``start`` on that changed as a new revision, all or none."""
    return workflow.publish_again(settings, start)


def months_between(first: str, last: str) -> list[Period]:
    """Return the months from ``first`` to ``last``, both included; :class:`CommandLineError` if there are none."""
    start, end = Period.parse(first), Period.parse(last)
    if end < start:
        raise CommandLineError(f"{first} is after {last}: write the earlier month first.")
    return [Period(index) for index in range(start.index, end.index + 1)]
