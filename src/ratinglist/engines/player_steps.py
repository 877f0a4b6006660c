"""The steps of a month over one bucket of players. Each reads and writes the folder of the buckets.

:func:`judge_players` between the two steps over the games of all events, :func:`rate_players` after them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import polars as pl

from ratinglist.engines.month_plan import MonthPlan
from ratinglist.errors import CheckError
from ratinglist.rating import player_games, rating_list
from ratinglist.rating.calculation import TimeControlResult, rate_lists, waiting_results
from ratinglist.rating.model import MonthInputs, by_fide_id, newest_list, rules_of_list
from ratinglist.rating.month_counts import occurrences, players_waiting
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.rating.unrated_players import unlisted_among, unrated_players
from ratinglist.schemas import CHANGE, ENTRY, POOL


@dataclass(frozen=True, slots=True)
class RatedPlayers:
    """What :func:`rate_players` counted.

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
    """Return the folder of a table that every time control has: ``changes-rapid``."""
    return f"{name}-{time_control}"


def judge_players(plan: MonthPlan, bucket: int) -> None:
    """Judge the tranches of the bucket's players and limit their K: both need all events of a player.

    Writes the judged tranches and, for the buckets of events, the refused ones and K after its limit.
    """
    inputs = plan.inputs_of_players(bucket, pool_alone=True)
    rules = rules_of_list(inputs)
    tranches = plan.folder.gather("tranches", plan.event_buckets, bucket)
    judged = player_games.judge_tranches(tranches, waiting_results(inputs, rules), rules)
    plan.folder.write("judged_tranches", bucket, judged)
    refused = judged.filter(pl.col("reason") != "counts_for_entry")
    unlimited = plan.folder.gather("coefficients", plan.event_buckets, bucket)
    limited = player_games.limit_coefficients(unlimited, rules)
    to_bucket = pl.col("from_bucket").alias("to_bucket")
    plan.folder.write_split("refused_tranches", bucket, refused.select("participant_row", "reason", to_bucket))
    plan.folder.write_split("limited_coefficients", bucket, limited.select("participant_row", "k", to_bucket))


def rate_players(plan: MonthPlan, bucket: int) -> RatedPlayers:
    """Calculate the new lists of the bucket's players. Writes every table of them, by time control."""
    inputs = plan.inputs_of_players(bucket)
    rules = rules_of_list(inputs)
    newest_lists = {time_control: newest_list(inputs.lists, time_control) for time_control in rules}
    results = rate_lists(
        inputs,
        newest_lists,
        plan.folder.gather("sums", plan.event_buckets, bucket),
        waiting_results(inputs, rules),
        plan.folder.read("judged_tranches", bucket),
    )
    rows: dict[tuple[str, str], int] = {}
    changes: Counter[str] = Counter()
    listed_ids: list[pl.Series] = []
    ratings = [pl.DataFrame(schema={"time_control": pl.String(), "rating": pl.Int32(), "players": pl.UInt32()})]
    for time_control, result in results.items():
        listed = _listed(plan, inputs, time_control, result)
        tables = {
            "changes": CHANGE.sorted(result.changes),
            "entries": ENTRY.sorted(result.entries),
            "pool": POOL.sorted(result.pool),
            # The name of the file states the list.
            "state": by_fide_id(result.list_state).drop("month", "time_control"),
        }
        for name, table in tables.items():
            plan.folder.write(table_of(name, time_control), bucket, table)
        # A list is read by ratings, so it is sorted by them.
        plan.folder.write_searched(table_of("listed", time_control), bucket, listed)
        rows |= {(name, time_control): len(table) for name, table in {**tables, "listed": listed}.items()}
        listed_ids.append(listed["fide_id"])
        changes += occurrences(result.changes["status"])
        of_rating = listed.group_by("time_control", "rating").agg(pl.len().cast(pl.UInt32).alias("players"))
        ratings.append(of_rating.cast({"time_control": pl.String}))
    waiting = sum(players_waiting(result.pool) for result in results.values())
    playing = [plan.folder.gather("players_of_games", plan.event_buckets, bucket)]
    playing += [table for result in results.values() for table in (result.entries, result.pool)]
    unrated = unrated_players(unlisted_among(playing, listed_ids), inputs.players)
    plan.folder.write("unrated", bucket, unrated)
    return RatedPlayers(rows, changes, waiting, pl.concat(ratings), len(unrated))


def _listed(plan: MonthPlan, inputs: MonthInputs, time_control: str, result: TimeControlResult) -> pl.DataFrame:
    """Return the bucket's part of a published list (``LISTED``, dictionary-encoded), in the published order."""
    lookup = PlayerLookup(inputs.players)
    rules = rules_of_list(inputs)[time_control]
    encoded = rating_list.encode_list(result.list_state, lookup, plan.period, rules.list)
    if encoded["fide_id"].is_duplicated().any():
        twice = int(encoded.filter(pl.col("fide_id").is_duplicated()).item(0, "fide_id"))
        raise CheckError(
            f"{time_control}: more than one row for time_control {time_control}, fide_id {twice}. "
            "Nothing was published."
        )
    return rating_list.decode_list(encoded, lookup, plan.period, time_control)
