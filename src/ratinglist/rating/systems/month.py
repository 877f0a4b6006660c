"""What a system calculates a list from, and what it returns: frames, so that any list and any games will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter
from typing import Any

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.systems.own_state import NO_STATE
from ratinglist.tables import POOL, POOLED_GAME, REFERENCE_RATING, SYSTEM_SIDE, SYSTEM_STATE, Column

COUNTS = ""
"""The reason of a side that changes a rating: none."""


@dataclass(frozen=True, slots=True)
class SystemMonth:
    """The inputs of one list of one time control.

    ``before``: the rated players of the list before: ``fide_id``, ``rating``, ``games_played``, ``reached_2400``,
    ``reached_2300``, ``last_played``, and the columns of ``IMPORTED_PLAYER`` and ``SYSTEM_STATE``, null or
    empty where there is nothing.
    ``month_before``: the month of that list.
    ``sides``: every side of every game, in the published order: ``event_no``, ``round``, ``date``, ``fide_id``,
    ``opponent_id``, ``is_white``, ``score_halves``, ``rating`` and ``opponent_rating`` (of the list that the rules use;
    null: not on it), ``reason`` (empty: counts so far; null: the event is not rated).
    ``events``: ``event_no``, ``event_id``, ``pool_id``, ``start_date``, ``end_date``, ``minutes_per_60_moves`` of the
    rated events.
    ``players``: ``fide_id``, ``title``, ``birth_date``, ``birth_year``. What the system returns has no birth date.
    ``tables``: tables by name: of expected scores, in hundredths or thousandths as the rules need them, and of
    performances, dp by hundredths of p.
    ``pool``, ``pooled_games``: the results and games of unlisted players that wait since earlier lists.
    ``references``: ratings of the reference lists.
    ``own_state``: the system's own state, of the list before.
    ``rule_sets``: all rule sets of the family, each with the day it is in force from, the oldest first.
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
    own_state: pl.DataFrame = field(default_factory=lambda: NO_STATE)
    rule_sets: Sequence[tuple[date, Any]] = ()

    def rules_on(self, day: date) -> Any:
        """Return the rules in force on a day; of an earlier one the oldest."""
        in_force = (dated for dated in self.rule_sets if dated[0] <= day)
        return max(in_force, key=itemgetter(0), default=self.rule_sets[0])[1]

    def waves(self, sides: pl.DataFrame) -> list[pl.DataFrame]:
        """Return the events of some sides in waves, to be rated one wave after the other.

        No two events of a wave share a player, and each event is in a later wave than those that it has a player in
        common with and that ended before it (:meth:`ranked_events`): so a wave is rated as if event by event. Out: for
        each wave the rows of ``events``, with their ``event_rank``.
        """
        playing = sides.select("event_no", "fide_id").unique().group_by("event_no").agg("fide_id")
        events = self.ranked_events().join(playing, on="event_no", maintain_order="left")
        last: dict[int, int] = {}
        waves = []
        for players in events["fide_id"].to_list():
            waves.append(1 + max(last.get(player, 0) for player in players))
            last.update(dict.fromkeys(players, waves[-1]))
        numbered = events.drop("fide_id").with_columns(pl.Series("wave", waves, dtype=pl.Int32))
        return numbered.sort("wave", "event_rank").partition_by("wave", include_key=False)

    def waves_of_rules(self, sides: pl.DataFrame, day: str) -> Iterator[tuple[Any, pl.DataFrame]]:
        """Yield the rules and the events of :meth:`waves`, those of each wave by the rule set in force on a ``day``.

        ``day``: ``start_date`` or ``end_date`` of the event.
        """
        for wave in self.waves(sides):
            rules_of = [self.rules_on(start) for start in wave[day]]
            for rules in dict.fromkeys(rules_of):
                yield rules, wave.filter(pl.Series([of_event == rules for of_event in rules_of]))

    def references_in(self, days: pl.Series) -> pl.DataFrame:
        """Return the newest reference list in the month of each day.

        Out: ``in_month``, ``month`` (of the list), ``fide_id``, ``reference`` (the rating).
        """
        months = days.dt.strftime("%Y-%m").alias("in_month").unique().to_frame()
        until = months.join(self.references.select("month").unique(), how="cross").filter(
            pl.col("month") <= pl.col("in_month")
        )
        newest = until.group_by("in_month").agg(pl.col("month").max())
        return newest.join(self.references.rename({"rating": "reference"}), on="month")

    def ranked_events(self) -> pl.DataFrame:
        """Return the rated events with ``event_rank``, sorted by it: by end date, start date and code."""
        return self.events.sort("end_date", "start_date", "event_id").with_row_index("event_rank")

    def with_event_rank(self, sides: pl.DataFrame) -> pl.DataFrame:
        """Return sides with the ``event_rank`` of their event; null: not rated."""
        ranks = self.ranked_events().select("event_no", "event_rank")
        return sides.join(ranks, on="event_no", how="left", maintain_order="left")


