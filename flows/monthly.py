"""Run the list of a month as a Prefect flow: load, rate, publish, and first the lists that were missed before it.

The flow decides nothing about ratings. It adds retries while the store is in use, a schedule, what an office reads
on the dashboard, and a wait for the people who decide.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Cancelled, Completed

from flows.artifacts import keep_charts, keep_month, keep_publication
from flows.decision import NotDecidedError, publish_when_decided
from flows.forms import Day, MonthOrDue, with_choices
from flows.hooks import HOOKS, UNCHANGED, announcing, tell
from flows.tasks import charts, failed, find_due, load, make_site, month_as_text, rate
from ratinglist.config import EngineChoice, Settings
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import MonthSummary, PublishSummary
from ratinglist.workflows.due import last_closed_list
from ratinglist.workflows.site import site_folder

SCHEDULE = "0 20 L * *"
"""20:00 UTC on the last day of every month: after the closing date (three days before the list takes effect) and on the
last day an official event may finish (7.1.3), before the list takes effect. ``L`` is the last day of any month."""

Published = tuple[MonthSummary, PublishSummary]


def run_name() -> str:
    """Return the name of a run on the dashboard: the flow and the month of its list."""
    given = flow_run.parameters
    try:
        period = given.get("month") or list_due(Settings.read(home=given.get("home"), family=given.get("rules")))
    except CommandLineError:
        # The run itself ends with this error.
        period = "unknown month"
    return f"monthly {period}"


@with_choices("month", "reports", "received")
@flow(name="monthly", flow_run_name=run_name, **HOOKS)
def monthly(
    month: MonthOrDue = None,
    reports: str | None = None,
    home: str | None = None,
    rules: str = "fide",
    received: Day = None,
    engine: str = "local",
    scheduler: str | None = None,
    buckets: int | None = None,
) -> Published:
    """Load ``reports``, where given, then rate and publish the list of ``month``, and before it the lists missed.

    Returns the summaries of the list of ``month``. Ends as failed with an error of :mod:`ratinglist.errors`, as
    cancelled where people did not decide.

    Args:
        month: The list that takes effect on the first of this month, as 2025-11. Empty: the newest list whose closing
            date had passed when this run was due.
        reports: Loaded first: a file, a folder or a zip on the machine of the runs. Empty: what was loaded before.
        home: The directory of the office. Empty: as for every command.
        rules: The family of rules.
        received: The day on which these reports arrived. Empty: today.
        engine: As for ``ratinglist run``.
        scheduler: As for ``ratinglist run``.
        buckets: As for ``ratinglist run``.

    """

    def lists(made: list[Published], missing: list[str]) -> None:
        settings = Settings.read(home=home, family=rules, engine=EngineChoice.read(engine, buckets, scheduler))
        period = Period.parse(month) if month else list_due(settings)
        # Before the lists that were missed: no answer lifts it.
        settings.check_month(period)
        months: list[Period] = find_due(settings, period).result()
        if missed := ", ".join(map(str, months[:-1])):
            get_run_logger().info("Lists that were missed are made first: %s", missed)
        with announcing(settings):
            take_delivery(settings, reports, received)
            made.extend(compute_and_publish(settings, one, missing) for one in months)
            renew_site(settings, missing)

    published: Published = ended(lists, last_alone=True)
    return published


def ended(lists: Callable[[list[Published], list[str]], None], *, last_alone: bool = False) -> Any:
    """Return the state that a flow ends in: what it published, or the one sentence that says why it did not.

    A call of the flow returns the data of the state, or raises its error. The state is named *Unchanged* where every
    list was published already.

    ``lists``: makes and publishes the lists; it adds each to the first list that it gets as soon as it is published,
    and to the second one what could not be made besides them. ``last_alone``: the data of the state are those of the
    last list.
    """
    made: list[Published] = []
    missing: list[str] = []
    try:
        lists(made, missing)
    except NotDecidedError as error:
        return not_decided(_with_published(str(error), made))
    except RatinglistError as error:
        return failed(error, _with_published(str(error), made))
    text = "; ".join([*(f"{published.text()} (digest {published.digest})" for _, published in made), *missing])
    if missing:
        tell(flow_run.parameters, "incomplete", flow_run.id, flow_run.name, visible("\n".join(missing)))
    name = None if any(published.is_new for _, published in made) else UNCHANGED
    return Completed(name=name, message=visible(text), data=made[-1] if last_alone else made)


def not_decided(text: str) -> State[Any]:
    """Return the state of a run whose list was rejected, or not decided on in time, and tell people."""
    tell(flow_run.parameters, "cancelled", flow_run.id, flow_run.name, text)
    return Cancelled(message=text)


def _with_published(text: str, made: list[Published]) -> str:
    """Return why a run ended without its list, and the lists that it published before."""
    new = [published.text() for _, published in made if published.is_new]
    return visible("\n".join([text, *(["Published before that:", *new] if new else [])]))


def list_due(settings: Settings) -> Period:
    """Return the newest list whose closing date had passed on the day this run was due.

    A run delayed past midnight still calculates the list it was scheduled for, not the one a month later; one that is
    started by hand early in a month makes that month's list, if it is missing, and no list early.
    """
    scheduled: date = flow_run.scheduled_start_time.date()
    return last_closed_list(settings, min(scheduled, settings.today))


def take_delivery(settings: Settings, reports: str | None, received: str | None) -> None:
    """Load ``reports`` inside a flow, if there are any, and log the summary."""
    if reports is None:
        return
    try:
        received_on = date.fromisoformat(received) if received else None
    except ValueError:
        raise CommandLineError(f"received is '{received}': write YYYY-MM-DD.") from None
    get_run_logger().info(visible(load(settings, [Path(reports)], received_on).result().text()))


def compute_and_publish(settings: Settings, period: Period, missing: list[str]) -> Published:
    """Rate one month inside a flow, keep what the dashboard shows, wait for people's decision where needed, publish.

    ``missing``: gets a sentence for the charts where they could not be drawn.
    """
    summary: MonthSummary = rate(settings, period).result()
    get_run_logger().info(visible(month_as_text(summary)))
    keep_month(period, summary)
    drawn = done_or_missing(charts(settings, period, return_state=True), f"The charts of {period}", missing)
    if drawn is not None:
        keep_charts(period, drawn)
    published = publish_when_decided(settings, period)
    keep_publication(settings, period, published)
    return summary, published


def renew_site(settings: Settings, missing: list[str]) -> None:
    """Make the site again inside a flow, where ``office.toml`` names a folder for it.

    ``missing``: gets a sentence for the site where it could not be made.
    """
    if site_folder(settings) is None:
        return
    made = done_or_missing(make_site(settings, return_state=True), "The site", missing)
    if made is not None:
        get_run_logger().info(visible(made.text()))


def done_or_missing(state: State[Any], name: str, missing: list[str]) -> Any:
    """Return what a task made; where it failed, None, with a warning and a sentence for the end of the run.

    The lists do not depend on it.
    """
    if state.is_completed():
        return state.result()
    text = visible(f"{name} could not be made: {state.message}")
    get_run_logger().warning(text)
    missing.append(text)
    return None
