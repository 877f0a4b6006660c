"""Calculate lists again after a correction of an old month, and publish those that changed.

The months run in sequence, because each list starts from the one before, and in one flow, because starting a flow costs
more than rating a month. Every step may be repeated: after a failure, call the flow again.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.decision import decided
from flows.monthly import tell
from flows.schedule import settings_of
from flows.tasks import Parts, counted, task, with_news
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import decide, rerate as rerate_workflow
from ratinglist.workflows.decide import Answer, StillOpen


@flow(name="rerate", flow_run_name="lists from {start} again")
@with_news
def rerate(start: str, home: str | None = None, rules: str | None = None) -> Parts:
    """Calculate every list from ``start`` on again, then publish those that changed, all or none.

    Returns what changed on each. Where a list raises a question or must be approved, the run waits as
    :func:`~flows.monthly.monthly` does. After an interruption, call the flow again. Ends as failed with an error of
    :mod:`ratinglist.errors`, as cancelled where people rejected the lists.

    Args:
        start: The month in which the first of the lists takes effect, as 2025-11.
        home: The directory of the office. Empty: as for every command.
        rules: The family of rules. Empty: that of the newest list.

    """
    settings = settings_of(home, rules)
    period = Period.parse(start)
    months = rerate_workflow.months_to_rerate(settings, period)
    yield tell(settings)  # of what an interrupted run published
    try:
        # Calculate all months before publishing one: an event may move from one list to another.
        for month in months:
            rate_again(settings, month, period)
        lists = f"the change of the lists from {period} on"
        published = decided(settings, lists, f"again-{period}", partial(publish_again, settings, period))
        yield from published.months
    finally:
        yield tell(settings, site=True)


@task("rate {period} again")
def rate_again(settings: Settings, period: Period, start: Period) -> State[Any]:
    """Calculate the list of one month again, with those from ``start`` on."""
    rerate_workflow.rate_again(settings, period, start)
    return counted(settings, f"rate {period} again", None, f"{period} rated again")


@task("publish again from {start}")
def publish_again(
    settings: Settings, start: Period, seen: StillOpen | None = None, answer: Answer | None = None
) -> State[Any]:
    """Publish the lists that changed, all or none, with the answer of people to what was ``seen``."""
    result = decide.publish_again(settings, start, seen, answer)
    return counted(settings, f"publish again {start}", result, result.text(), decide.reports(result))
