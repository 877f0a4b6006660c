"""The parser of dates in reports.

Reports have dates in a dozen formats. Each format is one pattern of :data:`SHAPES`; the first that gives a real day
decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from functools import reduce
from itertools import permutations
from typing import Final

import polars as pl

from ratinglist.period import MONTHS

_SEPARATED = r"\s*[-/.]\s*"
_CLOCK = r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?"
_MONTH = r"(?<month>[A-Za-z]{3})[A-Za-z]*\.?"
_DAY = r"(?<d>[0-9]{1,2})(?:st|nd|rd|th|\.)?"

#: The formats, in the order of preference.
SHAPES: Final[tuple[str, ...]] = (
    rf"^(?<y>[0-9]{{4}}){_SEPARATED}(?<m>[0-9]{{1,2}}){_SEPARATED}(?<d>[0-9]{{1,2}}){_CLOCK}$",
    rf"^(?<d>[0-9]{{1,2}}){_SEPARATED}(?<m>[0-9]{{1,2}}){_SEPARATED}(?<y>[0-9]{{4}})$",
    # Month first only where the day cannot be a month: 09/24/2010.
    rf"^(?<m>[0-9]{{1,2}}){_SEPARATED}(?<d>[0-9]{{1,2}}){_SEPARATED}(?<y>[0-9]{{4}})$",
    r"^(?<y>[0-9]{4})(?<m>[0-9]{2})(?<d>[0-9]{2})$",
    rf"^{_MONTH}\s+{_DAY},?\s+(?<y>[0-9]{{4}})$",
    rf"^{_DAY}\s*{_MONTH},?\s+(?<y>[0-9]{{4}})$",
    r"^(?<y>[0-9]{4})$",
    r"^(?<serial>[0-9]{5})$",
    # Two digits for the year: year first, as in the dates of rounds (TRF16, 132), else day first.
    rf"^(?<yy>[0-9]{{2}}){_SEPARATED}(?<m>[0-9]{{1,2}}){_SEPARATED}(?<d>[0-9]{{1,2}})$",
    rf"^(?<d>[0-9]{{1,2}}){_SEPARATED}(?<m>[0-9]{{1,2}}){_SEPARATED}(?<yy>[0-9]{{2}})$",
)
_ALL_SHAPES: Final = (*SHAPES, SHAPES[2].replace(_SEPARATED, r"\s*[-/]\s*"))
"""With the other order of ``10/03/2025``; with dots the day is first."""
_DAY_FIRST: Final = len(SHAPES) - 1
_MONTH_FIRST: Final = len(SHAPES)
_SHORT_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BLANK: Final = r"^[\s./0-]*$"
_YEARS_OF_EVENTS: Final = (1850, 2199)
_DAY_ZERO_OF_SPREADSHEETS: Final = pl.date(1899, 12, 30)
_LAST_TWO_DIGIT_YEAR_OF_2000S: Final = 69


def read(texts: pl.Series) -> pl.DataFrame:
    """Parse every distinct text once.

    Returns one row per distinct text without outer blanks: ``text``; ``date`` where the day is known; ``year`` where at
    least the year is (``1987/00/00``); ``day_first``, the other reading of a date whose year has two digits, and
    ``month_first``, that of ``10/03/2025`` (null for every other format); ``blank`` where the text has no digit but 0
    (``.  .``). A text in none of the formats has nulls and ``blank`` false.
    """
    # Remove repeated texts before trimming: most births of a batch are repeated.
    distinct = pl.DataFrame({"text": texts.cast(pl.String).drop_nulls().unique().str.strip_chars().unique()})
    is_blank = pl.col("text").str.contains(_BLANK)
    readings = _readings(distinct.filter(~is_blank))
    by_preference = readings.filter(pl.col("shape") < len(SHAPES))
    columns = (
        by_preference.drop_nulls("day").unique("text", keep="first").select("text", date="day"),
        # A text that is no day in one format may be one in another; its year is kept.
        by_preference.drop_nulls("year").unique("text", keep="last").select("text", "year"),
        readings.filter(pl.col("shape") == _DAY_FIRST).select("text", day_first="day"),
        readings.filter(pl.col("shape") == _MONTH_FIRST).select("text", month_first="day"),
    )
    read = reduce(lambda texts, column: texts.join(column, on="text", how="left"), columns, distinct)
    return read.select(
        *("text", "date"),
        pl.coalesce(pl.col("date").dt.year(), "year").alias("year"),
        *("day_first", "month_first"),
        is_blank.alias("blank"),
    )


def _readings(texts: pl.DataFrame) -> pl.DataFrame:
    """Return what each text is in every format that it has.

    Out: ``text``, the ``shape`` as a number in the order of :data:`_ALL_SHAPES`, the ``day``, where it exists, and its
    ``year`` of four digits; by shape.
    """
    parts = pl.concat(
        [
            texts.select("text", pl.lit(number).alias("shape"), pl.col("text").str.extract_groups(shape).alias("parts"))
            .unnest("parts")
            .drop_nulls()
            for number, shape in enumerate(_ALL_SHAPES)
        ],
        how="diagonal",
    ).with_columns(pl.col("y", "yy", "m", "d", "serial").cast(pl.Int32))
    y, yy = pl.col("y"), pl.col("yy")
    word = pl.col("month").str.to_lowercase()
    month = word.replace_strict(_SHORT_MONTHS, range(1, 13), default=None, return_dtype=pl.Int32)
    year = pl.coalesce(y, yy + pl.when(yy <= _LAST_TWO_DIGIT_YEAR_OF_2000S).then(2000).otherwise(1900))
    dated = parts.with_columns(pl.when(year.is_between(*_YEARS_OF_EVENTS)).then(year).alias("year"))
    day = pl.col("year") * 10000 + pl.coalesce("m", month) * 100 + pl.col("d")
    serial = _DAY_ZERO_OF_SPREADSHEETS + pl.duration(days="serial")
    return dated.select(
        *("text", "shape"),
        pl.coalesce(day.cast(pl.String).str.to_date("%Y%m%d", strict=False), serial).alias("day"),
        pl.when(y.is_not_null()).then("year").alias("year"),
    )


YOUNGEST: Final = 3
"""Years: a younger child plays no rated game, so a later date is a day of play, of a letter or of a decision."""
_MONTHS: Final = {
    word: number for number, name in enumerate(map(str.lower, MONTHS), 1) for word in (name, name[:3], name[:4])
}
"""The words of months with which a date is certain; with any other word it is possible."""
_LIKE_A_MONTH: Final = (
    "jan|gen|ene|feb|fev|mar|mrt|apr|avr|abr|ma[ijgy]|jun|jui|giu|jul|lug|aug|aou|ago|sep|set|o[ck]t|out|ott|nov|de[csz]|"
    "dic"
)
"""How the names of months begin in the languages that most reports are written in; no other word makes a date."""
_LETTERS: Final = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "æ": "ae"})
"""Letters that have no accent to be taken off."""
_DASHES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_UNUSUAL: Final = re.compile(r"[^\S ]|  ")
"""What is folded in a text of ASCII, apart from capitals."""
_YEARS: Final = range(1850, 2100)
_CENTURIES: Final = (1900, 2000)
_MAY_HAVE_A_DATE: Final = (
    "[0-9][0-9]+[^0-9]+[0-9]|[0-9][^0-9]+[0-9][^0-9]*[0-9]|[0-9]{8}",
    r"(?i)(?:^|[^0-9])[0-9]{1,4}[^0-9]+[0-9]{1,4}[^0-9]+[0-9]{1,4}(?:[^0-9]|$)|(?:[0-9]\W*){7}[0-9]|[^\x00-\x7f]|"
    + _LIKE_A_MONTH,
)
"""What a text has that has a date which is compared with more than the players named.

