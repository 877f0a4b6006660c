"""Calculate the rating lists of one month: frames in, frames out.

No paths, no clock, no database. The same inputs give the same frames, row for row, in whatever order the input rows
come.

```
reports received -> participants, their ratings at the start -> verdict on each event
    -> two sides per game: ratings used, reason where a side is not rated
    -> rated sides: difference, expected score, K, change     -> changes
    -> unrated players' sides: tranches, pool                 -> entries
    -> new list
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.rating import entry, player_games, rating_list, system_month
from ratinglist.rating.change import sum_changes
from ratinglist.rating.judged_month import JudgedMonth, judge_month, published_events
from ratinglist.rating.model import MonthInputs, MonthResult, by_fide_id, rules_of_list
from ratinglist.rating.participants import gather_columns
from ratinglist.rating.rules import RuleSet, SystemRuleSet
from ratinglist.schemas import CHANGE, ENTRY, LIST_STATE, POOL, SIDE


@dataclass(frozen=True, slots=True)
class TimeControlResult:
    """The new list of one time control: ``CHANGE``, ``ENTRY``, ``POOL`` and ``LIST_STATE``."""

    changes: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    list_state: pl.DataFrame


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Calculate the list of ``inputs.period`` for every time control with an earlier list and a rule set in force."""
    return rate_judged_month(inputs, judge_month(inputs))


def rate_judged_month(inputs: MonthInputs, judged: JudgedMonth, *, is_published: bool = True) -> MonthResult:
    """Calculate the lists of a month whose events are judged.

    A family whose rule sets name another system is calculated by :mod:`~ratinglist.rating.system_month`.
    ``is_published``: whether the sides are; else only those with a reason are returned, which a later month may need.
    """
    rules = rules_of_list(inputs)
    for rule_set in rules.values():
        # A family of another system has rule sets for one time control.
        if isinstance(rule_set, SystemRuleSet):
            return system_month.rate_month(inputs, judged, rule_set, is_published=is_published)
    waiting = waiting_results(inputs, rules)
    sides = player_games.add_ratings(judged.sides, judged.participants)
    sides = player_games.add_reasons(sides, judged.events, judged.participants, judged.duplicates.sides)
    tranches = player_games.sum_tranches(sides, judged.events, judged.participants)
    tranches = player_games.judge_tranches(tranches, waiting, rules)
    sides = player_games.refuse_tranches(sides, tranches, judged.participants)
    sides = player_games.rate_sides(sides, judged.events, judged.participants, rules, inputs.rules)
    sums = sum_rated_sides(sides, judged.events, judged.participants)
    results = list(rate_lists(inputs, judged.newest_lists, sums, waiting, tranches).values())
    if not is_published:
        sides = sides.filter(pl.col("reason") != "")
    return MonthResult(
        events=published_events(judged.events),
        sides=stored_sides(sides, judged.participants),
        changes=CHANGE.sorted(pl.concat([CHANGE.empty(), *[result.changes for result in results]])),
        entries=ENTRY.sorted(pl.concat([ENTRY.empty(), *[result.entries for result in results]])),
        pool=POOL.sorted(pl.concat([POOL.empty(), *[result.pool for result in results]])),
        # Concatenated in the order of the time controls, each sorted by FIDE ID: sorting millions of rows by text is
        # expensive.
        list_state=pl.concat([LIST_STATE.empty(), *[by_fide_id(result.list_state) for result in results]]),
        coincidences=judged.duplicates.coincidences,
    )


def waiting_results(inputs: MonthInputs, rules: dict[str, RuleSet]) -> pl.DataFrame:
    """Return the pool of the list before without the results that have expired."""
    return pl.concat(
        [
            inputs.pool.clear(),
            *[
                inputs.pool.filter(
                    pl.col("time_control") == time_control,
                    ~entry.is_expired(pl.col("counted_month"), inputs.period, rule_set.entry),
                )
                for time_control, rule_set in rules.items()
            ],
        ]
    )


def sum_rated_sides(sides: pl.DataFrame, judged_events: pl.DataFrame, rated_participants: pl.DataFrame) -> pl.DataFrame:
    """Sum the rated sides of each player in each event.

    Out: one row per player and event: ``participant_row``, ``games``, ``k``, ``change_hundredths`` (the sum),
    ``fide_id``, ``event_row``, ``old_rating``, ``time_control``, ``start_date``.
    """
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("participant_row")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("k").max(), pl.col("change_hundredths").sum())
        .collect()
    )
    sums = gather_columns(sums, "participant_row", rated_participants, "fide_id", "event_row", "old_rating")
    return gather_columns(sums, "event_row", judged_events, "time_control", "start_date")


