"""The steps of a month over one bucket of events or of players. Each reads and writes the tables of the plan.

Of events: :func:`describe_reports`, then the verdict on all events, :func:`games_to_compare` where a pairing occurs
twice, :func:`games_of_copies` where two codes may be one event, :func:`judge_games`. Of players: :func:`judge_players`.
Of events: :func:`rate_games`. Of players: :func:`rate_players`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.engine.plan import MonthPlan
from ratinglist.errors import CheckError
from ratinglist.rating import duplicate_games, player_games, rating_list
from ratinglist.rating.calculation import (
    TimeControlResult,
    rate_lists,
    stored_sides,
    sum_rated_sides,
    waiting_results,
)
from ratinglist.rating.model import JudgedMonth, by_fide_id, newest_months
from ratinglist.rating.participants import (
    GamesOfReports,
    distinct_participants,
    facts_of_reports,
    games_of,
    join_ratings,
    join_ratings_at_start,
    persons_of,
)
from ratinglist.rating.rating_list import PlayerLookup, unlisted_among, unrated_players
from ratinglist.schemas import CHANGE, ENTRY, POOL, SYSTEM_STATE, UNRATED


@dataclass(frozen=True, slots=True)
class RatedBucket:
    """What was counted of rated sides: all, those not rated by their reason, and the events with a K."""

    sides: int
    reasons: Counter[str]
    events_with_k: list[int]


@dataclass(frozen=True, slots=True)
class _ReportRows:
    """What the selected reports alone determine, by their ``report_row``: the same whatever the ratings.

    ``participants`` without ratings and their ``persons``; ``games`` with the participants by row number; ``of_games``:
    what the verdicts need of these (:mod:`~ratinglist.rating.participants`); ``pairings``: the keys of the games.
    """

    participants: pl.DataFrame
    persons: pl.DataFrame
    games: pl.DataFrame
    of_games: GamesOfReports
    pairings: pl.DataFrame

    @classmethod
    def of(cls, plan: MonthPlan, bucket: int) -> _ReportRows:
        lines, games, persons = (plan.take_input(name, bucket) for name in ("report_lines", "report_games", "persons"))
        participants = distinct_participants(lines)
        persons = persons_of(participants, persons)
        games = games_of(games, participants)
        keys = duplicate_games.pairing_keys(games, participants)
        if plan.event_buckets == 1:
            # No other bucket has them again.
            keys = keys.filter(pl.col("key").is_duplicated())
        return cls(participants, persons, games, GamesOfReports.of(games, participants), keys)


def describe_reports(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return the facts of the bucket's reports that the verdict on their events needs.

    Out: :func:`~ratinglist.rating.participants.facts_of_reports`, with ``bucket`` and, for ``report_row``,
    ``row_in_bucket``. Writes the participants, the games by their rows, and the keys of the pairings.
    """
    tables = plan.tables
    reports = tables.take("reports", bucket)
    rows: _ReportRows = plan.shared(("reports", bucket, *reports["report_id"]), lambda: _ReportRows.of(plan, bucket))
    ratings = plan.input_of_events("opening_ratings", bucket)
    participants = join_ratings_at_start(rows.participants, reports, ratings)
    tables.write("participants", bucket, participants)
    tables.write("registered", bucket, rows.persons)
    tables.write("games", bucket, rows.games)
    to_bucket = (pl.col("key") % plan.event_buckets).cast(pl.Int32).alias("to_bucket")
    tables.write_split("pairings", bucket, rows.pairings.with_columns(to_bucket))
    facts = facts_of_reports(participants, rows.persons, rows.of_games)
    return facts.rename({"report_row": "row_in_bucket"}).with_columns(pl.lit(bucket, dtype=pl.Int32).alias("bucket"))