def with_facts(sides: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` with the columns of ``facts`` (by ``fide_id``) of the player; null: not in it."""
    return sides.join(facts, on="fide_id", how="left", maintain_order="left")


def with_opponents_facts(sides: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` with the columns of ``facts`` of the opponent, each with ``opponent_`` before its name."""
    own = facts.rename(lambda name: "opponent_id" if name == "fide_id" else f"opponent_{name}")
    return sides.join(own, on="opponent_id", how="left", maintain_order="left")


def with_seats(sides: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` with ``seat`` and ``opponent``: the rows of both players in ``people``.

    In: ``people``, a row for each player and event: ``event_no``, ``fide_id``.
    """
    seats = people.select("event_no", "fide_id").with_row_index("seat")
    of_opponent = seats.rename({"seat": "opponent", "fide_id": "opponent_id"})
    own = sides.join(seats, on=["event_no", "fide_id"], how="left", maintain_order="left")
    return own.join(of_opponent, on=["event_no", "opponent_id"], how="left", maintain_order="left")


@dataclass(frozen=True, slots=True)
class SystemResult:
    """The new list of one time control.

    ``sides``: those of the month in the same order, as ``SYSTEM_SIDE``. ``changes``: ``SYSTEM_CHANGE``. ``list_state``:
    ``LIST_STATE``. ``system_state``: ``SYSTEM_STATE`` with the system's own columns of the lists, empty
    for a system that keeps none. ``own_state``: the system's own state. ``pool``: ``POOL``.
    """

    changes: pl.DataFrame
    list_state: pl.DataFrame
    sides: pl.DataFrame = field(default_factory=SYSTEM_SIDE.empty)
    system_state: pl.DataFrame = field(default_factory=SYSTEM_STATE.empty)
    pool: pl.DataFrame = field(default_factory=POOL.empty)
    own_state: pl.DataFrame = field(default_factory=lambda: NO_STATE)


def as_sides(sides: pl.DataFrame, own_columns: Mapping[str, Column] | None = None) -> pl.DataFrame:
    """Return ``sides`` as ``SYSTEM_SIDE``, the columns that a system does not have null, and those of its own."""
    return SYSTEM_SIDE.extended(own_columns or {}).completed(sides)


def counted(sides: pl.DataFrame) -> pl.DataFrame:
    """Return the sides that change a rating."""
    return sides.filter(pl.col("reason") == COUNTS)


def only_counted(value: pl.Expr) -> pl.Expr:
    """Return ``value`` for a side that changes a rating, else null."""
    return pl.when(pl.col("reason") == COUNTS).then(value)


def linear_performance(opponent_rating: pl.Expr, score_halves: pl.Expr, points: int) -> pl.Expr:
    """Return what a game is worth: the opponent's rating, ``points`` more for a win and less for a loss."""
    return opponent_rating + points * (score_halves - 1)


def change_thousandths(k: pl.Expr, score_halves: pl.Expr, expected_thousandths: pl.Expr) -> pl.Expr:
    """Return K × (score − expected score) of one game, in thousandths of a point."""
    return k * (500 * score_halves - expected_thousandths)


def plus_thousandths(rating: pl.Expr, change_thousandths: pl.Expr) -> pl.Expr:
    """Return a rating with a change in thousandths, rounded once, a half upwards."""
    return half_up(1000 * rating + change_thousandths, 1000)


def half_up(numerator: pl.Expr, denominator: pl.Expr | int) -> pl.Expr:
    """Return the quotient of two integers, the denominator above 0, rounded to an integer, halves upwards."""
    return (2 * numerator + denominator) // (2 * denominator)
