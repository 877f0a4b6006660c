"""The steps of a list as Prefect tasks: each is tried again while another process writes the store.

A task calls one workflow. Its state carries what it did, in the words that an officer reads on the dashboard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from prefect import Task, task
from prefect.assets import Asset, materialize
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.states import Completed, Failed

from flows.artifacts import shown_progress
from flows.error_logs import omit_tracebacks_of_failed_runs
from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import NothingReadError, RatinglistError, StoreInUseError, UndecidedError
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import (
    ApprovalSummary,
    ApprovedMonthsSummary,
    LoadSummary,
    MonthSummary,
    PreviewSummary,
    PublishSummary,
)
from ratinglist.system_errors import system_error_text
from ratinglist.workflows import due as due_workflow
from ratinglist.workflows import load as load_workflow
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows import rate as rate_workflow
from ratinglist.workflows import report as report_workflow
from ratinglist.workflows import rerate as rerate_workflow
from ratinglist.workflows import site as site_workflow

omit_tracebacks_of_failed_runs()

RETRIES: list[float] = [10, 60, 300]
"""Seconds to wait before each further try: a manual run of a large month holds the store for less than the last one."""

_LINES = 6
"""How much of a summary the state of a task carries; the log of the run has all of it."""


def store_is_in_use(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether a failed task may be tried again.

    Waiting helps only where another process is writing the store. A refused command, a stopped publication or a defect
    would fail again in the same way, so the run fails at once.
    """
    return isinstance(state.result(raise_on_failure=False), StoreInUseError)


# No caching: a task is run for its effect on the store, and a cached result would skip it.
PATIENT: dict[str, Any] = {
    "cache_policy": NO_CACHE,
    "retries": len(RETRIES),
    "retry_delay_seconds": RETRIES,
    "retry_condition_fn": store_is_in_use,
}
"""The options of every task: it is retried while another process writes the store, and its result is not cached."""


@task(task_run_name="lists due until {until}", **PATIENT)
def find_due(settings: Settings, until: Period) -> State[list[Period]]:
    """Find the lists that a scheduled run makes: ``until`` and those that were missed before it."""
    return state_of(lambda: due_workflow.due(settings, until), _months_as_text)


@task(task_run_name="lists from {start}", **PATIENT)
def find_calculated(settings: Settings, start: Period) -> State[list[Period]]:
    """Find the lists from ``start`` on that are calculated again."""
    return state_of(lambda: rerate_workflow.months_to_rerate(settings, start), _months_as_text)


@task(task_run_name="load", **PATIENT)
def load(settings: Settings, paths: list[Path], received_on: date | None) -> State[LoadSummary]:
    """Load reports into the store; safe to repeat."""
    with shown_progress(settings, "load") as shown:
        return state_of(lambda: load_workflow.load(shown, paths, received_on))


@task(task_run_name="rate {period}", **PATIENT)
def rate(settings: Settings, period: Period) -> State[MonthSummary]:
    """Calculate the list of ``period`` into the store."""
    with shown_progress(settings, "rate", period) as shown:
        return state_of(lambda: rate_workflow.rate(shown, period), month_as_text)


@materialize("ratinglist://home/family/month", task_run_name="publish {period}", **PATIENT)
def publish(settings: Settings, period: Period, reasons: dict[str, str]) -> State[PublishSummary | PreviewSummary]:
    """Publish the list of ``period``; where a question or an approval is open, preview it instead."""

    def published_or_previewed() -> PublishSummary | PreviewSummary:
        try:
            return publish_workflow.publish(shown, period, reasons)
        except UndecidedError:
            return publish_workflow.preview(shown, period, reasons)

    with shown_progress(settings, "publish", period) as shown:
        return state_of(published_or_previewed)


@task(task_run_name="approve {period}", **PATIENT)
def approve(settings: Settings, period: Period, name: str, digest: str, remark: str) -> State[ApprovalSummary]:
    """Approve the preview with the digest that the person was shown."""
    return state_of(lambda: publish_workflow.approve(settings, period, name, digest, remark))


@task(task_run_name="rate {period} again", **PATIENT)
def rate_again(settings: Settings, period: Period) -> State[None]:
    """Calculate one month again."""
    with shown_progress(settings, "rate", period) as shown:
        return state_of(lambda: rerate_workflow.rate_again(shown, period), lambda _: f"{period} rated again")


