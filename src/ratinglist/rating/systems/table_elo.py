"""Elo by a table of expected scores: the step that the systems with one K a game share, each with its parameters."""

from __future__ import annotations

from typing import Literal

import polars as pl

from ratinglist.rating.change import change_hundredths, expected_units, rounded
from ratinglist.rating.systems.month import SystemMonth, change_thousandths, counted, half_up, only_counted

Unit = Literal["hundredths", "thousandths"]
"""The parts of a point in which expected scores and changes are exact."""

_PARTS = {"hundredths": 100, "thousandths": 1000}


def with_unlisted(sides: pl.DataFrame, entry: int, *more: str) -> pl.DataFrame:
    """Return the sides with the ratings used in rated events: of a player on no list ``entry``.

    ``more``: columns that stand in for a missing rating before that, the opponent's with ``opponent_`` before the name.
    """
    is_event_rated = pl.col("reason").is_not_null()
    return sides.with_columns(
        pl.when(is_event_rated)
        .then(pl.coalesce(f"{whose}rating", *(f"{whose}{name}" for name in more), pl.lit(entry, pl.Int32)))
        .alias(f"{whose}rating")
        for whose in ("", "opponent_")
    )


def scored(
    sides: pl.DataFrame, k: pl.Expr, table: pl.Series, unit: Unit, cap: int | None = None, own: str = "rating"
) -> pl.DataFrame:
    """Return the sides with ``difference_used``, ``k``, expected score and change of those that count.

    ``own``: the column of the own rating in use; ``cap``: the largest difference; None: none. Adds
    ``expected_<unit>`` and ``change_<unit>``.
    """
    difference = pl.col(own) - pl.col("opponent_rating")
    change = change_hundredths if unit == "hundredths" else change_thousandths
    return (
        sides.lazy()
        .with_columns(
            only_counted(difference if cap is None else difference.clip(-cap, cap)).alias("difference_used"),
            only_counted(k).cast(pl.Int32).alias("k"),
        )
        .with_columns(expected_units(pl.col("difference_used"), table, _PARTS[unit]).alias(f"expected_{unit}"))
        .with_columns(change(pl.col("k"), pl.col("score_halves"), pl.col(f"expected_{unit}")).alias(f"change_{unit}"))
        .collect()
    )


def summed(sides: pl.DataFrame, unit: Unit, *, per_event: bool = False) -> pl.DataFrame:
    """Return ``fide_id``, ``games``, ``k``, ``change_<unit>`` and ``change`` in points of the players with games.

    Rounded once, a half upwards; ``per_event``: each event by itself, a half away from zero.
    """
    exact, games = pl.col(f"change_{unit}"), pl.len().cast(pl.Int32).alias("games")
    of_events = counted(sides).group_by("event_no", "fide_id").agg(pl.col("k").first(), games, exact.sum())
    points = rounded(exact).sum() if per_event else half_up(exact.sum(), _PARTS[unit])
    return of_events.group_by("fide_id").agg(
        pl.col("k").first(), pl.col("games").sum(), exact.sum(), points.cast(pl.Int32).alias("change")
    )


def changed(month: SystemMonth, sums: pl.DataFrame, entry: pl.Expr) -> pl.DataFrame:
    """Return the players of :func:`summed` with their ratings, as the new list and the changes need them.

    ``entry``: what a player who is on no list counts as. Adds ``old_rating``, ``counted_as`` and ``new_rating``.
    """
    old = month.before.select("fide_id", pl.col("rating").alias("old_rating"))
    return (
        sums.join(old, on="fide_id", how="left")
        .with_columns(pl.coalesce("old_rating", entry).cast(pl.Int32).alias("counted_as"))
        .with_columns((pl.col("counted_as") + pl.col("change")).alias("new_rating"))
    )
