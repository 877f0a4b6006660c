"""Calculate lists again after a correction of an old month, and publish those that changed.

The months run in sequence, because each list starts from the one before, and in one flow, because starting a flow costs
more than rating a month. Every step may be repeated: after a failure, call the flow again.
"""

from __future__ import annotations

from typing import cast

from prefect import flow

from flows.decision import publish_again_when_decided
from flows.monthly import Made, ended, renew_site, telling
from flows.tasks import months_as_text, step
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import rerate as rerate_workflow


@flow(name="rerate", flow_run_name="lists from {start} again")
def rerate(start: str, home: str | None = None, rules: str = "fide") -> list[RevisedMonth]:
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
        with telling(settings, made):
            name = f"lists from {period}"
            months = step(name, lambda: rerate_workflow.months_to_rerate(settings, period), months_as_text)
            for month in months.result():
                rate_again(settings, month)
            for one in publish_again_when_decided(settings, period):
                made.add(one, one.text(), is_new=bool(one.revision))
            renew_site(settings, made)

    return cast("list[RevisedMonth]", ended(lists))


def rate_again(settings: Settings, period: Period) -> None:
    """Calculate one month again, as a task of its own."""
    step(
        f"rate {period} again", lambda: rerate_workflow.rate_again(settings, period), lambda _: f"{period} rated again"
    ).result()
