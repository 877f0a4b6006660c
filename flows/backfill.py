"""Run several months in one flow: the months of an earlier program, or a re-rating after a correction of an old month.

The months run in sequence, because each list starts from the one before, and in one flow, because starting a flow costs
more than rating a month. Every step may be repeated: after a failure, call the flow again.
"""

from __future__ import annotations

from typing import cast

from prefect import flow

from flows.decision import publish_again_when_decided
from flows.forms import Day, Month, with_choices
from flows.monthly import Made, Published, compute_and_publish, ended, renew_site, take_delivery
from flows.tasks import months_as_text, step
from flows.telling import announcing
from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import rerate as rerate_workflow


@with_choices("first", "last", "reports", "received")
@flow(name="backfill", flow_run_name="lists {first} to {last}")
def backfill(
    first: Month,
    last: Month,
    reports: str | None = None,
    home: str | None = None,
    rules: str = "fide",
    received: Day = None,
) -> list[Published]:
    """Load ``reports``, where given, then rate and publish every list of the family from ``first`` to ``last``.

    The reports may be those of all months at once: what a list may count follows from the day each was received. Ends
    as :func:`~flows.monthly.monthly` does.

    Args:
        first: The month in which the first of the lists takes effect, as 2025-11.
        last: The month in which the last of the lists takes effect, as 2026-02.
        reports: Loaded first: a file, a folder or a zip on the machine of the runs. Empty: what was loaded before.
        home: The directory of the office. Empty: as for every command.
        rules: The family of rules.
        received: The day on which these reports arrived. Empty: today.

    """

    def lists(made: Made) -> None:
        settings = Settings.read(home=home, family=rules)
        months = lists_between(settings, first, last)
        # Before the first list: no answer lifts it.
        settings.check_month(Period.parse(last))
        with announcing(settings):
            take_delivery(settings, reports, received)
            for period in months:
                compute_and_publish(settings, period, made)
            renew_site(settings, made)

    return cast("list[Published]", ended(lists))


@with_choices("start")
@flow(name="rerate", flow_run_name="lists from {start} again")
def rerate(start: Month, home: str | None = None, rules: str = "fide") -> list[RevisedMonth]:
    """Calculate every list from ``start`` on again, then publish those that changed, all or none.

    The calculation of each month is a task of its own. Where a list raises a question or must be approved, the run
    waits as :func:`~flows.monthly.monthly` does. After an interruption, call the flow again. Ends as failed with an
    error of :mod:`ratinglist.errors`, as cancelled where people did not decide.

    Args:
        start: The month in which the first of the lists takes effect, as 2025-11.
        home: The directory of the office. Empty: as for every command.
        rules: The family of rules.

    """

    def lists(made: Made) -> None:
        settings = Settings.read(home=home, family=rules)
        period = Period.parse(start)
        # Calculate all months before publishing one: an event may move from one list to another.
        with announcing(settings):
            name = f"lists from {period}"
            months = step(settings, name, lambda _: rerate_workflow.months_to_rerate(settings, period), months_as_text)
            for month in months.result():
                rate_again(settings, month)
            for one in publish_again_when_decided(settings, period):
                made.add(one, one.text(), is_new=bool(one.revision))
            renew_site(settings, made)

    return cast("list[RevisedMonth]", ended(lists))


def rate_again(settings: Settings, period: Period) -> None:
    """Calculate one month again, as a task of its own."""
    name = f"rate {period} again"
    step(
        settings, name, lambda shown: rerate_workflow.rate_again(shown, period), lambda _: f"{period} rated again"
    ).result()


def lists_between(settings: Settings, first: str, last: str) -> list[Period]:
    """Return the months from ``first`` to ``last``, both included, in which the family publishes a list.

    Raises :class:`CommandLineError` where ``last`` is before ``first``.
    """
    start, end = Period.parse(first), Period.parse(last)
    if end < start:
        raise CommandLineError(f"{first} is after {last}: write the earlier month first.")
    months = (Period(index) for index in range(start.index, end.index + 1))
    return [period for period in months if rate_workflow.publishes_in(settings, period)]
