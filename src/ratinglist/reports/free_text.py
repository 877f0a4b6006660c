"""Find dates of birth in the texts that people write for publication: reasons, remarks and names.

The published files have the year of birth and never the day. A text that a person writes is checked before it is
stored, because nothing that was published can be taken back.

A full date, day, month and year, is found in digits (``1990-05-03``, ``3.5.1990``, ``05/03/1990``, ``3 5 1990``,
``19900503``, ``03051990``), with a Roman month (``3.V.1990``) and with the name of the month in some forty languages
(``3 May 1990``, ``May 3rd, 1990``, ``3 de mayo de 1990``, ``3. Mai 1990``). Digits of all alphabets count, and accents
and cases do not. Where day and month could be either, both dates are found. A year of two digits, in front or behind
(``90-05-03``, ``3.5.90``), may be of this century or of the last one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Final

_MONTHS: Final = (
    "jan januar january janvier gennaio genn enero ene janeiro januari stycznia styczen sty ledna leden led "
    "januara ocak oca января янв ianuarie ian januarie tammikuuta tammikuu jaanuar janvaris janvari janvara "
    "sausio sijecnja sijecanj gener janar ιανουαριου ιαν січня yanvar yanvarya يناير",
    "feb februar february fevrier fev febbraio febbr febrero fevereiro februari lutego luty lut unora unor "
    "februara subat sub февраля фев februarie helmikuuta helmikuu veebruar februaris vasario veljace veljaca "
    "febrer shkurt φεβρουαριου φεβ лютого fevral fevralya февруари pebrero فبراير",
    "mar march mars marz marzo marco maart marca marzec brezna brezen bre mart марта мар maerz martie maret mac "
    "marcius marc maaliskuuta maaliskuu marts marta kovo ozujka ozujak marso μαρτιου μαρ березня март مارس",
    "apr april avril avr aprile abril abr kwietnia kwiecien kwi dubna duben dub aprila nisan nis апреля апр "
    "aprilie aprilis huhtikuuta huhtikuu aprill balandzio travnja travanj prill απριλιου απρ квітня aprel aprelya "
    "април أبريل ابريل",
    "may mai maggio mag mayo maio mei maj maja kvetna kveten kve mayis мая май majus toukokuuta toukokuu maijs "
    "maija geguzes svibnja svibanj maig μαιου μαι травня maya مايو",
    "jun june juni juin giugno giu junio junho czerwca czerwiec cze cervna cerven juna haziran haz июня июн iunie "
    "iun junius kesakuuta kesakuu juuni junijs junija birzelio lipnja lipanj juny qershor ιουνιου ιουν червня "
    "iyun iyunya юни hunyo يونيو",
    "jul july juli juillet juil luglio lug julio julho lipca lipiec lip cervence cervenec jula temmuz tem июля "
    "июл iulie iul julai julius heinakuuta heinakuu juuli julijs julija liepos srpnja srpanj juliol korrik "
    "ιουλιου ιουλ липня iyul iyulya юли hulyo يوليو",
    "aug august aout agosto ago augustus augusti sierpnia sierpien sie srpna srpen srp augusta agustos agu "
    "августа авг ogos agustus augusztus elokuuta elokuu augusts rugpjucio kolovoza kolovoz agost gusht avgust "
    "avgusta agust αυγουστου αυγ серпня август أغسطس",
    "sep sept september septembre settembre sett set septiembre setembro wrzesnia wrzesien wrz zari septembra "
    "eylul eyl сентября сен сент septembrie szeptember szept syyskuuta syyskuu septembris rugsejo rujna rujan "
    "setembre shtator σεπτεμβριου σεπ вересня septembar sentyabr sentyabrya септември setyembre سبتمبر",
    "oct october oktober okt octobre ottobre ott octubre outubro out pazdziernika pazdziernik paz rijna rijen rij "
    "oktobra ekim eki октября окт octombrie lokakuuta lokakuu oktoober oktobris spalio listopada listopad tetor "
    "οκτωβριου οκτ жовтня oktobar oktyabr oktyabrya октомври oktubre أكتوبر",
    "nov november novembre noviembre novembro listopada listopad lis listopadu novembra kasim kas ноября ноя "
    "noiembrie marraskuuta marraskuu novembris lapkricio studenog studenoga studeni nentor νοεμβριου νοε "
    "листопада novembar noyabr noyabrya ноември nobyembre نوفمبر",
    "dec december dezember dez decembre dicembre dic diciembre dezembro grudnia grudzien gru prosince prosinec "
    "pro decembra aralik ara декабря дек decembrie desember disember joulukuuta joulukuu detsember decembris "
    "gruodzio prosinca prosinac desembre dhjetor δεκεμβριου δεκ грудня decembar dekabr dekabrya декември "
    "disyembre ديسمبر",
)
"""The names of the months and their short forms, in the languages and transliterations of chess federations: Germanic,
Romance, Slavic, Baltic and Finnic ones, Hungarian, Greek, Albanian, Turkish, Indonesian, Malay, Filipino and Arabic."""

_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_NUMBER_OF_ROMAN: Final = {name: number for number, name in enumerate(_ROMAN, 1)}
_LETTERS: Final = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "æ": "ae"})
"""Letters that have no accent to be taken off."""
_DASHES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_CENTURIES: Final = (1900, 2000)
_SHORT_YEAR: Final = 2
_MONTHS_OF_A_YEAR: Final = 12


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


def _numbers_of_months() -> dict[str, frozenset[int]]:
    """Return the months of every name, as :func:`folded` writes it: *listopada* is October or, in Polish, November."""
    months: dict[str, frozenset[int]] = {}
    for number, names in enumerate(_MONTHS, 1):
        for name in names.split():
            plain = folded(name)[0]
            months[plain] = months.get(plain, frozenset()) | {number}
    return months


_NUMBERS_OF: Final = _numbers_of_months()

_NAME: Final = "(?P<name>" + "|".join(sorted(_NUMBERS_OF, key=len, reverse=True)) + r")(?![^\W\d])\.?"
_ROMAN_MONTH: Final = rf"(?P<roman>{'|'.join(reversed(_ROMAN))})"
# Runs of blanks are one blank here (see :func:`folded`), and Hangul is in letters. Vietnamese and Korean have words.
_GAP: Final = rf" ?(?:[-./,_|年月 ]|thang|nam|{folded('년')[0]}|{folded('월')[0]}) ?"
_NARROW_GAP: Final = r" ?[-./] ?"
_SAME_GAP: Final = r" ?(?P<gap>[^\w\s]{1,3}) ?"
_GAP_AGAIN: Final = r" ?(?P=gap) ?"
_BETWEEN_WORDS: Final = r"(?: ?[-./,] ?| )(?:(?:day|of|the|d[eio]l?|an?no|year) |d')*"
_MAY_BE_BETWEEN: Final = f"(?:{_BETWEEN_WORDS})?"
_DAY: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|o|a|\.)?"
_TWO: Final = r"(?P<a>\d{1,2})", r"(?P<b>\d{1,2})"
_MARK: Final = "['\u2018\u2019\u00b4`]"
_YEAR: Final = rf"{_MARK}?(?P<y>\d{{4}}|\d{{2}})"
_YEAR_4: Final = r"(?P<y>\d{4})"
_YEAR_2: Final = r"(?P<y>\d{2})"
_FORMS: Final = (
    # Digits with separators. In front of month and day, the year decides their order.
    rf"(?<!\d){_YEAR_4}{_GAP}(?P<m>\d{{1,2}}){_GAP}(?P<d>\d{{1,2}})",
    rf"(?<!\d){_YEAR_4}{_SAME_GAP}(?P<m>\d{{1,2}}){_GAP_AGAIN}(?P<d>\d{{1,2}})",
    rf"(?<!\d){_TWO[0]}{_GAP}{_TWO[1]}{_GAP}{_YEAR_4}",
    rf"(?<!\d){_TWO[0]}{_SAME_GAP}{_TWO[1]}{_GAP_AGAIN}{_YEAR_4}",
    rf"(?<!\d){_TWO[0]}{_NARROW_GAP}{_YEAR_4}{_NARROW_GAP}{_TWO[1]}",
    rf"(?<!\d){_TWO[0]}{_NARROW_GAP}{_TWO[1]}{_NARROW_GAP}{_YEAR_2}",
    rf"(?<!\d){_TWO[0]}{_GAP}{_TWO[1]}{_GAP}{_MARK}{_YEAR_2}",
    rf"(?<!\d){_YEAR_2}{_NARROW_GAP}(?P<m>\d{{1,2}}){_NARROW_GAP}(?P<d>\d{{1,2}})",
    # Digits without separators.
    rf"(?<!\d){_YEAR_4}(?P<m>\d{{2}})(?P<d>\d{{2}})",
    rf"(?<!\d)(?P<a>\d{{2}})(?P<b>\d{{2}}){_YEAR_4}",
    # Roman months.
    rf"(?<!\d)(?P<d>\d{{1,2}}){_GAP}{_ROMAN_MONTH}{_GAP}{_YEAR}",
    rf"(?<!\d)(?P<d>\d{{1,2}}){_ROMAN_MONTH}{_YEAR_4}",
    rf"(?<!\d){_YEAR_4}{_GAP}{_ROMAN_MONTH}{_GAP}(?P<d>\d{{1,2}})",
    # Names of months.
    rf"(?<!\d){_DAY}{_MAY_BE_BETWEEN}{_NAME}{_MAY_BE_BETWEEN}{_YEAR}",
    rf"(?<!\w){_NAME}{_MAY_BE_BETWEEN}{_DAY}{_BETWEEN_WORDS}{_YEAR}",
    rf"(?<!\d){_YEAR}{_MAY_BE_BETWEEN}{_NAME}{_MAY_BE_BETWEEN}{_DAY}",
    rf"(?<!\d){_YEAR_4}{_BETWEEN_WORDS}{_DAY}{_BETWEEN_WORDS}{_NAME}",
)
_DOUBTFUL_FORMS: Final = (
    rf"(?<!\d){_TWO[0]}{_SAME_GAP}{_TWO[1]}{_GAP_AGAIN}{_YEAR_2}",
    rf"(?<!\d){_YEAR_2}{_SAME_GAP}(?P<m>\d{{1,2}}){_GAP_AGAIN}(?P<d>\d{{1,2}})",
    r"(?<!\w)(?P<a>\d{2})(?P<b>\d{2})(?P<y>\d{2})(?!\w)",
    r"(?<!\w)(?P<y>\d{2})(?P<m>\d{2})(?P<d>\d{2})(?!\w)",
)
"""Forms that are as often a time of day, a result or a number of an event."""


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date in a text: its first and last character, from 1, the days it may mean, and how it is written.

    ``short_year``: the year has two digits. ``number``: the whole number that is read as a date, such as 19900503; it
    may be a FIDE ID. None where it has separators. ``doubtful``: only where it is a date of birth of a player that the
    text is about, it is taken for a date: ``140396`` may be the number of an event, ``14:03:12`` a time of day.
    """

    first: int
    last: int
    days: frozenset[date]
    short_year: bool = False
    number: int | None = None
    doubtful: bool = False


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Return a pattern for each form and whether it is doubtful; most commands read no text and need none."""
    return tuple(
        (re.compile(rf"{form}(?!\d)"), is_doubtful)
        for forms, is_doubtful in ((_FORMS, False), (_DOUBTFUL_FORMS, True))
        for form in forms
    )


def full_dates(text: str) -> list[DateInText]:
    """Return the full dates of ``text``, in order; overlapping ones are all returned."""
    plain, places = folded(text)
    found: dict[tuple[int, int], DateInText] = {}
    for pattern, is_doubtful_form in _patterns():
        for match in _overlapping(pattern, plain):
            if not (days := frozenset(_days(match))):
                continue
            is_doubtful = is_doubtful_form
            key = (places[match.start()] + 1, places[match.end() - 1] + 1)
            if key in found:
                days |= found[key].days
                is_doubtful &= found[key].doubtful
            is_short = len(match["y"]) == _SHORT_YEAR
            number = int(match[0]) if re.fullmatch("[1-9][0-9]*", match[0]) else None
            found[key] = DateInText(key[0], key[1], days, is_short, number, is_doubtful)
    return [found[key] for key in sorted(found)]


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
        pairs = [(month, int(groups["d"])) for month in _NUMBERS_OF[groups["name"]]]
    elif groups.get("roman"):
        pairs = [(_NUMBER_OF_ROMAN[groups["roman"]], int(groups["d"]))]
    elif groups.get("m"):
        month, day = int(groups["m"]), int(groups["d"])
        pairs = [(month, day) if month <= _MONTHS_OF_A_YEAR else (day, month)]
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


YOUNGEST: Final = 3
"""Years: a younger child plays no rated game, so a later date is a day of play, of a letter or of a decision."""

_NEAR: Final = 40
"""Most characters between a date and a word of birth that belongs to it."""

_WORDS: Final = (
    *(r"born|birth\w*|b-?day|dob|d\. ?o\. ?b|b\.", r"geb|geboren\w*|geburt\w*|geboorte\w*", r"nat[oaie]|nasc\w*"),
    *(r"nee? (?:le|en|a)|naissance", r"nacid\w*|nacimiento|nacio", r"fodt|fodd|fods?el\w*", r"syntyn\w*"),
    *(r"urodz\w*|ur\.|naroz\w*|nar\.", r"roden\w*|szul\w*|nascut\w*|dogum\w*|dogdu", r"рожд\w*|родил\w*|р\.|γεννη\w*"),
)
_WORD_OF_BIRTH: Final = re.compile(rf"(?<!\w)(?:{'|'.join(_WORDS)})(?!\w)|\*")
"""Words of birth as :func:`folded` writes them, in the languages of the months' names."""


