"""The request of an export, the published lists it reads, and the players it selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from ratinglist.lists.raw_list import MONTH_NAMES
from ratinglist.period import Period
from ratinglist.tables import FIDE_COLUMNS, FIGURES, LISTED, LISTS, FideColumn


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The arguments of one export.

    ``period`` and ``revision`` (such as ``r2``, None: the current one) name what is exported; ``format`` is a key of
    :data:`~ratinglist.lists.formats.FORMATS`. ``federation``, ``club``, ``time_control`` and ``top`` select a part of
    it; with ``club`` the members without a rating are in it too.
    ``legacy``: FIDE's layout without the column of the FIDE Online Arena titles. ``zipped``: as the one file of a
    zip.

    ``original_names``: FIDE's XML with all letters of names, in UTF-8. ``semicolons``: the table for spreadsheets
    separated by semicolons.
    """

    period: Period
    format: str
    federation: str | None = None
    club: str | None = None
    time_control: str | None = None
    top: int | None = None
    revision: str | None = None
    legacy: bool = False
    zipped: bool = False
    original_names: bool = False
    semicolons: bool = False


@dataclass(frozen=True, slots=True)
class PublishedLists:
    """The lists of one revision. ``lists``: frames of ``LISTED`` by time control, in their published order.

    ``selected``: the rows of ``lists`` that the request selects. ``carried``: the columns that the office publishes,
    in order; the others are blank, or null if they are numbers. ``family``: the rule family in the manifest.
    """

    lists: Mapping[str, pl.DataFrame]
    selected: Mapping[str, pl.DataFrame]
    carried: tuple[str, ...]
    family: str


Prepared = tuple[pl.DataFrame, dict[str, int]]
"""Checked rows that can be written without failing on a value, and the counts of what the format could not keep.

The summary in ``workflows/export`` has a text for each kind of count.
"""

_ARENA = FideColumn("FOA", 4, "foa_title")
"""The titles of FIDE's arena, which FIDE's lists have since the end of 2016 and the office does not know."""
_PERSON = tuple(name for name in FIDE_COLUMNS if name not in FIGURES)


def fide_columns(*, one_list: Period | None, legacy: bool) -> dict[str, FideColumn]:
    """Return the columns of FIDE's lists in their order, by name; the arena titles are ``foa_title``.

    ``one_list``: the list of one time control, headed by its month; None: there are columns such as ``rapid_rating`` in
    the place of the figures. ``legacy``: without the arena titles.
    """
    columns: dict[str, FideColumn] = {}
    for name, column in FIDE_COLUMNS.items():
        if name == FIGURES[0]:
            columns |= {} if legacy else {_ARENA.element: _ARENA}
            columns |= {} if one_list else _FIGURES_OF_LISTS
        if name not in FIGURES or one_list:
            columns[name] = column
    if one_list:
        month = f"{MONTH_NAMES[one_list.first_day.month - 1].upper()}{one_list.first_day.year % 100:02d}"
        columns["rating"] = replace(columns["rating"], heading=month)
        columns["games"] = replace(columns["games"], heading="Gms")
    return columns


def _figure_of_list(time_control: str, column: FideColumn) -> FideColumn:
    """Return the column of a figure in a combined list; the standard list is the one whose elements have no prefix."""
    heading = "Rk" if (time_control, column.heading) == ("rapid", "K") else time_control[0].upper() + column.heading
    element = column.element if time_control == "standard" else f"{time_control}_{column.element}"
    return FideColumn(heading, column.width, element)


_FIGURES_OF_LISTS = {
    f"{time_control}_{name}": _figure_of_list(time_control, FIDE_COLUMNS[name])
    for time_control in LISTS
    for name in FIGURES
}


def select_players(
    lists: Mapping[str, pl.DataFrame], federation: str | None, top: int | None
) -> dict[str, pl.DataFrame]:
    """Return the selected rows of each list (by time control, frames of ``LISTED`` in their published order).

    ``federation``: players of this federation only. ``top``: of those the first so many of each list. Players with
    the same rating as the last of them are kept too, because only the FIDE ID orders them.
    """
    chosen = {}
    for time_control, rows in lists.items():
        if federation is not None:
            rows = rows.filter(pl.col("federation") == federation)
        if top is not None and rows.height > top:
            rows = rows.filter(pl.col("rating") >= rows["rating"][top - 1])
        chosen[time_control] = rows
    return chosen


def select_members(
    lists: Mapping[str, pl.DataFrame], members: pl.DataFrame, carried: Sequence[str], month: str
) -> dict[str, pl.DataFrame]:
    """Return the rows of each list that are of ``members``, and a row without a rating for each of the others.

    ``members``: ``PLAYER`` with ``any_id``, a row for each FIDE ID that a list may have a member by. Without a rating
    a member is after those with one, by FIDE ID, with the columns that are ``carried``; the others are blank, or null
    if they are numbers.
    """
    found = {}
    for name, rows in lists.items():
        of_club = rows.filter(pl.col("fide_id").is_in(members["any_id"].implode()))
        listed = members.filter(pl.col("any_id").is_in(of_club["fide_id"].implode()))
        others = members.join(listed, on="fide_id", how="anti").unique("fide_id").sort("fide_id")
        unrated = others.with_columns(
            list_month=pl.lit(month),
            time_control=pl.lit(name),
            rating=None,
            games=pl.lit(0),
            k=None,
            birth_year=pl.coalesce(pl.col("birth_date").dt.year(), "birth_year"),
            flag=pl.lit(""),
        )
        found[name] = pl.concat([of_club, LISTED.completed(unrated.select(carried), blank_texts=True)])
    return found


def one_row_per_player(published: PublishedLists, request: ExportRequest) -> pl.DataFrame:
    """Return the selected rows of the requested list, or of all lists as :func:`combine_lists` has them."""
    if request.time_control:
        return published.selected[request.time_control]
    return combine_lists(published.lists, published.selected)


def combine_lists(lists: Mapping[str, pl.DataFrame], selected: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return one row per player of any list of ``selected``, with their figures in every list of ``lists``.

    Both by time control, frames of ``LISTED``. Out: the player's columns (of the first list they are on, in the order
    standard, rapid, blitz), ``birth_year``, ``flag``, and for each time control ``rapid_rating``, ``rapid_games``,
    ``rapid_k``: null if the player has no rating there. ``flag`` is that of the standard list, as in FIDE's combined
    list; for a player who is not on it, that of the rapid or else of the blitz list. Rows are in no order.
    """
    every = [selected[name].select(_PERSON) for name in LISTS if name in selected]
    persons = pl.concat(every).unique("fide_id", keep="first")
    for name in LISTS:
        figures = {figure: f"{name}_{figure}" for figure in FIGURES}
        of_list = lists.get(name, LISTED.empty()).select("fide_id", *figures, pl.col("flag").alias(f"{name}_flag"))
        persons = persons.join(of_list.rename(figures), on="fide_id", how="left")
    flags = [f"{name}_flag" for name in LISTS]
    return persons.with_columns(flag=pl.coalesce(flags)).drop(flags)


def with_both_titles(players: pl.DataFrame) -> pl.DataFrame:
    """Return ``players`` with a woman's only title in ``title`` and in ``women_title``, as FIDE's lists have it.

    A player with another title keeps both: ``IM`` and ``WGM``.
    """
    only = pl.col("title").str.starts_with("W") & (pl.col("women_title") == "")
    return players.with_columns(
        pl.when(pl.col("title") == "").then("women_title").otherwise("title").alias("title"),
        pl.when(only).then("title").otherwise("women_title").alias("women_title"),
    )
