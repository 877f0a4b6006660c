"""Find full dates, day, month and year, in a text that a person wrote.

A date is found in digits (``1990-05-03``, ``3.5.1990``, ``05/03/1990``, ``3 5 1990``, ``19900503``, ``03051990``), with
a Roman month (``3.V.1990``) and with the name of the month in fourteen languages (``3 May 1990``, ``May 3rd, 1990``,
``3 de mayo de 1990``, ``3. Mai 1990``). Digits of all alphabets count, and accents and cases do not. Where day and
month could be either, both dates are found. A year of two digits may be of this century or of the last one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

_MONTHS: Final = (
    "jan januar january janvier gennaio genn enero ene janeiro januari stycznia styczen sty ledna leden led januara "
    "ocak oca января янв",
    "feb februar february fevrier fev febbraio febbr febrero fevereiro februari lutego luty lut unora unor februara "
    "subat sub февраля фев",
    "mar march mars marz marzo marco maart marca marzec brezna brezen bre mart марта мар",
    "apr april avril avr aprile abril abr kwietnia kwiecien kwi dubna duben dub aprila nisan nis апреля апр",
    "may mai maggio mag mayo maio mei maj maja kvetna kveten kve mayis мая май",
    "jun june juni juin giugno giu junio junho czerwca czerwiec cze cervna cerven juna haziran haz июня июн",
    "jul july juli juillet juil luglio lug julio julho lipca lipiec lip cervence cervenec jula temmuz tem июля июл",
    "aug august aout agosto ago augustus augusti sierpnia sierpien sie srpna srpen srp augusta agustos agu августа авг",
    "sep sept september septembre settembre sett set septiembre setembro wrzesnia wrzesien wrz zari septembra eylul "
    "eyl сентября сен сент",
    "oct october oktober okt octobre ottobre ott octubre outubro out pazdziernika pazdziernik paz rijna rijen rij "
    "oktobra ekim eki октября окт",
    "nov november novembre noviembre novembro listopada listopad lis listopadu novembra kasim kas ноября ноя",
    "dec december dezember dez decembre dicembre dic diciembre dezembro grudnia grudzien gru prosince prosinec pro "
    "decembra aralik ara декабря дек",
)
"""The names of the months and their short forms, without accents: English, German, French, Italian, Spanish,
Portuguese, Dutch, Swedish, Danish, Norwegian, Polish, Czech, Turkish and Russian."""

_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_NUMBER_OF: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_NUMBER_OF_ROMAN: Final = {name: number for number, name in enumerate(_ROMAN, 1)}

_NAME: Final = "(?:" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")(?!\w)\.?"
# Runs of blanks are one blank here (see :func:`folded`).
_GAP: Final = r" ?[-./,_|年月 ] ?"
_NARROW_GAP: Final = r" ?[-./] ?"
_BETWEEN_WORDS: Final = r"(?: ?[-./,] ?| )(?:d[eio]l? |of )?"
_DAY: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|o|a|\.)?"
_YEAR: Final = r"(?P<y>\d{4}|\d{2})"
_PATTERNS: Final = tuple(
    re.compile(rf"{pattern}(?!\d)")
    for pattern in (
        rf"(?<!\d)(?P<y>\d{{4}}){_GAP}(?P<m>\d{{1,2}}){_GAP}(?P<d>\d{{1,2}})",
        rf"(?<!\d)(?P<a>\d{{1,2}}){_GAP}(?P<b>\d{{1,2}}){_GAP}(?P<y>\d{{4}})",
        rf"(?<!\d)(?P<a>\d{{1,2}}){_NARROW_GAP}(?P<b>\d{{1,2}}){_NARROW_GAP}(?P<y>\d{{2}})",
        r"(?<!\d)(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})",
        r"(?<!\d)(?P<d>\d{2})(?P<m>\d{2})(?P<y>\d{4})",
        rf"(?<!\d)(?P<d>\d{{1,2}}){_GAP}(?P<roman>{'|'.join(reversed(_ROMAN))}){_GAP}{_YEAR}",
        rf"(?<!\d){_DAY}{_BETWEEN_WORDS}(?P<name>{_NAME}){_BETWEEN_WORDS}{_YEAR}",
        rf"(?<!\w)(?P<name>{_NAME}) ?{_DAY}(?: ?, ?| ){_YEAR}",
        rf"(?<!\d)(?P<y>\d{{4}}){_BETWEEN_WORDS}(?P<name>{_NAME}){_BETWEEN_WORDS}{_DAY}",
    )
)
_DASHES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_CENTURIES: Final = (1900, 2000)
_SHORT_YEAR: Final = 2


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date in a text: its first and last character, from 1, the days it may mean, and how it is written.

    ``short_year``: the year has two digits. ``number``: the whole number that is read as a date, such as 19900503; it
    may be a FIDE ID. None where it has separators.
    """

    first: int
    last: int
    days: frozenset[date]
    short_year: bool = False
    number: int | None = None


def full_dates(text: str) -> list[DateInText]:
    """Return the full dates of ``text``, in order; overlapping ones are all returned."""
    plain, places = folded(text)
    found = [
        DateInText(places[match.start()] + 1, places[match.end() - 1] + 1, days, short, number)
        for pattern in _PATTERNS
        for match in _overlapping(pattern, plain)
        if (days := frozenset(_days(match)))
        for short in [len(match["y"]) == _SHORT_YEAR]
        for number in [int(match[0]) if re.fullmatch("[1-9][0-9]*", match[0]) else None]
    ]
    return sorted(found, key=lambda one: (one.first, one.last))


def folded(text: str) -> tuple[str, list[int]]:
    """Return ``text`` in small letters, without accents, with ASCII digits and single blanks, and where it was.

    The second of the pair has the place in ``text`` of every character of the first.
    """
    plain: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if plain[-1:] != [" "]:
                plain.append(" ")
                places.append(place)
            continue
        for part in unicodedata.normalize("NFKD", character.translate(_DASHES)).casefold():
            if unicodedata.combining(part):
                continue
            digit = unicodedata.decimal(part, None)
            for one in part.translate(_LETTERS) if digit is None else str(digit):
                plain.append(one)
                places.append(place)
    return "".join(plain), places


_LETTERS: Final = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "æ": "ae"})
"""Letters that have no accent to be taken off."""


def _overlapping(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield every match, those that overlap an earlier one included: ``3 3 5 1990`` has a date from the second 3 on."""
    match = pattern.search(text)
    while match:
        yield match
        match = pattern.search(text, match.start() + 1)


def _days(match: re.Match[str]) -> Iterator[date]:
    groups = match.groupdict()
    year = int(groups["y"])
    years = [year] if len(groups["y"]) > _SHORT_YEAR else [century + year for century in _CENTURIES]
    if groups.get("name"):
        pairs = [(_NUMBER_OF[groups["name"].rstrip(".")], int(groups["d"]))]
    elif groups.get("roman"):
        pairs = [(_NUMBER_OF_ROMAN[groups["roman"]], int(groups["d"]))]
    elif groups.get("m"):
        pairs = [(int(groups["m"]), int(groups["d"]))]
    else:
        first, second = int(groups["a"]), int(groups["b"])
        pairs = [(first, second), (second, first)]
    for one in years:
        for month, day in pairs:
            try:
                yield date(one, month, day)
            except ValueError:
                # No day of the calendar, such as the 13th month where the day comes first.
                continue
