"""The new list of a system: the list before, with the players whose rating was computed."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.rating.model import by_fide_id
from ratinglist.rating.systems.month import SystemMonth
from ratinglist.tables import LIST_STATE, SYSTEM_CHANGE, Column


def changes_of(
    month: SystemMonth, computed: pl.DataFrame, own_columns: Mapping[str, Column] | None = None
) -> pl.DataFrame:
    """Return the players whose rating was computed (``SYSTEM_CHANGE``), sorted.

    In: ``fide_id``, ``games``, ``new_rating`` (null: no longer listed), ``change``, and any other column of the table;
    the others are null. The rating and the games of the list before are added, and the status that follows.
    ``own_columns``: the system's own of the changes.
    """
    before = month.before.select("fide_id", old_rating="rating", games_before="games_played")
    status = pl.when(pl.col("new_rating").is_null()).then(pl.lit("lapsed"))
    # All rows are of one time control, so the order by player is the published one.
    rows = (
        by_fide_id(computed.drop("old_rating", strict=False))
        .join(by_fide_id(before), on="fide_id", how="left", maintain_order="left")
        .with_columns(
            pl.lit(month.time_control).alias("time_control"),
            pl.col("games_before").fill_null(0),
            status.when(pl.col("old_rating").is_null())
            .then(pl.lit("entered"))
            .otherwise(pl.lit("rated"))
            .alias("status"),
        )
    )
    return SYSTEM_CHANGE.extended(own_columns or {}).completed(rows)


def next_state(month: SystemMonth, computed: pl.DataFrame, k: pl.Expr, counted: str = "games") -> pl.DataFrame:
    """Return the new list (``LIST_STATE``), sorted by player: rated players only.

    In: ``computed``: ``fide_id``, ``games`` and ``new_rating`` (null: no longer listed) of the players whose rating was
    computed; the others stay. ``k``: K from this list on, of ``rating`` and ``games_played``. ``counted``: the column
    that is added to the games played.
    """
    update = computed.select("fide_id", "games", "new_rating", counted=counted, is_computed=pl.lit(value=True))
    before = month.before.select("fide_id", *_KEPT)
    rows = before.join(update, on="fide_id", how="full", coalesce=True).sort("fide_id")
    is_computed = pl.col("is_computed").fill_null(value=False)
    return LIST_STATE.conform(
        rows.with_columns(
            pl.when(is_computed).then("new_rating").otherwise("rating").alias("rating"),
            (pl.col("games_played").fill_null(0) + pl.col("counted").fill_null(0)).alias("games_played"),
            pl.col("games").fill_null(0),
        )
        .filter(pl.col("rating").is_not_null())
        .with_columns(
            pl.lit(str(month.period)).alias("month"),
            pl.lit(month.time_control).alias("time_control"),
            k.alias("k"),
            # The marks of the FIDE system: kept as they were, so that they are still there for a FIDE list.
            pl.col("reached_2400", "reached_2300").fill_null(value=False),
            pl.when(pl.col("games") > 0)
            .then(pl.lit(month.period.first_day))
            .otherwise("last_played")
            .alias("last_played"),
            pl.lit("").alias("inferred"),
        )
    )


_KEPT = ("rating", "games_played", "reached_2400", "reached_2300", "last_played")
"""The columns of the list before that a new list goes on from."""
