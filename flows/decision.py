"""Wait until people have decided on a list: its questions are answered and it is approved, or it is rejected.

A list that raises a question, or that must be approved, is no failure: the run waits with the report as an artifact and
takes reasons and a name in the form that continues it. It is suspended: no process waits, and it starts from its
beginning again, with the answers given. People may also decide with `ratinglist publish` and `ratinglist approve` while
it waits. Where it waits longer than `office.toml` allows, Prefect ends it as failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pydantic
from prefect import get_run_logger
from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput, keyset_from_base_key, read_flow_run_input
from prefect.runtime import deployment

from flows.artifacts import keep
from flows.tasks import step
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.errors import CheckError
from ratinglist.pages.markdown import paragraph
from ratinglist.period import Period
from ratinglist.safe_text import visible
from ratinglist.settings import Settings
from ratinglist.summaries import PublishSummary, Summary
from ratinglist.workflows import decide
from ratinglist.workflows.decide import Answer, Attempt, StillOpen


class Decision(RunInput):
    """The form that continues a run: a reason for each question, a name where approval is needed, or a rejection.

    ``digest``: the list that the person was shown; it is filled in.
    """

    name: str = pydantic.Field("", title="Your name", description="Needed to approve, and to reject.")
    remark: str = pydantic.Field("", title="Remark", description="Kept with your approval or your rejection.")
    reasons: dict[str, str] = pydantic.Field({}, title="Reasons")
    reject: bool = pydantic.Field(False, title="Reject", description="Nothing is published, and the run ends.")
    digest: str = pydantic.Field("", title="List", description="Which list you were shown: leave it as it is.")


def publish_when_decided(settings: Settings, period: Period) -> PublishSummary:
    """Publish a list, once its questions are answered and it is approved; at once where nothing is open.

    Raises :class:`~ratinglist.workflows.decide.RejectedError` where a person rejects the list, and :class:`CheckError`
    where it is open in a run without a deployment, which people cannot continue.
    """

    def attempt(settings: Settings, reasons: Mapping[str, str]) -> Summary:
        return decide.publish(settings, period, reasons)

    return cast("PublishSummary", _when_decided(settings, f"the list of {period}", str(period), attempt))


def publish_again_when_decided(settings: Settings, start: Period) -> list[RevisedMonth]:
    """Publish the lists from ``start`` on that changed, as :func:`publish_when_decided` does, all or none."""

    def attempt(settings: Settings, reasons: Mapping[str, str]) -> Summary:
        return decide.publish_again(settings, start, reasons)

    found = _when_decided(settings, f"the change of the lists from {start} on", f"again-{start}", attempt)
    return cast("decide.PublishedAgain", found).months


def _when_decided(settings: Settings, lists: str, key: str, attempt: Attempt) -> Summary:
    """Publish, once people have decided. ``lists``: as a sentence names them. ``key``: begins the keys of the forms."""
    found: Summary = step(f"publish {lists}", lambda: attempt(settings, {})).result()
    # Every form but the last was taken before the next one was shown.
    forms, given = _last_answer(key) if isinstance(found, StillOpen) else (0, None)
    while isinstance(found, StillOpen):
        for seen in found.previews:
            text = Path(seen.report).read_text(encoding="utf-8")
            keep(settings, f"preview {seen.month}", text, f"To be decided: {seen.digest}")
        if deployment.id is None:
            raise CheckError(found.text())
        if given is None:
            given, forms = _ask(settings, f"{key}-{forms}", found), forms + 1
        given.check_not_rejected(lists)
        found = _take(settings, lists, attempt, found, given)
        given = None
        if isinstance(found, StillOpen) and found.refused:
            get_run_logger().warning(visible(found.refused))
    return found


def _take(settings: Settings, lists: str, attempt: Attempt, seen: StillOpen, given: Answer) -> Summary:
    taken: Summary = step(f"decide on {lists}", lambda: decide.take(settings, attempt, seen, given)).result()
    return taken


def _last_answer(key: str) -> tuple[int, Answer | None]:
    """Return how many forms of a suspended run were answered, and the last answer."""
    last: Answer | None = None
    number = 0
    while deployment.id is not None:
        answer: Any = read_flow_run_input(keyset_from_base_key(f"suspended-{key}-{number}")["response"])
        if answer is None:
            break
        last, number = Answer(**answer), number + 1
    return number, last


def _ask(settings: Settings, key: str, seen: StillOpen) -> Answer:
    """Suspend the run until the form that continues it."""
    reasons = dict.fromkeys(seen.unanswered, "")
    # Prefect shows the description as Markdown, and the rows of a question have names of players.
    form = Decision.with_initial_data(description=paragraph(seen.text()), digest=seen.digest, reasons=reasons)
    days = timedelta(days=settings.office.publication.wait_days)
    answer = suspend_flow_run(wait_for_input=form, key=key, timeout=int(days.total_seconds()))
    return Answer(**answer.model_dump(warnings=False))
