"""Which lists a scheduled run makes, and what becomes of an answer that people give for a list that waits.

For a caller that shows people what is open and waits, such as a flow. Nothing here waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from ratinglist.errors import CheckError, RatinglistError, StoreInUseError, UndecidedError
from ratinglist.home.location import check_home
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import PreviewSummary, Summary
from ratinglist.text import counted
from ratinglist.workflows import publish as publish_workflow
from ratinglist.workflows.opening import open_to_read


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
    remark: str = ""
    reasons: Mapping[str, str] | None = None
    reject: bool = False
    digest: str = ""

    def check_not_rejected(self, lists: str) -> None:
        """Raise :class:`RejectedError` where the person rejects the ``lists``, as a sentence names them."""
        why = f": {self.remark}" if self.remark else ""
        if self.reject:
            raise RejectedError(f"{self.name or 'A person'} rejected {lists}{why}. It was not published.")


def check(settings: Settings, period: Period, seen: StillOpen | None = None, given: Answer | None = None) -> Summary:
    """Check the list of a month, with an answer to what was ``seen``: :class:`Decided`, or :class:`StillOpen`.

    Nothing is kept of an answer that cannot be taken, but for reasons that were taken before its approval was refused.
    Raises :class:`StoreInUseError` where the answer can be taken later.
    """
    if seen is None or given is None:
        return _checked(settings, period, {})
    if given.digest and given.digest != seen.preview.digest:
        return replace(
            seen,
            refused=f"The answer is for a preview with the digest {given.digest}, and it is {seen.preview.digest} now: "
            "nothing was taken from it. Look at the new preview.",
        )
    reasons = {question: text for question, text in (given.reasons or {}).items() if text.strip()}
    try:
        result = _checked(settings, period, reasons) if reasons else replace(seen, refused="")
        if isinstance(result, StillOpen) and result.preview.approvals_needed and given.name:
            # What the person saw, with the reasons that the person gave and nothing else.
            publish_workflow.approve(settings, period, given.name, result.preview.digest, given.remark)
            result = _checked(settings, period, {})
    except StoreInUseError:
        raise
    except RatinglistError as error:
        # Approvals given by `ratinglist approve` count: a person who signs cannot approve in a form.
        return _refused(_checked(settings, period, {}), f"Not taken: {error}")
    # A run is continued with an empty answer, for no list, after a publication or an approval by command.
    if given.digest and isinstance(result, StillOpen) and result == replace(seen, refused=""):
        why = f"{given.name} has approved it already" if given.name and not result.preview.unanswered else _EMPTY
        return _refused(result, f"The answer changed nothing: {why}.")
    return result


def _checked(settings: Settings, period: Period, reasons: Mapping[str, str]) -> Summary:
    try:
        return Decided(str(period), publish_workflow.check(settings, period, reasons), reasons)
    except UndecidedError as error:
        (preview,) = error.previews
        return StillOpen(str(error), preview)


def report(result: Summary) -> str:
    """Return the report on a list that waits, as Markdown; empty where none waits."""
    return Path(result.preview.report).read_text(encoding="utf-8") if isinstance(result, StillOpen) else ""


_EMPTY = "it has no reason for a question, and no name where an approval is missing"


def _refused(result: Summary, why: str) -> Summary:
    return replace(result, refused=why) if isinstance(result, StillOpen) else result


def due(settings: Settings, until: Period) -> list[Period]:
    """Return the lists to make, in order: those after the newest published or imported one, and ``until``, the last.

    Months in which the family publishes no list are left out. ``until`` is among them where it is published already
    too: to make it again changes nothing. A list that was taken back is not made again: what becomes of it is for a
    person to decide. Raises what :func:`~ratinglist.workflows.opening.open_to_read` raises: a home that does not exist
    is an error.
    """
    with open_to_read(settings) as store:
        newest = store.read(
            """
            select max(month) from (
                select month from current_revision union all select month from imported_list
            ) where month < $until
            """,
            until=str(until),
        ).item()
        taken_back = store.read("select month from withdrawn_month")
    first = Period.parse(newest) + 1 if newest else until
    months = [Period(index) for index in range(first.index, until.index)]
    published = [month for month in months if rule_book().publishes_in(settings.family, month)]
    return [month for month in published if str(month) not in set(taken_back["month"])] + [until]


def check_office(settings: Settings) -> None:
    """Raise :class:`CommandLineError` where no list can ever be due: no such home, no such family.

    Nothing is created: a mistyped name makes no home.
    """
    check_home(settings.home)
    rule_book().of(settings.family)


def last_closed_list(settings: Settings, day: date) -> Period:
    """Return the newest list of the family whose closing date is before ``day``, or before today if that is earlier."""
    book, day = rule_book(), min(day, settings.today)
    following = Period.of(day) + 1
    is_closed = day > book.closing_dates(settings.family, following)[0]
    return book.last_list(settings.family, following if is_closed else Period.of(day))
