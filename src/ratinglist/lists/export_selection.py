"""Which players go out, and all that the lists say of one of them in one row."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.schemas import LISTS

_PERSON = ("fide_id", "name", "federation", "sex", "title", "women_title", "other_titles", "birth_year", "flag")


def chosen(lists: Mapping[str, pl.DataFrame], federation: str | None, top: int | None) -> dict[str, pl.DataFrame]:
    """The rows of each list (by time control, frames of ``LISTED`` in their published order) that were asked for.

    ``federation``: its players only. ``top``: of those the first so many of each list; whoever has the same rating as
    the last of them is taken too, for a FIDE ID is no reason to leave a player out.
    """
    return {time_control: _first(_of_federation(rows, federation), top) for time_control, rows in lists.items()}


def combined(lists: Mapping[str, pl.DataFrame], some: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """One row per player of any list of ``some``, with what ``lists`` say of him in every time control.

    Both by time control, frames of ``LISTED``. Out: the player's columns (of the first list he is on, in the order
    standard, rapid, blitz), ``birth_year``, ``flag``, and for each time control ``rapid_rating``, ``rapid_games``,
    ``rapid_k``: null where he has no rating. ``flag`` holds ``i`` where he is inactive on every list he is on. Rows
    are in no order.
    """
    first, *others = [some[name].select(_PERSON) for name in LISTS if name in some]
    persons = first
    # Looking for who is new is a fifth of the work of looking for who is there twice.
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
    letters = pl.col("flag").str.replace("i", "", literal=True)
    inactive = pl.when(~pl.any_horizontal(active)).then(pl.lit("i")).otherwise(pl.lit(""))
    return persons.with_columns(flag=letters + inactive).drop(f"{name}_active" for name in LISTS if name in lists)


def _of_federation(rows: pl.DataFrame, federation: str | None) -> pl.DataFrame:
    return rows if federation is None else rows.filter(pl.col("federation") == federation)


def _first(rows: pl.DataFrame, top: int | None) -> pl.DataFrame:
    if top is None or rows.height <= top:
        return rows
    return rows.filter(pl.col("rating") >= rows["rating"][top - 1])
