"""The parser of dates in reports.

Reports have dates in a dozen formats. Each format is one pattern of :data:`SHAPES`; the first that gives a real day
decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
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
_MONTHS: Final = {
    word: number for number, name in enumerate(map(str.lower, MONTHS), 1) for word in (name, name[:3], name[:4])
}
"""The words of months with which a date is certain; with any other word it is possible."""
_BLANK: Final = r"^[\s./0-]*$"
_YEARS: Final = range(1850, 2200)
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
    month = word.replace_strict(_MONTHS, default=None, return_dtype=pl.Int32)
    year = pl.coalesce(y, yy + pl.when(yy <= _LAST_TWO_DIGIT_YEAR_OF_2000S).then(2000).otherwise(1900))
    dated = parts.with_columns(pl.when(year.is_between(_YEARS.start, _YEARS.stop - 1)).then(year).alias("year"))
    day = pl.col("year") * 10000 + pl.coalesce("m", month) * 100 + pl.col("d")
    serial = _DAY_ZERO_OF_SPREADSHEETS + pl.duration(days="serial")
    return dated.select(
        *("text", "shape"),
        pl.coalesce(day.cast(pl.String).str.to_date("%Y%m%d", strict=False), serial).alias("day"),
        pl.when(y.is_not_null()).then("year").alias("year"),
    )


YOUNGEST: Final = 3
"""Years: a younger child plays no rated game, so a later date is a day of play, of a letter or of a decision."""
_LIKE_A_MONTH: Final = (
    "jan|gen|ene|f[eé][bv]|mar|märz|mrt|ap[ri]|avr|abr|ma[ijgy]|máj|jun|jui|giu|jul|lug|aug|ao[uû]|ago|sep|set|o[ck]t|"
    "out|ott|nov|d[eé][csz]|dic"
)
"""How the names of months begin in the languages that most reports are written in; no other word makes a date."""
_MAY_HAVE_A_DATE: Final = (
    "[0-9][0-9]+[^0-9]+[0-9]|[0-9][^0-9]+[0-9][^0-9]*[0-9]|[0-9]{8}",
    r"(?:^|[^0-9])[0-9]{1,4}[^0-9]+[0-9]{1,4}[^0-9]+[0-9]{1,4}(?:[^0-9]|$)|[0-9]{8}|(?i:" + _LIKE_A_MONTH + ")",
)
"""What a text with a date has: digits as in ``3 May 90``, or eight; and three numbers, eight digits, or a month."""
_DAYS: Final = {"text": pl.String(), "day": pl.Date(), "certain": pl.Boolean()}


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date in a text: its first and last character, from 1, and the days it may mean.

    ``certain``: it has a year of four digits and a month that is a number or an English word. A year of two digits
    (``05-06-07``), or a word that is only like a month, may be anything in the name of an event. ``number``: the whole
    number that is read as a date, such as 19900503; it may be a FIDE ID. None where it has separators.
    """

    first: int
    last: int
    days: frozenset[date]
    certain: bool
    number: int | None = None


_DIGITS_OF_YEAR: Final = (2, 4)
_NUMBER: Final = "[0-9]{1,4}"
_GAP: Final = r"(?:[-‐‑‒–—―−./,_|\s]{1,4}|[^0-9]?[^\W\d_][^0-9]?)"
"""What stands between the numbers of a date; it may have a letter, as in ``1990年5月3日``."""
_MONTH_WORD: Final = rf"(?<![^\W\d_])(?P<word>(?:{_LIKE_A_MONTH})[^\W\d_]*)"
_SHAPES_IN_TEXT: Final = (
    ((4,), f"{_NUMBER}{_GAP}{_NUMBER}{_GAP}{_NUMBER}"),
    ((4,), f"{_NUMBER}(?P<gap>[^0-9a-z]{{1,4}}){_NUMBER}(?P=gap){_NUMBER}"),
    ((4,), "[0-9]{8}"),
    ((2,), r"[0-9]{1,2}(?P<gap>\s?[-./]\s?)[0-9]{1,2}(?P=gap)[0-9]{1,2}"),
    # 3rd of May, 1990; May the 3rd 1990; 1990 3 May
    (_DIGITS_OF_YEAR, rf"{_NUMBER}[^0-9]{{0,16}}?{_MONTH_WORD}[^0-9]{{0,8}}{_NUMBER}"),
    (_DIGITS_OF_YEAR, rf"{_MONTH_WORD}[ .,]{{1,2}}(?:the )?[0-9]{{1,2}}(?:st|nd|rd|th)?\W* \W*{_NUMBER}"),
    ((4,), rf"[0-9]{{4}}\W* \W*[0-9]{{1,2}}(?:st|nd|rd|th)? ?(?:[a-z]{{2}} )?{_MONTH_WORD}"),
)
"""The digits that the year has, and the pattern. Compiled when a text is read: that takes longer than most imports."""
_ORDERS: Final = ((0, 4, 6), (0, 6, 4), (4, 2, 0), (4, 0, 2))
"""Where year, month and day begin in eight digits."""


