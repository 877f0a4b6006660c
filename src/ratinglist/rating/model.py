"""The inputs and the result of one month's calculation, and the lists that its events refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.tables import IMPORTED_PLAYER, POOLED_GAME, REFERENCE_RATING, SYSTEM_STATE

NO_STATE = pl.DataFrame(schema={"fide_id": pl.Int64})
"""The state of a system that keeps none, and of every system before its first list."""


@dataclass(frozen=True)
class MonthInputs:
    """Everything that the calculation of one month reads.

    ``lists``: :data:`~ratinglist.tables.LIST_STATE` of every list before ``period`` that is still needed. Changes are
    added to the newest month of each time control; the others were in force when some event started.
    ``players``: :data:`~ratinglist.tables.PLAYER`, one row per known FIDE ID.
    ``reports``: :data:`~ratinglist.tables.REPORT`, versions received before the list takes effect, refused ones too;
    without those that an earlier list settled.
    ``report_players``: at least ``report_id`` and ``fide_id`` of the accepted reports (``REPORT_PLAYER``).
    ``report_games``: games of the accepted reports (``REPORT_GAME`` without the line numbers). In both frames
    ``report_id`` may be a Polars Enum of the ids.
    ``pool``: the pool after the list before (``POOL``).
    ``earlier_events``: every report that an earlier list settled (``EARLIER_EVENT``).
    ``earlier_games``: games that earlier lists rated and that these reports may contain again (``EARLIER_GAME``).
    ``withdrawn``: ``report_id`` of the reports that a correction withdrew. ``without_name``: of those whose name of the
    event has a date of birth, and is not published. ``without_games``: of those refused because they have no game.
    ``with_player_twice``: of those with two FIDE IDs that a correction makes one player's.
    ``system_state``: what a system keeps of the players on the list before (``SYSTEM_STATE``). ``own_state``: what it
    keeps in a table of its own.
    ``pooled_games``: the games of the results that wait in the pool (``POOLED_GAME``), where a system needs them.
    ``imported``: what the imported lists have of their players (``IMPORTED_PLAYER``), for a system other than FIDE's.
    ``references``: the ratings of the reference lists that are still needed (``REFERENCE_RATING``).
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
    earlier_games: pl.DataFrame
    withdrawn: pl.Series = field(default_factory=lambda: pl.Series("report_id", [], dtype=pl.String))
    without_name: pl.Series = field(default_factory=lambda: pl.Series("report_id", [], dtype=pl.String))
    without_games: pl.Series = field(default_factory=lambda: pl.Series("report_id", [], dtype=pl.String))
    with_player_twice: pl.Series = field(default_factory=lambda: pl.Series("report_id", [], dtype=pl.String))
    system_state: pl.DataFrame = field(default_factory=SYSTEM_STATE.empty)
    own_state: pl.DataFrame = field(default_factory=lambda: NO_STATE)
    pooled_games: pl.DataFrame = field(default_factory=POOLED_GAME.empty)
    references: pl.DataFrame = field(default_factory=REFERENCE_RATING.empty)
    imported: pl.DataFrame = field(default_factory=IMPORTED_PLAYER.empty)

    @cached_property
    def lists_there(self) -> pl.DataFrame:
        """The ``time_control``, ``month`` and ``first_day`` of every list in ``lists``, sorted."""
        there = self.lists.select("time_control", "month").unique().sort("time_control", "month")
        return there.with_columns((pl.col("month") + "-01").str.to_date("%Y-%m-%d").alias("first_day"))


@dataclass(frozen=True, slots=True)
class MonthResult:
    """Everything that the calculation of one month computes, each table in its published order.

    ``events``: ``EVENT`` followed by ``event_no``, ``rule_set`` (null where the event is not rated) and ``report_id``.
    ``games``: ``GAME``, its texts of few values as Enums. ``changes``: ``CHANGE``. ``entries``: ``ENTRY``. ``pool``:
    ``POOL``. ``list_state``: ``LIST_STATE`` of the new list, unrated players with a state included. ``coincidences``:
    games of two events that look like one game (:data:`~ratinglist.rating.duplicate_games.COINCIDENCE`).
    ``system_state``: ``SYSTEM_STATE``, empty unless the system keeps more of a player. ``own_state``: what it keeps in
    a table of its own. Another system than FIDE's has the columns of ``SYSTEM_PUBLISHED``.
    """

    events: pl.DataFrame
    games: pl.DataFrame
    changes: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    list_state: pl.DataFrame
    coincidences: pl.DataFrame = field(default_factory=pl.DataFrame)
    system_state: pl.DataFrame = field(default_factory=SYSTEM_STATE.empty)
    own_state: pl.DataFrame = field(default_factory=lambda: NO_STATE)


def rules_of_list(inputs: MonthInputs) -> dict[str, RuleSet]:
    """Return the new list's rule set by time control, for those with an earlier list and a rule set in force."""
    in_force = {
        time_control: inputs.rules.on(inputs.family, time_control, inputs.period.first_day)
        for time_control in inputs.lists_there["time_control"].unique(maintain_order=True)
    }
    return {time_control: rule_set for time_control, rule_set in in_force.items() if rule_set is not None}


def system_of(inputs: MonthInputs) -> SystemRuleSet | None:
    """Return the rule set of a family of a system other than FIDE's, which has one time control; else None."""
    return next((rule for rule in rules_of_list(inputs).values() if isinstance(rule, SystemRuleSet)), None)


def newest_lists(inputs: MonthInputs) -> pl.DataFrame:
    """Return the newest list of each time control: ``time_control``, ``month``, ``list_before`` (its first day)."""
    return inputs.lists_there.group_by("time_control").agg(pl.col("month").max(), list_before=pl.col("first_day").max())


def newest_list(lists: pl.DataFrame, time_control: str) -> pl.DataFrame:
    """Return the newest list of a time control: changes are added to it, K is judged on it."""
    is_of_control = pl.col("time_control") == time_control
    month = lists.select(pl.col("month").filter(is_of_control).max()).item()
    return lists.filter(is_of_control & (pl.col("month") == month))
