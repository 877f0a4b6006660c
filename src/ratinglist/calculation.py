"""One month's list, from what is known to what is published: frames in, frames out.

No paths, no clock, no database: the same inputs give the same frames, row for row, whatever the order they came in.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.rules import RuleBook


@dataclass(frozen=True, slots=True)
class MonthInputs:
    """Everything a month's calculation reads.

    ``lists``: :data:`~ratinglist.schemas.LIST_STATE` of every list before ``period`` that is still needed; the newest
    month of each time control is what changes are added to, the others are in force at some event's start.
    ``players``: :data:`~ratinglist.schemas.PLAYER`, one row per known FIDE ID.
    ``reports``: :data:`~ratinglist.schemas.REPORT`, accepted versions received before the list takes effect.
    ``report_players``: at least ``report_id`` and ``fide_id`` of those reports (``REPORT_PLAYER``).
    ``report_games``: :data:`~ratinglist.schemas.REPORT_GAME` of those reports.
    ``pool``: the pool after the list before (``POOL``).
    ``earlier_events``: columns ``event_id``, ``status``, ``games_digest``, ``start_date`` of every event an earlier
    list settled (rated, late or duplicate).
    """

    period: Period
    family: str
    rules: RuleBook
    lists: pl.DataFrame
    players: pl.DataFrame
    reports: pl.DataFrame
    report_players: pl.DataFrame
    report_games: pl.DataFrame
    pool: pl.DataFrame
    earlier_events: pl.DataFrame


@dataclass(frozen=True, slots=True)
class MonthResult:
    """What a month's calculation gives, each in its published order.

    ``events``: ``EVENT`` and, last, ``report_id``. ``games``: ``GAME``. ``changes``: ``CHANGE``. ``entries``:
    ``ENTRY``. ``pool``: ``POOL``. ``list_state``: ``LIST_STATE`` of the new list, unrated players with state included.
    """

    events: pl.DataFrame
    games: pl.DataFrame
    changes: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    list_state: pl.DataFrame


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Compute the list of ``inputs.period``."""
    raise NotImplementedError
