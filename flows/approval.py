"""The pause in which people look at a list: its report is an artifact, and the flow waits for their names.

Others may approve with ``ratinglist approve`` meanwhile; what counts is how many people have when the flow is resumed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefect import Task, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.flow_runs import pause_flow_run
from prefect.input import RunInput

from ratinglist.config import Settings
from ratinglist.errors import RatinglistError, StoreInUseError
from ratinglist.period import Period
from ratinglist.summaries import ApprovalSummary, PreviewSummary
from ratinglist.workflows import publish

WAIT_SECONDS = 7 * 24 * 3600
"""How long a list waits for people; then the run fails, and is made up by hand."""

POLL_SECONDS = 10
"""How often the flow looks whether it was resumed."""

RETRIES: list[float] = [10, 60, 300]
"""Seconds to wait before each further try: a manual run of a large month holds the store for less than the last."""


def store_is_in_use(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a failed task may be tried again.

    Only another writer goes away by waiting. A refused command, a stopped publication or a defect comes back the same
    and has to be seen at once.
    """
    return isinstance(state.result(raise_on_failure=False), StoreInUseError)


# No caching: what counts is what a task does to the store, and a cached answer would skip it.
PATIENT: dict[str, Any] = {
    "cache_policy": NO_CACHE,
    "retries": len(RETRIES),
    "retry_delay_seconds": RETRIES,
    "retry_condition_fn": store_is_in_use,
}
"""The options of every task: it waits for another writer, and is never answered from a cache."""


class Approval(RunInput):
    """What somebody writes who resumes the flow: his name, and why a list that raises questions is right."""

    name: str
    remark: str = ""
    reasons: dict[str, str] | None = None


@task(task_run_name="preview {period}", **PATIENT)
def preview(settings: Settings, period: Period, reasons: dict[str, str]) -> PreviewSummary:
    """The exact bytes and the report, for people to look at."""
    return publish.preview(settings, period, reasons)


@task(task_run_name="approve {period}", **PATIENT)
def approve(settings: Settings, period: Period, given: Approval, digest: str) -> ApprovalSummary:
    """One person's word for the preview he was shown."""
    return publish.approve(settings, period, given.name, digest, given.remark)


def wait_for_approval(settings: Settings, period: Period) -> None:
    """Pause until as many people as the office asks for have approved what will be published; not at all for none.

    What somebody wrote wrongly is logged, and the flow pauses again.
    """
    if not publish.approvals_needed(settings):
        return
    seen = _shown(settings, period, {})
    missing = seen.missing if seen.is_new else 0
    while missing or seen.unanswered:
        wanted = Approval.with_initial_data(description=seen.text())
        given = pause_flow_run(wait_for_input=wanted, timeout=WAIT_SECONDS, poll_interval=POLL_SECONDS)
        try:
            if given.reasons or seen.unanswered:
                seen = _shown(settings, period, given.reasons or {})
            missing = approve(settings, period, given, seen.digest).missing
        except StoreInUseError:
            raise
        except RatinglistError as error:
            get_run_logger().warning("Not approved: %s", error)


def _shown(settings: Settings, period: Period, reasons: dict[str, str]) -> PreviewSummary:
    seen = preview(settings, period, reasons)
    report = Path(seen.report).read_text(encoding="utf-8")
    create_markdown_artifact(key=f"preview-{period}", markdown=report, description=f"To approve: {seen.digest}")
    return seen
