"""What a system calculates a list from, what it returns, and the steps that several systems share.

All of it is frames, so that any list and any games will do. The last part is Elo by a table of expected scores: the
step of the systems with one K a game, each with its parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter
from typing import Any, Literal

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.change import change_hundredths, expected_units, rounded
from ratinglist.rating.model import NO_STATE
from ratinglist.tables import (
    LIST_STATE,
    POOL,
    POOLED_GAME,
    REFERENCE_RATING,
    SYSTEM_CHANGE,
    SYSTEM_SIDE,
    SYSTEM_STATE,
    Column,
)

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
        common with and that ended before it (:meth:`ranked_events`): so rating a wave gives what rating event by event
        would. Out: for each wave the rows of ``events``, with their ``event_rank``.
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
    changes = (
        computed.drop("old_rating", strict=False)
        .sort("fide_id")
        .join(before, on="fide_id", how="left", maintain_order="left")
        .with_columns(
            pl.lit(month.time_control).alias("time_control"),
            pl.col("games_before").fill_null(0),
            status.when(pl.col("old_rating").is_null())
            .then(pl.lit("entered"))
            .otherwise(pl.lit("rated"))
            .alias("status"),
        )
    )
    return SYSTEM_CHANGE.extended(own_columns or {}).completed(changes)


def next_state(month: SystemMonth, computed: pl.DataFrame, k: pl.Expr, counted: str = "games") -> pl.DataFrame:
    """Return the new list (``LIST_STATE``), sorted by player: rated players only.

    In: ``computed``: ``fide_id``, ``games`` and ``new_rating`` (null: no longer listed) of the players whose rating was
    computed; the others stay. ``k``: K from this list on, of ``rating`` and ``games_played``. ``counted``: the column
    that is added to the games played.
    """
    update = computed.select("fide_id", "games", "new_rating", counted=counted, is_computed=pl.lit(value=True))
    before = month.before.select("fide_id", *_KEPT)
    players = before.join(update, on="fide_id", how="full", coalesce=True).sort("fide_id")
    is_computed = pl.col("is_computed").fill_null(value=False)
    return LIST_STATE.conform(
        players.with_columns(
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
