"""What a list says otherwise than an earlier one: who was added, who was removed, who changed and in which columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ratinglist.lists.export_formats import COLUMNS, COMPARED
from ratinglist.schemas import LISTED, LISTS

STATUSES = ("added", "removed", "changed")


def changed_since(
    lists: Mapping[str, pl.DataFrame],
    before: Mapping[str, pl.DataFrame],
    federation: str | None = None,
    compared: Sequence[str] = COMPARED,
) -> pl.DataFrame:
    """A row for each player and time control that the two months (frames of ``LISTED`` by time control) differ in.

    Out: the columns of the format ``changes-since``, sorted by time control (standard, rapid, blitz) and FIDE ID.
    ``status`` is one of :data:`STATUSES`, ``changed_columns`` names the columns that differ, comma-separated, empty
    where the player was added or removed; each has its ``old_`` and ``new_`` value, null where he was not listed.
    ``federation``: players who are or were of it. ``compared``: the columns of :data:`COMPARED` that both months carry.
    """
    empty = LISTED.empty()
    parts = [_of_list(name, lists.get(name, empty), before.get(name, empty), compared) for name in LISTS]
    rows = pl.concat(parts)
    rows = rows.select(name for name in COLUMNS["changes-since"] if name in rows.columns)
    if federation is None:
        return rows
    return rows.filter(pl.any_horizontal(pl.col("old_federation", "new_federation") == federation))


def _of_list(time_control: str, new: pl.DataFrame, old: pl.DataFrame, compared: Sequence[str]) -> pl.DataFrame:
    aged = _aged(new, "new", compared)
    both = _aged(old, "old", compared).join(aged, on="fide_id", how="full", coalesce=True).sort("fide_id")
    differs = {name: pl.col(f"old_{name}").ne_missing(pl.col(f"new_{name}")) for name in compared}
    named = [pl.when(is_other).then(pl.lit(f"{name},")).otherwise(pl.lit("")) for name, is_other in differs.items()]
    # A rating is never null on a list.
    status = (
        pl.when(pl.col("old_rating").is_null())
        .then(pl.lit("added"))
        .when(pl.col("new_rating").is_null())
        .then(pl.lit("removed"))
        .otherwise(pl.lit("changed"))
    )
    columns = pl.when(status == "changed").then(pl.concat_str(named).str.strip_suffix(",")).otherwise(pl.lit(""))
    return both.filter(pl.any_horizontal(differs.values())).with_columns(
        time_control=pl.lit(time_control), status=status, changed_columns=columns
    )


def _aged(rows: pl.DataFrame, age: str, compared: Sequence[str]) -> pl.DataFrame:
    return rows.select("fide_id", *(pl.col(name).alias(f"{age}_{name}") for name in compared))
