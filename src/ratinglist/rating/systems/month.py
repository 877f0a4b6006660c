"""What a system calculates a list from, and what it returns: frames, so that any list and any games will do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period
from ratinglist.schemas import POOL, POOLED_GAME, REFERENCE_RATING, SYSTEM_SIDE

COUNTS = ""
"""The reason of a side that changes a rating: none."""


@dataclass(frozen=True, slots=True)
class SystemMonth:
    """The inputs of one list of one time control.

    ``before``: the rated players of the list before: ``fide_id``, ``rating``, ``games_played``, ``reached_2400``,
    ``reached_2300``, ``last_played``, and the columns of ``SYSTEM_STATE``, null or empty where there is no state.
    ``month_before``: the month of that list.
    ``sides``: every side of every game, in the published order: ``event_no``, ``round``, ``date``, ``fide_id``,
    ``opponent_id``, ``is_white``, ``score_halves``, ``rating`` and ``opponent_rating`` (of the list that the rules use;
    null: not on it), ``reason`` (empty: counts so far; null: the event is not rated).
    ``events``: ``event_no``, ``event_id``, ``pool_id``, ``start_date``, ``end_date`` of the rated events.
    ``players``: ``fide_id`` and ``title``.
    ``tables``: tables of expected scores by name, in hundredths or thousandths as the rules need them.
    ``pool``, ``pooled_games``: the results and games of unlisted players that wait since earlier lists.
    ``references``: ratings of the reference lists.
    """

    period: Period
    time_control: str
    before: pl.DataFrame
    month_before: Period
    sides: pl.DataFrame
    events: pl.DataFrame
    players: pl.DataFrame
    tables: Mapping[str, pl.Series]
    pool: pl.DataFrame = field(default_factory=POOL.empty)
    pooled_games: pl.DataFrame = field(default_factory=POOLED_GAME.empty)
    references: pl.DataFrame = field(default_factory=REFERENCE_RATING.empty)

    def event_order(self) -> pl.DataFrame:
        """Return ``event_no`` and ``event_rank`` of the events: by end date, start date and code."""
        ordered = self.events.sort("end_date", "start_date", "event_id")
        return ordered.select("event_no").with_row_index("event_rank")


@dataclass(frozen=True, slots=True)
class SystemResult:
    """The new list of one time control.

    ``sides``: those of the month in the same order, as ``SYSTEM_SIDE``. ``changes``: ``SYSTEM_CHANGE``. ``list_state``:
    ``LIST_STATE``. ``system_state``: ``SYSTEM_STATE``, empty for a system that keeps none. ``pool``: ``POOL``.
    """

    sides: pl.DataFrame
    changes: pl.DataFrame
    list_state: pl.DataFrame
    system_state: pl.DataFrame
    pool: pl.DataFrame


def as_sides(sides: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` as ``SYSTEM_SIDE``, the columns that a system does not have null."""
    missing = [pl.lit(None).alias(name) for name in SYSTEM_SIDE.columns if name not in sides.columns]
    return SYSTEM_SIDE.conform(sides.with_columns(missing))


def counted(sides: pl.DataFrame) -> pl.DataFrame:
    """Return the sides that change a rating."""
    return sides.filter(pl.col("reason") == COUNTS)


def only_counted(value: pl.Expr) -> pl.Expr:
    """Return ``value`` for a side that changes a rating, else null."""
    return pl.when(pl.col("reason") == COUNTS).then(value)


def half_up(numerator: pl.Expr, denominator: pl.Expr | int) -> pl.Expr:
    """Return the quotient of two integers, the denominator above 0, rounded to an integer, halves upwards."""
    return (2 * numerator + denominator) // (2 * denominator)
