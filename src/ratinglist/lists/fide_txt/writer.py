"""Write FIDE's list as fixed-width text: combined, combined without arena titles, and of one time control.

A layout is a tuple of columns with headings and widths; the header line and the player lines both follow from it.
Every column but the other titles ends with a blank. A text longer than its column is cut and counted, because it would
shift all figures after it, as FIDE's own lists sometimes do. A number is never cut.

An absent rating, number of games or K is ``0``, as in FIDE's lists since 2024: readers that convert these columns to
numbers stop at a blank. Before 2024 FIDE left them blank.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import ExportError
from ratinglist.lists.export_request import ExportRequest, PreparedExport, PublishedLists
from ratinglist.lists.line_batches import write_lines
from ratinglist.lists.raw_list import MONTH_NAMES
from ratinglist.lists.selection import one_row_per_player, with_both_titles
from ratinglist.lists.transliteration import NAME_LENGTH, to_ascii
from ratinglist.period import Period

LINE_END = "\r\n"


@dataclass(frozen=True, slots=True)
class Field:
    """One column of the text: its ``heading``, the ``column`` it shows (empty: always blank) and its width."""

    heading: str
    column: str
    width: int


_PERSON = (
    Field("ID Number", "fide_id", 15),
    Field("Name", "name", NAME_LENGTH + 1),
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
_FIGURES = ("rating", "games", "k")
_CUT = ("name", "federation", "sex", "title", "women_title", "other_titles")
_FILLED = "other_titles"
"""The column that a text may fill up to its last character, as in FIDE's lists."""


def layout(*, one_list: Period | None, legacy: bool) -> tuple[Field, ...]:
    """Return the columns of a list. ``one_list``: of one time control, headed by its month; None: combined.

    ``legacy``: without the column of the arena titles, which FIDE's lists have since the end of 2016.
    """
    ratings: tuple[Field, ...] = _ALL_RATINGS
    if one_list is not None:
        day = one_list.first_day
        month = f"{MONTH_NAMES[day.month - 1].upper()}{day.year % 100:02d}"
        ratings = (Field(month, "rating", 6), Field("Gms", "games", 4), Field("K", "k", 3))
    return (*_PERSON, *(() if legacy else _ARENA), *ratings, *_END)


def header(fields: tuple[Field, ...]) -> str:
    """Return the header line without its line end."""
    return "".join(field.heading.ljust(field.width) for field in fields[:-1]) + fields[-1].heading


def prepare(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the players in ASCII, by name, with values that fit their columns, and the counts of what was lost.

    Raises :class:`ExportError` if a number is too long for its column.
    """
    players, letters = to_ascii(with_both_titles(one_row_per_player(published, request)))
    rows, cut = fit(players.sort("name", "fide_id"), _requested_layout(request))
    return PreparedExport(rows, {**letters.as_counts(), "texts_cut": cut})


def write(path: Path, prepared: PreparedExport, request: ExportRequest) -> None:
    """Write the header line and a line for each player."""
    fields = _requested_layout(request)
    with path.open("wb") as stream:
        stream.write(f"{header(fields)}{LINE_END}".encode())
        absent = "" if request.blanks_for_absent else "0"
        write_lines(stream, prepared.rows, lambda rows: lines(rows, fields, absent), LINE_END)


def _requested_layout(request: ExportRequest) -> tuple[Field, ...]:
    return layout(one_list=request.period if request.time_control else None, legacy=request.legacy)


def lines(players: pl.DataFrame, fields: tuple[Field, ...], absent: str = "0") -> pl.DataFrame:
    """Return one column ``line``: the lines of ``players`` without their ends; a number that is null is ``absent``.

    ``players``: as :func:`fit` returns them.
    """
    return players.select(pl.concat_str(_padded(field, absent) for field in fields).alias("line"))


def fit(players: pl.DataFrame, fields: tuple[Field, ...]) -> tuple[pl.DataFrame, int]:
    """Return ``players`` with values that fit their columns, and the number of cut texts.

    ``players``: the columns that ``fields`` name, text in ASCII. Other titles are cut at a comma, so that no title is
    cut in half; an unknown year of birth becomes ``0000``. Raises :class:`ExportError` if a number is too long for its
    column.
    """
    cut = 0
    for field in fields:
        if not field.column or field.column == "flag":
            continue
        most = field.width - (field.column != _FILLED)
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
        if field.column == _FILLED:
            short = pl.col(field.column).str.extract(rf"^(.{{0,{most}}})(?:,|$)").fill_null("")
        players = players.with_columns(pl.when(too_long).then(short).otherwise(field.column).alias(field.column))
    return players.with_columns(pl.col("birth_year").cast(pl.String).fill_null("0000")), cut


def _padded(field: Field, absent: str) -> pl.Expr:
    """Return the text of a column, padded to its width."""
    if not field.column:
        return pl.lit(" " * field.width)
    if field.column.endswith(_FIGURES):
        # Looking a small number up costs a tenth of formatting it.
        every = pl.int_range(10 ** (field.width - 1), eager=True).cast(pl.String).str.pad_end(field.width)
        return pl.lit(every).gather(pl.col(field.column)).fill_null(absent.ljust(field.width))
    return pl.col(field.column).cast(pl.String).str.pad_end(field.width)


def _too_long(players: pl.DataFrame, field: Field) -> ExportError:
    first = players.sort("fide_id").row(0, named=True)
    return ExportError(
        f"Nothing was exported: {field.column} of player {first['fide_id']} ({first['name']}) is "
        f"{first[field.column]}, and the column {field.heading} of FIDE's text has room for {field.width - 1} "
        "characters. Correct the value and publish again, or export as csv."
    )
