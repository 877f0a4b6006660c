"""The terms of an account: sentences with their operands, result and article; and the account as a document.

A sentence has its operands in braces, each with the form it is written in: ``{sum:+h}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from ratinglist.pages.document import Document, Heading, Paragraph, Part, Table
from ratinglist.rating.rules import RuleSet
from ratinglist.text import (
    counted,
    decimal,
    halves,
    hundredths,
    numbered,
    on_one_line,
    plus,
    shown,
    signed,
    thousandths,
)

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


# ----------------------------------------------------------------------------------------- the account as a document

_GAMES = (
    *("round", "date", "colour", "opponent", "name", "opp. rating", "own rating", "difference", "counted as"),
    *("score", "expected", "K", "change"),
)
_LEFT_ALIGNED = ("date", "colour", "opponent", "name")
_COLOURS = {"w": "White", "b": "Black"}
_RESULTS = ("event", "name", "games", "points", "sum of opponents' ratings", "counted by", "counts until")


def account_document(content: Values) -> Document:
    """Return the content of an account as a document, with a section for each time control."""
    player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
    name = on_one_line(content["name"] or "Player")
    parts = [part for control in content["time_controls"] for part in _of_time_control(control)]
    columns = ", ".join(f"{stem}.{column}" for stem, out in content["left_out"].items() for column in out)
    rules = ", ".join(content["rules_changed"])
    notes = [
        f"This office does not publish {columns}: these figures are missing above." * bool(columns),
        f"The rule file of {rules} was changed after this list was calculated: the articles are today's." * bool(rules),
    ]
    parts += [Paragraph(note, ends_section=True) for note in notes if note]
    return Document(f"{name} ({player}), list of {content['month']} ({content['revision']})", parts)


def _of_time_control(part: Values) -> list[Part]:
    parts: list[Part] = [Heading(part["headline"].text())]
    if part["rule_set"] is not None:
        parts.append(Paragraph(f"by {part['rule_set']['name']} ({part['rule_set']['source']})"))
    of_system = part["system"]["game_columns"] if "system" in part else []
    for event in part["events"]:
        parts += _event(event, of_system)
    if part["terms"]:
        parts += [Heading("How the rating was calculated", level=3), *_paragraphs(part["terms"])]
    entry, waiting = part["entry"], part["waiting"]
    if entry is not None:
        has_entered = entry["published"]
        heading = "How the first rating was calculated" if has_entered else "Results towards a first rating"
        tranches = (
            [{**tranch, "last_month": None} for tranch in entry["tranches"]] if has_entered else entry["tranches"]
        )
        parts += [Heading(heading, level=3), *_results(tranches), *_paragraphs(entry["terms"])]
    if waiting and (entry is None or entry["published"]):
        parts += [Heading("Results that wait", level=3), *_results(waiting)]
    if "system" in part and part["system"]["waited"]:
        parts += [Heading("Results that waited before", level=3), *_results(part["system"]["waited"])]
    return parts


def _event(event: Values, of_system: Sequence[str]) -> list[Part]:
    name = on_one_line(event["name"] or event["event_id"])
    days = " to ".join(dict.fromkeys(filter(None, (event["start_date"], event["end_date"]))))
    code = on_one_line(event["event_id"]) if event["name"] else ""
    details = ", ".join(filter(None, (code, event["federation"], days)))
    rows = [[*_game(game), *(game[name] for name in of_system)] for game in event["games"]]
    games = table([*_GAMES, *of_system], rows, _LEFT_ALIGNED)
    heading = Heading(f"{name} ({details})" if details else name, level=3)
    return [heading, *_paragraphs(event["verdict"]), *games, *_paragraphs(event["terms"])]


def _game(game: Values) -> list[object]:
    """Return the cells of a game, without those that a system adds."""
    is_cut = game["difference_used"] is not None and game["difference_used"] != game["difference"]
    return [
        game["round"],
        game["date"],
        _COLOURS.get(game["colour"], ""),
        game["opponent_id"],
        game["opponent"],
        game["opponent_rating"],
        game["rating"],
        None if game["difference"] is None else signed(game["difference"]),
        signed(game["difference_used"]) if is_cut else None,
        halves(game["score_halves"]),
        hundredths(game["expected_hundredths"]) or thousandths(game.get("expected_thousandths")),
        game["k"],
        hundredths(game["change_hundredths"], sign=True) or thousandths(game.get("change_thousandths"), sign=True),
    ]


def _results(tranches: Sequence[Values]) -> list[Part]:
    rows = [
        [
            *(tranche[name] for name in ("event_id", "name", "games")),
            halves(tranche["score_halves"]),
            *(tranche[name] for name in ("opponent_rating_sum", "counted_month", "last_month")),
        ]
        for tranche in tranches
    ]
    return table(_RESULTS, rows, ("event", "name"))


def _paragraphs(terms: Iterable[Term]) -> list[Part]:
    return [Paragraph(term.text()) for term in terms]


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Iterable[str]) -> list[Part]:
    """Return a table, or nothing without rows.

    The columns named in ``left`` are left-aligned, the others right-aligned. A column that is empty in all rows is left
    out.
    """
    cells = [[shown(cell) for cell in row] for row in rows]
    columns = [[name, *column] for name, column in zip(head, zip(*cells, strict=True), strict=True) if any(column)]
    if not columns:
        return []
    to_left = set(left)
    header, *body = zip(*columns, strict=True)
    return [Table(header, body, [name not in to_left for name in header])]


def unlisted_document(content: Values) -> Document:
    """Return the account of a player who is not on a list as a document."""
    player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
    month = content["month"]
    where = f"list of {month} ({content['revision']})" if month else "no list is published yet"
    now = ", ".join([content["state_text"], *(f"{name} {rating}" for name, rating in content["ratings"].items())])
    parts: list[Part] = [Paragraph(f"Now: {now}")]
    if month:
        parts.append(Paragraph(f"The list of {month} has nothing of this player."))
        if not content["reports"]:
            parts.append(Paragraph("No accepted report has this FIDE ID; refused reports: ratinglist quarantine"))
        for report in content["reports"]:
            parts += _of_report(report)
    return Document(f"{on_one_line(content['name'])} ({player}), {where}", parts)


def _of_report(report: Values) -> list[Part]:
    on_list = f" (list of {report['list_month']})" if report["list_month"] else ""
    why = f": {report['why']}" if report["why"] else ""
    remedy = [Paragraph(f"what to do: {report['remedy']}")] if report["remedy"] else []
    return [
        Heading(f"{on_one_line(report['name'])} ({report['event_id']}): {on_one_line(report['file'])}"),
        Paragraph(f"{report['status']}{on_list}{why}"),
        *remedy,
    ]