Digits as in ``3 May 90``, or eight; and three numbers, eight digits that nothing but signs parts, or a month. Codes and
names that a program made have no date.
"""
_DAYS: Final = {"text": pl.String(), "day": pl.Date(), "circle": pl.Int8()}


class Circle(IntEnum):
    """Whose dates of birth a form is compared with.

    ``ANY``: those of all players of the office, in every text. ``OFFICE``: the same in a reason or remark, in a name
    as ``EVENT``. ``EVENT``: those of the players of the event whose name it is, or of the player whose name it is:
    ``3:05 1990`` has the digits of a date. ``NAMED``: those of the players whom a correction names;
    ``140396`` may be the number of an event, ``14:03:12`` a time of day.
    """

    ANY = 0
    OFFICE = 1
    EVENT = 2
    NAMED = 3


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date in a text: its first and last character, from 1, the days it may mean, and its :class:`Circle`.

    ``number``: the whole number that is read as a date, such as 19900503; it may be a FIDE ID. None where it has
    separators.
    """

    first: int
    last: int
    days: frozenset[date]
    circle: Circle = Circle.ANY
    number: int | None = None


_OF_YEAR, _OF_DAY = 4, 2


def _three_numbers(year: str, gap: str, other: str) -> Iterator[str]:
    """Yield the patterns of a year, a day and a month with these gaps, the year first, last or between."""
    one, two, year = "(?P<one>[0-9]{1,2})", "(?P<two>[0-9]{1,2})", f"(?P<year>{year})"
    yield from (year + gap + one + other + two, one + gap + two + other + year, one + gap + year + other + two)


