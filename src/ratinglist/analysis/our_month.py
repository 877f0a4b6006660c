"""One time control of our month, and its games with every figure that a recalculation needs.

The frames may come from the published files or from the calculation in the store.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook


@dataclass(frozen=True, slots=True)
class OurMonth:
    """One time control of our month, published or calculated, with the inputs it was calculated from.

    ``listed`` (``LISTED``), ``changes``, ``games``, ``entries``, ``events``: the published tables. ``lists``
    (``LIST_STATE``): the lists in force at the start of the events and, as the newest, the list before; ``state``: of
    the month itself. ``waiting`` (``POOL``): before the month. ``players`` (``PLAYER``). ``versions``: all descriptions
    of a player ever received: ``fide_id``, ``name``, ``federation``, ``sex``, ``title``, ``women_title``. ``inferred``:
    ``fide_id`` and the columns of the state that an import inferred, comma-separated.
    """

    period: Period
    family: str
    time_control: str
    listed: pl.DataFrame
    changes: pl.DataFrame
    games: pl.DataFrame
    entries: pl.DataFrame
    events: pl.DataFrame
    lists: pl.DataFrame
    state: pl.DataFrame
    waiting: pl.DataFrame
    players: pl.DataFrame
    versions: pl.DataFrame
    inferred: pl.DataFrame

    @property
    def before(self) -> pl.DataFrame:
        """The list before: changes are added to its ratings, and K depends on its state."""
        return self.lists.filter(pl.col("month") == pl.col("month").max())


def select_sides(ours: OurMonth, book: RuleBook, players: pl.DataFrame) -> pl.DataFrame:
    """Return every game of ``players`` (``fide_id``), rated or not, with all columns that a reading may use.

    Out: the columns of ``GAME``; ``status`` and ``event_reason`` of the event, ``start_date``; ``at_start``,
    ``current`` and ``opponent_current``: ratings on the list in force at the start and on the newest; ``old_rating``,
    ``new_rating``; the state K depends on; the values of the event's rule set. In events that were not rated,
    ``rating`` and ``opponent_rating`` are filled with those that would have counted.
    """
    events = _with_lists_and_rules(ours, book)
    ratings = ours.lists.select("month", "fide_id", "rating").drop_nulls()
    newest = ours.before.select("fide_id", pl.col("rating").alias("current"))
    old = ours.changes.select("fide_id", "old_rating", "new_rating")
    state = ours.before.select("fide_id", "games_played", "reached_2400", "reached_2300")
    births = ours.players.select("fide_id", "birth_date", "birth_year")
    opponents = newest.rename({"fide_id": "opponent_id", "current": "opponent_current"})
    at_start = ratings.rename({"month": "base_month", "rating": "at_start"})
    opponents_at_start = at_start.rename({"fide_id": "opponent_id", "at_start": "opponent_at_start"})
    inferred = ours.inferred.select("fide_id", "inferred")
    not_rated = pl.col("status") != "rated"
    return (
        ours.games.join(players.select("fide_id"), on="fide_id", how="semi")
        .join(events, on="event_id")
        .join(at_start, on=["base_month", "fide_id"], how="left")
        .join(opponents_at_start, on=["base_month", "opponent_id"], how="left")
        .join(newest, on="fide_id", how="left")
        .join(opponents, on="opponent_id", how="left")
        .join(old, on="fide_id", how="left")
        .join(state, on="fide_id", how="left")
        .join(births, on="fide_id", how="left")
        .join(inferred, on="fide_id", how="left")
        .with_columns(
            pl.coalesce("old_rating", "current").alias("old_rating"),
            pl.when(not_rated & pl.col("current").is_not_null())
            .then(pl.coalesce("at_start", "current"))
            .otherwise("rating")
            .alias("rating"),
            pl.when(not_rated).then("opponent_at_start").otherwise("opponent_rating").alias("opponent_rating"),
            pl.lit("").alias("detail"),
        )
        .with_columns(pl.coalesce("opponent_rating", "opponent_current").alias("opponent_then_or_now"))
        .sort("event_id", "round", "fide_id")
    )


def _with_lists_and_rules(ours: OurMonth, book: RuleBook) -> pl.DataFrame:
    """Join the list and the rule set in force at the start of each event."""
    months = ours.lists.select(pl.col("month").alias("base_month")).unique()
    months = months.with_columns(pl.col("base_month").add("-01").str.to_date("%Y-%m-%d").alias("first_day"))
    texts = book.frame(ours.family).filter(pl.col("time_control") == ours.time_control).drop("time_control", "rule_set")
    return (
        ours.events.select("event_id", "status", "start_date", pl.col("reason").alias("event_reason"))
        .drop_nulls("start_date")
        .sort("start_date")
        .join_asof(months.sort("first_day"), left_on="start_date", right_on="first_day")
        .join_asof(texts.sort("effective_from"), left_on="start_date", right_on="effective_from")
        .drop("first_day", "effective_from")
    )
