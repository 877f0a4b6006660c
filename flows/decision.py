"""Wait until people have decided on a list: its questions are answered and it is approved, or it is rejected.

A list that raises a question, or that must be approved, is no failure: the run waits with the report as an artifact and
takes reasons and a name in the form that continues it. It is suspended: no process waits, and it starts from its
beginning again, with the answers given. People may also decide with `ratinglist publish` and `ratinglist approve` while
it waits. Where it waits longer than `office.toml` allows, the service cancels it (:mod:`flows.service`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from prefect import get_run_logger
from prefect.flow_runs import suspend_flow_run
from prefect.input import keyset_from_base_key, read_flow_run_input
from prefect.runtime import deployment, flow_run

from flows.artifacts import keep_preview
from flows.forms import Decision, decision_on
from flows.tasks import step
from flows.telling import tell
from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import CheckError, RatinglistError, StoreInUseError, UndecidedError
from ratinglist.pages.markdown import paragraph
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import PreviewSummary, PublishSummary
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows import rerate as rerate_workflow


class NotDecidedError(CheckError):
    """A person rejected a list; nothing was published."""


@dataclass(frozen=True, slots=True)
class StillOpen:
    """Lists that are published, together, once people have decided.

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


Attempt = Callable[[dict[str, str]], Any]
"""Publishes with the reasons given, or returns what is open."""


def publish_when_decided(settings: Settings, period: Period) -> PublishSummary:
    """Publish a list, once its questions are answered and it is approved; at once where nothing is open.

    Raises :class:`NotDecidedError` where a person rejects the list, and :class:`CheckError` where it is open in a run
    without a deployment, which people cannot continue.
    """

    def published_or_open(shown: Settings, reasons: dict[str, str]) -> PublishSummary | StillOpen:
        try:
            return publish_workflow.publish(shown, period, reasons)
        except UndecidedError:
            seen = publish_workflow.preview(shown, period, reasons)
            return StillOpen(seen.text(), [seen], seen.approvals_needed)

    def attempt(reasons: dict[str, str]) -> Any:
        return step(settings, f"publish {period}", lambda shown: published_or_open(shown, reasons)).result()

    published: PublishSummary = _when_decided(settings, f"The list of {period}", str(period), attempt)
    return published


def publish_again_when_decided(settings: Settings, start: Period) -> list[RevisedMonth]:
    """Publish the lists from ``start`` on that changed, as :func:`publish_when_decided` does, all or none."""

    def published_or_open(shown: Settings, reasons: dict[str, str]) -> list[RevisedMonth] | StillOpen:
        try:
            return rerate_workflow.publish_again(shown, start, reasons)
        except UndecidedError as error:
            return StillOpen(str(error), error.previews, publish_workflow.approvals_needed(settings))

    def text(found: list[RevisedMonth] | StillOpen) -> str:
        return found.text() if isinstance(found, StillOpen) else f"The lists from {start} published again"

    def attempt(reasons: dict[str, str]) -> Any:
        name = f"publish the lists from {start} again"
        return step(settings, name, lambda shown: published_or_open(shown, reasons), text).result()

    name = f"The change of the lists from {start} on"
    published: list[RevisedMonth] = _when_decided(settings, name, f"again-{start}", attempt)
    return published


def _when_decided(settings: Settings, name: str, key: str, attempt: Attempt) -> Any:
    """Publish, once people have decided. ``name``: as a sentence has it. ``key``: begins the keys of its forms."""
    found, refused = attempt({}), ""
    # Every form but the last was taken before the next one was shown.
    forms, given = _last_answer(key) if isinstance(found, StillOpen) else (0, None)
    while isinstance(found, StillOpen):
        for one in found.previews:
            keep_preview(settings, one)
        if deployment.id is None:
            raise CheckError(found.text())
        if given is None:
            given, forms = _ask(settings, name, f"{key}-{forms}", found, refused), forms + 1
        if given.reject:
            why = f": {given.remark}" if given.remark else ""
            raise NotDecidedError(
                f"{given.name or 'A person'} rejected {name[0].lower()}{name[1:]}{why}. It was not published."
            )
        found, refused = _decided(settings, attempt, found, given)
        given = None
        if refused:
            get_run_logger().warning(visible(refused))
    return found


def _decided(settings: Settings, attempt: Attempt, seen: StillOpen, given: Decision) -> tuple[Any, str]:
    """Take the reasons and the approval of a form, and publish where nothing is open any more.

    Returns the publication, or what is still open, and why the form was not taken, empty where it was: then nothing of
    it was kept but what the office says. ``seen``: what is open now.
    """
    if given.digest and given.digest != seen.digest:
        return seen, (
            f"The answer is for a preview with the digest {given.digest}, and it is {seen.digest} now: nothing was "
            "taken from it. Look at the new preview."
        )
    reasons = {question: text for question, text in (given.reasons or {}).items() if text.strip()}
    try:
        found = attempt(reasons) if reasons else seen
        if isinstance(found, StillOpen) and found.approvals_needed and given.name:
            # What the person saw, with the reasons that the person gave and nothing else.
            first, last, digest = found.previews[0].month, found.previews[-1].month, found.digest
            step(
                settings,
                f"approve {last}",
                lambda shown: publish_workflow.approve_months(
                    shown, Period.parse(first), Period.parse(last), given.name, digest, given.remark
                ),
            ).result()
            found = attempt({})
    except StoreInUseError:
        raise
    except RatinglistError as error:
        # Approvals given by `ratinglist approve` count: a person who signs cannot approve in this form.
        return attempt({}), f"Not taken: {error}"
    # Only a form that a person was shown has a digest; the service continues a run with an empty one.
    if given.digest and isinstance(found, StillOpen) and found == seen:
        why = f"{given.name} has approved it already" if given.name and not found.unanswered else _EMPTY
        return found, f"The answer changed nothing: {why}."
    return found, ""


_EMPTY = "it has no reason for a question, and no name where an approval is missing"


def _last_answer(key: str) -> tuple[int, Decision | None]:
    """Return how many forms of a suspended run were answered, and the last answer."""
    last: Decision | None = None
    number = 0
    while deployment.id is not None:
        answer: Any = read_flow_run_input(keyset_from_base_key(f"suspended-{key}-{number}")["response"])
        if answer is None:
            break
        last, number = Decision(**answer), number + 1
    return number, last


def _ask(settings: Settings, name: str, key: str, seen: StillOpen, refused: str) -> Decision:
    """Suspend the run until the form that continues it. ``refused``: why the last one was not taken."""
    shown = f"{refused}\n{seen.text()}" if refused else seen.text()
    # Prefect shows the description as Markdown, and the rows of a question have names of players.
    approvers = [one.name for one in settings.office.approvers]
    form = decision_on(paragraph(shown), seen.digest, seen.unanswered, approvers)
    until = deadline_of(datetime.now(UTC), settings.office.publication.wait_days)
    text = f"{shown}\nDecide until {until:%Y-%m-%d %H:%M} UTC."
    digest = seen.digest[:12]
    again = f"-{key.rpartition('-')[2]}" if refused else ""
    event = f"{flow_run.id}-{digest}{again}"
    tell(flow_run.parameters, "waiting", flow_run.id, name, text, key=event, digest=digest)
    # Without a timeout: Prefect would end the run as failed. The service ends it as cancelled, with the reason. The
    # reasons of the form are fields, and those of an answer go by their names.
    return Decision(**suspend_flow_run(wait_for_input=form, key=key).model_dump(warnings=False))


def deadline_of(waits_since: datetime, days: int) -> datetime:
    """Return until when people may decide on a list."""
    return waits_since + timedelta(days=days)
