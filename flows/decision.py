"""Wait until people have decided on a list: its questions are answered and it is approved, or it is rejected.

A list that raises a question, or that must be approved, is no failure: the run waits with the report as an artifact and
takes reasons and a name in the form that continues it. It is suspended: no process waits, and it starts from its
beginning again, with the answers given. People may also decide with `ratinglist publish` and `ratinglist approve` while
it waits. Where it waits longer than `office.toml` allows, Prefect ends it as failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pydantic
from prefect import get_run_logger
from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput, keyset_from_base_key, read_flow_run_input
from prefect.runtime import deployment, flow_run

from ratinglist.errors import CheckError, RatinglistError, StoreInUseError, UndecidedError
from ratinglist.pages.document import paragraph
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import PreviewSummary, Summary
from ratinglist.text import counted, visible
from ratinglist.workflows import publish


class RejectedError(CheckError):
    """A person rejected a list; nothing was published."""


@dataclass(frozen=True, slots=True)
class StillOpen(Summary):
    """A list that can be published once people have decided.

    ``message``: what is open, and what to do. ``preview``: of the list. ``refused``: why the last answer was not taken;
    empty where it was.
    """

    message: str
    preview: PreviewSummary
    refused: str = ""

    def text(self) -> str:
        """Return why the last answer was not taken, what is open, and what to do."""
        return "\n".join(part for part in (self.refused, self.message) if part)


@dataclass(frozen=True, slots=True)
class Decided(Summary):
    """A list that passes its checks, and may be published with these ``reasons``. ``questions``: it raises so many."""

    month: str
    questions: int
    reasons: Mapping[str, str]

    def text(self) -> str:
        """Return the decision in a sentence."""
        answered = f"{counted(self.questions, 'question')} answered" if self.questions else "no question raised"
        return f"The list of {self.month} passes its checks: {answered}, nothing open."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person answered, for the list with a ``digest``; empty where the person was not shown one."""

    name: str = ""
    because: str = ""
    reasons: Mapping[str, str] | None = None
    reject: bool = False
    digest: str = ""

    def check_not_rejected(self, lists: str) -> None:
        """Raise :class:`RejectedError` where the person rejects the ``lists``, as a sentence names them."""
        why = f": {self.because}" if self.because else ""
        if self.reject:
            raise RejectedError(f"{self.name or 'A person'} rejected {lists}{why}. It was not published.")


def check(settings: Settings, period: Period, seen: StillOpen | None = None, answer: Answer | None = None) -> Summary:
    """Check the list of a month, with an answer to what was ``seen``: :class:`Decided`, or :class:`StillOpen`.

    Nothing is kept of an answer that cannot be taken, but for reasons that were taken before its approval was refused.
    Raises :class:`StoreInUseError` where the answer can be taken later.
    """
    if seen is None or answer is None:
        return _checked(settings, period, {})
    if answer.digest and answer.digest != seen.preview.digest:
        return replace(
            seen,
            refused=f"The answer is for a preview with the digest {answer.digest}, and it is {seen.preview.digest} "
            "now: nothing was taken from it. Look at the new preview.",
        )
    reasons = {question: text for question, text in (answer.reasons or {}).items() if text.strip()}
    try:
        result = _checked(settings, period, reasons) if reasons else replace(seen, refused="")
        if isinstance(result, StillOpen) and result.preview.approvals_needed and answer.name:
            # What the person saw, with the reasons that the person gave and nothing else.
            publish.approve(settings, period, answer.name, result.preview.digest)
            result = _checked(settings, period, {})
    except StoreInUseError:
        raise
    except RatinglistError as error:
        # Approvals given by `ratinglist approve` count: a person who signs cannot approve in a form.
        return _refused(_checked(settings, period, {}), f"Not taken: {error}")
    # A run is continued with an empty answer, for no list, after a publication or an approval by command.
    if answer.digest and isinstance(result, StillOpen) and result == replace(seen, refused=""):
        why = f"{answer.name} has approved it already" if answer.name and not result.preview.unanswered else _EMPTY
        return _refused(result, f"The answer changed nothing: {why}.")
    return result


def _checked(settings: Settings, period: Period, reasons: Mapping[str, str]) -> Summary:
    try:
        return Decided(str(period), publish.check(settings, period, reasons), reasons)
    except UndecidedError as error:
        (preview,) = error.previews
        return StillOpen(str(error), preview)


def report(result: Summary) -> str:
    """Return the report on a list that waits, as Markdown; empty where none waits."""
    return Path(result.preview.report).read_text(encoding="utf-8") if isinstance(result, StillOpen) else ""


_EMPTY = "it has no reason for a question, and no name where an approval is missing"


def _refused(result: Summary, why: str) -> Summary:
    return replace(result, refused=why) if isinstance(result, StillOpen) else result


Step = Callable[[StillOpen | None, Answer | None], Summary]
"""Takes what is open and the answer to it, None at first; returns :class:`StillOpen` while people have to decide."""


class Decision(RunInput):
    """The form that continues a run: a reason for each question, a name where approval is needed, or a rejection.

    ``digest``: the list that the person was shown; it is filled in.
    """

    name: str = pydantic.Field("", title="Your name", description="Needed to approve, and to reject.")
    reasons: dict[str, str] = pydantic.Field({}, title="Reasons")
    reject: bool = pydantic.Field(False, title="Reject", description="Nothing is published, and the run ends.")
    because: str = pydantic.Field("", title="Why you reject it")
    digest: str = pydantic.Field("", title="List", description="Which list you were shown: leave it as it is.")


def decided(settings: Settings, lists: str, key: str, step: Step) -> Any:
    """Return what a step gives once people have decided on everything that it finds open; at once where nothing is.

    ``lists``: as a sentence names them. ``key``: begins the keys of the forms. Raises
    :class:`RejectedError` where a person rejects the lists, and :class:`CheckError` where
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
