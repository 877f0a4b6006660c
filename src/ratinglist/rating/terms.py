"""The terms of an account: sentences with their operands, result and article, and how figures are written in them.

A sentence has its operands in braces, each with the form it is written in: ``{sum:+h}``. The browser writes the same
forms (``2-texts.js`` of the site).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from ratinglist.safe_text import on_one_line

Values = Mapping[str, Any]


def decimal(count: int | None, places: int, *, sign: bool = False) -> str:
    """Format a count of units of 10 to the power of ``-places`` as a decimal number; empty for None."""
    if count is None:
        return ""
    before = "-" if count < 0 else "+" if sign else ""
    whole, part = divmod(abs(count), 10**places)
    return f"{before}{whole}.{part:0{places}d}"


def hundredths(count: int | None, *, sign: bool = False) -> str:
    """Format hundredths as a decimal number, such as ``-1.05``; empty for None."""
    return decimal(count, 2, sign=sign)


def thousandths(count: int | None, *, sign: bool = False) -> str:
    """Format thousandths as a decimal number, such as ``-11.010``; empty for None."""
    return decimal(count, 3, sign=sign)


def halves(count: int | None) -> str:
    """Format half points as points, such as ``½`` or ``4½``; empty for None."""
    if count is None:
        return ""
    return f"{count // 2 or ('' if count % 2 else 0)}{'½' if count % 2 else ''}"


def signed(count: int) -> str:
    """Format an integer with its sign: ``+3``, ``-1``, ``0``."""
    return f"{count:+d}" if count else "0"


def plus(count: int) -> str:
    """Format an integer as the second term of a sum: ``+ 3`` or ``- 1``."""
    return f"{'-' if count < 0 else '+'} {abs(count)}"


def counted(count: int, what: str) -> str:
    """Format a number with its noun: ``1 game``, ``9 games``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def numbered(what: str, numbers: Iterable[int]) -> str:
    """Format numbers behind their noun: ``round 3``, ``rounds 1, 2 and 9``."""
    *first, last = [str(number) for number in sorted(set(numbers))]
    return f"{what}s {', '.join(first)} and {last}" if first else f"{what} {last}"


FORMS: Mapping[str, Callable[[Any], str]] = {
    "h": hundredths,
    "+h": lambda count: hundredths(count, sign=True),
    "t": thousandths,
    "+t": lambda count: thousandths(count, sign=True),
    "points": halves,
    "+": signed,
    "plus": plus,
    "rounds": lambda numbers: numbered("round", numbers),
}
"""The forms of figures in a sentence. Any other form is a noun that is counted: ``{games:game}``; ``d4`` is a decimal
number of four places."""


class _Sentences(Formatter):
    """Fill operands into sentences."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec:
            return str(value)
        if format_spec in FORMS:
            return FORMS[format_spec](value)
        if format_spec[0] == "d" and format_spec[1:].isdigit():
            return decimal(value, int(format_spec[1:]))
        return counted(value, format_spec.replace("_", " "))


filled = _Sentences().format
"""Fill operands into a sentence, each in the form that the sentence names."""


@dataclass(frozen=True, slots=True)
class Term:
    """One step of a calculation.

    ``what``: the name of its sentence. ``operands``: whole numbers and texts by name, as the sentence has them in
    braces. ``result``: what they give, None where the step has none. ``article``: the source, or empty.
    """

    what: str
    sentence: str
    operands: Values = field(default_factory=dict)
    result: object = None
    article: str = ""

    def text(self) -> str:
        """Return the sentence with its operands, result and article."""
        return filled(self.sentence, **{"result": self.result, "article": self.article, **self.operands})

    def as_dict(self) -> dict[str, object]:
        """Return the term as JSON values, with its sentence filled in as ``text``."""
        return {
            "what": self.what,
            "operands": dict(self.operands),
            "result": self.result,
            "article": self.article,
            "text": self.text(),
        }


class CitedRules:
    """The values of a rule set by key, with the articles that sentences cite."""

    def __init__(self, values: Values, articles: Mapping[str, str]) -> None:
        self._values, self._articles = values, articles

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def term(self, key: str, sentence: str, result: object = None, **operands: object) -> Term:
        """Return a term with the article of the rule ``key``, which is also its name."""
        return Term(key, f"{sentence} ({{article}})", operands, result, self._articles[key])


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table of an account. ``to_right``: which columns are aligned right: those of numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    to_right: Sequence[bool]

    def as_dict(self) -> dict[str, object]:
        """Return the table as JSON values."""
        return {"header": list(self.header), "rows": [list(row) for row in self.rows]}


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Iterable[str]) -> list[FigureTable]:
    """Return a table, or nothing without rows.

    The columns named in ``left`` are left-aligned, the others right-aligned. A column that is empty in all rows is left
    out.
    """
    cells = [["" if cell is None else on_one_line(str(cell)) for cell in row] for row in rows]
    columns = [[name, *column] for name, column in zip(head, zip(*cells, strict=True), strict=True) if any(column)]
    if not columns:
        return []
    to_left = set(left)
    header, *shown = zip(*columns, strict=True)
    return [FigureTable(header, shown, [name not in to_left for name in header])]