_LONG, _SHORT = "[0-9]{4}", "[0-9]{2}"
_PLAIN: Final = r"(?:[-./,_|\s]{1,4}|[^0-9]?[^\W\d_][^0-9]?)"
"""What stands between the numbers of a date; it may have a letter, as in ``1990年5月3日``."""
_ANY_GAP, _FIRST_GAP = "[^0-9a-z]{1,4}", "(?P<gap>[^0-9a-z]{1,4})"
_MONTH_WORD: Final = rf"(?<![^\W\d_])(?P<word>(?:{_LIKE_A_MONTH})[^\W\d_]*)"
_SHAPES_IN_TEXT: Final = tuple(
    (circle, re.compile(f"(?<![0-9])(?=({pattern})(?![0-9]))"))
    for circle, patterns in (
        (Circle.ANY, _three_numbers(_LONG, _PLAIN, _PLAIN)),
        (Circle.ANY, _three_numbers(_LONG, _FIRST_GAP, "(?P=gap)")),
        (Circle.EVENT, _three_numbers(_LONG, _ANY_GAP, _ANY_GAP)),
        (Circle.OFFICE, _three_numbers(_SHORT, r"(?P<gap>\s?[-./]\s?)", "(?P=gap)")),
        (Circle.NAMED, _three_numbers(_SHORT, _FIRST_GAP, "(?P=gap)['\u2018\u2019\u00b4`]?")),
        (
            Circle.OFFICE,
            (
                # 3rd of May, 1990; May the 3rd 1990; 1990 3 May
                rf"(?P<one>[0-9]{{1,4}})[^0-9]{{0,16}}?{_MONTH_WORD}[^0-9]{{0,8}}(?P<two>[0-9]{{1,4}})",
                rf"{_MONTH_WORD}[ .,]{{1,2}}(?:the )?(?P<one>[0-9]{{1,2}})(?:st|nd|rd|th)?\W* \W*(?P<two>[0-9]{{1,4}})",
            ),
        ),
        (
            Circle.EVENT,
            (rf"(?P<one>[0-9]{{4}})\W* \W*(?P<two>[0-9]{{1,2}})(?:st|nd|rd|th)? ?(?:[a-z]{{2}} )?{_MONTH_WORD}",),
        ),
        (Circle.ANY, (r"(?P<digits>(?:[0-9]\W{0,4}){7}[0-9])",)),
        (Circle.NAMED, (r"(?<![^\W_])(?P<digits>[0-9]{6})(?![^\W_])",)),
    )
    for pattern in patterns
)
_ORDERS: Final = {8: ((0, 4, 6), (0, 6, 4), (4, 2, 0), (4, 0, 2)), 6: ((4, 2, 0), (0, 2, 4), (4, 0, 2))}
"""Where year, month and day begin in so many digits."""


def folded(text: str) -> tuple[str, list[int]]:
    """Return ``text`` in small letters, without accents and with single blanks, and where it was.

    The second of the pair has the place in ``text`` of every character of the first.
    """
    if text.isascii() and not _UNUSUAL.search(text):
        return text.casefold(), list(range(len(text)))
    plain: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        letters = ""
        if character.isspace():
            letters = " " if plain[-1:] != [" "] else ""
        elif not unicodedata.combining(character):
            letters = unicodedata.normalize("NFD", character.translate(_DASHES))[0].casefold().translate(_LETTERS)
        plain.extend(letters)
        places.extend([place] * len(letters))
    return "".join(plain), places


def full_dates(text: str) -> list[DateInText]:
    """Return the full dates of ``text``, in order; overlapping ones are all returned."""
    plain, places = folded(text)
    found: dict[tuple[int, int], DateInText] = {}
    for of_shape, shape in _SHAPES_IN_TEXT:
        for match in shape.finditer(plain):
            circle, written = _written(match.groupdict(), of_shape)
            if not (days := frozenset(_days(written))):
                continue
            key = (places[match.start(1)] + 1, places[match.end(1) - 1] + 1)
            if key in found:
                days, circle = days | found[key].days, min(circle, found[key].circle)
            number = int(match[1]) if re.fullmatch("[1-9][0-9]*", match[1]) else None
            found[key] = DateInText(*key, days, circle, number)
    return [found[key] for key in sorted(found)]


