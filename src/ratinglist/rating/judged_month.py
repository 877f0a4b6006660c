"""The judged events of a month, with the participants and the sides of their games: the same for all systems."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.schemas import EVENT


@dataclass(frozen=True, slots=True)
class JudgedMonth:
    """The events of a month, or of a bucket of it, with their participants and the sides of their games.

    ``events``: :func:`~ratinglist.rating.event_verdicts.judge_events`. ``participants``:
    :func:`~ratinglist.rating.participants.join_ratings`. ``sides``:
    :func:`~ratinglist.rating.player_games.sides_of_games`; ``event_row``, ``participant_row`` and ``opponent_row`` are
    rows of the other two frames. ``duplicate_sides``: those that count in another report
    (:func:`~ratinglist.rating.duplicate_games.find_duplicate_games`). ``first_event``: the row of the first event among
    all events of the month.
    """

    events: pl.DataFrame
    participants: pl.DataFrame
    sides: pl.DataFrame
    duplicate_sides: pl.DataFrame
    first_event: int = 0


def published_events(judged_events: pl.DataFrame) -> pl.DataFrame:
    """Return the events as published (``EVENT``), with ``event_no``, ``rule_set`` (null: not rated), ``report_id``.

    ``event_no`` is the row of the judged event, which the sides refer to.
    """
    return EVENT.sorted(
        EVENT.conform(judged_events).with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("event_no"),
            pl.when(pl.col("status") == "rated").then(judged_events["rule_set"]).alias("rule_set"),
            judged_events["report_id"],
        )
    )
