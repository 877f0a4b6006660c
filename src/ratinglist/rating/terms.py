"""The terms of an account: sentences with their operands, result and article, and how figures are written in them.

A sentence has its operands in braces, each with the form it is written in: ``{sum:+h}``. The browser writes the same
forms (``2-texts.js`` of the site).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from ratinglist.text import counted, decimal, halves, hundredths, numbered, on_one_line, plus, signed, thousandths

Values = Mapping[str, Any]

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
