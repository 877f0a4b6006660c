"""Parse the days of lists and tables: births, last games, and ends of memberships."""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.lists.raw_list import Inspection

_DAY = r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4})$"
_YEAR_ALONE = r"^(?:0{4}|0?0\.0?0\.|[0-9]{1,2}[/-][0-9]{1,2}[/-])?([0-9]{4})(?:[./-]0?0[./-]0?0)?$"
"""A year of birth without a day: alone, with zeros for the day and the month, or with both in an unknown order."""
_DAY_ZERO = date(1899, 12, 30)
_SERIAL_DAYS = (3_000, 60_000)
"""The numbers that are a date in a workbook: from 1908 to 2064. A year is below."""
FIRST_BIRTH_YEAR = 1850
_YOUNGEST_NOTED, _OLDEST_NOTED = 3, 104
"""Years before the last one that is possible between which a birth is not noted."""


def dates(raw: pl.DataFrame, inspection: Inspection) -> list[pl.Series]:
    """Parse the other days of ``raw``, ``YYYY-MM-DD`` or ``DD.MM.YYYY``, null for a blank; refuse what is none."""
    parsed = []
    for name in ("last_played", "member_until"):
        if name in raw.columns:
            texts = pl.col(name)
            days = pl.when(texts.str.contains(_DAY)).then(pl.coalesce(_day(texts, "%Y-%m-%d"), _day(texts, "%d.%m.%Y")))
            parsed.append(raw.select(days.alias(name)).to_series())
            remedy = "write YYYY-MM-DD or DD.MM.YYYY, or leave it blank"
            inspection.refuse_values(raw, (texts != "") & parsed[-1].is_null(), name, "is not a date", remedy)
    return parsed


def births(frame: pl.DataFrame, inspection: Inspection, until: date | None) -> pl.DataFrame:
    """Return ``frame`` with ``birth_date`` as a day, and ``birth_year``: that of the day where the file has none.

    In: ``birth_date`` as text, which may be a year alone, and ``birth_year`` as a number, 0 where it is unknown.
    ``until``: the last day on which a player can be born; None where it is not known. A birth before 1850 or after that
    day is noted and left blank, the year and the date.
    """
    text, day = pl.col("birth_date"), pl.col("born_on")
    frame = frame.with_columns(born_on=_birth_day(text), year=text.str.extract(_YEAR_ALONE).cast(pl.Int64))
    remedy = "write YYYY-MM-DD, DD.MM.YYYY or the year alone, or leave it blank"
    is_none = day.is_null() & pl.col("year").is_null() & ~text.str.contains("^0*$")
    inspection.refuse_values(frame, is_none, "birth_date", "is not a date", remedy)
    inspection.note(
        frame.filter(day.is_null(), pl.col("year") > 0, text.str.contains("/")).select("line", value="year"),
        "year_of_birth_alone",
        "a date of birth may have the day or the month first; only its year is read",
    )
    stated = pl.coalesce(day.dt.year().cast(pl.Int64), pl.when(pl.col("year") != 0).then("year"))
    frame = frame.with_columns(pl.when(pl.col("birth_year") != 0).then("birth_year"), birth_date=day, year=stated)
    differs = pl.col("birth_year") != pl.col("year")
    inspection.refuse_values(frame, differs, "birth_year", "is not the year of the birth date", "correct one of them")
    frame = frame.with_columns(birth_year=pl.coalesce("birth_year", "year")).drop("born_on", "year")
    return _without_impossible(frame, inspection, until)


def _without_impossible(frame: pl.DataFrame, inspection: Inspection, until: date | None) -> pl.DataFrame:
    """Return ``frame`` without births that are impossible; note them, and those that are odd."""
    last = until or date.max
    year = pl.col("birth_year")
    is_later = (pl.col("birth_date") > last).fill_null(value=False)
    is_possible = year.is_between(FIRST_BIRTH_YEAR, last.year) & ~is_later
    # A row that is impossible is noted as such alone.
    is_odd = is_possible & ~year.is_between(last.year - _OLDEST_NOTED, last.year - _YOUNGEST_NOTED)
    what = "a birth is before 1850, of this year or still to come; it is left blank"
    inspection.note(frame.filter(~is_possible).select("line", value="birth_year"), "impossible_birth_year", what)
    if until is not None:
        what = "a player is younger than 4 or older than 105; it is kept, is the birth right?"
        inspection.note(frame.filter(is_odd).select("line", value="birth_year"), "odd_age", what)
    possible = pl.when(is_possible)
    return frame.with_columns(birth_year=possible.then("birth_year"), birth_date=possible.then("birth_date"))


def _day(texts: pl.Expr, form: str) -> pl.Expr:
    return texts.str.to_date(form, strict=False)


def _birth_day(texts: pl.Expr) -> pl.Expr:
    """Return the days that the ``texts`` name in an order that is certain, or by a workbook's number; else null."""
    plain = texts.str.replace_all("[./]", "-")
    number = pl.when(texts.str.contains("^[0-9]{4,5}$")).then(texts).cast(pl.Int64)
    serial = pl.when(number.is_between(*_SERIAL_DAYS)).then(pl.lit(_DAY_ZERO) + pl.duration(days=number))
    year_first = pl.when(plain.str.contains("^[0-9]{4}-")).then(_day(plain, "%Y-%m-%d"))
    dotted = pl.when(texts.str.contains(r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$")).then(_day(plain, "%d-%m-%Y"))
    return pl.coalesce(year_first, dotted, serial)
