"""The published rows of one player: frames with all columns of the tables, also of those an office leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ratinglist.period import Period
from ratinglist.schemas import CHANGE, ENTRY, EVENT, GAME, LISTED, POOL, UNRATED, Table


@dataclass(frozen=True, slots=True)
class Sources:
    """One player's rows of a published revision, and of the list before where that is published.

    ``lists``: ``LISTED`` of the player by time control; ``before``: the same of the list before; ``before_months``: the
    month of that list by time control, published or not. ``earlier_pool``: ``POOL`` of the list before. ``unrated``:
    ``UNRATED`` of the player. ``names``: FIDE ID to name of the player and the opponents. ``left_out``: the columns
    that the office does not publish, by table. ``deviations_before``: FIDE ID to deviation in hundredths on the list
    before, of the player and the opponents, by time control; empty in a system without deviations. ``listed_ratings``:
    FIDE ID to rating on this list, likewise. ``listed_events``: the player's events with a counted game of a listed
    player; None where they are not read, because the system does not need them.
    """

    period: Period
    revision: str
    fide_id: int
    manifest: Mapping[str, Any]
    lists: Mapping[str, pl.DataFrame]
    before: Mapping[str, pl.DataFrame]
    before_months: Mapping[str, str]
    names: Mapping[int, str]
    changes: pl.DataFrame = field(default_factory=CHANGE.empty)
    games: pl.DataFrame = field(default_factory=GAME.empty)
    entries: pl.DataFrame = field(default_factory=ENTRY.empty)
    pool: pl.DataFrame = field(default_factory=POOL.empty)
    earlier_pool: pl.DataFrame = field(default_factory=POOL.empty)
    events: pl.DataFrame = field(default_factory=EVENT.empty)
    unrated: pl.DataFrame = field(default_factory=UNRATED.empty)
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    deviations_before: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    listed_ratings: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    listed_events: frozenset[str] | None = None

    def publishes(self, table: Table, *columns: str) -> bool:
        """Return whether the office publishes these columns of a table."""
        name = "lists" if table is LISTED else table.name
        return not set(columns) & set(self.left_out.get(name, ()))


def with_all_columns(rows: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Add the columns of ``table`` that ``rows`` lacks, as nulls."""
    missing = [pl.lit(None).alias(name) for name in table.columns if name not in rows.columns]
    return table.conform(rows.with_columns(missing))


def single_row(rows: pl.DataFrame | None) -> dict[str, Any] | None:
    """Return the only row as a dict; None where there is no row."""
    return None if rows is None or rows.is_empty() else rows.row(0, named=True)


def of_time_control(rows: pl.DataFrame, time_control: str) -> pl.DataFrame:
    """Return the rows of one time control."""
    return rows.filter(pl.col("time_control") == time_control)
