"""Parse the days of an official list: births, last games, and ends of memberships."""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.lists.raw_list import Inspection, RawList, refuse

_DAY_FIRST = r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$"
FIRST_BIRTH_YEAR = 1850
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
