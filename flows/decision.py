"""Wait until people have decided on a list: its questions are answered and it is approved, or it is rejected.

A list that raises a question, or that must be approved, is no failure: the run waits with the report as an artifact and
takes reasons and a name in the form that continues it. It is suspended: no process waits, and it starts from its
beginning again, with the answers given. People may also decide with `ratinglist publish` and `ratinglist approve` while
it waits. Where it waits longer than `office.toml` allows, Prefect ends it as failed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pydantic
from prefect import get_run_logger
from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput, keyset_from_base_key, read_flow_run_input
from prefect.runtime import deployment, flow_run

from ratinglist.errors import CheckError
from ratinglist.pages.document import paragraph
from ratinglist.settings import Settings
from ratinglist.summaries import Summary
from ratinglist.text import visible
from ratinglist.workflows.decide import Answer, StillOpen

Step = Callable[[StillOpen | None, Answer | None], Summary]
"""Takes what is open and the answer to it, None at first; returns :class:`StillOpen` while people have to decide."""


class Decision(RunInput):
    """The form that continues a run: a reason for each question, a name where approval is needed, or a rejection.

    ``digest``: the list that the person was shown; it is filled in.
    """

    name: str = pydantic.Field("", title="Your name", description="Needed to approve, and to reject.")
    remark: str = pydantic.Field("", title="Remark", description="Kept with your approval or your rejection.")
    reasons: dict[str, str] = pydantic.Field({}, title="Reasons")
    reject: bool = pydantic.Field(False, title="Reject", description="Nothing is published, and the run ends.")
    digest: str = pydantic.Field("", title="List", description="Which list you were shown: leave it as it is.")


def decided(settings: Settings, lists: str, key: str, step: Step) -> Any:
    """Return what a step gives once people have decided on everything that it finds open; at once where nothing is.

    ``lists``: as a sentence names them. ``key``: begins the keys of the forms. Raises
    :class:`~ratinglist.workflows.decide.RejectedError` where a person rejects the lists, and :class:`CheckError` where
    something is open in a run that people cannot continue: it has no deployment, or is a part of another run.
    """
    result = step(None, None)
    # Every form but the last was taken before the next one was shown.
    forms, answer = _last_answer(key) if isinstance(result, StillOpen) else (0, None)
    while isinstance(result, StillOpen):
        if not _can_wait():
            raise CheckError(result.text())
        if answer is None:
            answer, forms = _ask(settings, f"{key}-{forms}", result), forms + 1
        answer.check_not_rejected(lists)
        result = step(result, answer)
        answer = None
        if isinstance(result, StillOpen) and result.refused:
            get_run_logger().warning(visible(result.refused))
    return result


def _can_wait() -> bool:
    return deployment.id is not None and flow_run.parent_flow_run_id is None


def _last_answer(key: str) -> tuple[int, Answer | None]:
    """Return how many forms of a suspended run were answered, and the last answer."""
    last: Answer | None = None
    number = 0
    while _can_wait():
        answer: Any = read_flow_run_input(keyset_from_base_key(f"suspended-{key}-{number}")["response"])
        if answer is None:
            break
        last, number = Answer(**answer), number + 1
    return number, last


def _ask(settings: Settings, key: str, seen: StillOpen) -> Answer:
    """Suspend the run until the form that continues it."""
    reasons = dict.fromkeys(sorted(seen.preview.unanswered), "")
    # Prefect shows the description as Markdown, and the rows of a question have names of players.
    form = Decision.with_initial_data(description=paragraph(seen.text()), digest=seen.preview.digest, reasons=reasons)
    days = timedelta(days=settings.office.publication.wait_days)
    answer = suspend_flow_run(wait_for_input=form, key=key, timeout=int(days.total_seconds()))
    return Answer(**answer.model_dump(warnings=False))
