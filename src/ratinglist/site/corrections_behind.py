"""Read the corrections behind a revision, and say in words of the site why a rating differs.

What a correction was, when it was reported and why is published in ``DIFF.md`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from ratinglist.publication import verify
from ratinglist.safe_text import on_one_line
from ratinglist.site.cells import Words
from ratinglist.site.texts import SiteTexts

NAME = "DIFF.md"
_HEADING = "## Corrections behind it"
_CELLS = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\(.)")
_ROW = re.compile(r"^\| \d+ \|")
_GAME = re.compile(r"round (\d+) of (.+?): (.*)")
_RESULT = re.compile(r"result corrected from (\S+) to (\S+)")
_OPPONENT = re.compile(r"rating of the opponent (\d+) corrected from (\S+) to (\S+)")


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: its number, the reason given, and the day on which it was reported (``YYYY-MM-DD``)."""

    number: int
    reason: str
    day: str


def corrections_behind(revision: Path) -> list[Correction]:
    """Return the corrections behind a revision, by number; none where it has no ``DIFF.md``.

    Raises :class:`~ratinglist.errors.AlteredError` where the file is not what was published.
    """
    path = revision / NAME
    if not path.exists():
        return []
    verify.verified_files(revision, [NAME])
    _, _, behind = path.read_text(encoding="utf-8").partition(_HEADING)
    rows = [line for line in behind.partition("\n## ")[0].splitlines() if _ROW.match(line)]
    cells = [[_ESCAPED.sub(r"\1", one.strip()) for one in _CELLS.split(row)[1:-1]] for row in rows]
    return [Correction(int(number), reason, day) for number, _, reason, _, day in cells]


@dataclass(frozen=True, slots=True)
class Known:
    """What the sentences on a revision name.

    ``events``: names of the events of the month; ``players``: names of players; ``first``: the first month that each
    correction changed.
    """

    month: str
    events: Mapping[str, str]
    players: Mapping[int, str]
    first: Mapping[int, str]

    def origins(self, corrections: Iterable[int]) -> list[str]:
        """Return the earlier months in which these corrections began, oldest first."""
        return sorted({self.first.get(one, self.month) for one in corrections} - {self.month})


def numbers(corrections: str) -> list[int]:
    """Return the numbers of the corrections of a row of ``DIFF``."""
    return [int(one) for one in re.findall(r"\d+", corrections)]


def because(frame: Words, row: Mapping[str, Any], known: Known) -> Markup:
    """Return why a rating differs, in words of the site; an event and an earlier month are links.

    In: a row of ``DIFF``. A rating that differs since an earlier list leads to the month in which that began.
    """
    if found := _GAME.fullmatch(row["because"]):
        number, event, what = found.groups()
        link = Markup('<a href="event.html#{}/{}">{}</a>').format(
            known.month, quote(event, safe=""), on_one_line(known.events.get(event) or event)
        )
        of_round = frame.texts.script["one_round"].format(last=number)
        return Markup("{}, {}: {}").format(link, of_round, _of_game(frame, what, known))
    if row["cause"] == "list_before" and (origins := known.origins(numbers(row["corrections"]))):
        return Markup(", ").join(earlier(frame, month) for month in origins)
    return Markup.escape(on_one_line(row["because"]))


def words_of_corrections(texts: SiteTexts) -> dict[str, str]:
    """Return the texts of these sentences, which the script writes too."""
    return {name: texts.page[name] for name in ("reported_on", "reason_given", *_BECAUSE)}


_BECAUSE = ("because_earlier", "because_result", "because_opponent")


def _of_game(frame: Words, what: str, known: Known) -> str:
    if found := _RESULT.fullmatch(what):
        return frame.text("because_result", before=found[1], after=found[2])
    if found := _OPPONENT.fullmatch(what):
        name = on_one_line(known.players.get(int(found[1])) or found[1])
        return frame.text("because_opponent", name=name, before=found[2], after=found[3])
    return on_one_line(what)


def earlier(frame: Words, month: str) -> Markup:
    """Return that a change follows from the correction to an earlier list, as a link to it."""
    text = frame.text("because_earlier", month=frame.month(month))
    return Markup('<a href="corrections.html#{}">{}</a>').format(month, text)
