"""Thinking time for 60 moves, from a coded time control (record 222) or free text, and the time control it makes.

The regulations measure every time control by 60 moves: ``5400+30`` is 90 minutes and 60 times 30 seconds, 120 minutes.

Of free text in the languages that arbiters write, every word and sign has a kind, and the kinds follow one of a few
patterns: periods, each with a time and perhaps a number of moves, and an increment. A text with a word that is not
known, or in another order, is not understood: a report is never put on a list by a guess.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

import polars as pl

_MOVES = 60
_SIDES = re.compile(r"W([0-9/+:]+)-B([0-9/+:]+)")
_PERIOD = re.compile(r"(?:([1-9][0-9]{0,2})/)?([0-9]{1,6})(?:\+([0-9]{1,5}))?")

_MINUTES_AND_SECONDS = (
    r"^[^0-9]*(?<minutes>[0-9]{1,3})\s*(?:'|′|’|min(?:ute|uti|uten|utes)?s?\b\.?)"
    r"[^0-9]{0,25}?(?<seconds>[0-9]{1,3})\s*(?:\"|″|”|''|’’|sec(?:ond|onds|ondi)?s?\b\.?|sek(?:unden)?\b\.?|s\b)[^0-9]*$"
)

# RB 1.1.1 and 1.1.2, in seconds for 60 moves.
RAPID_BELOW = 60 * 60
BLITZ_UP_TO = 10 * 60
TOO_SHORT_UP_TO = 3 * 60

# A kind is one letter: ``M`` minutes, ``S`` seconds, ``H`` hours, ``V`` a move, ``P`` a preposition between a time and
# what it is for, ``I`` an increment, ``F`` from (a move on), ``1`` the first, ``R`` the rest of the game, ``y`` a
# player, ``r`` rounds, ``+`` what joins two parts. ``N`` is a number and ``/`` a slash; a word that adds nothing has an
# empty kind.
_WORDS: Final = {
    "M": "m mn min mins minute minutes minuten minuti minuto minutos minut minuta minuty minutter minuter minutit "
    "minuut perc мин м минут минуты минута минуту хвилин хв",
    "S": "s sec secs second seconds seconde secondes secondi secondo sek sekunde sekunden sekund sekunder sekundy "
    "seg segs segundo segundos másodperc сек секунд секунды секунда секунду",
    "H": "h hr hrs hour hours std stunde stunden heure heures ora ore hora horas ч час часа часов",
    "V": "move moves mv mvs mov movs zug züge zügen zuege zuegen coup coups cp cps mossa mosse tratto tratti jugada "
    "jugadas jug movimiento movimientos lance lances zet zetten tah tahů tahy ruch ruchów ход хода ходов ходы "
    "ходу",
    "P": "per a à in im for to until till by pro je für fuer auf bis pour par en au aux jusqu por para hasta ad fino "
    "su na za на за до",
    "I": "inc increment increments incr inkrement incremento incrementi incrémentation incrément bonus bonification "
    "bonificación zugabe zeitgutschrift abbuono ricarica добавление добавлением добавления прибавка инкремент",
    "F": "from starting since ab von dès des depuis partir dal dalla desde начиная",
    "1": "first one primo prima premier première premiere primer primera primero erste ersten первого первый",
    "R": "g game rest remainder remaining finish end sd suddendeath ende partie reste fin ko qpf resto partita fine "
    "termine partida final конца партии партию партия остаток",
    "y": "player players side spieler joueur joueurs giocatore testa jugador jugadores игрока игроку",
    "r": "round rounds runde runden ronde rondes turni turno rondas ronda тур тура туров",
    "+": "and then plus und dann danach et puis e poi più piu y luego más mas и затем плюс",
    "": "the of fide time control controls rate play thinking each all every cumulative fischer whole with add "
    "added adding plus st nd rd th bedenkzeit spielzeit zeit der die das den dem zum zur mit jeder jeden jede "
    "je restliche restlichen ganze cadence le la les de du chaque avec joué er re ère tempo di riflessione il "
    "lo alla alle della dello del dei ogni con cadenza gioco ciascuno cadauno ritmo juego el los las cada "
    "tiempo ro ra контроль времени по каждый каждому всю всей го o or",
}
_KINDS: Final = {word: kind for kind, words in reversed(_WORDS.items()) for word in words.split()}
"""The kind of every word; of a word with two kinds, the one that comes first above."""

_SECONDS_OR_FROM: Final = "с"
"""In Russian: seconds after a number, else *from* or *with*."""

_NAMES: Final = {
    word: name
    for name, words in {
        "standard": "standard classical classic klassisch classico classique clásico klassik классика классические",
        "rapid": "rapid rapidplay rapide rapidchess schnellschach semilampo рапид",
        "blitz": "blitz blitzschach lampo блиц",
    }.items()
    for word in words.split()
}
"""The time control that a word names."""
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

# Patterns over kinds, one letter each, which are explained above.
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


def thinking_seconds(code: str) -> tuple[int, int] | None:
    """Return the seconds for 60 moves of White and Black under the coded time control ``code``.

    Periods follow one another, and an increment counts for the moves of its own period. ``None`` where the text is not
    a coded time control, or its periods end before move 60.
    """
    text = re.sub(r"\s", "", code).upper()
    sides = _SIDES.fullmatch(text)
    white, black = (_seconds(side) for side in (sides.groups() if sides else (text, text)))
    return None if white is None or black is None else (white, black)


def _seconds(periods: str) -> int | None:
    seconds = played = 0
    for text in periods.split(":"):
        period = _PERIOD.fullmatch(text)
        if period is None:
            return None
        moves, allotted, increment = (int(part) if part else 0 for part in period.groups())
        if played < _MOVES:
            counted = min(moves or _MOVES, _MOVES - played)
            seconds += allotted + increment * counted
            played += counted
    return seconds if played == _MOVES else None


def by_seconds(seconds: pl.Expr) -> pl.Expr:
    """Return the time control of a thinking time in ``seconds`` for 60 moves (RB 1.1); null where it is too short."""
    return (
        pl.when(seconds >= RAPID_BELOW)
        .then(pl.lit("standard"))
        .when(seconds > BLITZ_UP_TO)
        .then(pl.lit("rapid"))
        .when(seconds > TOO_SHORT_UP_TO)
        .then(pl.lit("blitz"))
    )


def by_text(text: pl.Expr) -> pl.Expr:
    """Return the time control that free text names; null where it names none, or more than one."""
    lower = text.str.to_lowercase()
    named = {
        "standard": lower.str.contains(r"standard|classical|klassisch"),
        "rapid": lower.str.contains(r"rapid|schnellschach|semilampo"),
        "blitz": lower.str.contains(r"blitz|\blampo"),
    }
    is_only = pl.sum_horizontal(named.values()) == 1
    return pl.coalesce(pl.when(is_only & contains).then(pl.lit(name)) for name, contains in named.items())


def minutes_by_text(text: pl.Expr) -> pl.Expr:
    """Return the minutes for 60 moves of free text with minutes for the game and seconds a move.

    Such as ``90'+30"`` or ``60 min. + 30 sec. per move``. Null for any other text: text with another number in it
    describes periods, and is not guessed at.
    """
    numbers = text.str.to_lowercase().str.extract_groups(_MINUTES_AND_SECONDS)
    return numbers.struct.field("minutes").cast(pl.Int32) + numbers.struct.field("seconds").cast(pl.Int32)


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


def parse_text(text: str) -> TimeText:
    """Return the thinking time that ``text`` states; ``seconds`` is None where it is not understood."""
    composed = unicodedata.normalize("NFKC", text).lower().translate(_QUOTES).replace("''", '"')
    tokens = _TOKEN.findall(_HALF_HOURS.sub(_in_minutes, composed)) if len(composed) <= _LONGEST_TEXT else []
    names = frozenset(_NAMES[token] for token in tokens if token in _NAMES)
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
    return TimeText(_seconds_of_kinds(kinds.strip("+"), numbers), names)


def _in_minutes(found: re.Match[str]) -> str:
    """Return hours with a half, ``1,5 h``, as hours and minutes; any other text as it is."""
    return f"{found[1]} h {6 * int(found[2])} min" if _KINDS.get(found[3]) == "H" else found[0]


def _kind(token: str, before: str) -> str | None:
    """Return the kind of a token after the kinds ``before``: empty where it adds nothing, None where unknown."""
    if token.isascii() and token.isdigit():
        return "N" if len(token) <= len("99999") else None
    if token in _NAMES or token in _IGNORED_SIGNS:
        return ""
    if token == _SECONDS_OR_FROM:
        return "S" if before.endswith("N") else "F"
    return _SIGNS.get(token, _KINDS.get(token))


def _seconds_of_kinds(kinds: str, numbers: list[int]) -> int | None:
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
