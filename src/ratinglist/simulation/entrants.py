"""The entrants of a month's events: the first requests of each group by priority, distributed by lot."""

from __future__ import annotations

import polars as pl

from ratinglist.simulation import people
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.matches import MATCH, match_players
from ratinglist.simulation.people import NUMBER
from ratinglist.simulation.plan import World

_MAY_LEAVE = ("swiss", "italian_swiss")
_LATEST_ENTRY = 3


def entrants_of(world: World, month: int, events: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """Return the entrants of ``events``, sorted by event and start number (the highest rating first, unrated last).

    ``requests`` comes from :func:`ratinglist.simulation.participation.entry_requests`.

    Out: ``event_no``, ``start_number``, ``number`` (of the player), ``strength``, ``rating`` (null: unrated, or not
    registered), ``birth_date``, ``woman``, ``federation``, ``highest``, ``team``, ``board``, ``enters_round`` and
    ``leaves_after``.
    """
    seated = _with_unregistered(_assign_seats(world, month, events, requests), world, month, events)
    seated = people.with_strength(people.with_biography(seated, world), world, month)
    seated = people.with_rating(seated, world)
    order = ["event_no", pl.col("rating").fill_null(0), "number"]
    ranked = seated.sort(order, descending=[False, True, False]).with_columns(
        (pl.int_range(pl.len(), dtype=pl.Int32).over("event_no") + 1).alias("start_number")
    )
    return _with_attendance(ranked.join(_event_facts(events), on="event_no", maintain_order="left"), world).drop(
        "teams", "rounds", "may_leave", "activity"
    )


def _event_facts(events: pl.DataFrame) -> pl.DataFrame:
    return events.select(
        "event_no",
        pl.col("teams").cast(pl.Int32),
        pl.col("rounds").cast(pl.Int32),
        pl.col("system").is_in(_MAY_LEAVE).alias("may_leave"),
    )


def _assign_seats(world: World, month: int, events: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_no`` and ``number``: as many players of each group as its events have seats.

    The players of matches are taken first.
    """
    of_matches = match_players(world, month, events, requests)
    events = events.filter(pl.col("system") != MATCH)
    capacity = events.group_by("group").agg(pl.col("size").sum().alias("capacity"))
    at = pl.lit(month, dtype=pl.Int64)
    accepted = (
        requests.join(of_matches, on=["group", "number"], how="anti")
        .join(capacity, on="group")
        .sort("group", "priority", "number")
        .filter(pl.int_range(pl.len(), dtype=pl.Int64).over("group") < pl.col("capacity"))
        .with_columns(roll(world.seed, "seat", NUMBER, at, pl.col("group"), sides=1 << 30).alias("lot"))
        .sort("group", "lot", "number")
        .with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over("group").alias("seat"))
    )
    seats = (
        events.sort("group", "event_no")
        .select("event_no", "group", "size", (pl.col("size").cum_sum().over("group") - pl.col("size")).alias("first"))
        .with_columns(pl.int_ranges("first", pl.col("first") + pl.col("size"), dtype=pl.Int64).alias("seat"))
        .explode("seat")
    )
    seated = seats.join(accepted, on=["group", "seat"]).select("event_no", "number")
    return pl.concat([seated, of_matches.select("event_no", "number")])


def _with_unregistered(seated: pl.DataFrame, world: World, month: int, events: pl.DataFrame) -> pl.DataFrame:
    """Return ``seated`` with one player replaced in events with ``has_unregistered``.

    The new player is registered one month later.
    """
    event = pl.col("event_no")
    newcomer = world.registered(month) + roll(world.seed, "stranger", event, sides=world.newcomers)
    planted = events.filter("has_unregistered").select("event_no", newcomer.alias("newcomer"))
    replaced = pl.coalesce(
        pl.when(pl.col("number") == pl.col("number").max().over("event_no")).then("newcomer"), "number"
    )
    return seated.join(planted, on="event_no", how="left").select("event_no", replaced.alias("number"))


def _with_attendance(ranked: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``ranked`` with ``team``, ``board``, ``enters_round`` and ``leaves_after``."""
    seed, keys = world.seed, (pl.col("event_no"), NUMBER)
    place, is_team = pl.col("start_number") - 1, pl.col("teams") > 0
    may_leave = pl.col("may_leave") & (pl.col("rounds") > _LATEST_ENTRY)
    late = may_leave & per_thousand(seed, "late entry", *keys, chance=world.plan.late_entries)
    leaves = may_leave & ~late & per_thousand(seed, "withdrawal", *keys, chance=world.plan.withdrawals)
    entry = 2 + roll(seed, "entry", *keys, sides=_LATEST_ENTRY - 1)
    last = 1 + roll(seed, "last round", *keys, sides=(pl.col("rounds") - 1).clip(1))
    return ranked.with_columns(
        pl.when(is_team).then(place % pl.col("teams") + 1).cast(pl.Int32).alias("team"),
        pl.when(is_team).then(place // pl.col("teams") + 1).cast(pl.Int32).alias("board"),
        pl.when(late).then(entry).otherwise(1).cast(pl.Int32).alias("enters_round"),
        pl.when(leaves).then(last).otherwise("rounds").cast(pl.Int32).alias("leaves_after"),
    )
