"""Pause a flow until people have approved a list: its report is an artifact, and resuming the flow takes a name.

People may also approve with ``ratinglist approve`` during the pause; all approvals count when the flow is resumed.
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
from ratinglist.markdown import paragraph
from ratinglist.period import Period
from ratinglist.summaries import ApprovalSummary, PreviewSummary
from ratinglist.workflows import publish

WAIT_SECONDS = 7 * 24 * 3600
"""How long a list waits for approval; then the run fails, and the month is run by hand."""

POLL_SECONDS = 10
"""How often the flow polls whether it was resumed."""

RETRIES: list[float] = [10, 60, 300]
"""Seconds to wait before each further try: a manual run of a large month holds the store for less than the last one."""


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


class Approval(RunInput):
    """The input that resumes the flow: the person's name, and reasons where the list raises questions."""

    name: str
    remark: str = ""
    reasons: dict[str, str] | None = None


@task(task_run_name="preview {period}", **PATIENT)
def preview(settings: Settings, period: Period, reasons: dict[str, str]) -> PreviewSummary:
    """Make the preview of a month, with its report."""
    return publish.preview(settings, period, reasons)


@task(task_run_name="approve {period}", **PATIENT)
def approve(settings: Settings, period: Period, given: Approval, digest: str) -> ApprovalSummary:
    """Approve the preview with the digest that the person was shown."""
    return publish.approve(settings, period, given.name, digest, given.remark)


def wait_for_approval(settings: Settings, period: Period) -> None:
    """Pause until as many people as the office requires have approved the preview; return at once where none has to.

    An input that is refused is logged, and the flow pauses again.
    """
    if not publish.approvals_needed(settings):
        return
    seen = _preview_artifact(settings, period, {})
    missing = seen.missing if seen.is_new else 0
    while missing or seen.unanswered:
        # Prefect shows the description as Markdown, and the rows of a question have names of players.
        form = Approval.with_initial_data(description=paragraph(seen.text()))
        given = pause_flow_run(wait_for_input=form, timeout=WAIT_SECONDS, poll_interval=POLL_SECONDS)
        try:
            if given.reasons or seen.unanswered:
                seen = _preview_artifact(settings, period, given.reasons or {})
            missing = approve(settings, period, given, seen.digest).missing
        except StoreInUseError:
            raise
        except RatinglistError as error:
            get_run_logger().warning("Not approved: %s", error)
            # Approvals given by `ratinglist approve` count: a person who signs cannot approve in this form.
            missing = publish.approved(settings, period).missing


def _preview_artifact(settings: Settings, period: Period, reasons: dict[str, str]) -> PreviewSummary:
    """Make the preview, and keep its report as an artifact."""
    seen = preview(settings, period, reasons)
    report = Path(seen.report).read_text(encoding="utf-8")
    create_markdown_artifact(key=f"preview-{period}", markdown=report, description=f"To approve: {seen.digest}")
    return seen
