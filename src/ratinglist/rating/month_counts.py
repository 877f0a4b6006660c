"""What a month's calculation gave, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class MonthCounts:
    """The counts of a month.

    ``sides``: of all games. ``reasons``: sides by the reason that keeps them from being rated. ``changes``: players by
    the status of their change. ``waiting``: players and time controls with results in the pool. ``listed``: rated
    players by time control.
    """

    sides: int
    reasons: Counter[str]
    changes: Counter[str]
    waiting: int
    listed: Counter[str]


def reasons_of_sides(sides: pl.DataFrame, events: pl.DataFrame) -> Counter[str]:
    """Return how many sides each reason keeps from being rated, that of their event or their own.

    In: ``sides``: ``event_no`` and ``reason`` (null: that of the event); ``events``: ``event_no`` and ``reason``.
    """
    not_rated = (
        sides.lazy()
        .filter(pl.col("reason").ne_missing(pl.lit("")))
        .group_by("event_no", "reason")
        .len("times")
        .collect()
    )
    of_event = events.select("event_no", pl.col("reason").alias("event_reason"))
    counted_reasons = not_rated.join(of_event, on="event_no").select(
        pl.coalesce(pl.col("reason").cast(pl.String), "event_reason").alias("reason"), "times"
    )
    return Counter(dict(counted_reasons.group_by("reason").agg(pl.col("times").sum()).iter_rows()))


def occurrences(values: pl.Series) -> Counter[str]:
    """Return how often each text occurs."""
    return Counter(dict(values.value_counts(name="times").iter_rows()))


def players_waiting(pool: pl.DataFrame) -> int:
    """Return how many players wait, counted once in each time control."""
    return pool.select("time_control", "fide_id").n_unique()
