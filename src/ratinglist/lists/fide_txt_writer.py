"""FIDE's list as text of fixed width: combined, combined without arena titles, and of one time control.

A layout is its columns with their words and widths; header line and player lines both follow from it, so that they
cannot disagree. Every column ends with a blank, which is how readers that cut by blanks tell them apart: a text too
long for its column is cut and counted, for pushing the rest of the line to the right, as FIDE's own lists sometimes
do, spoils every figure after it. A number is never cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.errors import ExportError
from ratinglist.period import Period

LINE_END = "\r\n"
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


@dataclass(frozen=True, slots=True)
class Field:
    """One column of the text: its ``word`` in the header, the ``column`` it shows (empty: always blank), its width."""

    word: str
    column: str
    width: int


_PERSON = (
    Field("ID Number", "fide_id", 15),
    Field("Name", "name", 61),
    Field("Fed", "federation", 4),
    Field("Sex", "sex", 4),
    Field("Tit", "title", 5),
    Field("WTit", "women_title", 5),
    Field("OTit", "other_titles", 15),
)
_ARENA = (Field("FOA", "", 4),)
_ALL_RATINGS = (
    *(Field("SRtng", "standard_rating", 6), Field("SGm", "standard_games", 4), Field("SK", "standard_k", 3)),
    *(Field("RRtng", "rapid_rating", 6), Field("RGm", "rapid_games", 4), Field("Rk", "rapid_k", 3)),
    *(Field("BRtng", "blitz_rating", 6), Field("BGm", "blitz_games", 4), Field("BK", "blitz_k", 3)),
)
_END = (Field("B-day", "birth_year", 6), Field("Flag", "flag", 4))
_LOOKED_UP = ("rating", "games", "k")
_CUT = ("name", "federation", "sex", "title", "women_title", "other_titles")


def layout(*, one_list: Period | None, legacy: bool) -> tuple[Field, ...]:
    """The columns of a list. ``one_list``: of one time control, headed by its month; None: combined.

    ``legacy``: without the column of the arena titles, which FIDE's lists have since the end of 2016.
    """
    ratings: tuple[Field, ...] = _ALL_RATINGS
    if one_list is not None:
        day = one_list.first_day
        month = f"{_MONTHS[day.month - 1]}{day.year % 100:02d}"
        ratings = (Field(month, "rating", 6), Field("Gms", "games", 4), Field("K", "k", 3))
    return (*_PERSON, *(() if legacy else _ARENA), *ratings, *_END)


def header(fields: tuple[Field, ...]) -> str:
    """The first line, without its end."""
    return "".join(field.word.ljust(field.width) for field in fields[:-1]) + fields[-1].word


def lines(players: pl.DataFrame, fields: tuple[Field, ...]) -> pl.DataFrame:
    """One column ``line`` of the lines of ``players``, without their ends; a number that is null stays blank.

    ``players``: what :func:`fitted` gives.
    """
    return players.select(pl.concat_str(map(_shown, fields)).alias("line"))


def fitted(players: pl.DataFrame, fields: tuple[Field, ...]) -> tuple[pl.DataFrame, int]:
    """``players`` (columns as the fields name them, text in ASCII) with values that fit, and how many texts were cut.

    Other titles are cut at a comma, so that no title is left half; an unknown year of birth becomes ``0000``. Raises
    :class:`ExportError` where a number is too long for its column.
    """
    cut = 0
    for field in fields:
        if not field.column or field.column == "flag":
            continue
        most = field.width - 1
        if field.column not in _CUT:
            too_long = players[field.column] >= 10**most
            if too_long.any():
                raise _too_long(players.filter(too_long), field)
            continue
        too_long = players[field.column].str.len_bytes() > most
        if not too_long.any():
            continue
        cut += int(too_long.sum())
        short = pl.col(field.column).str.head(most)
        if field.column == "other_titles":
            short = pl.col(field.column).str.extract(rf"^(.{{0,{most}}})(?:,|$)").fill_null("")
        players = players.with_columns(pl.when(too_long).then(short).otherwise(field.column).alias(field.column))
    return players.with_columns(pl.col("birth_year").cast(pl.String).fill_null("0000")), cut


def _shown(field: Field) -> pl.Expr:
    """The text of a column in its full width."""
    if not field.column:
        return pl.lit(" " * field.width)
    if field.column.endswith(_LOOKED_UP):
        # Looking a small number up costs a tenth of writing it.
        every = pl.int_range(10 ** (field.width - 1), eager=True).cast(pl.String).str.pad_end(field.width)
        return pl.lit(every).gather(pl.col(field.column)).fill_null(" " * field.width)
    return pl.col(field.column).cast(pl.String).str.pad_end(field.width)


def _too_long(players: pl.DataFrame, field: Field) -> ExportError:
    first = players.sort("fide_id").row(0, named=True)
    return ExportError(
        f"Nothing was exported: {field.column} of player {first['fide_id']} ({first['name']}) is "
        f"{first[field.column]}, and the column {field.word} of FIDE's text has room for {field.width - 1} characters. "
        "Correct the value and publish again, or export as csv."
    )
