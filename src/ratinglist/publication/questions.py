"""The questions that a list raises before it is published, and the written reasons that answer them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ratinglist.errors import CommandLineError
from ratinglist.home.history import History
from ratinglist.period import Period
from ratinglist.safe_text import first_forbidden_in_written_text, is_too_short, with_plain_blanks
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.store.table_files import formula_problem
from ratinglist.tables import words_of

TEXT_LENGTH = 1000
"""Most characters of a reason or a remark: a paragraph. All readers of the manifest read it."""

OFFICE_SETTINGS = "office_settings"
"""The question that the choices of the office raise, and no query."""

PERSONAL = frozenset(
    {
        *("name", "federation", "federation_before", "sex", "sex_before"),
        *("opponent_name", "events", "file", "birth_year", "registered", "registered_year", "first", "why"),
    }
)
"""Columns found by a question that stay in the office: the policy of fields decides which of them a list carries.

Why a report is refused may name a player, and a file is a path of the office.
"""


@dataclass(frozen=True, slots=True)
class RaisedQuestion:
    """A question that a month raises.

    ``question``: its name. ``text``: the question as an officer reads it. ``rows``: the first of the ``count`` rows
    found, whole numbers and texts. ``found_digest`` identifies all of them. ``reason``: the reason given for exactly
    these rows; empty where none was given.
    """

    question: str
    text: str
    rows: list[dict[str, object]]
    count: int
    found_digest: str
    reason: str = ""

    @classmethod
    def of(
        cls, history: History, month: Period, name: str, text: str, rows: list[dict[str, object]], shown: int = 5
    ) -> RaisedQuestion:
        """Return a question with the reason that was given for exactly these rows, of which the first are shown."""
        digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
        return cls(name, text, rows[:shown], len(rows), digest, newest_reason(history, str(month), name, digest))

    def as_fact(self) -> dict[str, object]:
        """Return the question, the reason and the rows found for the manifest; a player is named by FIDE ID alone."""
        rows = [{name: cell for name, cell in row.items() if name not in PERSONAL} for row in self.rows]
        return {**self.as_dict(), "found": {"count": self.count, "rows": rows, "sha256": self.found_digest}}

    def as_dict(self) -> dict[str, object]:
        """Return the question, the reason and the rows found as JSON-able values, for the office."""
        found = {"count": self.count, "rows": self.rows, "sha256": self.found_digest}
        return {"question": self.question, "asks": self.text, "reason": self.reason, "found": found}

    def lines(self) -> list[str]:
        """Return the question, the rows found and, where there is one, the reason, as lines."""
        more = [f"and {self.count - len(self.rows):,} more"] if self.count > len(self.rows) else []
        answer = [f"answered: {self.reason}"] if self.reason else []
        return [f"{self.question}: {self.text}", *(f"  {row_text(row)}" for row in self.rows), *more, *answer]


def row_text(row: Mapping[str, object]) -> str:
    """Return a row found as text, without its empty cells: ``FIDE ID 101, change 240``."""
    shown = {name: words_of(str(value)) if name == "column" else value for name, value in row.items()}
    return ", ".join(f"{words_of(name)} {value}" for name, value in shown.items() if value is not None)


def unanswered(raised: Iterable[RaisedQuestion]) -> list[RaisedQuestion]:
    """Return the questions without a reason."""
    return [one for one in raised if not one.reason]


def because_options(raised: Iterable[RaisedQuestion]) -> str:
    """Return the options that answer these questions, with the reasons left to be filled in."""
    return " ".join(f'--because {one.question}="..."' for one in raised)


def unanswered_text(months: Mapping[str, Sequence[RaisedQuestion]], command: str) -> str:
    """Return the message of a publication stopped by questions: by month, the rows found and the remedy.

    ``command``: the command that publishes the months once every question has a reason.
    """
    open_ones = {month: unanswered(raised) for month, raised in months.items() if unanswered(raised)}
    named = {one.question: one for raised in open_ones.values() for one in raised}
    lines = [f"    {line}" for raised in open_ones.values() for one in raised for line in one.lines()]
    if len(open_ones) > 1:
        lines = []
        for month, raised in open_ones.items():
            lines += [f"  {month}", *(f"    {line}" for one in raised for line in one.lines())]
    count = "a question" if len(named) == 1 else f"{len(named)} questions"
    accounts = [
        f"Every game of a player: ratinglist explain {row['fide_id']} {month} --preview"
        for month, raised in open_ones.items()
        for one in raised
        for row in one.rows
        if "fide_id" in row
    ]
    return "\n".join(
        [
            f"Nothing was published: the list of {', '.join(open_ones)} raises {count} without an answer.",
            *lines,
            *accounts[:1],
            "Check whether this is right. If it is wrong, correct it and calculate the list again. If it is right, "
            "write down why; the reason is published in manifest.json: "
            f"{command} {because_options(named.values())}",
        ]
    )


def with_reasons(raised: Iterable[RaisedQuestion], reasons: Mapping[str, str]) -> list[RaisedQuestion]:
    """Return the questions, those that ``reasons`` answer with the reason given now."""
    return [replace(one, reason=reasons.get(one.question, one.reason)) for one in raised]


def check_reasons(months: Mapping[str, Sequence[RaisedQuestion]], reasons: Mapping[str, str]) -> None:
    """Raise :class:`CommandLineError` for a reason given to a question that none of these months raises."""
    raised = {one.question for questions in months.values() for one in questions}
    for question in reasons:
        if question not in raised:
            what = f"it raises {', '.join(sorted(raised))}" if raised else "it raises none"
            raise CommandLineError(
                f"--because {question}: the list of {', '.join(months)} does not raise that question; {what}. Leave "
                "the reason out."
            )


def parse_reasons(given: Iterable[str], questions: Collection[str]) -> dict[str, str]:
    """Parse reasons as the command line gives them, ``QUESTION=written reason``, into reasons by question.

    ``questions``: the names of all questions. Raises :class:`CommandLineError` for an unknown question, for one given
    twice, and for a reason that is empty, too long or no plain text.
    """
    reasons: dict[str, str] = {}
    for option in given:
        question, equals, reason = (part.strip() for part in option.partition("="))
        if question not in questions or not equals:
            raise CommandLineError(
                f"--because '{option}': write QUESTION=\"your reason\", the question being one of "
                f"{', '.join(sorted(questions))}."
            )
        if question in reasons:
            raise CommandLineError(f"--because {question}: given twice; one reason is enough.")
        what = "why the list is right all the same"
        reasons[question] = checked_reason(reason, f"--because {question}", what)
    return reasons


def checked_reason(text: str, option: str, what: str) -> str:
    """Return :func:`checked_text` of a reason; raises :class:`CommandLineError` for one of a letter too."""
    reason = checked_text(text, option, what)
    if is_too_short(reason):
        raise CommandLineError(f"{option}: '{reason}' is no reason that a reader understands: write {what}.")
    return reason


def checked_text(text: str, option: str, what: str) -> str:
    """Return the text of an option in plain blanks, without those around it; ``what`` names what has to be written.

    Raises :class:`CommandLineError` where it is empty, is too long, has a character that is not plain text, or is
    calculated by a spreadsheet, in which published files are opened.
    """
    text = with_plain_blanks(text).strip()
    if not text:
        raise CommandLineError(f"{option} is empty: write {what}.")
    if len(text) > TEXT_LENGTH:
        raise CommandLineError(f"{option} has {len(text):,} characters: write at most {TEXT_LENGTH:,}.")
    if strange := first_forbidden_in_written_text(text):
        raise CommandLineError(
            f"{option} has the character {strange}, which is not seen or controls a terminal: write one line of plain "
            "text."
        )
    if problem := formula_problem(text):
        raise CommandLineError(f"{option} '{text}' {problem}: write it in words.")
    return text


def newest_reason(history: History, month: str, question: str, found_digest: str) -> str:
    """Return the newest reason given for exactly these rows; empty where there is none."""
    key = (month, question, found_digest)
    kept = (one for one in reversed(history.answers) if (one["month"], one["question"], one["found"]) == key)
    return next((str(one["reason"]) for one in kept), "")


def checked(store: Store, settings: Settings, period: Period, text: str, option: str, what: str = "") -> str:
    """Return the text of ``option``, in plain blanks and without blanks around it, about the list of ``period``.

    ``what`` names what has to be written; without it, the text may be empty. Raises :class:`CommandLineError` where the
    text is empty, is too long, is a reason of one letter, has a character that is not plain text, or has a date of
    birth.
    """
    if not what and not text.strip():
        return ""
    text = (checked_reason if option == "--because" else checked_text)(text, option, what)
    check_birth_dates(store, settings, period, text, option)
    return text


def check_birth_dates(store: Store, settings: Settings, period: Period, text: str, option: str) -> None:
    """Raise :class:`CommandLineError` where ``text`` has a date of birth."""
    if problem := text_problem(store, text, settings.today, played=period.first_day):
        raise CommandLineError(f"{option} {problem}. The text was not stored, and nothing was published.")
