"""One month's list, from what is known to what is published: frames in, frames out.

No paths, no clock, no database: the same inputs give the same frames, row for row, whatever the order they came in.

```
events known to the period -> verdict on each -> both sides of every game -> ratings in force at the start
    -> rated sides: difference, expected score, K, change     -> the new list
    -> unrated sides: tranches, pool, entry                   -> newcomers
```
"""

from __future__ import annotations

import polars as pl

from ratinglist import entry, events, rating_list, sides
from ratinglist.change import sum_changes
from ratinglist.month import MonthInputs, MonthResult, newest_list, rules_of_list
from ratinglist.rules import RuleSet
from ratinglist.schemas import CHANGE, ENTRY, EVENT, GAME, LIST_STATE, POOL
from ratinglist.slices import counted_elsewhere


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Compute the list of ``inputs.period`` for every time control that has a list and a rule set in force."""
    in_force = rules_of_list(inputs)
    known = events.judge_events(inputs)
    all_sides = sides.sides_of_games(known, inputs.report_games)
    elsewhere = counted_elsewhere(sides.games_of_rated_events(known, inputs.report_games), inputs.earlier_games)
    parts = [_rate_time_control(inputs, rule_set, known, all_sides, elsewhere) for rule_set in in_force.values()]
    computed = pl.concat([_NOTHING_COMPUTED, *[part.games for part in parts]], how="diagonal")
    return MonthResult(
        events=EVENT.sorted(EVENT.conform(known).with_columns(known["report_id"])),
        games=_games(all_sides, computed, known),
        changes=CHANGE.sorted(pl.concat([CHANGE.empty(), *[part.changes for part in parts]])),
        entries=ENTRY.sorted(pl.concat([ENTRY.empty(), *[part.entries for part in parts]])),
        pool=POOL.sorted(pl.concat([POOL.empty(), *[part.pool for part in parts]])),
        list_state=LIST_STATE.sorted(pl.concat([LIST_STATE.empty(), *[part.list_state for part in parts]])),
    )


_KEY = {"event_no": pl.UInt32(), "round": pl.Int32(), "fide_id": pl.Int64()}
_FOUND = (
    "rating",
    "opponent_rating",
    "difference",
    "difference_used",
    "expected_hundredths",
    "k",
    "change_hundredths",
    "reason",
)
_NOTHING_COMPUTED = pl.DataFrame(schema=_KEY | {name: GAME.columns[name].dtype for name in _FOUND})


def _games(all_sides: pl.DataFrame, computed: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The published games: every side, with what was computed for it, or the reason of its event.

    In: ``all_sides`` in the published order; ``computed``: those of rated events, with what was found for each.
    """
    told = all_sides.join(computed.select(*_KEY, *_FOUND), on=list(_KEY), how="left", maintain_order="left")
    event = ["time_control", "event_id", "rule_set", pl.col("reason").alias("event_reason")]
    told = sides.with_event(told, known.select(event), "time_control", "event_id", "rule_set", "event_reason")
    of_rated_event = pl.col("event_reason") == ""
    return GAME.conform(
        told.with_columns(
            pl.when(of_rated_event).then("rule_set").alias("rule_set"),
            pl.when(of_rated_event).then("reason").otherwise("event_reason").alias("reason"),
            pl.col("change_hundredths").is_not_null().alias("rated"),
        )
    )


def _rate_time_control(
    inputs: MonthInputs,
    rule_set: RuleSet,
    known: pl.DataFrame,
    all_sides: pl.DataFrame,
    elsewhere: pl.DataFrame,
) -> MonthResult:
    """The part of the month that belongs to one time control; ``rule_set`` is the new list's.

    Its ``games`` are the sides of rated events with what was computed, by ``event_no``.
    """
    time_control = rule_set.time_control
    rated_events = known.select(
        pl.int_range(pl.len(), dtype=pl.UInt32).filter(
            (pl.col("time_control") == time_control) & (pl.col("status") == "rated")
        )
    ).to_series()
    before = newest_list(inputs.lists, time_control)
    waiting = inputs.pool.filter(
        (pl.col("time_control") == time_control)
        & ~entry.expired(pl.col("counted_month"), inputs.period, rule_set.entry)
    )
    of_rated_events = all_sides.filter(pl.col("event_no").is_in(rated_events.implode()))
    placed = sides.place_ratings(of_rated_events, known, inputs.lists, before)
    reasoned, tranches = sides.give_reasons(placed, known, waiting, elsewhere, rule_set)
    rated = sides.rate_sides(
        reasoned.filter(pl.col("reason") == ""), known, before, inputs.players, inputs.rules, rule_set
    )
    games = pl.concat([reasoned.filter(pl.col("reason") != ""), rated], how="diagonal")

    # Who is rated now, from his standard rating, has nothing to wait for any more (RB 7.2.1).
    unrated = ~pl.col("fide_id").is_in(rated["fide_id"].unique().implode())
    pool = entry.count_into_pool(waiting.filter(unrated), tranches.filter(unrated), inputs.period, rule_set.entry)
    performance = inputs.rules.performance[rule_set.entry.performance_table]
    entries = entry.compute_entries(pool, rule_set.entry, performance, rule_set.list.floor)
    entering = _games_of_newcomers(entries.filter("published"), tranches)

    changes = sum_changes(rated, rule_set.change).join(
        _old_ratings(sides.with_event(rated, known, "start_date")), on="fide_id"
    )
    state, computed = rating_list.next_list(
        before, changes, entering, inputs.players, inputs.period, time_control, rule_set
    )
    left = pool.filter(~pl.col("fide_id").is_in(entering["fide_id"].implode()))
    return MonthResult(known, games, computed, entries, left, state)


def _old_ratings(rated: pl.DataFrame) -> pl.DataFrame:
    """What each player's change is added to; where standard stands in, the rating at his latest event's start."""
    return rated.group_by("fide_id").agg(pl.col("old_rating").sort_by("start_date").last())


def _games_of_newcomers(published: pl.DataFrame, tranches: pl.DataFrame) -> pl.DataFrame:
    """Who enters: ``fide_id``, ``computed_rating``, all ``pooled_games`` and the ``games`` of this period alone."""
    of_period = tranches.group_by("fide_id").agg(pl.col("games").sum().alias("games_of_period"))
    return published.join(of_period, on="fide_id", how="left").select(
        "fide_id",
        "computed_rating",
        pl.col("games").alias("pooled_games"),
        pl.col("games_of_period").fill_null(0).alias("games"),
    )
