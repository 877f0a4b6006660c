"""The steps of a month over one bucket of players. Each reads and writes the tables of the plan.

:func:`judge_players` between the two steps over the games of all events, :func:`rate_players` after them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.engine.plan import MonthPlan
from ratinglist.errors import CheckError
from ratinglist.rating import player_games, rating_list
from ratinglist.rating.calculation import TimeControlResult, rate_lists, waiting_results
from ratinglist.rating.model import by_fide_id
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.rating.unrated_players import unlisted_among, unrated_players
from ratinglist.schemas import CHANGE, ENTRY, POOL, SYSTEM_STATE, UNRATED


@dataclass(frozen=True, slots=True)
class RatedPlayers:
    """What was counted of the new lists of a bucket of players.

    ``rows``: of each table, by its name and time control. ``changes``: by status. ``waiting``: players in the pool.
    ``ratings``: one row per ``time_control`` and ``rating`` of the lists, with the number of ``players``. ``unrated``:
    players of the month who are on none of its lists.
    """

    rows: dict[tuple[str, str], int]
    changes: Counter[str]
    waiting: int
    ratings: pl.DataFrame
    unrated: int


def table_of(name: str, time_control: str) -> str:
    """Return the name of a table that every time control has: ``changes-rapid``."""
    return f"{name}-{time_control}"


def judge_players(plan: MonthPlan, bucket: int) -> None:
    """Judge the tranches of the bucket's players and limit their K: both need all events of a player.

    Writes the judged tranches and, for the buckets of events, the refused ones and K after its limit.
    """
    tables, rules = plan.tables, plan.rules_of_list
    tranches = tables.gather("tranches", plan.event_buckets, bucket)
    judged = player_games.judge_tranches(tranches, _waiting(plan, bucket), rules)
    tables.write("judged_tranches", bucket, judged)
    refused = judged.filter(pl.col("reason") != "counts_for_entry")
    unlimited = tables.gather("coefficients", plan.event_buckets, bucket)
    limited = player_games.limit_coefficients(unlimited, rules)
    to_bucket = pl.col("from_bucket").alias("to_bucket")
    tables.write_split("refused_tranches", bucket, refused.select("participant_row", "reason", to_bucket))
    tables.write_split("limited_coefficients", bucket, limited.select("participant_row", "k", to_bucket))


def rate_players(plan: MonthPlan, bucket: int) -> RatedPlayers:
    """Calculate the new lists of the bucket's players. Writes every table of them, by time control."""
    results = rate_lists(
        plan.rules_of_list,
        plan.rules,
        plan.period,
        plan.input_of_players("players", bucket),
        plan.newest_lists(bucket),
        plan.tables.gather("sums", plan.event_buckets, bucket),
        _waiting(plan, bucket),
        plan.tables.take("judged_tranches", bucket),
    )
    return write_lists(plan, bucket, results, SYSTEM_STATE.empty())


def write_lists(
    plan: MonthPlan, bucket: int, results: Mapping[str, TimeControlResult], system_state: pl.DataFrame
) -> RatedPlayers:
    """Write every table of the new lists of a bucket of players, by time control, and count their rows.

    ``system_state``: ``SYSTEM_STATE`` of the new list of another system than FIDE's.
    """
    rows: dict[tuple[str, str], int] = {}
    changes: Counter[str] = Counter()
    listed_ids: list[pl.Series] = []
    ratings = [pl.DataFrame(schema={"time_control": pl.String(), "rating": pl.Int32(), "players": pl.UInt32()})]
    players = plan.input_of_players("players", bucket)
    lookup = PlayerLookup(players) if plan.study is None else None
    for time_control, result in results.items():
        tables = {
            "changes": CHANGE.sorted(result.changes),
            "entries": ENTRY.sorted(result.entries),
            "pool": POOL.sorted(result.pool),
            # The name of the table states the list.
            "state": by_fide_id(result.list_state).drop("month", "time_control"),
        }
        for name, table in tables.items():
            plan.tables.write(table_of(name, time_control), bucket, table)
            rows[name, time_control] = len(table)
        if lookup is None:
            continue
        listed = _listed(plan, lookup, time_control, result.list_state, system_state)
        # A list is read by ratings, so it is sorted by them.
        plan.tables.write_searched(table_of("listed", time_control), bucket, listed)
        rows["listed", time_control] = len(listed)
        listed_ids.append(listed["fide_id"])
        changes += occurrences(result.changes["status"])
        of_rating = listed.group_by("time_control", "rating").agg(pl.len().cast(pl.UInt32).alias("players"))
        ratings.append(of_rating.cast({"time_control": pl.String}))
    waiting = sum(result.pool["fide_id"].n_unique() for result in results.values())
    unrated = UNRATED.empty()
    if lookup is not None:
        playing = [plan.tables.gather("players_of_games", plan.event_buckets, bucket)]
        playing += [table for result in results.values() for table in (result.entries, result.pool)]
        unrated = unrated_players(unlisted_among(playing, listed_ids), players)
    plan.tables.write("unrated", bucket, unrated)
    return RatedPlayers(rows, changes, waiting, pl.concat(ratings), len(unrated))


def occurrences(values: pl.Series) -> Counter[str]:
    """Return how often each text occurs."""
    return Counter(dict(values.value_counts(name="times").iter_rows()))


def _waiting(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    return waiting_results(plan.input_of_players("waiting", bucket), plan.period, plan.rules_of_list)


def _listed(
    plan: MonthPlan, lookup: PlayerLookup, time_control: str, state: pl.DataFrame, system_state: pl.DataFrame
) -> pl.DataFrame:
    """Return the bucket's part of a published list, dictionary-encoded, in the published order."""
    encoded = rating_list.encode_list(state, lookup, plan.period, plan.rules_of_list[time_control].list)
    if encoded["fide_id"].is_duplicated().any():
        twice = int(encoded.filter(pl.col("fide_id").is_duplicated()).item(0, "fide_id"))
        raise CheckError(
            f"{time_control}: more than one row for time_control {time_control}, fide_id {twice}. "
            "Nothing was published."
        )
    if plan.system is not None:
        encoded = rating_list.join_system_state(encoded, system_state, time_control)
    return rating_list.decode_list(encoded, lookup, plan.period, time_control)
