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

    In: ``fide_id``, ``old_rating``, ``games``, ``new_rating``, ``status``, ``change``, and any other column of the
    table; the others are null. The games counted before are added. ``own_columns``: the system's own of the changes.
    """
    played = by_fide_id(month.before.select("fide_id", pl.col("games_played").alias("games_before")))
    # All rows are of one time control, so the order by player is the published one.
    with_control = (
        by_fide_id(computed)
        .join(played, on="fide_id", how="left", maintain_order="left")
        .with_columns(pl.lit(month.time_control).alias("time_control"), pl.col("games_before").fill_null(0))
    )
    return SYSTEM_CHANGE.extended(own_columns or {}).completed(with_control)


def next_state(month: SystemMonth, computed: pl.DataFrame, k: pl.Expr) -> pl.DataFrame:
    """Return the new list (``LIST_STATE``), sorted by player: rated players only.

    In: ``computed``: ``fide_id``, ``games``, ``counted_games`` (added to the games played) and ``new_rating`` (null: no
    longer listed) of the players whose rating was computed; the others stay. ``k``: K from this list on, of ``rating``
    and ``games_played``.
    """
    update = computed.select("fide_id", "games", "counted_games", "new_rating", is_computed=pl.lit(value=True))
    before = month.before.select("fide_id", *_KEPT)
    rows = before.join(update, on="fide_id", how="full", coalesce=True).sort("fide_id")
    is_computed = pl.col("is_computed").fill_null(value=False)
    return LIST_STATE.conform(
        rows.with_columns(
            pl.when(is_computed).then("new_rating").otherwise("rating").alias("rating"),
            (pl.col("games_played").fill_null(0) + pl.col("counted_games").fill_null(0)).alias("games_played"),
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
