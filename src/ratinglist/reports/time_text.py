"""Thinking time for 60 moves as free text states it, in the languages that arbiters write.

Every word and sign has a kind, and the kinds follow one of a few patterns: periods, each with a time and perhaps a
number of moves, and an increment. A word that is not known adds nothing, but not where it stands after a number, whose
unit it may be. A text in another order is not understood: a report is never put on a list by a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ratinglist.reports.time_control import COUNTED_MOVES, thinking_seconds
from ratinglist.reports.time_words import (
    AFTER,
    BY_PLACE,
    HOURS,
    KINDS,
    MINUTES,
    MOVES,
    NOTHING,
    OTHER,
    ROUNDS,
    SECONDS,
    STEMS,
    name_of,
    without_accents,
)

_LONGEST_TEXT: Final = 200
_MOST_MINUTES: Final = 180
_MOST_BARE_MINUTES: Final = 150
"""The largest number without a unit that is read as minutes; above it, it may be seconds."""
_WHOLE_MINUTES: Final = range(180, 6001, 60)
"""The seconds that are minutes in 180 s + 2 s."""
_MOST_INCREMENT: Final = 180
_FEWEST_AMERICAN_MINUTES: Final = 10
"""The smallest number that is minutes in 40/90: the 2 of 40/2 is two hours."""
_FEWEST_PLAIN_MINUTES: Final = 15
"""The shortest time after which seconds are an increment although no word or sign says so."""
_CODED_FROM: Final = 600
"""The smallest number without a unit that is read as seconds, as record 222 has them: no game has 600 minutes."""
_CODED = re.compile(
    r"(?<![0-9/+])(?:[0-9]{2}/)?[0-9]{3,5}\s?(?:\+\s?[0-9]{1,2})?(?::[0-9]{3,5}(?:\+[0-9]{1,2})?)?(?![0-9/+:])"
)

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "`": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"', "–": "-", "×": "x"}
)
_HALF_HOURS = re.compile(r"\b([0-9]{1,2})(?:[.,]([05])|:([0-5][0-9]))\s*([^\W\d_]+)")
_LONG: Final = 6
"""The fewest letters of a word that may be misspelt."""
_UNKNOWN = "o"
"""A word that is not known."""
_TOKEN = re.compile(r"[0-9]+(?:[.,:-][0-9]+)+|[0-9]+|[^\W\d_]+|\S")
_SIGNS = dict.fromkeys("+,;&-|_", "+") | {"x": "x", "*": "x", "/": "/", "'": MINUTES, '"': SECONDS}
_IGNORED_SIGNS = frozenset(".:()[]")
_ONE = "1|one|an|une|una|un|eine|jedna|jeden"
_HOUR_AND_A_HALF = (
    "hours? and a half|and a half hours?|hora y media|hora i mitja|hora e meia|ora e mezza|heure et demie|"
    "eineinhalb stunden|anderthalb stunden|anderhalf uur|poltorej godziny|pol druge ure|halvanden time|"
    "halvannen time|en och en halv timme|puolitoista tuntia|masfel ora|полтора часа|півтори години|"
    "bir bucuk saat|o ora si jumatate|sat i po|puldruhe hodiny"
)
_REWRITTEN = (
    # 1:30 h and 1:30:00; 0:00:30.
    (re.compile(r"\b0{1,2}:00:([0-9]{2})\b"), r"\1 sec"),
    (re.compile(r"\b([0-9]{1,2}):([0-9]{2}):00\b"), r"\1 h \2 min"),
    (re.compile(r"\b([0-9]{1,3})'00\""), r"\1'"),
    # 180 s + 2 s.
    (
        re.compile(r"^([0-9]{3,4})\s?(?:s|sec)?\.?\s?\+\s?([0-9]{1,2})\s?s(?:ec\w*)?\.?$"),
        lambda found: found[0] if int(found[1]) not in _WHOLE_MINUTES else f"{int(found[1]) // 60} min + {found[2]} s",
    ),
    # Both players have 15 minutes: 15-15 min, 15'-15', 2 x 15 min.
    (re.compile(r"\b([0-9]{1,3})(\s?(?:'|min)?)\s?-\s?\1\2(?![0-9])"), r"\1\2"),
    (re.compile(r"\b2\s?[x*]\s?(?:po\s)?(?=[0-9]{1,3}\s?(?:'|h|m|p))"), ""),
    # 30-second increment, the 1-го move.
    (re.compile(r"(?<=[0-9])-(?=[^\W\d_])"), " "),
    (re.compile(r"\bdall'"), "dal "),
    (re.compile(r"\b(?:[dl]|all|dell)'(?=[^\W\d_])"), ""),
    # The name of a tournament of five rounds in the United States: 5SS.
    (re.compile(r"\b[0-9]{1,2}-?ss\b[,:]?"), ""),
    (re.compile(r"\bde la\b"), "dela"),
    (re.compile(r"\b1st\b"), "first"),
    (re.compile(r"\bcada uno\b|\bt[./]c\b"), ""),
    # An hour and a half in one or more words: 1 hora y media, полтора часа.
    (re.compile(rf"\b(?:(?:{_ONE}) )?(?:{_HOUR_AND_A_HALF})\b"), "90 min"),
    # Each player for a game, in Dutch: p.p., p/p, p.p.p.p.
    (re.compile(r"\bp[./]?p\.?(?:p\.?p\.?)?(?!\w)"), ""),
    # p/ jogador; 30 second's; and in Hebrew a shortened word ends so.
    (re.compile(r"(?<=[^\W\d_])'s?(?!\w)"), ""),
    (re.compile(r"\bp/(?=\s?\w)"), "per "),
    # Each player in Polish: P'15, P-15.
    (re.compile(r"\bp\s?(?:['-]\s?([0-9]{1,3})\b'?|([0-9]{1,3})')"), r"\1\2 min"),
    (re.compile(r"\bg-(?=[0-9])"), "g/"),
    # Danish and Norwegian hours are English time.
    (re.compile(r"\b([01](?:[.,]5)?) time\b(?! control)"), r"\1 h"),
    # 40/90+30; G/30+30: the same increment in every period. 40/120, 60: a second period in minutes.
    (re.compile(r"\+\s?([0-9]{1,2})(?=\s?[;,].*\+\s?\1$)"), ""),
    (re.compile(r"^([1-9][0-9]/[0-9]{2,3})[;,]\s?([1-9][0-9])$"), r"\1, sd/\2"),
)
"""Ways to write numbers and times, each with a plainer one."""

# Patterns over the kinds of words, one letter each (:mod:`~ratinglist.reports.time_words`). N is a number, / a slash,
# x a sign of multiplication. In "30 s, after move 40 + 50 min" the moves are those of the time, not of the increment.
_TIME = r"(?:NHNM?|NH|NM)"
_FROM = r"(?:(?:\+(?!A(?:VN|NV|N)\+?N[HM]))?P?(?:[FA]+P?(?:V[N1]|[N1]P?V|[N1]F?)|P?(?:[N1]V?F|1V))|P?aR)"
_REST = r"(?:[Px]?(?:a?R+V?|aV?))"
_PER_MOVE = r"(?:[PA/x]*V(?![N1](?!V?F)))"
_AFTER = r"(?:A(?:VN|NV|N))"
_PLAINER_KINDS = tuple(
    (re.compile(pattern), plainer)
    for pattern, plainer in (
        # Without increment, without <writing the moves>.
        (r"\+?(?:n[Io]+(?!N)|[Io]+n)", ""),
        # For <each> player, for the <whole> game, for the <first> 40 moves.
        (r"[PAo]*y(?:P(?=N))?", ""),
        (r"P[Po]+(?=[RV]|1?N1?V)", "P"),
        # 90 min <with> 30 s: an unknown word before a time joins.
        (r"[PF]?o+(?=[NF+&]|$)", "+"),
        (r"o", ""),
        # 1 hour and 30 minutes.
        (r"H&(?=NM)", "H"),
        (r"&", "+"),
        (r"^\++|[+PA]+$", ""),
        # From the first move 30 s; starting with the first move.
        (r"F+P?(?:1V?|V1)(?=NS)", ""),
        (r"F\++(?=[1V])", "F"),
        # In Slavic languages "po 90 minut" is 90 minutes each.
        (r"^[AP](?=N[HM])", ""),
        # 10 min + 2 s (with increment): which one has been said.
        (r"(?<=S)(V?R?)\+I+$", r"\1"),
    )
)
"""What adds nothing to the kinds of a text, and what stands for something plainer."""
_AFTER_AT_END = re.compile(rf"{_AFTER}$")
_ITEMS = (
    (
        "increment",
        re.compile(
            rf"F?[PAi]?I*N(?:SI*{_PER_MOVE}?I*|[P/]+VI*|I+){_FROM}?|F?P?I+[/F]?NS?{_PER_MOVE}?{_FROM}?|[PA]?VP?NSI*{_FROM}?"
        ),
    ),
    (
        "period",
        re.compile(
            rf"1?N1?V[Pi/+]*(?P<after>{_TIME})|(?P<before>{_TIME})[P/x]*1?N1?V|(?P<slash>{_TIME})[/x]N(?![HMSV])"
        ),
    ),
    ("period", re.compile(rf"N[/i](?P<coded>{_TIME})")),
    ("later", re.compile(rf"{_AFTER}\+?(?P<after>{_TIME}){_REST}?|(?P<before>{_TIME})(?:/?{_REST})?{_AFTER}")),
    ("later", re.compile(rf"(?P<before>{_TIME})F(?:VN|NV)")),
    ("until", re.compile(rf"(?P<before>{_TIME})P?VN(?![HMSV])")),
    (
        "rest",
        re.compile(
            rf"{_REST}[Pi/]*(?P<after>{_TIME}|N)|(?P<bare>N)/{_REST}|(?P<before>{_TIME})(?:/?{_REST}|PV(?![N1]))?"
        ),
    ),
    ("american", re.compile(r"N[/i]N")),
    ("bare", re.compile(rf"\+N{_FROM}?$")),
    ("separator", re.compile(r"[+/]")),
    ("player", re.compile(r"/?y")),
    ("to the end", re.compile(rf"\+?{_REST}")),
    ("all moves", re.compile(r"V[Pi](?=N)")),
    ("minutes", re.compile(r"N(?=\+N)")),
)


@dataclass(frozen=True, slots=True)
class TimeText:
    """What a text states: the ``seconds`` for 60 moves, and the ``names`` of time controls in it."""

    seconds: int | None
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Period:
    """A period: its seconds, and the moves to be played in it; none for the last one.

    ``after``: the moves played before it, where the text says so; 0 where it does not.
    """

    seconds: int
    moves: int | None
    after: int = 0


def parse_text(text: str) -> TimeText:
    """Return the thinking time that ``text`` states; ``seconds`` is None where it is not understood."""
    tokens = _TOKEN.findall(_plain(text)) if len(text) <= _LONGEST_TEXT else []
    names = frozenset(name for token in tokens if (name := name_of(token)))
    kinds = ""
    numbers: list[int] = []
    for before, token in pairwise(["", *tokens]):
        kind = _kind(token, kinds)
        if kind is None and token.isalpha() and len(token) > 1 and not before[:1].isdigit():
            kind = _UNKNOWN
        if kind is None or kind == OTHER:
            return TimeText(None, names)
        is_each_move = kind == MOVES and numbers[-1:] == [1] and kinds.endswith(("SPN", "S/N"))  # 30 s per 1 move
        is_ordinal = kind in (NOTHING, _UNKNOWN) and before == "." and numbers[-1:] in ([1], [2], [3])  # 2. control
        if kinds.endswith("N") and (kind == ROUNDS or is_each_move or is_ordinal):  # the number is no time
            kinds = kinds[:-1] + kind.replace(ROUNDS, "")
            numbers.pop()
            continue
        kinds += kind
        numbers += [int(token)] if kind == "N" else []
    # What a single time is for is not known where a word is not: 15 min <tolerance>.
    if _UNKNOWN in kinds and len(numbers) == 1 and not names and not re.search("[SVRy]", kinds):
        return TimeText(None, names)
    for pattern, plainer in _PLAINER_KINDS:
        kinds = pattern.sub(plainer, kinds)
    return TimeText(_seconds_of_kinds(kinds, numbers), names)


def _plain(text: str) -> str:
    """Return a text in the letters and signs that its words are compared in, with plain numbers."""
    halves = re.sub(r"([0-9]?)\s?(?:½|(?<![0-9/])1/2(?=\s?h))", lambda found: f"{found[1] or 0}.5", text)
    plain = without_accents(halves.translate(_QUOTES)).replace("''", '"')
    for pattern, plainer in _REWRITTEN:
        plain = pattern.sub(plainer, plain)
    return _HALF_HOURS.sub(_in_minutes, _CODED.sub(_decoded, plain))


def _decoded(found: re.Match[str]) -> str:
    """Return a time in seconds, as record 222 has it, as minutes for 60 moves; any other text as it is."""
    times = [int(time) for time in re.findall(r"(?<![/0-9])[0-9]{3,5}|(?<=/)[0-9]+", found[0])]
    is_coded = min(times) >= _CODED_FROM and all(time % 60 == 0 for time in times)
    is_stated = found[0] == found.string or not found[0].isdecimal()
    seconds = thinking_seconds(found[0]) if is_coded and is_stated else None
    return found[0] if seconds is None else f"{seconds[0] // 60} min"


def _in_minutes(found: re.Match[str]) -> str:
    """Return hours with a half, ``1,5 h``, or minutes, ``1:30 h``, as both; any other text as it is."""
    minutes = 6 * int(found[2]) if found[2] else int(found[3])
    return f"{found[1]} h {minutes} min" if _kind_of_word(found[4]) == HOURS else found[0]


def _kind(token: str, before: str) -> str | None:
    """Return the kind of a token after the kinds ``before``: empty where it adds nothing, None where unknown."""
    if token.isascii() and token.isdigit():
        return "N" if len(token) <= len("99999") else None
    if name_of(token) or token in _IGNORED_SIGNS:
        return ""
    if token in BY_PLACE:
        after, kind, elsewhere = BY_PLACE[token]
        return kind if before.endswith(after) else elsewhere
    return _SIGNS.get(token) or _kind_of_word(token)


def _kind_of_word(word: str) -> str | None:
    """Return the kind of a word: its own, that of its longest known stem, or that of the words it is like."""
    if word in KINDS:
        return KINDS[word]
    stems = (word[:length] for length in range(len(word), 0, -1))
    return next((STEMS[stem] for stem in stems if stem in STEMS), _kind_of_likeness(word))


def _kind_of_likeness(word: str) -> str | None:
    """Return the kind of the known words that a long word differs from in one letter; None if their kinds differ."""
    kinds = {kind for form in _without_a_letter(word) for kind in _KINDS_BY_FORM.get(form, ())}
    return kinds.pop() if len(kinds) == 1 else None


def _without_a_letter(word: str) -> set[str]:
    """Return a long word as it is, and without each of its letters."""
    return {word[:place] + word[place + 1 :] for place in range(len(word) + 1)} if len(word) >= _LONG else set()


_KINDS_BY_FORM: Final[dict[str, set[str]]] = {}
"""The kinds of the long words by the words without one of their letters: what is misspelt in one has one in common."""
for _word, _known_kind in KINDS.items():
    for _form in _without_a_letter(_word):
        _KINDS_BY_FORM.setdefault(_form, set()).add(_known_kind)


def _seconds_of_kinds(kinds: str, numbers: list[int]) -> int | None:
    """Return the seconds for 60 moves of a text of these kinds, None where they follow no pattern."""
    if re.fullmatch(r"N\++N(?:M[/+]?S)?|N/NM[/+]?S", kinds):  # 3+2, 3+2 min/sec
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
            is_long = bool(periods) and periods[-1].seconds >= _FEWEST_PLAIN_MINUTES * 60
            if what == "increment" and not is_long and not _is_marked(kinds, match):
                return None
            first_move = values[1] if len(values) > 1 else 1
            # "After move 40" is from move 41; but in Slavic languages "after 1 move" is "each move".
            increments.append((values[0], first_move + (first_move > 1 and _AFTER_AT_END.search(match[0]) is not None)))
        elif what in ("period", "rest", "later") or (what == "until" and not periods):
            periods.append(_period(what, match, values))
        elif what == "american" and values[1] >= _FEWEST_AMERICAN_MINUTES:
            # 40/90 is American. 90/40 has the minutes first: no period is for 90 moves.
            moves, minutes = sorted(values) if values[0] > COUNTED_MOVES else values
            periods.append(_Period(minutes * 60, moves))
        elif what == "minutes" and values[0] <= _MOST_BARE_MINUTES and (not periods or periods[-1].moves):
            periods.append(_Period(values[0] * 60, None))
        elif what in ("american", "bare", "minutes", "until"):
            return None
        if what == "to the end" and (not periods or periods[-1].moves):
            return None
        place = match.end()
    if len(increments) == len(periods) and len(set(increments)) == 1:  # the same one in every period
        increments = increments[:1]
    if len(increments) > 1 or any(first < 1 or seconds > _MOST_INCREMENT for seconds, first in increments):
        return None
    return _for_60_moves(periods, *(increments or [(0, 1)])[0])


def _is_marked(kinds: str, increment: re.Match[str]) -> bool:
    """Return whether something shows that seconds are an increment: a plus or slash, the first item, its own words.

    ``3 min 2 sec`` may be a time of 182 seconds; nobody states a longer one to the second.
    """
    return kinds[: increment.start()].endswith(("+", "/")) or not re.fullmatch("NS?", increment[0])


def _of_two_numbers(first: int, second: int) -> int | None:
    """Return the seconds of ``15+10``, minutes and seconds a move."""
    if 1 <= first <= _MOST_BARE_MINUTES and second <= COUNTED_MOVES:
        return first * 60 + second * COUNTED_MOVES
    return None


def _period(what: str, match: re.Match[str], values: list[int]) -> _Period:
    """Return a period whose time is a named group of ``match`` and whose numbers are ``values``."""
    name = next(name for name, group in match.groupdict().items() if group is not None)
    time = match[name]
    before = match[0][: match.start(name) - match.start()].count("N")
    parts = values[before : before + time.count("N")]
    seconds = (parts[0] * 3600 + (parts[1] * 60 if len(parts) > 1 else 0)) if "H" in time else parts[0] * 60
    others = values[:before] + values[before + len(parts) :]
    if what == "later":
        # "From move 41" is after 40 moves.
        return _Period(seconds, None, others[0] - (AFTER not in match[0]))
    return _Period(seconds, None if what == "rest" else others[0])


def _for_60_moves(periods: list[_Period], increment: int, first_move: int) -> int | None:
    """Return the seconds for 60 moves, None where a period is out of order, or too short or long to be one."""
    seconds = played = 0
    for number, one in enumerate(periods):
        if not 0 < one.seconds <= _MOST_MINUTES * 60:
            return None
        following = periods[number + 1].after if number + 1 < len(periods) else 0
        moves = one.moves or following - played
        is_last = number + 1 == len(periods)
        # A period says how many moves it is for, or the next one says after how many moves it begins.
        if one.after not in (0, played) or (following and following != played + moves):
            return None
        if is_last and one.moves is None:
            moves = max(COUNTED_MOVES - played, 0)
        if not is_last and not 1 <= moves <= COUNTED_MOVES:
            return None
        # What comes after 60 moves does not matter.
        seconds += one.seconds if played < COUNTED_MOVES else 0
        played += moves
    if not periods or (periods[-1].moves is not None and played != COUNTED_MOVES):
        return None
    return seconds + increment * max(COUNTED_MOVES + 1 - first_move, 0)