@task(task_run_name="approve from {start} to {end}", **PATIENT)
def approve_months(
    settings: Settings, start: Period, end: Period, name: str, digest: str, remark: str
) -> State[ApprovedMonthsSummary]:
    """Approve the previews of several months; ``digest``: that of the last one the person was shown."""
    return state_of(lambda: publish_workflow.approve_months(settings, start, end, name, digest, remark))


@dataclass(frozen=True, slots=True)
class StillOpen:
    """Lists that are published again together once people have decided.

    ``previews``: of each list that waits, oldest first. ``approvals_needed``: how many each needs.
    """

    message: str
    previews: Sequence[PreviewSummary]
    approvals_needed: int

    @property
    def digest(self) -> str:
        """Return the digest of the newest preview: it depends on the lists before."""
        return self.previews[-1].digest

    @property
    def unanswered(self) -> list[str]:
        """Return the questions without a reason."""
        return sorted({question for one in self.previews for question in one.unanswered})

    def text(self) -> str:
        """Return what is open, and what to do."""
        return self.message


@task(task_run_name="publish the lists from {start} again", **PATIENT)
def publish_again(settings: Settings, start: Period, reasons: dict[str, str]) -> State[list[RevisedMonth] | StillOpen]:
    """Publish every month from ``start`` on that changed as a new revision, all or none; or return what is open."""

    def published_or_open() -> list[RevisedMonth] | StillOpen:
        try:
            return rerate_workflow.publish_again(shown, start, reasons)
        except UndecidedError as error:
            return StillOpen(str(error), error.previews, publish_workflow.approvals_needed(settings))

    def text(found: list[RevisedMonth] | StillOpen) -> str:
        return found.text() if isinstance(found, StillOpen) else f"The lists from {start} published again"

    with shown_progress(settings, "publish", start) as shown:
        return state_of(published_or_open, text)


@task(task_run_name="charts of {period}", **PATIENT)
def charts(settings: Settings, period: Period) -> State[str]:
    """Draw the charts of the calculated list of ``period``, as Markdown."""
    return state_of(lambda: report_workflow.charts_as_markdown(settings, period), lambda _: f"Charts of {period}")


@task(task_run_name="site", **PATIENT)
def make_site(settings: Settings) -> State[site_workflow.SiteSummary]:
    """Make the office's site again, with what is published."""
    with shown_progress(settings, "site") as shown:
        return state_of(lambda: site_workflow.site(shown))


def state_of(
    work: Callable[[], Any], text_of: Callable[[Any], str] = lambda summary: str(summary.text())
) -> State[Any]:
    """Return the state that a task or flow ends in: what it did as the message, or the error's one sentence.

    An error of the disk, of permissions or of memory has the sentence that the command line prints for it.

    ``text_of``: the text of what the work returned, by default of its summary. An error of the program is returned as a
    failed state, not raised: Prefect would log a traceback, which says nothing to an officer. A call of a flow returns
    the data of the state, or raises its error.
    """
    try:
        found = work()
    except RatinglistError as error:
        return failed(error)
    except Exception as error:
        text = system_error_text(error)
        if not text:
            raise
        return failed(NothingReadError(text))
    lines = text_of(found).splitlines()[:_LINES]
    return Completed(message=visible("; ".join(" ".join(line.split()) for line in lines)), data=found)


def failed(error: RatinglistError, text: str = "") -> State[Any]:
    """Return the failed state of an error, which says its sentence, or ``text``.

    Without its frames: they hold the store, and DuckDB prints what is left of it when the process ends.
    """
    return Failed(message=text or str(error), data=error.with_traceback(None))


def month_as_text(summary: MonthSummary) -> str:
    """Return the summary of a month as the dashboard and the log show it: each reason as its sentence, no code."""
    return summary.text()


def _months_as_text(months: list[Period]) -> str:
    return ", ".join(map(str, months))


def asset(settings: Settings, period: Period) -> Asset:
    """Return the list of a month as an asset of Prefect, which shows how it came about."""
    # Prefect allows few characters in the key of an asset.
    home = re.sub(r"[^A-Za-z0-9_-]", "-", settings.home.resolve().name)
    return Asset(key=f"ratinglist://{home}/{settings.family}/{period}")
