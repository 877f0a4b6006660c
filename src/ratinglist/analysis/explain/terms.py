"""The terms of an account: sentences with their operands, result and article, and how figures are written in them.

A sentence has its operands in braces, each with the form it is written in: ``{sum:+h}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from ratinglist.rating.rules import RuleSet
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


Sentences = Mapping[str, str]
"""The sentences by their names."""

READING = "readings"
"""The article of a reading of the program, which the sentence ``reading`` names in words."""


class Stated:
    """The sentences, and the rule set of a list; None: not known."""

    def __init__(self, sentences: Sentences, rule_set: RuleSet | None) -> None:
        self.sentences, self.rule_set = sentences, rule_set
        self._values = {} if rule_set is None else rule_set.values()

    def term(self, what: str, result: object = None, article: str = "", **operands: object) -> Term:
        """Return a term; ``what`` is the name of its sentence."""
        return Term(what, self.sentences[what], operands, result, self.named(article))

    def text(self, what: str, **operands: object) -> str:
        """Return a part of a sentence."""
        return self.term(what, None, str(operands.pop("article", "")), **operands).text()

    def named(self, article: str) -> str:
        """Return an article as sentences name it."""
        return self.sentences["reading"] if article == READING else article

    def has(self, key: str) -> bool:
        """Return whether the rule set has the rule ``key``."""
        return self.rule_set is not None and key in self.rule_set.articles

    def value(self, key: str) -> object:
        """Return the value of a rule."""
        return self._values[key]

    def article(self, key: str) -> str:
        """Return the article of a rule; empty where there is no such rule."""
        return "" if self.rule_set is None else self.rule_set.articles.get(key, "")
