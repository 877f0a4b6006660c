"""One month's list, from what is known to what is published: frames in, frames out.

No paths, no clock, no database: the same inputs give the same frames, row for row, whatever the order they came in.

```
events known to the period -> who played in them, their ratings at the start -> verdict on each event
    -> both sides of every game: ratings that count, why a side is not rated
    -> rated sides: difference, expected score, K, change     -> the new list
    -> unrated sides: tranches, pool, entry                   -> newcomers
```
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating import entry, event_verdicts, player_games, rating_list
from ratinglist.rating.change import sum_changes
from ratinglist.rating.duplicate_games import find_duplicate_sides
from ratinglist.rating.model import MonthInputs, MonthResult, by_fide_id, newest_list, rules_of_list
from ratinglist.rating.participants import games_of, gather_columns, join_ratings, participants_of
from ratinglist.rating.rules import RuleSet
from ratinglist.schemas import CHANGE, ENTRY, EVENT, LIST_STATE, POOL, SIDE


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Compute the list of ``inputs.period`` for every time control that has a list and a rule set in force."""
    rules = rules_of_list(inputs)
    befores = {time_control: newest_list(inputs.lists, time_control) for time_control in rules}
    waiting = _waiting(inputs, rules)
    known, placed, all_sides, elsewhere = _judge(inputs, befores)
    all_sides = player_games.add_reasons(player_games.add_ratings(all_sides, placed), known, placed, elsewhere)
    all_sides, tranches = player_games.judge_tranches(all_sides, known, placed, waiting, rules)
    all_sides = player_games.rate_sides(all_sides, known, placed, rules, inputs.rules)
    rated = _rated_sides(all_sides, known, placed)
    parts = [
        _next_list(inputs, rule_set, befores[time_control], *_of(time_control, rated, waiting, tranches))
        for time_control, rule_set in rules.items()
    ]
    return MonthResult(
        events=_events(known),
        sides=_kept(all_sides, placed),
        changes=CHANGE.sorted(pl.concat([CHANGE.empty(), *[part[0] for part in parts]])),
        entries=ENTRY.sorted(pl.concat([ENTRY.empty(), *[part[1] for part in parts]])),
        pool=POOL.sorted(pl.concat([POOL.empty(), *[part[2] for part in parts]])),
        # One part after the other, as the time controls come: sorting millions of rows by text is dear.
        list_state=pl.concat([LIST_STATE.empty(), *[by_fide_id(part[3]) for part in parts]]),
    )


def _judge(
    inputs: MonthInputs, befores: dict[str, pl.DataFrame]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The judged events, their participants with the ratings that count, both sides of their games, repeated sides."""
    reports = event_verdicts.select_reports(inputs)
    participants = participants_of(reports, inputs)
    games = games_of(reports, participants, inputs)
    known = event_verdicts.judge_events(reports, participants, games, inputs)
    placed = join_ratings(participants, known, befores, inputs.players)
    met_twice = player_games.find_possible_duplicates(known, games, participants, inputs.earlier_games)
    elsewhere = find_duplicate_sides(met_twice, inputs.earlier_games)
    return known, placed, player_games.sides_of_games(known, games, participants), elsewhere


def _waiting(inputs: MonthInputs, rules: dict[str, RuleSet]) -> pl.DataFrame:
    """The pool of the list before without the results that have lapsed."""
    return pl.concat(
        [
            inputs.pool.clear(),
            *[
                inputs.pool.filter(
                    pl.col("time_control") == time_control,
                    ~entry.expired(pl.col("counted_month"), inputs.period, rule_set.entry),
                )
                for time_control, rule_set in rules.items()
            ],
        ]
    )


def _of(time_control: str, *frames: pl.DataFrame) -> list[pl.DataFrame]:
    return [frame.filter(pl.col("time_control") == time_control) for frame in frames]


def _events(known: pl.DataFrame) -> pl.DataFrame:
    """The events as kept: as published, with number, report and, where they are rated, rule set."""
    return EVENT.sorted(
        EVENT.conform(known).with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("event_no"),
            pl.when(pl.col("status") == "rated").then(known["rule_set"]).alias("rule_set"),
            known["report_id"],
        )
    )


def _kept(all_sides: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """The sides with FIDE IDs for row numbers."""
    return SIDE.conform(
        all_sides.with_columns(
            pl.col("event_row").alias("event_no"),
            placed["fide_id"].gather(all_sides["participant_row"]).alias("fide_id"),
            placed["fide_id"].gather(all_sides["opponent_row"]).alias("opponent_id"),
        )
    )


def _rated_sides(all_sides: pl.DataFrame, known: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """What is summed of the rated sides: one row per player and event, with ``games`` and ``old_rating``."""
    sums = (
        all_sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("participant_row")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("k").max(), pl.col("change_hundredths").sum())
        .collect()
    )
    of_player = gather_columns(sums, "participant_row", placed, "fide_id", "event_row", "old_rating")
    return gather_columns(of_player, "event_row", known, "time_control", "start_date")


def _next_list(
    inputs: MonthInputs,
    rule_set: RuleSet,
    before: pl.DataFrame,
    rated: pl.DataFrame,
    waiting: pl.DataFrame,
    tranches: pl.DataFrame,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The changes, entries, pool and list of one time control; ``rule_set`` is the new list's."""
    # Who is rated has nothing to wait for any more: now, from his standard rating (RB 7.2.1), or by an imported list.
    unrated_so_far = pl.concat([waiting["fide_id"], tranches["fide_id"]]).implode()
    listed = before.filter(pl.col("rating").is_not_null(), pl.col("fide_id").is_in(unrated_so_far))
    is_rated = pl.concat([rated["fide_id"], listed["fide_id"]]).implode()
    unrated = ~pl.col("fide_id").is_in(is_rated)
    pool = entry.count_into_pool(waiting.filter(unrated), tranches.filter(unrated), inputs.period, rule_set.entry)
    performance = inputs.rules.performance[rule_set.entry.performance_table]
    entries = entry.compute_entries(pool, rule_set.entry, performance, rule_set.list.floor)
    entering = _games_of_newcomers(entries.filter("published"), tranches)

    changes = sum_changes(rated, rule_set.change).join(_old_ratings(rated), on="fide_id")
    state, computed = rating_list.next_list(
        before, changes, entering, inputs.players, inputs.period, rule_set.time_control, rule_set
    )
    left = pool.filter(~pl.col("fide_id").is_in(entering["fide_id"].implode()))
    return computed, entries, left, state


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
