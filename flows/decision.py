"""Wait until people have decided on a list: its questions are answered and it is approved, or it is rejected.

A list that raises a question, or that must be approved, is no failure: the run waits with the report as an artifact and
takes reasons and a name in the form that continues it. People may also decide with `ratinglist publish` and `ratinglist
approve` while it waits: the state of the office is read again whenever the run is continued.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from prefect import get_run_logger
from prefect.exceptions import FlowPauseTimeout
from prefect.flow_runs import pause_flow_run, suspend_flow_run
from prefect.input import RunInput
from prefect.runtime import deployment, flow_run
from prefect.settings import PREFECT_API_URL

from flows.artifacts import keep_preview
from flows.hooks import tell
from flows.tasks import approve, asset, publish
from ratinglist.config import Settings
from ratinglist.errors import CheckError, RatinglistError, StoreInUseError
from ratinglist.markdown import paragraph
from ratinglist.period import Period
from ratinglist.summaries import PreviewSummary, PublishSummary

POLL_SECONDS = 10
"""How often a run without a deployment polls whether it was continued."""


class Decision(RunInput):
    """The form that continues a run: a reason for each question, a name where approval is needed, or a rejection.

    ``digest``: the list that the person was shown; it is filled in.
    """

    name: str = ""
    remark: str = ""
    reasons: dict[str, str] | None = None
    reject: bool = False
    digest: str = ""


class NotDecidedError(CheckError):
    """A list was rejected, or nobody decided on it in time; nothing was published."""


def publish_when_decided(settings: Settings, period: Period) -> PublishSummary:
    """Publish a list, once its questions are answered and it is approved; at once where nothing is open.

    Where the run belongs to a deployment it is suspended: no process waits, and it starts from its beginning again,
    with the answers given; where it waits longer than `office.toml` allows, the service cancels it
    (:mod:`flows.service`). Another run waits in its process. Raises :class:`NotDecidedError` where a person rejects the
    list, or none decides in time while the run waits in its process.
    """
    found, forms = attempt(settings, period, {}), 0
    while isinstance(found, PreviewSummary):
        keep_preview(period, found)
        if not _can_be_continued():
            raise CheckError(found.text())
        # Prefect finds by this key what was answered before the run was suspended, and gives it again.
        given = _ask(settings, period, found, f"{period}-{forms}")
        if given.reject:
            why = f": {given.remark}" if given.remark else ""
            raise NotDecidedError(
                f"{given.name or 'A person'} rejected the list of {period}{why}. Nothing was published."
            )
        found, forms = _decided(settings, period, given), forms + 1
    return found


def attempt(settings: Settings, period: Period, reasons: dict[str, str]) -> PublishSummary | PreviewSummary:
    """Publish a list, or preview it where something is open; the task names the list as an asset."""
    publishing = publish.with_options(assets=[asset(settings, period)])
    found: PublishSummary | PreviewSummary = publishing(settings, period, reasons).result()
    return found


def _decided(settings: Settings, period: Period, given: Decision) -> PublishSummary | PreviewSummary:
    """Take the reasons and the approval of a form, and publish where nothing is open any more.

    An input that is refused is logged, and the list stays as it was seen.
    """
    reasons = {question: text for question, text in (given.reasons or {}).items() if text.strip()}
    try:
        found = attempt(settings, period, reasons)
        if isinstance(found, PreviewSummary) and found.approvals_needed and given.name:
            approve(settings, period, given.name, given.digest or found.digest, given.remark).result()
            found = attempt(settings, period, {})
    except StoreInUseError:
        raise
    except RatinglistError as error:
        get_run_logger().warning("Not taken: %s", error)
        # Approvals given by `ratinglist approve` count: a person who signs cannot approve in this form.
        return attempt(settings, period, {})
    return found


def _ask(settings: Settings, period: Period, seen: PreviewSummary, key: str) -> Decision:
    """Wait for the form that continues the run; raise :class:`NotDecidedError` where none comes in time.

    ``key``: names this question of the run.
    """
    # Prefect shows the description as Markdown, and the rows of a question have names of players.
    form = Decision.with_initial_data(
        description=paragraph(seen.text()), digest=seen.digest, reasons=dict.fromkeys(seen.unanswered, "")
    )
    days = settings.office.publication.wait_days
    until = deadline_of(datetime.now(UTC), days)
    text = f"{seen.text()}\nDecide until {until:%Y-%m-%d %H:%M} UTC."
    tell(flow_run.parameters, "waiting", f"{flow_run.id}-{seen.digest[:12]}", f"The list of {period}", text)
    if deployment.id is not None:
        # Without a timeout: Prefect would end the run as failed. The service ends it as cancelled, with the reason.
        suspended: Decision = suspend_flow_run(wait_for_input=form, key=key)
        return suspended
    seconds = int(timedelta(days=days).total_seconds())
    try:
        paused: Decision = pause_flow_run(wait_for_input=form, timeout=seconds, poll_interval=POLL_SECONDS, key=key)
    except FlowPauseTimeout:
        raise NotDecidedError(f"The list of {period}: {undecided(days)}") from None
    return paused


def deadline_of(waits_since: datetime, days: int) -> datetime:
    """Return until when people may decide on a list."""
    return waits_since + timedelta(days=days)


def undecided(days: int) -> str:
    """Return the reason of a run that is cancelled because it waited too long."""
    return f"there was no decision in {days} days. Nothing was published; the next run takes the list up again."


def _can_be_continued() -> bool:
    """Return whether people can reach the run: there is a server besides the one that Prefect starts for one run."""
    return PREFECT_API_URL.value() is not None