def rate_lists(
    inputs: MonthInputs,
    newest_lists: Mapping[str, pl.DataFrame],
    sums: pl.DataFrame,
    waiting: pl.DataFrame,
    judged_tranches: pl.DataFrame,
) -> dict[str, TimeControlResult]:
    """Calculate the new list of every time control, for the players of these frames alone.

    In: ``newest_lists``: the newest list before (``LIST_STATE``); ``sums``: :func:`sum_rated_sides`; ``waiting``:
    :func:`waiting_results`; ``judged_tranches``: :func:`~ratinglist.rating.player_games.judge_tranches`.
    """
    counted = judged_tranches.filter(pl.col("reason") == "counts_for_entry")
    return {
        time_control: _rate_time_control(
            inputs, rule_set, newest_lists[time_control], *_of_time_control(time_control, sums, waiting, counted)
        )
        for time_control, rule_set in rules_of_list(inputs).items()
    }


def _of_time_control(time_control: str, *frames: pl.DataFrame) -> list[pl.DataFrame]:
    return [frame.filter(pl.col("time_control") == time_control) for frame in frames]


def _rate_time_control(
    inputs: MonthInputs,
    rule_set: RuleSet,
    newest: pl.DataFrame,
    sums: pl.DataFrame,
    waiting: pl.DataFrame,
    tranches: pl.DataFrame,
) -> TimeControlResult:
    """Calculate the new list of one time control.

    In: ``rule_set`` of the new list; ``newest``: the newest list before (``LIST_STATE``); ``sums``:
    :func:`sum_rated_sides`; ``waiting``: the pool that has not expired; ``tranches`` that count, of this period.
    """
    # Only the results of unrated players wait. A player with results in the pool may be rated all the same: in this
    # period, from the standard rating (RB 7.2.1), or on an imported list.
    with_results = pl.concat([waiting["fide_id"], tranches["fide_id"]]).implode()
    listed = newest.filter(pl.col("rating").is_not_null(), pl.col("fide_id").is_in(with_results))
    rated = pl.concat([sums["fide_id"], listed["fide_id"]]).implode()
    is_unrated = ~pl.col("fide_id").is_in(rated)
    pool = entry.count_into_pool(waiting.filter(is_unrated), tranches.filter(is_unrated), inputs.period, rule_set.entry)
    performance = inputs.rules.performance[rule_set.entry.performance_table]
    entries = entry.compute_entries(pool, rule_set.entry, performance, rule_set.list.floor)
    entering = _entering_players(entries.filter("published"), tranches)

    changes = sum_changes(sums, rule_set.change).join(_old_ratings(sums), on="fide_id")
    list_state, computed = rating_list.next_list(
        newest, changes, entering, inputs.players, inputs.period, rule_set.time_control, rule_set
    )
    still_waiting = pool.filter(~pl.col("fide_id").is_in(entering["fide_id"].implode()))
    return TimeControlResult(changes=computed, entries=entries, pool=still_waiting, list_state=list_state)


def _old_ratings(sums: pl.DataFrame) -> pl.DataFrame:
    """Return the rating each player's change is added to: ``fide_id``, ``old_rating``.

    It is the same in all events of a player, except where the standard rating stands in: then the one at the start of
    the latest event holds.
    """
    return sums.group_by("fide_id").agg(pl.col("old_rating").sort_by("start_date").last())


def _entering_players(published: pl.DataFrame, tranches: pl.DataFrame) -> pl.DataFrame:
    """Return the players who enter the list.

    Out: ``fide_id``, ``computed_rating``, ``pooled_games`` (all counted games) and ``games`` (those of this period).
    """
    of_period = tranches.group_by("fide_id").agg(pl.col("games").sum().alias("games_of_period"))
    return published.join(of_period, on="fide_id", how="left").select(
        "fide_id",
        "computed_rating",
        pl.col("games").alias("pooled_games"),
        pl.col("games_of_period").fill_null(0).alias("games"),
    )


def stored_sides(sides: pl.DataFrame, participants: pl.DataFrame) -> pl.DataFrame:
    """Return the sides as stored (``SIDE``), with FIDE IDs in place of the rows of participants."""
    fide_ids = pl.lit(participants["fide_id"])
    return SIDE.conform(
        sides.with_columns(
            pl.col("event_row").alias("event_no"),
            fide_ids.gather("participant_row").alias("fide_id"),
            fide_ids.gather("opponent_row").alias("opponent_id"),
        )
    )
