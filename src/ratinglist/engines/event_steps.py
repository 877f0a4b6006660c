"""The steps of a month over one bucket of events. Each reads and writes the folder of the buckets.

:func:`describe_reports`, then the verdict on all events, :func:`games_to_compare` where a pairing occurs twice,
:func:`judge_games`, then the step over players, :func:`rate_games`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import polars as pl

from ratinglist.engines.month_plan import INPUTS_OF_EVENTS, MonthPlan
from ratinglist.rating import player_games, repeated_pairings
from ratinglist.rating.calculation import stored_sides, sum_rated_sides
from ratinglist.rating.model import newest_months, rules_of_time_controls
from ratinglist.rating.month_counts import reasons_of_sides
from ratinglist.rating.participants import (
    GamesOfReports,
    facts_of_reports,
    games_of,
    join_ratings,
    participants_of,
    persons_of,
)


@dataclass(frozen=True, slots=True)
class RatedBucket:
    """What :func:`rate_games` counted: the sides, those not rated by their reason, and the events with a K."""

    sides: int
    reasons: Counter[str]
    events_with_k: list[int]


def describe_reports(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return the facts of the bucket's reports that the verdict on their events needs.

    Out: :func:`~ratinglist.rating.participants.facts_of_reports`, with ``bucket`` and, for ``report_row``,
    ``row_in_bucket``. Writes the participants, the games by their rows, and the keys of the pairings.
    """
    lines, report_games, ratings, persons = (_input(plan, table, bucket) for table in INPUTS_OF_EVENTS)
    participants = participants_of(plan.folder.read("reports", bucket), lines, ratings)
    games = games_of(report_games, participants)
    plan.folder.write("participants", bucket, participants)
    plan.folder.write("games", bucket, games)
    keys = repeated_pairings.pairing_keys(games, participants)
    to_bucket = (pl.col("key") % plan.event_buckets).cast(pl.Int32).alias("to_bucket")
    plan.folder.write_split("pairings", bucket, keys.with_columns(to_bucket))
    of_games = GamesOfReports.of(games, participants)
    facts = facts_of_reports(participants, persons_of(participants, persons), of_games)
    return facts.rename({"report_row": "row_in_bucket"}).with_columns(pl.lit(bucket, dtype=pl.Int32).alias("bucket"))


def repeated_keys(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return the keys of pairings that occur more than once: ``from_bucket`` and ``key``.

    ``bucket`` is one of keys: the pairings of all buckets of events whose key has this remainder.
    """
    keys = plan.folder.gather("pairings", plan.event_buckets, bucket)
    return keys.filter(pl.col("key").is_duplicated()).unique().select("from_bucket", "key")


def games_to_compare(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return the bucket's games that may be in another report too, with ``event_row`` among all events."""
    judged_events = plan.folder.read("judged_events", bucket)
    found = repeated_pairings.games_of_keys(
        judged_events,
        plan.folder.read("games", bucket),
        plan.folder.read("participants", bucket),
        plan.folder.read("keys_to_compare", bucket)["key"],
        plan.folder.read("earlier_games", 0),
    )
    return found.with_columns(pl.col("event_row") + _first_event(judged_events))


def judge_games(plan: MonthPlan, bucket: int) -> None:
    """Decide which sides of the bucket's games are rated or may count for an entry.

    Writes the sides and the participants with their ratings, and, for the buckets of players, the tranches and each K
    before its limit.
    """
    ratings, persons = (_input(plan, table, bucket) for table in ("opening_ratings", "persons"))
    judged_events = plan.folder.read("judged_events", bucket)
    months = newest_months(plan.lists_there)
    rules = rules_of_time_controls(plan.rules, plan.family, plan.period, plan.lists_there)
    newest_lists = {
        name: ratings.filter(pl.col("time_control") == name, pl.col("month") == months[name]) for name in rules
    }
    participants = plan.folder.read("participants", bucket)
    rated_participants = join_ratings(
        participants, judged_events, newest_lists, months, persons_of(participants, persons)
    )
    sides = player_games.sides_of_games(judged_events, plan.folder.read("games", bucket), participants)
    sides = player_games.add_ratings(sides, rated_participants)
    duplicates = plan.folder.read("duplicate_sides", bucket)
    sides = player_games.add_reasons(sides, judged_events, rated_participants, duplicates)
    plan.folder.write("sides", bucket, sides)
    plan.folder.write("rated_participants", bucket, rated_participants)
    tranches = player_games.sum_tranches(sides, judged_events, rated_participants)
    _write_for_players(plan, "tranches", bucket, tranches)
    unlimited = player_games.coefficients(sides, judged_events, rated_participants, rules)
    _write_for_players(plan, "coefficients", bucket, unlimited)


def rate_games(plan: MonthPlan, bucket: int) -> RatedBucket:
    """Rate the bucket's sides with what the buckets of players decided: refused tranches, and K after its limit.

    Writes the sides as stored (``SIDE``) and, for the buckets of players, the sums of the rated sides and the players
    of all games.
    """
    judged_events = plan.folder.read("judged_events", bucket)
    participants = plan.folder.read("rated_participants", bucket)
    refused, limited = (
        plan.folder.gather(table, plan.player_buckets, bucket) for table in ("refused_tranches", "limited_coefficients")
    )
    sides = player_games.refuse_tranches(plan.folder.read("sides", bucket), refused, participants)
    sides = player_games.rate_by_coefficients(sides, judged_events, participants, limited, plan.rules)
    _write_for_players(plan, "sums", bucket, sum_rated_sides(sides, judged_events, participants))
    first = _first_event(judged_events)
    stored = stored_sides(sides, participants).with_columns(pl.col("event_no") + first)
    _write_for_players(plan, "players_of_games", bucket, stored.select(pl.col("fide_id").unique()))
    plan.folder.write("rated_sides", bucket, stored)
    events = judged_events.select("reason").with_row_index("event_no", offset=first)
    with_k = stored.lazy().filter(pl.col("k").is_not_null()).select("event_no").unique().collect()
    return RatedBucket(len(stored), reasons_of_sides(stored, events), with_k["event_no"].to_list())


def _input(plan: MonthPlan, table: str, bucket: int) -> pl.DataFrame:
    return plan.folder.read(table, bucket, INPUTS_OF_EVENTS[table])


def _first_event(judged_events: pl.DataFrame) -> int:
    """Return the row among all events of the bucket's first one; 0 where the bucket has none."""
    return 0 if judged_events.is_empty() else int(judged_events.item(0, "row_of_all"))


def _write_for_players(plan: MonthPlan, table: str, bucket: int, rows: pl.DataFrame) -> None:
    plan.folder.write_split(table, bucket, rows.with_columns(plan.player_bucket(rows["fide_id"])))
