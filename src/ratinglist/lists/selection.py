"""Select the players of an export, and combine their lists into one row per player."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.lists.export_request import ExportRequest, PublishedLists
from ratinglist.schemas import LISTS

_PERSON = ("fide_id", "name", "federation", "sex", "title", "women_title", "other_titles", "birth_year", "flag")


def select_players(
    lists: Mapping[str, pl.DataFrame], federation: str | None, top: int | None
) -> dict[str, pl.DataFrame]:
    """Return the selected rows of each list (by time control, frames of ``LISTED`` in their published order).

    ``federation``: players of this federation only. ``top``: of those the first so many of each list. Players with
    the same rating as the last of them are kept too, because only the FIDE ID orders them.
    """
    return {time_control: _first(_of_federation(rows, federation), top) for time_control, rows in lists.items()}


def published_rows(published: PublishedLists) -> pl.DataFrame:
    """Return the selected rows of all lists in one frame, with the columns that the office publishes."""
    return pl.concat(published.selected.values()).select(published.carried)


def one_row_per_player(published: PublishedLists, request: ExportRequest) -> pl.DataFrame:
    """Return the selected rows of the requested list, or of all lists as :func:`combine_lists` has them."""
    if request.time_control:
        return published.selected[request.time_control]
    return combine_lists(published.lists, published.selected)


def combine_lists(lists: Mapping[str, pl.DataFrame], selected: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return one row per player of any list of ``selected``, with their figures in every list of ``lists``.

    Both by time control, frames of ``LISTED``. Out: the player's columns (of the first list they are on, in the order
    standard, rapid, blitz), ``birth_year``, ``flag``, and for each time control ``rapid_rating``, ``rapid_games``,
    ``rapid_k``: null if the player has no rating there. ``flag`` holds ``i`` if the player is inactive on every list
    they are on. Rows are in no order.
    """
    persons, *others = [selected[name].select(_PERSON) for name in LISTS if name in selected]
    # An anti join per list costs a fifth of removing duplicates from all lists.
    for other in others:
        persons = pl.concat([persons, other.join(persons.select("fide_id"), on="fide_id", how="anti")])
    active = []
    for name in LISTS:
        parts = {"rating": f"{name}_rating", "games": f"{name}_games", "k": f"{name}_k"}
        if name not in lists:
            persons = persons.with_columns(pl.lit(None, dtype=pl.Int32).alias(column) for column in parts.values())
            continue
        is_active = ~pl.col("flag").str.contains("i", literal=True)
        of_list = lists[name].select("fide_id", *parts, is_active.alias(f"{name}_active")).rename(parts)
        persons = persons.join(of_list, on="fide_id", how="left")
        active.append(pl.col(f"{name}_active").fill_null(value=False))
    without_i = pl.col("flag").str.replace("i", "", literal=True)
    inactive = pl.when(~pl.any_horizontal(active)).then(pl.lit("i")).otherwise(pl.lit(""))
    return persons.with_columns(flag=without_i + inactive).drop(f"{name}_active" for name in LISTS if name in lists)


def _of_federation(rows: pl.DataFrame, federation: str | None) -> pl.DataFrame:
    return rows if federation is None else rows.filter(pl.col("federation") == federation)


def _first(rows: pl.DataFrame, top: int | None) -> pl.DataFrame:
    if top is None or rows.height <= top:
        return rows
    return rows.filter(pl.col("rating") >= rows["rating"][top - 1])
