"""The parser of dates in reports.

Reports have dates in a dozen formats. Each format is one pattern of :data:`SHAPES`; the first that gives a real day
decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
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
_OTHER_ORDERS: Final = {"day_first": SHAPES[-1], "month_first": SHAPES[2].replace(_SEPARATED, r"\s*[-/]\s*")}
"""The second formats that a text may have, by the column of its other reading. With dots the day is first."""
_SHORT_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BLANK: Final = r"^[\s./0-]*$"
_YEARS_OF_EVENTS: Final = (1850, 2199)
_DAY_ZERO_OF_SPREADSHEETS: Final = pl.date(1899, 12, 30)
_LAST_TWO_DIGIT_YEAR_OF_2000S: Final = 69

READING: Final = pl.Schema(
    {
        "text": pl.String(),
        "date": pl.Date(),
        "year": pl.Int32(),
        "day_first": pl.Date(),
        "month_first": pl.Date(),
        "blank": pl.Boolean(),
    }
)


def read(texts: pl.Series) -> pl.DataFrame:
    """Parse every distinct text once.

    Returns one row per distinct text without outer blanks, with the columns of :data:`READING`: ``date`` where the
    day is known, ``year`` where at least the year is (``1987/00/00``), ``day_first`` the other reading of a date
    whose year has two digits and ``month_first`` of ``10/03/2025`` (null for every other format), ``blank`` where the
    text has no digit but 0 (``.  .``). A text in none of the formats has nulls and ``blank`` false.
    """
    # Remove repeated texts before trimming: most births of a batch are repeated.
    distinct = pl.DataFrame({"text": texts.cast(pl.String).drop_nulls().unique().str.strip_chars().unique()})
    distinct = distinct.with_columns(
        *(pl.lit(None, READING[name]).alias(name) for name in READING.names()[1:-1]),
        pl.col("text").str.contains(_BLANK).alias("blank"),
    )
    read, pending = [distinct.filter("blank")], distinct.filter(~pl.col("blank"))
    for shape in SHAPES:
        if pending.is_empty():
            break
        fits = pending["text"].str.contains(shape)
        if not fits.any():
            continue
        taken = _with_reading(pending.filter(fits), shape)
        is_dated = taken["date"].is_not_null()
        read.append(taken.filter(is_dated))
        # A text that is no day in this format may be one in another; its year is kept.
        pending = pl.concat([pending.filter(~fits), taken.filter(~is_dated)])
    everything = pl.concat([*read, pending])
    for column, shape in _OTHER_ORDERS.items():
        fits = everything["text"].str.contains(shape)
        if fits.any():
            ambiguous = everything.filter(fits)
            ambiguous = ambiguous.with_columns(_with_reading(ambiguous, shape)["date"].alias(column))
            everything = pl.concat([everything.filter(~fits), ambiguous])
    return everything


def _with_reading(texts: pl.DataFrame, shape: str) -> pl.DataFrame:
    """Return ``texts``, all in the format ``shape``, with ``date`` where that day exists and ``year`` where given."""
    groups = texts.select(pl.col("text").str.extract_groups(shape).alias("parts")).unnest("parts")
    y, yy, m, d = (_column(groups, name, pl.Int32()) for name in ("y", "yy", "m", "d"))
    year = pl.coalesce(y, yy + pl.when(yy <= _LAST_TWO_DIGIT_YEAR_OF_2000S).then(2000).otherwise(1900))
    month = m
    if "month" in groups.columns:
        named = pl.col("month").str.to_lowercase()
        month = named.replace_strict(_SHORT_MONTHS, range(1, 13), default=None, return_dtype=pl.Int32)
    serial = _DAY_ZERO_OF_SPREADSHEETS + pl.duration(days=_column(groups, "serial", pl.Int32()))
    days = (
        groups.with_columns(
            pl.when(year.is_between(*_YEARS_OF_EVENTS)).then(year).alias("year"), month.alias("month_number")
        )
        .with_columns(
            pl.coalesce(
                (pl.col("year") * 10000 + pl.col("month_number") * 100 + d)
                .cast(pl.String)
                .str.to_date("%Y%m%d", strict=False),
                serial,
            ).alias("date")
        )
        # A year of two digits is kept only with a real day.
        .select(
            "date",
            pl.coalesce(pl.col("date").dt.year(), pl.when(y.is_not_null()).then("year")).alias("year"),
        )
    )
    return texts.with_columns(days["date"], pl.coalesce(days["year"], texts["year"]).alias("year"))


def _column(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column of ``frame`` as ``dtype``; nulls where the format has no such part."""
    return pl.col(name).cast(dtype) if name in frame.columns else pl.lit(None, dtype)


