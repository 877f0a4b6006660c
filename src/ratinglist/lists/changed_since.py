"""The differences between two months' lists: players added, removed or changed, and the changed columns.

This is the format ``changes-since``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists
from ratinglist.schemas import LISTED, LISTS

STATUSES = ("added", "removed", "changed")
COMPARED = tuple(name for name in LISTED.columns if name not in (*LISTED.key, "list_month"))
"""The columns in which a player may differ between two lists."""
COLUMNS = (
    *("time_control", "fide_id", "status", "changed_columns"),
    *(f"{age}_{name}" for name in COMPARED for age in ("old", "new")),
)


def prepare(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the rows of :func:`changed_since`, with the number of each status.

    ``published.before`` are the lists to compare with. Raises :class:`CommandLineError` if there are none.
    """
    before = published.before
    if before is None:
        raise CommandLineError("--format changes-since needs the list to compare with: add --since YYYY-MM.")
    compared = [name for name in COMPARED if name in published.carried and name in before.carried]
    rows = changed_since(published.lists, before.lists, request.federation, compared)
    return PreparedExport(rows, {status: rows.filter(pl.col("status") == status).height for status in STATUSES})


def changed_since(
    lists: Mapping[str, pl.DataFrame],
    before: Mapping[str, pl.DataFrame],
    federation: str | None = None,
    compared: Sequence[str] = COMPARED,
) -> pl.DataFrame:
    """Return a row for each player and time control that differs between two months.

    ``lists``, ``before``: frames of ``LISTED`` by time control. ``federation``: only players who are or were of it.
    ``compared``: the columns of :data:`COMPARED` that both months carry.

    Out: the columns of :data:`COLUMNS`, sorted by time control (standard, rapid, blitz) and FIDE ID. ``status`` is one
    of :data:`STATUSES`. ``changed_columns`` names the columns that differ, comma-separated; it is empty if the player
    was added or removed. Each compared column has its ``old_`` and ``new_`` value, null if the player was not listed.
    """
    empty = LISTED.empty()
    parts = [_changes_of_list(name, lists.get(name, empty), before.get(name, empty), compared) for name in LISTS]
    rows = pl.concat(parts)
    rows = rows.select(name for name in COLUMNS if name in rows.columns)
    if federation is None:
        return rows
    return rows.filter(pl.any_horizontal(pl.col("old_federation", "new_federation") == federation))


def _changes_of_list(time_control: str, new: pl.DataFrame, old: pl.DataFrame, compared: Sequence[str]) -> pl.DataFrame:
    renamed = _renamed(new, "new", compared)
    both = _renamed(old, "old", compared).join(renamed, on="fide_id", how="full", coalesce=True).sort("fide_id")
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


def _renamed(rows: pl.DataFrame, age: str, compared: Sequence[str]) -> pl.DataFrame:
    """``fide_id`` and the ``compared`` columns, each prefixed with ``age`` (``old`` or ``new``)."""
    return rows.select("fide_id", *(pl.col(name).alias(f"{age}_{name}") for name in compared))
