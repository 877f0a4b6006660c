"""Run the list of a month as a Prefect flow: load, rate, publish, and first the lists that were missed before it.

The flow decides nothing about ratings. It adds retries while the store is in use, a schedule, what an office reads
on the dashboard, and a wait for the people who decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, cast

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Cancelled, Completed

from flows.artifacts import keep
from flows.decision import publish_when_decided
from flows.tasks import failed, months_as_text, step
from flows.telling import tell
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.settings import Settings
from ratinglist.summaries import MonthSummary, PublishSummary
from ratinglist.workflows import decide
from ratinglist.workflows import load as load_workflow
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import site as site_workflow
from ratinglist.workflows.decide import RejectedError
from ratinglist.workflows.quarantine import refused_as_markdown

SCHEDULE = "0 20 L * *"
"""20:00 UTC on the last day of every month: after the closing date (three days before the list takes effect) and on the
last day an official event may finish (7.1.3), before the list takes effect. ``L`` is the last day of any month."""

UNCHANGED = "Unchanged"
"""The name of the completed state of a run that published nothing new."""

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


@flow(name="monthly", flow_run_name=run_name)
def monthly(
    month: str | None = None,
    reports: str | None = None,
    home: str | None = None,
    rules: str = "fide",
    received: date | None = None,
) -> Published:
    """Load ``reports``, where given, then rate and publish the list of ``month``, and before it the lists missed.

    Returns the summaries of the list of ``month``. Ends as failed with an error of :mod:`ratinglist.errors`, as
    cancelled where people did not decide.

    Args:
        month: The list that takes effect on the first of this month, as 2025-11. Those missed before it are made first.
            Empty: the newest list whose closing date had passed when this run was due.
        reports: Loaded first: a file, a folder or a zip on the machine of the runs. Empty: what was loaded before.
        home: The directory of the office. Empty: as for every command.
        rules: The family of rules.
        received: The day on which these reports arrived. Empty: today.

    """

    def lists(made: Made) -> None:
        settings = Settings.read(home=home, family=rules)
        period = Period.parse(month) if month else list_due(settings)
        # Before the lists that were missed: no answer lifts it.
        settings.check_month(period)
        find_due = step(f"lists due until {period}", lambda: decide.due(settings, period), months_as_text)
        months: list[Period] = find_due.result()
        if missed := ", ".join(map(str, months[:-1])):
            get_run_logger().info("Lists that were missed are made first: %s", missed)
        with telling(settings, made):
            take_delivery(settings, reports, received)
            for one in months:
                compute_and_publish(settings, one, made)
            renew_site(settings, made)

    return cast("Published", ended(lists, last_alone=True))


@dataclass(slots=True)
class Made:
    """What a run has made so far, also where it does not come to its end.

    ``lists``: what its state gives of each. ``texts``: a line for each; ``new``: those of lists that were not published
    before. ``missing``: a sentence for each thing that could not be made besides the lists, which do not depend on it.
    """

    lists: list[Any] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def add(self, one: Any, text: str, *, is_new: bool) -> None:
        """Add a list."""
        self.lists.append(one)
        self.texts.append(text)
        self.new += [text] if is_new else []

    def without(self, state: State[Any], failure: str) -> None:
        """Go on after a step that no list depends on; ``failure``: the sentence for the run where it failed."""
        if not state.is_completed():
            text = visible(f"{failure}: {state.message}")
            get_run_logger().warning(text)
            self.missing.append(text)


@contextmanager
def telling(settings: Settings, made: Made) -> Iterator[None]:
    """Tell people of published lists before a part of a run, which an interrupted run did not, and however it ends."""

    def tell_people() -> None:
        made.without(step("tell", lambda: tell(settings), return_state=True), "People could not be told")

    tell_people()
    try:
        yield
    finally:
        tell_people()


def ended(lists: Callable[[Made], None], *, last_alone: bool = False) -> Any:
    """Return the state that a flow ends in: what it published, or the one sentence that says why it did not.

    A call of the flow returns the data of the state, or raises its error. The state is named *Unchanged* where every
    list was published already. ``last_alone``: the data of the state are those of the last list.
    """
    made = Made()
    try:
        lists(made)
    except RatinglistError as error:
        text = visible("\n".join([str(error), *(["Published before that:", *made.new] if made.new else [])]))
        return Cancelled(message=text) if isinstance(error, RejectedError) else failed(error, text)
    text = visible("\n".join([*made.texts, *dict.fromkeys(made.missing)]))
    return Completed(
        name=None if made.new else UNCHANGED, message=text, data=made.lists[-1] if last_alone else made.lists
    )


def list_due(settings: Settings) -> Period:
    """Return the list that this run makes where no month is given: that of the day on which the run was due.

    A run delayed past midnight still calculates the list it was scheduled for, not the one a month later; one that is
    started by hand early in a month makes that month's list, if it is missing, and no list early.
    """
    return decide.last_closed_list(settings, flow_run.scheduled_start_time.date())


def take_delivery(settings: Settings, reports: str | None, received: date | None) -> None:
    """Load ``reports`` inside a flow, if there are any, and log the summary. An empty folder has none this month."""
    if reports is None or (Path(reports).is_dir() and not any(Path(reports).iterdir())):
        return
    loaded = step("load", lambda: load_workflow.load(settings, [Path(reports)], received)).result()
    get_run_logger().info(visible(loaded.text()))


def compute_and_publish(settings: Settings, period: Period, made: Made) -> None:
    """Rate one month inside a flow, keep its refused reports, wait for people's decision where needed, publish."""
    summary: MonthSummary = step(f"rate {period}", lambda: rate_workflow.rate(settings, period)).result()
    get_run_logger().info(visible(summary.text()))
    keep(settings, f"refused {period}", refused_as_markdown(period, summary), "Refused reports")
    published = publish_when_decided(settings, period)
    made.add((summary, published), f"{published.text()} (digest {published.digest})", is_new=published.is_new)


def renew_site(settings: Settings, made: Made) -> None:
    """Make the site again inside a flow, where ``office.toml`` names a folder for it."""
    if site_workflow.site_folder(settings) is not None:
        state = step("site", lambda: site_workflow.site(settings), return_state=True)
        made.without(state, "The site could not be made")
