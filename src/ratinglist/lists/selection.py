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
    ``rapid_k``: null if the player has no rating there. ``flag`` is that of the standard list, as in FIDE's combined
    list; for a player who is not on it, that of the rapid or else of the blitz list. Rows are in no order.
    """
    persons, *others = [selected[name].select(_PERSON) for name in LISTS if name in selected]
    # An anti join per list costs a fifth of removing duplicates from all lists.
    for other in others:
        persons = pl.concat([persons, other.join(persons.select("fide_id"), on="fide_id", how="anti")])
    flags = []
    for name in LISTS:
        parts = {"rating": f"{name}_rating", "games": f"{name}_games", "k": f"{name}_k"}
        if name not in lists:
            persons = persons.with_columns(pl.lit(None, dtype=pl.Int32).alias(column) for column in parts.values())
            continue
        of_list = lists[name].select("fide_id", *parts, pl.col("flag").alias(f"{name}_flag")).rename(parts)
        persons = persons.join(of_list, on="fide_id", how="left")
        flags.append(f"{name}_flag")
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


def _of_federation(rows: pl.DataFrame, federation: str | None) -> pl.DataFrame:
    return rows if federation is None else rows.filter(pl.col("federation") == federation)


def _first(rows: pl.DataFrame, top: int | None) -> pl.DataFrame:
    if top is None or rows.height <= top:
        return rows
    return rows.filter(pl.col("rating") >= rows["rating"][top - 1])