def repeated_keys(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return the keys of pairings that occur more than once: ``from_bucket`` and ``key``.

    ``bucket`` is one of keys: the pairings of all buckets of events whose key has this remainder.
    """
    keys = plan.tables.gather("pairings", plan.event_buckets, bucket)
    return keys.filter(pl.col("key").is_duplicated()).unique().select("from_bucket", "key")


def games_to_compare(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return the bucket's games that may be in another report too, with ``event_row`` among all events."""
    tables = plan.tables
    events, earlier = tables.read("judged_events", bucket), tables.read("earlier_games", 0)
    keys = tables.take("keys_to_compare", bucket)["key"]

    def find() -> pl.DataFrame:
        games, participants = tables.read("games", bucket), tables.read("participants", bucket)
        found = duplicate_games.games_of_keys(events, games, participants, keys, earlier)
        return found.with_columns(pl.col("event_row") + _first_event(events))

    compared = ("compared", bucket, *events["report_id"], *(events["status"] == "rated"))
    return find() if len(earlier) else plan.shared(compared, find)


def games_of_copies(plan: MonthPlan, bucket: int) -> pl.DataFrame:
    """Return every game of the bucket's events that may be copies, with ``event_row`` among all events."""
    tables = plan.tables
    events, copies = tables.read("judged_events", bucket), tables.read("possible_copies", 0)["report_id"]
    games, participants = tables.read("games", bucket), tables.read("participants", bucket)
    found = duplicate_games.games_of_events(events, games, participants, copies)
    return found.with_columns(pl.col("event_row") + _first_event(events))


def judged_bucket(plan: MonthPlan, bucket: int) -> JudgedMonth:
    """Return the bucket's judged events, with the ratings of their participants and the sides of their games."""
    tables = plan.tables
    events = tables.read("judged_events", bucket)
    games, participants = tables.take("games", bucket), tables.take("participants", bucket)
    months, registered = newest_months(plan.lists_there), tables.take("registered", bucket)
    of_reports = (bucket, *events["report_id"], *(events["status"] == "superseded"))
    return JudgedMonth(
        events=events,
        participants=join_ratings(participants, events, plan.newest_ratings(bucket), months, registered),
        sides=plan.shared(of_reports, lambda: player_games.sides_of_games(events, games, participants)),
        duplicate_sides=tables.take("duplicate_sides", bucket),
        first_event=_first_event(events),
    )


def judge_games(plan: MonthPlan, bucket: int) -> None:
    """Decide which sides of the bucket's games are rated or may count for an entry.

    Writes the sides and the participants with their ratings, and, for the buckets of players, the tranches and each K
    before its limit.
    """
    judged = judged_bucket(plan, bucket)
    plan.show(judged)
    participants = judged.participants
    sides = player_games.add_ratings(judged.sides, participants)
    sides = player_games.add_reasons(sides, judged.events, participants, judged.duplicate_sides)
    plan.tables.write("sides", bucket, sides)
    plan.tables.write("rated_participants", bucket, participants)
    _write_for_players(plan, "tranches", bucket, player_games.sum_tranches(sides, judged.events, participants))
    unlimited = player_games.coefficients(sides, judged.events, participants, plan.rules_of_list)
    _write_for_players(plan, "coefficients", bucket, unlimited)


def rate_games(plan: MonthPlan, bucket: int) -> RatedBucket:
    """Rate the bucket's sides with what the buckets of players decided: refused tranches, and K after its limit.

    Writes the sides as stored (``SIDE``) and, for the buckets of players, the sums of the rated sides and the players
    of all games.
    """
    tables = plan.tables
    judged_events = tables.read("judged_events", bucket)
    participants = tables.take("rated_participants", bucket)
    refused, limited = (
        tables.gather(table, plan.player_buckets, bucket) for table in ("refused_tranches", "limited_coefficients")
    )
    sides = player_games.refuse_tranches(tables.take("sides", bucket), refused, participants)
    sides = player_games.rate_by_coefficients(sides, judged_events, participants, limited, plan.rules)
    _write_for_players(plan, "sums", bucket, sum_rated_sides(sides, judged_events, participants))
    if plan.study is not None:
        sides = sides.filter(pl.col("reason") != "")
    stored = stored_sides(sides, participants, _first_event(judged_events))
    return write_sides(plan, bucket, stored, judged_events)


def write_sides(plan: MonthPlan, bucket: int, stored: pl.DataFrame, judged_events: pl.DataFrame) -> RatedBucket:
    """Write the rated sides of a bucket and count them; of a study neither reasons nor players are needed.

    For the buckets of players, the players of all games are written.
    """
    plan.tables.write("rated_sides", bucket, stored)
    if plan.study is not None:
        return RatedBucket(len(stored), Counter(), [])
    _write_for_players(plan, "players_of_games", bucket, stored.select(pl.col("fide_id").unique()))
    events = judged_events.select("reason").with_row_index("event_no", offset=_first_event(judged_events))
    with_k = stored.lazy().filter(pl.col("reason") == "").select("event_no").unique().collect()
    return RatedBucket(len(stored), _reasons_of_sides(stored, events), with_k["event_no"].to_list())


def _reasons_of_sides(sides: pl.DataFrame, events: pl.DataFrame) -> Counter[str]:
    """Return how many sides each reason keeps from being rated, that of their event or their own.

    In: ``sides``: ``event_no`` and ``reason`` (null: that of the event); ``events``: ``event_no`` and ``reason``.
    """
    not_rated = (
        sides.lazy()
        .filter(pl.col("reason").ne_missing(pl.lit("")))
        .group_by("event_no", "reason")
        .len("times")
        .collect()
    )
    of_event = events.select("event_no", pl.col("reason").alias("event_reason"))
    counted_reasons = not_rated.join(of_event, on="event_no").select(
        pl.coalesce(pl.col("reason").cast(pl.String), "event_reason").alias("reason"), "times"
    )
    return Counter(dict(counted_reasons.group_by("reason").agg(pl.col("times").sum()).iter_rows()))


def _first_event(judged_events: pl.DataFrame) -> int:
    """Return the row among all events of the bucket's first one; 0 where the bucket has none."""
    return 0 if judged_events.is_empty() else int(judged_events.item(0, "row_of_all"))


def _write_for_players(plan: MonthPlan, table: str, bucket: int, rows: pl.DataFrame) -> None:
    plan.tables.write_split(table, bucket, rows.with_columns(plan.player_bucket(rows["fide_id"])))


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
