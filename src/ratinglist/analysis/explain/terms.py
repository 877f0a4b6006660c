"""The terms of an account: sentences with their operands, result and article, and how figures are written in them.

A sentence has its operands in braces, each with the form it is written in: ``{sum:+h}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from ratinglist.text import counted, decimal, halves, hundredths, numbered, plus, signed, thousandths

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
