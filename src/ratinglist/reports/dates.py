"""The parser of dates in reports.

Reports have dates in a dozen formats. Each format is one pattern of :data:`SHAPES`; the first that gives a real day
decides.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_SEPARATOR = r"\s*[-/.]\s*"
_CLOCK = r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?"
_MONTH = r"(?<month>[A-Za-z]{3})[A-Za-z]*\.?"
_DAY = r"(?<d>[0-9]{1,2})(?:st|nd|rd|th|\.)?"

#: The formats, in the order of preference.
SHAPES: Final[tuple[str, ...]] = (
    rf"^(?<y>[0-9]{{4}}){_SEPARATOR}(?<m>[0-9]{{1,2}}){_SEPARATOR}(?<d>[0-9]{{1,2}}){_CLOCK}$",
    rf"^(?<d>[0-9]{{1,2}}){_SEPARATOR}(?<m>[0-9]{{1,2}}){_SEPARATOR}(?<y>[0-9]{{4}})$",
    # Month first only where the day cannot be a month: 09/24/2010.
    rf"^(?<m>[0-9]{{1,2}}){_SEPARATOR}(?<d>[0-9]{{1,2}}){_SEPARATOR}(?<y>[0-9]{{4}})$",
    r"^(?<y>[0-9]{4})(?<m>[0-9]{2})(?<d>[0-9]{2})$",
    rf"^{_MONTH}\s+{_DAY},?\s+(?<y>[0-9]{{4}})$",
    rf"^{_DAY}\s*{_MONTH},?\s+(?<y>[0-9]{{4}})$",
    r"^(?<y>[0-9]{4})$",
    r"^(?<serial>[0-9]{5})$",
    # Two digits for the year: year first, as in the dates of rounds (TRF16, 132), else day first.
    rf"^(?<yy>[0-9]{{2}}){_SEPARATOR}(?<m>[0-9]{{1,2}}){_SEPARATOR}(?<d>[0-9]{{1,2}})$",
    rf"^(?<d>[0-9]{{1,2}}){_SEPARATOR}(?<m>[0-9]{{1,2}}){_SEPARATOR}(?<yy>[0-9]{{2}})$",
)
_OTHER_ORDERS: Final = {"day_first": SHAPES[-1], "month_first": SHAPES[2].replace(_SEPARATOR, r"\s*[-/]\s*")}
"""The second formats that a text may have, by the column of its other reading. With dots the day is first."""
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BLANK: Final = r"^[\s./0-]*$"
_YEARS: Final = (1850, 2199)
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
        month = named.replace_strict(_MONTHS, range(1, 13), default=None, return_dtype=pl.Int32)
    serial = _DAY_ZERO_OF_SPREADSHEETS + pl.duration(days=_column(groups, "serial", pl.Int32()))
    days = (
        groups.with_columns(pl.when(year.is_between(*_YEARS)).then(year).alias("year"), month.alias("month_number"))
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