_MONTHS: Final = tuple(name.lower() for name in MONTHS)
"""The words of months with which a date is certain; with any other word it is possible."""
_LIKE_A_MONTH: Final = re.compile(
    "jan|gen|ene|feb|fev|mar|mrt|apr|avr|abr|ma[ijgy]|jun|jui|giu|jul|lug|aug|aou|ago|sep|set|o[ck]t|out|ott|nov|de[csz]|"
    "dic"
)
"""How the names of months begin in the languages that most reports are written in; no other word makes a date."""
_LETTERS: Final = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "æ": "ae"})
"""Letters that have no accent to be taken off."""
_DASHES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_UNUSUAL: Final = re.compile(r"[^\S ]|  ")
"""What is folded in a text of ASCII, apart from capitals."""
_NUMBER: Final = re.compile("[0-9]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_PLAIN_SEPARATORS: Final = frozenset("-./,_| ")
_NARROW_SEPARATORS: Final = frozenset("-./")
_BEFORE: Final = re.compile(r"([^\W\d_]+)[ .,]{1,2}(?:the )?$")
_AFTER: Final = re.compile(r" ?(?:[a-z]{2} )?([^\W\d_]+)")
_YEARS: Final = range(1850, 2100)
YOUNGEST: Final = 3
"""Years: a younger child plays no rated game, so a later date is a day of play, of a letter or of a decision."""
_CENTURIES: Final = (1900, 2000)
_SEPARATOR: Final = 4
"""Most characters between two numbers of a date; one of them may be a letter, as in ``1990年5月3日``."""
_WORDS_BETWEEN: Final = 24
"""Most characters between the day and the year of a date whose month is a word."""
_MAY_HAVE_A_DATE: Final = "[0-9][0-9]+[^0-9]+[0-9]|[0-9][^0-9]+[0-9][^0-9]*[0-9]|[0-9]{6}"
"""A text with the fewest digits of a full date, of ``3 May 90`` or ``030590``. One number of up to five digits, as
names have that a program made, is no date."""
_OF_YEAR, _OF_DAY = 4, 2
_EIGHT, _SIX = 8, 6
_ORDERS: Final = ((0, 4, 6), (0, 6, 4), (4, 2, 0), (4, 0, 2))
"""Where year, month and day begin in eight digits."""


_DAYS: Final = {"text": pl.String(), "day": pl.Date(), "circle": pl.Int8()}


class Circle(IntEnum):
    """Whose dates of birth a form is compared with.

    ``ANY``: those of all players of the office, in every text. ``OFFICE``: the same in a reason or remark, in a name
    as ``EVENT``. ``EVENT``: those of the players of the event whose name it is, or of the player whose name it is:
    ``Group 3, round 5, 2012`` has the digits of a date. ``NAMED``: those of the players whom a correction names;
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


@dataclass(frozen=True, slots=True)
class _Part:
    """Digits that belong together in a folded text; ``following``: the place of the number after them."""

    digits: str
    start: int
    end: int
    following: int


_Found = tuple[int, int, Iterator[date], Circle]
"""A first character, the one behind the last, the days and the circle of a date in a folded text."""


def folded(text: str) -> tuple[str, list[int]]:
    """Return ``text`` in small letters, without accents and with single blanks, and where it was.

    The second of the pair has the place in ``text`` of every character of the first.
    """
    if text.isascii() and not _UNUSUAL.search(text):
        return text.casefold(), list(range(len(text)))
    plain: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if plain[-1:] != [" "]:
                plain.append(" ")
                places.append(place)
        elif not unicodedata.combining(character):
            letters = unicodedata.normalize("NFD", character.translate(_DASHES))[0].casefold().translate(_LETTERS)
            plain.extend(letters)
            places.extend([place] * len(letters))
    return "".join(plain), places


def full_dates(text: str) -> list[DateInText]:
    """Return the full dates of ``text``, in order; overlapping ones are all returned."""
    plain, places = folded(text)
    numbers = [(match[0], match.start(), match.end()) for match in _NUMBER.finditer(plain)]
    found: dict[tuple[int, int], DateInText] = {}
    for start, end, possible, circle in _found(plain, numbers):
        if not (days := frozenset(possible)):
            continue
        key = (places[start] + 1, places[end - 1] + 1)
        if key in found:
            days, circle = days | found[key].days, min(circle, found[key].circle)
        number = int(plain[start:end]) if re.fullmatch("[1-9][0-9]*", plain[start:end]) else None
        found[key] = DateInText(*key, days, circle, number)
    return [found[key] for key in sorted(found)]


def dates_in(texts: pl.Series) -> pl.DataFrame:
    """Return the days that the full dates of a column may mean: ``text``, ``day``, ``circle``, each once.

    Few texts have the digits of a date, and only these are searched.
    """
    candidates = texts.filter(texts.str.contains(_MAY_HAVE_A_DATE)).unique().sort()
    if candidates.is_empty():
        return pl.DataFrame(schema=_DAYS)
    rows = [(text, day, int(one.circle)) for text in candidates for one in full_dates(text) for day in one.days]
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


def _found(plain: str, numbers: list[tuple[str, int, int]]) -> Iterator[_Found]:
    for at in range(len(numbers)):
        yield from _in_three_numbers(plain, numbers, at)
        yield from _in_eight_digits(plain, numbers, at)
        yield from _with_a_word(plain, numbers, at)
        digits, start, end = numbers[at]
        around = plain[max(start - 1, 0) : start] + plain[end : end + 1]
        if len(digits) == _SIX and not any(one.isalnum() for one in around):
            pairs = [(digits[i : i + 2], digits[j : j + 2], digits[k : k + 2]) for i, j, k in ((4, 2, 0), (0, 2, 4))]
            yield start, end, _days([*pairs, (digits[4:], digits[:2], digits[2:4])]), Circle.NAMED


def _in_three_numbers(plain: str, numbers: list[tuple[str, int, int]], at: int) -> Iterator[_Found]:
    """Yield the dates of three numbers from the one ``at`` on; digits with blanks between them are one number."""
    for one in _parts(plain, numbers, at):
        for two in _parts(plain, numbers, one.following):
            for three in _parts(plain, numbers, two.following):
                gaps = plain[one.end : two.start], plain[two.end : three.start]
                if (circle := _circle_of(gaps, [one, two, three])) is None:
                    continue
                yield one.start, three.end, _days(_arranged(one.digits, two.digits, three.digits)), circle


def _parts(plain: str, numbers: list[tuple[str, int, int]], at: int) -> Iterator[_Part]:
    """Yield what may be a day, a month or a year from the number ``at`` on."""
    digits, following = "", at
    while following < len(numbers) and len(digits) < _OF_YEAR:
        own, start, end = numbers[following]
        if digits and plain[numbers[following - 1][2] : start] != " ":
            return
        digits, following = digits + own, following + 1
        # Two numbers of two digits are a year, and a number of two digits is no part of a day.
        if len(digits) in (_OF_YEAR, _OF_DAY) or (len(digits) == 1 and following == at + 1):
            yield _Part(digits, numbers[at][1], end, following)


def _circle_of(gaps: tuple[str, str], parts: list[_Part]) -> Circle | None:
    """Return whose birth dates three numbers with these ``gaps`` are compared with; None: they are no date."""
    letters = [sum(one.isalpha() for one in gap) for gap in gaps]
    if max(map(len, gaps)) > _WORDS_BETWEEN // 2 or max(map(len, (one.digits for one in parts))) == 1:
        return None
    separators = [frozenset(one for one in gap if not one.isspace()) for gap in gaps]
    is_short = max(len(one.digits) for one in parts) < _OF_YEAR
    if is_short:
        narrow = all(one and one <= _NARROW_SEPARATORS for one in separators)
        same = gaps[0].strip() == gaps[1].strip("'\u2018\u2019\u00b4` ") and not any(letters)
        return (Circle.OFFICE if narrow else Circle.NAMED) if same else None
    if max(letters) > 1 or max(map(len, gaps)) > _SEPARATOR:
        return Circle.EVENT
    if any(letters) or separators[0] == separators[1] or all(one <= _PLAIN_SEPARATORS for one in separators):
        return Circle.ANY
    return Circle.EVENT


def _arranged(one: str, two: str, three: str) -> Iterator[tuple[str, str, str]]:
    """Yield year, month and day of three numbers: one of four digits is the year, else the first or the last is."""
    years = [position for position, digits in enumerate((one, two, three)) if len(digits) == _OF_YEAR]
    if len(years) > 1:
        return
    for order in permutations((one, two, three)):
        year, month, day = order
        is_year = len(year) == _OF_YEAR if years else len(year) == _OF_DAY and year in (one, three)
        if is_year and len(month) <= _OF_DAY and len(day) <= _OF_DAY:
            yield year, month, day


def _in_eight_digits(plain: str, numbers: list[tuple[str, int, int]], at: int) -> Iterator[_Found]:
    """Yield the dates of numbers from the one ``at`` on that have eight digits together."""
    digits, gaps = "", set[str]()
    for place in range(at, len(numbers)):
        own, start, end = numbers[place]
        if digits:
            gaps.add(gap := plain[numbers[place - 1][2] : start])
            if len(gap) > _SEPARATOR or any(one.isalpha() for one in gap):
                return
        digits += own
        if len(digits) >= _EIGHT:
            break
    if len(digits) != _EIGHT:
        return
    # Two years are a season more often than a date, and a time and a result stand before a year.
    is_season = place == at + 1 and int(digits[:_OF_YEAR]) in _YEARS and int(own) in _YEARS
    orders = ((digits[y : y + 4], digits[m : m + 2], digits[d : d + 2]) for y, m, d in _ORDERS)
    yield numbers[at][1], end, _days(orders), Circle.EVENT if is_season or len(gaps) > 1 else Circle.ANY


def _with_a_word(plain: str, numbers: list[tuple[str, int, int]], at: int) -> Iterator[_Found]:
    """Yield the dates of which the number ``at`` and the next one are day and year, and a word is the month."""
    if at + 1 == len(numbers):
        return
    (one, first, end), (two, start, last) = numbers[at : at + 2]
    gap = plain[end:start]
    if len(gap) > _WORDS_BETWEEN or {len(one) <= _OF_DAY, len(two) <= _OF_DAY} == {False}:
        return
    inside = [word for word in _WORD.findall(gap) if word not in ("st", "nd", "rd", "th")]
    before = _BEFORE.search(plain, max(first - _WORDS_BETWEEN, 0), first)
    after = _AFTER.match(plain, last, last + _WORDS_BETWEEN)
    is_apart = " " in gap and not inside
    month_first = [before[1]] if before and is_apart and len(one) <= _OF_DAY else []
    month_last = [after[1]] if after and is_apart and len(one) > _OF_DAY else []
    words = inside or month_first or month_last
    if not words:
        return
    months = [number for word in words if (number := _month_of(word))]
    if not months and not any(_LIKE_A_MONTH.match(word) for word in words):
        return
    for year, day in ((two, one), (one, two)):
        if len(day) > _OF_DAY or len(year) not in (_OF_YEAR, _OF_DAY):
            continue
        if len(year) == _OF_DAY:
            circle = Circle.OFFICE
        elif months:
            circle = Circle.ANY
        else:
            circle = Circle.EVENT if month_last else Circle.OFFICE
        dates = _days((year, str(month), day) for month in months or range(1, 13))
        begins = before.start(1) if month_first and before else first
        yield begins, after.end(1) if month_last and after else last, dates, circle


def _month_of(word: str) -> int:
    """Return the number of the month that ``word`` is in English, in full or in three or four letters; 0: none."""
    for number, name in enumerate(_MONTHS, 1):
        if word in (name, name[:3], name[:4]):
            return number
    return 0


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
