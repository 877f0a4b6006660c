"""The thinking time for 60 moves in free text (record 122), in the languages that arbiters write.

Every word and sign of a text has a kind (:mod:`ratinglist.reports.time_words`), and the kinds follow one of a few
patterns: periods, each with a time and perhaps a number of moves, and an increment. A text with a word that is not
known, or in another order, is not understood: a report is never put on a list by a guess.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from ratinglist.reports.time_words import KINDS, NAMES, SECONDS_OR_FROM

_MOVES: Final = 60
_LONGEST_TEXT: Final = 200
_MOST_MINUTES: Final = 180
_MOST_BARE_MINUTES: Final = 150
"""The largest number without a unit that is read as minutes; above it, it may be seconds."""
_MOST_INCREMENT: Final = 180
_CODED_FROM: Final = 600
"""The smallest number without a unit that is read as seconds, as record 222 has them: no game has 600 minutes."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "′": "'", "“": '"', "”": '"', "„": '"', "–": "-"})
_TOKEN = re.compile(r"[0-9]+(?:[.,:-][0-9]+)+|[0-9]+|[^\W\d_]+|\S")
_HALF_HOURS = re.compile(r"([0-9]{1,2})[.,]([05])\s*([^\W\d_]+)")
_SIGNS = {"+": "+", ",": "+", ";": "+", "&": "+", "/": "/", "'": "M", '"': "S", "-": "+"}
_IGNORED_SIGNS = frozenset(".:()[]")

# Patterns over kinds, one letter each; the letters are explained in time_words.
_TIME = r"(?:NHNM?|NH|NM)"
_FROM = r"(?:P?F+(?:V[N1]|[N1]P?V|[N1]))"
_REST = r"(?:P?R+)"
_PER_MOVE = r"(?:[P/]*V)"
_ITEMS = (
    ("increment", re.compile(rf"F?P?I*N(?:SI*{_PER_MOVE}?I*|[P/]+VI*|I+){_FROM}?|F?P?I+NS?{_PER_MOVE}?{_FROM}?")),
    ("period", re.compile(rf"NV[P/]*(?P<after>{_TIME})|(?P<before>{_TIME})[P/]*NV|(?P<slash>{_TIME})/N(?![HMSV])")),
    ("period", re.compile(rf"N/(?P<coded>{_TIME})")),
    ("rest", re.compile(rf"{_REST}[P/]*(?P<after>{_TIME}|N)|(?P<before>{_TIME})/?{_REST}?")),
    ("american", re.compile(r"N/N")),
    ("bare", re.compile(rf"\+N{_FROM}?$")),
    ("separator", re.compile(r"\+")),
    ("player", re.compile(r"P?y")),
    ("all moves", re.compile(r"VP(?=N)")),
    ("minutes", re.compile(r"N(?=\+N)")),
)


@dataclass(frozen=True, slots=True)
class TimeText:
    """What a text states: the ``seconds`` for 60 moves, and the ``names`` of time controls in it."""

    seconds: int | None
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Period:
    """A period: its seconds, and the moves to be played in it; none for the last one."""

    seconds: int
    moves: int | None


def parse(text: str) -> TimeText:
    """Return the thinking time that ``text`` states; ``seconds`` is None where it is not understood."""
    composed = unicodedata.normalize("NFKC", text).lower().translate(_QUOTES).replace("''", '"')
    tokens = _TOKEN.findall(_HALF_HOURS.sub(_in_minutes, composed)) if len(composed) <= _LONGEST_TEXT else []
    names = frozenset(NAMES[token] for token in tokens if token in NAMES)
    kinds = ""
    numbers: list[int] = []
    for token in tokens:
        kind = _kind(token, kinds)
        if kind is None:
            return TimeText(None, names)
        if kind == "r" and kinds.endswith("N"):  # the number of rounds is no time
            kinds = kinds[:-1]
            numbers.pop()
            continue
        kinds += kind
        numbers += [int(token)] if kind == "N" else []
    return TimeText(_seconds(kinds.strip("+"), numbers), names)


def _in_minutes(found: re.Match[str]) -> str:
    """Return hours with a half, ``1,5 h``, as hours and minutes; any other text as it is."""
    return f"{found[1]} h {6 * int(found[2])} min" if KINDS.get(found[3]) == "H" else found[0]


