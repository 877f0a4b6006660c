"""Run several months in one flow: a migration, or a re-rating after a correction of an old month.

The months run in sequence, because each list starts from the one before, and in one flow, because starting a flow costs
more than rating a month. Every step may be repeated: after a failure, call the flow again.
"""

from __future__ import annotations

from typing import Any, cast

from prefect import flow

from flows.hooks import HOOKS
from flows.monthly import Published, compute_and_publish, ended, renew_site, take_delivery
from flows.tasks import find_calculated, publish_again, rate_again, state_of
from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.workflows import rate as rate_workflow


@flow(name="backfill", flow_run_name="lists {first} to {last}", **HOOKS)
def backfill(
    first: str,
    last: str,
    reports: str | None = None,
    home: str | None = None,
    rules: str = "fide",
    received: str | None = None,
) -> list[Published]:
    """Load ``reports``, where given, then rate and publish every list of the family from ``first`` to ``last``.

    Both are ``YYYY-MM``.

    ``reports`` may hold the reports of all months at once: what a list may count follows from the day each was
    received. Ends as :func:`~flows.monthly.monthly` does.
    """

    def lists(missing: list[str]) -> list[Published]:
        settings = Settings.read(home=home, family=rules)
        months = lists_between(settings, first, last)
        take_delivery(settings, reports, received)
        made = [compute_and_publish(settings, period, missing) for period in months]
        renew_site(settings, missing)
        return made

    published: list[Published] = ended(lists)
    return published


@flow(name="rerate", flow_run_name="lists from {start} again", **HOOKS)
def rerate(start: str, home: str | None = None, rules: str = "fide") -> list[RevisedMonth]:
    """Calculate every list from ``start`` (``YYYY-MM``) on again, then publish those that changed, all or none.

    The calculation of each month is a task of its own. After an interruption, call the flow again. Ends as failed with
    an error of :mod:`ratinglist.errors`.
    """
    missing: list[str] = []

    def lists() -> list[RevisedMonth]:
        settings = Settings.read(home=home, family=rules)
        # Calculate all months before publishing one: an event may move from one list to another.
        for period in find_calculated(settings, Period.parse(start)).result():
            rate_again(settings, period).result()
        made: list[RevisedMonth] = publish_again(settings, Period.parse(start)).result()
        renew_site(settings, missing)
        return made

    revised: Any = state_of(
        lists, lambda made: "\n".join([f"{len(made)} lists calculated again from {start}", *missing])
    )
    return cast("list[RevisedMonth]", revised)


def lists_between(settings: Settings, first: str, last: str) -> list[Period]:
    """Return the months of :func:`months_between` in which the family publishes a list."""
    return [period for period in months_between(first, last) if rate_workflow.publishes_in(settings, period)]


def months_between(first: str, last: str) -> list[Period]:
    """Return the months from ``first`` to ``last``, both included; :class:`CommandLineError` if there are none."""
    start, end = Period.parse(first), Period.parse(last)
    if end < start:
        raise CommandLineError(f"{first} is after {last}: write the earlier month first.")
    return [Period(index) for index in range(start.index, end.index + 1)]