@dataclass(frozen=True, slots=True)
class KnownBirths:
    """What is known of dates of birth where a text is checked.

    ``of_players``: the function that returns which of some days are a date of birth of any player. ``named``: the dates
    of birth of the players that the text is about. ``is_player``: the function that returns whether a number is a FIDE
    ID. ``last``: the last day that is taken for a date of birth of a player of whom the text does not speak.
    """

    of_players: Callable[[Collection[date]], Collection[date]]
    is_player: Callable[[int], bool]
    last: date
    named: Collection[date] = field(default=())


def years_before(day: date, years: int) -> date:
    """Return the day so many years before ``day``; of a 29 February the 28th."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)


def birth_date_problem(text: str, births: KnownBirths, today: date) -> str:
    """Return why ``text`` may not be published, as the end of a sentence that begins with its name; empty where it may.

    A full date is refused

    - where it is a date of birth of a player that the text is about;
    - where a word of birth is near it, and it is at least :data:`YOUNGEST` years old;
    - where it is a date of birth of any player known, and not later than ``births.last``.

    The sentence does not have the date: it is printed, and it may be kept in the log of a flow.
    """
    dates = [one for one in full_dates(text) if one.number is None or not births.is_player(one.number)]
    for one, why in _problems(text, dates, births, today):
        return (
            f"has a date of birth at characters {one.first} to {one.last}: {why}. The text is for publication, and no "
            "date of birth is published. Leave out the day and the month; the year may be said"
        )
    return ""


def _problems(
    text: str, dates: list[DateInText], births: KnownBirths, today: date
) -> Collection[tuple[DateInText, str]]:
    if not dates:
        return []
    places = _places_of_words(text)
    possible = years_before(today, YOUNGEST)
    candidates = {day for one in dates if not one.short_year for day in one.days if day <= births.last}
    of_players = set(births.of_players(candidates)) if candidates else set()
    found = []
    for one in dates:
        near = any(first <= one.last + _NEAR and one.first <= last + _NEAR for first, last in places)
        if one.days & set(births.named):
            found.append((one, "it is that of a player whom the text is about"))
        elif one.doubtful:
            continue
        elif near and any(day <= possible for day in one.days):
            found.append((one, "it is a full date near a word of birth"))
        elif not one.short_year and one.days & of_players:
            found.append((one, "it is that of a player of this office"))
    return found


def _places_of_words(text: str) -> list[tuple[int, int]]:
    """Return the first and last character, from 1, of every word of birth in ``text``."""
    plain, places = folded(text)
    return [(places[one.start()] + 1, places[one.end() - 1] + 1) for one in _WORD_OF_BIRTH.finditer(plain)]
