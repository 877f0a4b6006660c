"""Wait until people have decided on a list: its questions are answered and it is approved, or it is rejected.

A list that raises a question, or that must be approved, is no failure: the run waits with the report as an artifact and
takes reasons and a name in the form that continues it. People may also decide with `ratinglist publish` and `ratinglist
approve` while it waits: the state of the office is read again whenever the run is continued.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from prefect import get_run_logger
from prefect.exceptions import FlowPauseTimeout
from prefect.flow_runs import pause_flow_run, suspend_flow_run
from prefect.input import keyset_from_base_key, read_flow_run_input
from prefect.runtime import deployment, flow_run
from prefect.settings import PREFECT_API_URL

from flows.artifacts import keep_preview
from flows.forms import Decision, decision_on
from flows.hooks import tell
from flows.tasks import StillOpen, approve, approve_months, asset, publish, publish_again
from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import CheckError, RatinglistError, StoreInUseError
from ratinglist.pages.markdown import paragraph
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.summaries import PreviewSummary, PublishSummary

Open = PreviewSummary | StillOpen
"""What waits for people: the preview of a list, or of lists that are published again together."""

POLL_SECONDS = 10
"""How often a run without a deployment polls whether it was continued."""


class NotDecidedError(CheckError):
    """A list was rejected, or nobody decided on it in time; nothing was published."""


@dataclass(frozen=True, slots=True)
class _Publication:
    """What people decide on.

    ``name``: as a sentence has it. ``key``: begins the keys of its forms. ``attempt``: publishes it with the reasons
    given, or returns what is open. ``approve``: notes the approval of a form for what is open. ``keep``: keeps a
    preview.
    """

    name: str
    key: str
    attempt: Callable[[dict[str, str]], Any]
    approve: Callable[[Decision, Any], object]
    keep: Callable[[Any], None]


def publish_when_decided(settings: Settings, period: Period) -> PublishSummary:
    """Publish a list, once its questions are answered and it is approved; at once where nothing is open.

    Where the run belongs to a deployment it is suspended: no process waits, and it starts from its beginning again,
    with the answers given; where it waits longer than `office.toml` allows, the service cancels it
    (:mod:`flows.service`). Another run waits in its process. Raises :class:`NotDecidedError` where a person rejects the
    list, or none decides in time while the run waits in its process.
    """
    publishing = publish.with_options(assets=[asset(settings, period)])
    published: PublishSummary = _when_decided(
        settings,
        _Publication(
            f"The list of {period}",
            str(period),
            lambda reasons: publishing(settings, period, reasons).result(),
            lambda given, seen: approve(settings, period, given.name, seen.digest, given.remark).result(),
            lambda seen: keep_preview(period, seen),
        ),
    )
    return published


def publish_again_when_decided(settings: Settings, start: Period) -> list[RevisedMonth]:
    """Publish the lists from ``start`` on that changed, as :func:`publish_when_decided` does, all or none."""

    def approve_all(given: Decision, seen: StillOpen) -> object:
        end = Period.parse(seen.previews[-1].month)
        return approve_months(settings, start, end, given.name, seen.digest, given.remark).result()

    def keep_all(seen: StillOpen) -> None:
        for one in seen.previews:
            keep_preview(Period.parse(one.month), one)

    published: list[RevisedMonth] = _when_decided(
        settings,
        _Publication(
            f"The change of the lists from {start} on",
            f"again-{start}",
            lambda reasons: publish_again(settings, start, reasons).result(),
            approve_all,
            keep_all,
        ),
    )
    return published


def _when_decided(settings: Settings, one: _Publication) -> Any:
    found, refused = one.attempt({}), ""
    # Every form but the last was taken before the next one was shown.
    forms, given = _last_answer(one.key) if isinstance(found, Open) else (0, None)
    while isinstance(found, Open):
        one.keep(found)
        # Without a server besides the one that Prefect starts for one run, people cannot reach the run.
        if PREFECT_API_URL.value() is None:
            raise CheckError(found.text())
        if given is None:
            given, forms = _ask(settings, one, found, forms, refused), forms + 1
        if given.reject:
            why = f": {given.remark}" if given.remark else ""
            name = f"{one.name[0].lower()}{one.name[1:]}"
            raise NotDecidedError(f"{given.name or 'A person'} rejected {name}{why}. It was not published.")
        found, refused = _decided(one, found, given)
        given = None
        if refused:
            get_run_logger().warning(visible(refused))
    return found


def _decided(one: _Publication, seen: Open, given: Decision) -> tuple[Any, str]:
    """Take the reasons and the approval of a form, and publish where nothing is open any more.

    Returns the publication, or what is still open, and why the form was not taken, empty where it was: then nothing of
    it was kept but what the office says. ``seen``: what was open when the form was shown, or is open now.
    """
    # A run that waited in its process does not know what the office did since.
    current = seen if deployment.id is not None else one.attempt({})
    if not isinstance(current, Open):
        return current, ""
    if given.digest and given.digest != current.digest:
        return current, (
            f"The answer is for a preview with the digest {given.digest}, and it is {current.digest} now: nothing was "
            "taken from it. Look at the new preview."
        )
    reasons = {question: text for question, text in (given.reasons or {}).items() if text.strip()}
    try:
        found = one.attempt(reasons) if reasons else current
        if isinstance(found, Open) and found.approvals_needed and given.name:
            # What the person saw, with the reasons that the person gave and nothing else.
            one.approve(given, found)
            found = one.attempt({})
    except StoreInUseError:
        raise
    except RatinglistError as error:
        # Approvals given by `ratinglist approve` count: a person who signs cannot approve in this form.
        return one.attempt({}), f"Not taken: {error}"
    # Only a form that a person was shown has a digest; the service continues a run with an empty one.
    if given.digest and isinstance(found, Open) and found == current:
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


def _ask(settings: Settings, one: _Publication, seen: Open, forms: int, refused: str) -> Decision:
    """Wait for the form that continues the run; raise :class:`NotDecidedError` where none comes in time.

    ``forms``: how many were answered before. ``refused``: why the last one was not taken.
    """
    shown = f"{refused}\n{seen.text()}" if refused else seen.text()
    # Prefect shows the description as Markdown, and the rows of a question have names of players.
    approvers = [one.name for one in settings.office.approvers]
    form = decision_on(paragraph(shown), seen.digest, seen.unanswered, approvers)
    days = settings.office.publication.wait_days
    until = deadline_of(datetime.now(UTC), days)
    text = f"{shown}\nDecide until {until:%Y-%m-%d %H:%M} UTC."
    digest = seen.digest[:12]
    again = f"-{forms}" if refused else ""
    tell(
        flow_run.parameters,
        "waiting",
        flow_run.id,
        one.name,
        text,
        key=f"{flow_run.id}-{digest}{again}",
        digest=digest,
    )
    key = f"{one.key}-{forms}"
    if deployment.id is not None:
        # Without a timeout: Prefect would end the run as failed. The service ends it as cancelled, with the reason.
        return _read(suspend_flow_run(wait_for_input=form, key=key))
    seconds = int(timedelta(days=days).total_seconds())
    try:
        return _read(pause_flow_run(wait_for_input=form, timeout=seconds, poll_interval=POLL_SECONDS, key=key))
    except FlowPauseTimeout:
        raise NotDecidedError(f"{one.name}: {undecided(days)}") from None


def _read(form: Decision) -> Decision:
    """Return the answer of a form, whose reasons are fields, as any answer is: with the reasons by their names."""
    return Decision(**form.model_dump(warnings=False))


def deadline_of(waits_since: datetime, days: int) -> datetime:
    """Return until when people may decide on a list."""
    return waits_since + timedelta(days=days)


def undecided(days: int) -> str:
    """Return the reason of a run that is cancelled because it waited too long."""
    return f"there was no decision in {days} days. It was not published; the next run takes it up again."
