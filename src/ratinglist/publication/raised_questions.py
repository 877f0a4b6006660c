"""A question that a list raises before it is published, and what people write about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ratinglist.errors import CommandLineError
from ratinglist.safe_text import first_forbidden_in_name

TEXT_LENGTH = 1000
"""Characters of a reason or a remark: a paragraph. Everybody who reads the manifest reads it."""

PERSONAL = frozenset({"name", "federation", "federation_before", "sex", "sex_before"})
"""Columns of what is found that stay in the office: which of them a list carries, its policy of fields says."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question raised.

    ``rows``: the first of ``count`` rows found, whole numbers and texts. ``found_digest`` names all of them. ``reason``
    is what somebody wrote about exactly these; empty: nobody yet.
    """

    question: str
    asks: str
    rows: list[dict[str, object]]
    count: int
    found_digest: str
    reason: str = ""

    def as_fact(self) -> dict[str, object]:
        """What the manifest says of it: question, reason and the figures found; of people their FIDE IDs alone."""
        rows = [{name: cell for name, cell in row.items() if name not in PERSONAL} for row in self.rows]
        return {**self.as_dict(), "found": {"count": self.count, "rows": rows, "sha256": self.found_digest}}

    def as_dict(self) -> dict[str, object]:
        """All of it as JSON-able values, for the office."""
        found = {"count": self.count, "rows": self.rows, "sha256": self.found_digest}
        return {"question": self.question, "asks": self.asks, "reason": self.reason, "found": found}

    def lines(self) -> list[str]:
        """The question, what it found and, where there is one, the reason."""
        more = [f"and {self.count - len(self.rows):,} more"] if self.count > len(self.rows) else []
        answer = [f"answered: {self.reason}"] if self.reason else []
        return [f"{self.question}: {self.asks}", *(f"  {row_told(row)}" for row in self.rows), *more, *answer]


def row_told(row: Mapping[str, object]) -> str:
    """A row found, its empty cells left out: ``fide_id 101, change 240``."""
    return ", ".join(f"{name} {value}" for name, value in row.items() if value is not None)


def unanswered(raised: Iterable[Asked]) -> list[Asked]:
    """Those nobody has answered yet."""
    return [one for one in raised if not one.reason]


def because_options(raised: Iterable[Asked]) -> str:
    """The options that answer these questions, for people to fill in."""
    return " ".join(f'--because {one.question}="..."' for one in raised)


def unanswered_told(months: Mapping[str, Sequence[Asked]], command: str) -> str:
    """What a publication says that questions stopped: by month, what they found, and how to go on with ``command``."""
    open_ones = {month: unanswered(raised) for month, raised in months.items() if unanswered(raised)}
    named = {one.question: one for raised in open_ones.values() for one in raised}
    lines = [f"    {line}" for raised in open_ones.values() for one in raised for line in one.lines()]
    if len(open_ones) > 1:
        lines = []
        for month, raised in open_ones.items():
            lines += [f"  {month}", *(f"    {line}" for one in raised for line in one.lines())]
    count = "a question" if len(named) == 1 else f"{len(named)} questions"
    return "\n".join(
        [
            f"Nothing was published: the list of {', '.join(open_ones)} raises {count} that nobody has answered.",
            *lines,
            "Look whether this is right. If it is wrong, mend it and calculate again. If it is right, write down why, "
            f"for all to read in the manifest: {command} {because_options(named.values())}",
        ]
    )


def with_reasons(raised: Iterable[Asked], reasons: Mapping[str, str]) -> list[Asked]:
    """The questions ``raised``, those that ``reasons`` answer with the reason now given."""
    return [replace(one, reason=reasons.get(one.question, one.reason)) for one in raised]


def check_asked(months: Mapping[str, Sequence[Asked]], reasons: Mapping[str, str]) -> None:
    """Raise :class:`CommandLineError` for a reason given to a question that none of these months raises."""
    raised = {one.question for every in months.values() for one in every}
    for question in reasons:
        if question not in raised:
            asks = f"raised is {', '.join(sorted(raised))}" if raised else "none is raised"
            raise CommandLineError(
                f"--because {question}: the list of {', '.join(months)} does not raise that question; {asks}. Leave "
                "the reason out."
            )


def parse_reasons(given: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Reasons as the command line gives them, ``QUESTION=written reason``, by question; ``known``: all there are.

    Raises :class:`CommandLineError` for an unknown question, one given twice, and a reason that is no reason.
    """
    reasons: dict[str, str] = {}
    for one in given:
        question, equals, reason = (part.strip() for part in one.partition("="))
        if question not in known or not equals:
            raise CommandLineError(
                f"--because '{one}': write QUESTION=\"your reason\", the question being one of "
                f"{', '.join(sorted(known))}."
            )
        if question in reasons:
            raise CommandLineError(f"--because {question}: given twice; one reason is enough.")
        reasons[question] = checked_text(reason, f"--because {question}", "why the list is right all the same")
    return reasons


def checked_text(text: str, option: str, what: str) -> str:
    """What somebody wrote, one line without blanks around it; ``what`` says what he should write.

    Raises :class:`CommandLineError` where it is empty, too long, or has a character that is no text.
    """
    text = text.strip()
    if not text:
        raise CommandLineError(f"{option} is empty: write {what}.")
    if len(text) > TEXT_LENGTH:
        raise CommandLineError(f"{option} has {len(text):,} characters: write at most {TEXT_LENGTH:,}.")
    if strange := first_forbidden_in_name(text):
        raise CommandLineError(f"{option} has the character {strange}: write one line of plain text.")
    return text