def _kind(token: str, before: str) -> str | None:
    """Return the kind of a token after the kinds ``before``: empty where it adds nothing, None where unknown."""
    if token.isascii() and token.isdigit():
        return "N" if len(token) <= len("99999") else None
    if token in NAMES or token in _IGNORED_SIGNS:
        return ""
    if token == SECONDS_OR_FROM:
        return "S" if before.endswith("N") else "F"
    return _SIGNS.get(token, KINDS.get(token))


def _seconds(kinds: str, numbers: list[int]) -> int | None:
    """Return the seconds for 60 moves of a text of these kinds, None where they follow no pattern."""
    if kinds == "N+N":
        return _of_two_numbers(*numbers)
    periods: list[_Period] = []
    increments: list[tuple[int, int]] = []
    place = 0
    while place < len(kinds):
        found = next(((what, match) for what, one in _ITEMS if (match := one.match(kinds, place))), None)
        if found is None:
            return None
        what, match = found
        values = numbers[kinds[: match.start()].count("N") : kinds[: match.end()].count("N")]
        if what == "increment" or (what == "bare" and periods and not increments):
            if what == "increment" and not _is_marked(kinds, match):
                return None
            increments.append((values[0], values[1] if len(values) > 1 else 1))
        elif what in ("period", "rest"):
            periods.append(_period(what, match, values))
        elif what == "american":
            periods.append(_Period(values[1] * 60, values[0]))
        elif what == "minutes" and place == 0 and values[0] <= _MOST_BARE_MINUTES:
            periods.append(_Period(values[0] * 60, None))
        elif what in ("bare", "minutes"):
            return None
        place = match.end()
    if len(increments) > 1 or any(first < 1 or seconds > _MOST_INCREMENT for seconds, first in increments):
        return None
    return _for_60_moves(periods, *(increments or [(0, 1)])[0])


def _is_marked(kinds: str, increment: re.Match[str]) -> bool:
    """Return whether something shows that seconds are an increment: a plus, the first item, or its own words.

    ``3 min 2 sec`` may be a time of 182 seconds.
    """
    return kinds[: increment.start()].endswith("+") or not re.fullmatch("NS?", increment[0])


def _of_two_numbers(first: int, second: int) -> int | None:
    """Return the seconds of ``15+10``, minutes and seconds a move, or of ``900+10``, all in seconds."""
    if 1 <= first <= _MOST_BARE_MINUTES and second <= _MOVES:
        return first * 60 + second * _MOVES
    if first >= _CODED_FROM and first % 60 == 0 and first <= _MOST_MINUTES * 60 and second <= _MOVES:
        return first + second * _MOVES
    return None


def _period(what: str, match: re.Match[str], values: list[int]) -> _Period:
    """Return a period whose time is a named group of ``match`` and whose numbers are ``values``."""
    name = next(name for name, group in match.groupdict().items() if group is not None)
    time = match[name]
    before = match[0][: match.start(name) - match.start()].count("N")
    parts = values[before : before + time.count("N")]
    seconds = (parts[0] * 3600 + (parts[1] * 60 if len(parts) > 1 else 0)) if "H" in time else parts[0] * 60
    others = values[:before] + values[before + len(parts) :]
    return _Period(seconds, others[0] if what == "period" else None)


def _for_60_moves(periods: list[_Period], increment: int, first_move: int) -> int | None:
    """Return the seconds for 60 moves, None where a period is out of order, or too short or long to be one."""
    *limited, last = periods or [_Period(0, None)]
    # Only the last period is open; what comes after 60 moves does not matter.
    if any(one.moves is None or not 1 <= one.moves <= _MOVES for one in limited):
        return None
    if last.moves is not None and sum(one.moves or 0 for one in periods) != _MOVES:
        return None
    if any(not 0 < one.seconds <= _MOST_MINUTES * 60 for one in periods) or not periods:
        return None
    seconds = played = 0
    for one in periods:
        if played < _MOVES:
            seconds += one.seconds
            played += one.moves or _MOVES
    return seconds + increment * max(_MOVES + 1 - first_move, 0)