def full_dates(text: str) -> list[DateInText]:
    """Return the full dates of ``text``, in order; overlapping ones are all returned."""
    dates: dict[tuple[int, int], DateInText] = {}
    for digits_of_year, shape in _SHAPES_IN_TEXT:
        for match in re.finditer(f"(?<![0-9])(?=({shape})(?![0-9]))", text, re.IGNORECASE):
            numbers, word = re.findall("[0-9]+", match[1]), match.groupdict().get("word", "").lower()
            days = frozenset(_days(numbers, word, digits_of_year))
            place = (match.start(1) + 1, match.end(1))
            certain = max(map(len, numbers)) >= max(_DIGITS_OF_YEAR) and (not word or word in _MONTHS)
            if place in dates:
                days, certain = days | dates[place].days, certain or dates[place].certain
            if days:
                whole = int(match[1]) if match[1].isdigit() and not match[1].startswith("0") else None
                dates[place] = DateInText(*place, days, certain, whole)
    return [dates[place] for place in sorted(dates)]


def _days(numbers: Sequence[str], word: str, digits_of_year: Collection[int]) -> Iterator[date]:
    """Yield the days of the calendar that a date may mean, a year of two digits being in either century."""
    written: Iterable[Sequence[str]] = permutations(numbers)
    if word:
        months = [str(_MONTHS[word])] if word in _MONTHS else list(map(str, range(1, 13)))
        written = [(year, month, day) for year, day in permutations(numbers) for month in months]
    elif len(numbers) == 1:
        digits = numbers[0]
        written = [(digits[year : year + 4], digits[month:][:2], digits[day:][:2]) for year, month, day in _ORDERS]
    for year, month, day in written:
        centuries = (0,) if len(year) == max(_DIGITS_OF_YEAR) else (1900, 2000)
        for full_year in (century + int(year) for century in centuries):
            if len(year) in digits_of_year and max(len(month), len(day)) <= 2 and full_year in _YEARS:
                with suppress(ValueError):  # no day of the calendar, such as the 13th month where the day comes first
                    yield date(full_year, int(month), int(day))


def dates_in(texts: pl.Series) -> pl.DataFrame:
    """Return the days that the full dates of a column may mean: ``text``, ``day``, ``certain``, each once.

    Few texts have the digits of a date, and only these are searched.
    """
    for needed in _MAY_HAVE_A_DATE:
        texts = texts.filter(texts.str.contains(needed))
    days = [
        (text, day, full_date.certain)
        for text in texts.unique()
        for full_date in full_dates(text)
        for day in full_date.days
    ]
    frame = pl.DataFrame(days, schema=_DAYS, orient="row")
    return frame.group_by("text", "day").agg(pl.col("certain").any()).sort("text", "day")


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


def birth_date_problem(
    text: str,
    of_players: Callable[[Collection[date]], Collection[date]],
    is_player: Callable[[int], bool],
    last: date,
    named: Collection[date] = (),
) -> str:
    """Return why ``text`` may not be published, as the end of a sentence that begins with its name; empty where it may.

    A full date is refused where it is a date of birth of a player that the text is about (``named``), or of any player
    (``of_players`` returns which of some days are) and not later than ``last``. A number that ``is_player`` finds is a
    FIDE ID. The sentence does not have the date: it is printed, and it may be kept in the log of a flow.
    """
    dates = [full_date for full_date in full_dates(text) if full_date.number is None or not is_player(full_date.number)]
    candidates = {day for full_date in dates for day in full_date.days if day <= last}
    births = {*named, *(of_players(candidates) if candidates else ())}
    for full_date in dates:
        if full_date.days & births:
            return (
                f"has a date of birth at characters {full_date.first} to {full_date.last}, that of a player. The text "
                "is for publication, and no date of birth is published. Leave out the day and the month; the year may "
                "be said"
            )
    return ""
