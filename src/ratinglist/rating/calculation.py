"""Calculate the new lists from what was summed of the rated games and from the results of unrated players.

Pure functions of frames: the same frames give the same result, row for row, in whatever order the rows come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.rating import entry, rating_list
from ratinglist.rating.change import sum_changes
from ratinglist.rating.participants import gather_columns
from ratinglist.rating.rules import RuleBook, RuleSet
from ratinglist.tables import SIDE


@dataclass(frozen=True, slots=True)
class TimeControlResult:
    """The new list of one time control: ``CHANGE``, ``ENTRY``, ``POOL`` and ``LIST_STATE``."""

    changes: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    list_state: pl.DataFrame


def waiting_results(pool: pl.DataFrame, period: Period, rules: Mapping[str, RuleSet]) -> pl.DataFrame:
    """Return the pool of the list before without the results that have expired."""
    return pl.concat(
        [
            pool.clear(),
            *[
                pool.filter(
                    pl.col("time_control") == time_control,
                    ~entry.is_expired(pl.col("counted_month"), period, rule_set.entry),
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
    rules: Mapping[str, RuleSet],
    book: RuleBook,
    period: Period,
    players: pl.DataFrame,
    newest_lists: Mapping[str, pl.DataFrame],
    sums: pl.DataFrame,
    waiting: pl.DataFrame,
    judged_tranches: pl.DataFrame,
) -> dict[str, TimeControlResult]:
    """Calculate the new list of every time control.

    In: ``rules``: the new list's rule set of each time control; ``players``: ``PLAYER``; ``newest_lists``: the newest
    list before (``LIST_STATE``); ``sums``: :func:`sum_rated_sides`; ``waiting``: :func:`waiting_results`;
    ``judged_tranches``: :func:`~ratinglist.rating.player_games.judge_tranches`.
    """
    counted = judged_tranches.filter(pl.col("reason") == "counts_for_entry")
    return {
        time_control: _rate_time_control(
            rule_set,
            book,
            period,
            players,
            newest_lists[time_control],
            *(frame.filter(pl.col("time_control") == time_control) for frame in (sums, waiting, counted)),
        )
        for time_control, rule_set in rules.items()
    }


def _rate_time_control(
    rule_set: RuleSet,
    book: RuleBook,
    period: Period,
    players: pl.DataFrame,
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
    pool = entry.count_into_pool(waiting.filter(is_unrated), tranches.filter(is_unrated), period, rule_set.entry)
    performance = book.performance[rule_set.entry.performance_table]
    entries = entry.compute_entries(pool, rule_set.entry, performance, rule_set.list.floor)
    entering = _entering_players(entries.filter("published"), tranches)

    changes = sum_changes(sums, rule_set.change).join(_old_ratings(sums), on="fide_id")
    list_state, computed = rating_list.next_list(
        newest, changes, entering, players, period, rule_set.time_control, rule_set
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