def _written(parts: Mapping[str, str], circle: Circle) -> tuple[Circle, list[tuple[str, str, str]]]:
    """Return whose birth dates the parts of a date are compared with, and the years, months and days they may be."""
    if "word" in parts:
        month = _MONTHS.get(parts["word"])
        pairs = [
            (year, day)
            for year, day in permutations((parts["one"], parts["two"]))
            if len(day) <= _OF_DAY and len(year) in (_OF_YEAR, _OF_DAY)
        ]
        if month:
            circle = Circle.ANY if any(len(year) == _OF_YEAR for year, _ in pairs) else Circle.OFFICE
        return circle, [
            (year, str(number), day) for year, day in pairs for number in ([month] if month else range(1, 13))
        ]
    if "year" in parts:
        year, one, two = parts["year"], parts["one"], parts["two"]
        return circle, [(year, one, two), (year, two, one)]
    numbers = re.findall("[0-9]+", parts["digits"])
    digits = "".join(numbers)
    # Two years are a season more often than a date, and a time and a result stand before a year.
    is_season = len(numbers) == 2 and all(int(number) in _YEARS for number in numbers)
    is_mixed = len(set(re.split("[0-9]+", parts["digits"])[1:-1])) > 1
    circle = Circle.EVENT if is_season or is_mixed else circle
    width = len(digits) - 2 * _OF_DAY
    return circle, [(digits[y : y + width], digits[m : m + 2], digits[d : d + 2]) for y, m, d in _ORDERS[len(digits)]]


def dates_in(texts: pl.Series) -> pl.DataFrame:
    """Return the days that the full dates of a column may mean: ``text``, ``day``, ``circle``, each once.

    Few texts have the digits of a date, and only these are searched. What only players who are named can mean is no
    date here.
    """
    for needed in _MAY_HAVE_A_DATE:
        texts = texts.filter(texts.str.contains(needed))
    candidates = texts.unique().sort()
    if candidates.is_empty():
        return pl.DataFrame(schema=_DAYS)
    dated = [(text, one) for text in candidates for one in full_dates(text) if one.circle < Circle.NAMED]
    rows = [(text, day, int(one.circle)) for text, one in dated for day in one.days]
    found = pl.DataFrame(rows, schema=_DAYS, orient="row")
    return found.group_by("text", "day").agg(pl.col("circle").min()).sort("text", "day")


def years_before(day: date, years: int) -> date:
    """Return the day so many years before ``day``; of a 29 February the 28th."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)


def was_born(day: pl.Expr, played: pl.Expr) -> pl.Expr:
    """Return whether a ``day`` may be the birth of a player of an event: it is not among the years of its players.

    An event whose first day is not known has players of any age.
    """
    return (day <= played.dt.offset_by(f"-{YOUNGEST}y")).fill_null(value=True)


def _days(written: Iterable[tuple[str, str, str]]) -> Iterator[date]:
    """Yield the days of the calendar among years, months and days, a year of two digits in either century."""
    for digits, month, day in written:
        year = int(digits)
        is_long = len(digits) == _OF_YEAR
        for full_year in [year] if is_long else [century + year for century in _CENTURIES]:
            if full_year not in _YEARS:
                continue
            try:
                yield date(full_year, int(month), int(day))
            except ValueError:
                # No day of the calendar, such as the 13th month where the day comes first.
                continue


def birth_date_problem(
    text: str,
    of_players: Callable[[Collection[date]], Collection[date]],
    is_player: Callable[[int], bool],
    last: date,
    named: Collection[date] = (),
) -> str:
    """Return why ``text`` may not be published, as the end of a sentence that begins with its name; empty where it may.

    A full date is refused where it is a date of birth of a player that the text is about (``named``), or of any player
    (``of_players`` returns which of some days are), and not later than ``last``. A number that ``is_player`` finds is a
    FIDE ID. The sentence does not have the date: it is printed, and it may be kept in the log of a flow.
    """
    dates = [one for one in full_dates(text) if one.number is None or not is_player(one.number)]
    candidates = {day for one in dates if one.circle <= Circle.OFFICE for day in one.days if day <= last}
    births = set(of_players(candidates)) if candidates else set()
    for one in dates:
        is_named = not one.days.isdisjoint(named)
        if is_named or (one.circle <= Circle.OFFICE and one.days & births):
            whose = "a player whom the text is about" if is_named else "a player of this office"
            return (
                f"has a date of birth at characters {one.first} to {one.last}: it is that of {whose}. The text is for "
                "publication, and no date of birth is published. Leave out the day and the month; the year may be said"
            )
    return ""
