"""Parse the days of an official list: births, last games, and ends of memberships."""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.lists.raw_list import Inspection, RawList, refuse
from ratinglist.period import Period

_DAY_FIRST = r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$"
_DOTTED_BIRTH = r"^([0-9 ]{0,2})\.([0-9 ]{0,2})\.([0-9]{4}|[0-9]{2})$"
FIRST_BIRTH_YEAR = 1850
_YOUNGEST = 5
"""The age from which on players are listed, for a year of birth of two digits."""
_YOUNGEST_NOTED, _OLDEST_NOTED = 3, 104
"""Years before the last one that is possible between which a birth is not noted."""


def dates(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> list[pl.Series]:
    """Parse the columns of days of ``raw``, null for a blank; refuse what is none, and note days written with dots."""
    found = []
    for name in ("birth_date", "last_played", "member_until"):
        if name in raw.columns:
            days, day_first = _days(raw[name])
            inspection.note(
                raw.filter(day_first & days.is_not_null()).select("line", value=_without_day(name)),
                "day_first",
                "a day is written DD.MM.YYYY, as Excel saves it; it is read so",
            )
            bad = (raw[name] != "") & (days.is_null() | (~day_first & (raw[name].str.len_chars() != 10)))
            refuse(
                raw, bad, name, source, inspection, "is not a date", "write YYYY-MM-DD or DD.MM.YYYY, or leave it blank"
            )
            found.append(days)
    return found


def _without_day(name: str) -> pl.Expr:
    """Return the texts of a column of dates with dots without day and month: a date of birth is private."""
    return pl.col(name).str.replace(r"^[^.]*\.[^.]*", "DD.MM")


def _days(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the days of ``texts``, ``YYYY-MM-DD`` or ``DD.MM.YYYY``, null if they are none, and which are dotted."""
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    has_dot = texts.str.contains(".", literal=True)
    if not has_dot.any():
        return days, has_dot
    is_dotted = texts.str.contains(_DAY_FIRST)
    dotted = texts.str.to_date("%d.%m.%Y", strict=False)
    return pl.select(pl.when(is_dotted).then(dotted).otherwise(days)).to_series(), is_dotted


def with_birth_dates(raw: pl.DataFrame, source: RawList, inspection: Inspection, month: Period | None) -> pl.DataFrame:
    """Split the dates in the column of the year of birth, as FIDE's lists of 2001 to 2004 have them; dots are blank.

    ``30.12.1935`` and ``17.01.72`` become a date and its year, ``.  .1935`` a year. A year of two digits is the newest
    one that makes the player five years old or more on the list; without a month, it is of the last century.
    """
    if not raw["birth_year"].str.contains(".", literal=True).any():
        return raw
    blank = pl.col("birth_year").str.contains(r"^[. ]*$")
    raw = raw.with_columns(birth_year=pl.when(blank).then(pl.lit("")).otherwise("birth_year"))
    part = pl.col("birth_year").str.extract_groups(_DOTTED_BIRTH).struct
    day, month_number, year = (part.field(str(at)).str.strip_chars() for at in (1, 2, 3))
    number = year.cast(pl.Int64, strict=False)
    newest = (month.first_day.year if month else 2000) - _YOUNGEST
    of_century = pl.when(2000 + number <= newest).then(2000 + number).otherwise(1900 + number)
    full_year = pl.when(year.str.len_chars() == 2).then(of_century).otherwise(number)
    unknown = day.is_in(["", "0", "00"]) | month_number.is_in(["", "0", "00"])
    split = raw.select(
        "line",
        value="birth_year",
        year=full_year,
        day=pl.when(~unknown).then(
            pl.format("{}-{}-{}", full_year, month_number.str.zfill(2), day.str.zfill(2)).str.to_date(
                "%Y-%m-%d", strict=False
            )
        ),
        unknown=unknown,
    )
    is_dotted = split["year"].is_not_null()
    impossible = split.filter(is_dotted & ~split["unknown"] & split["day"].is_null()).select("line", "value")
    place = source.places.get("birth_year", "column birth_year")
    inspection.refuse(impossible, place, "is not a date", "correct it, or leave it blank")
    dotted = split.filter(is_dotted).select("line", value=_without_day("value"))
    inspection.note(dotted, "birth_date_dotted", "a birth is a date with dots; it is read")
    return raw.with_columns(
        birth_year=pl.when(is_dotted).then(split["year"].cast(pl.String)).otherwise("birth_year"),
        birth_date=pl.when(is_dotted).then(split["day"].cast(pl.String).fill_null("")).otherwise("birth_date"),
    )


def births(frame: pl.DataFrame, source: RawList, inspection: Inspection, until: date | None) -> pl.DataFrame:
    """Return ``frame`` with the year of birth: 0 is unknown, a missing one is taken from the birth date.

    ``until``: the last day on which a player can be born; None where it is not known. A birth before 1850 or after that
    day is noted and left blank, the year and the date.
    """
    of_date = pl.col("birth_date").dt.year().cast(pl.Int64)
    frame = frame.with_columns(birth_year=pl.when(pl.col("birth_year") != 0).then("birth_year"))
    bad = frame.select((pl.col("birth_year") != of_date).fill_null(value=False)).to_series()
    refuse(
        frame.with_columns(pl.col("birth_year").cast(pl.String)),
        bad,
        "birth_year",
        source,
        inspection,
        "is not the year of the birth date",
        "correct one of them",
    )
    frame = frame.with_columns(birth_year=pl.coalesce("birth_year", of_date))
    last = until or date.max
    is_later = (pl.col("birth_date") > last).fill_null(value=False)
    odd = ~pl.col("birth_year").is_between(FIRST_BIRTH_YEAR, last.year) | is_later
    inspection.note(
        frame.filter(odd).select("line", value=pl.col("birth_year").cast(pl.String)),
        "impossible_birth_year",
        "a birth is before 1850, of this year or still to come; it is left blank",
    )
    # Rows that are impossible are noted above.
    is_odd_age = ~odd & ~pl.col("birth_year").is_between(last.year - _OLDEST_NOTED, last.year - _YOUNGEST_NOTED)
    if until is not None:
        inspection.note(
            frame.filter(is_odd_age).select("line", value=pl.col("birth_year").cast(pl.String)),
            "odd_age",
            "a player is younger than 4 or older than 105; it is kept, is the birth right?",
        )
    possible = pl.when(~odd)
    return frame.with_columns(birth_year=possible.then("birth_year"), birth_date=possible.then("birth_date"))
