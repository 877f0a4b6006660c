"""Who plays in the events of a month: the requests of the players, and the entrants of each event.

A request has a federation, a section, a slot and a priority. The first requests of each group by priority are
distributed to its events by lot.

A month has three slots of eight days. A player has at most one request in a slot, so they never play in two events at
once.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation import people
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.matches import MATCH, match_players
from ratinglist.simulation.people import NUMBER
from ratinglist.simulation.plan import World

SLOTS = 3
OPEN, YOUTH, WEAKEST_CLASS = 0, 1, 2
"""Sections; the classes by strength follow from 2 on."""
CLASS_STEPS = (1600, 1900, 2200)
SECTIONS = WEAKEST_CLASS + len(CLASS_STEPS) + 1
_YOUTH_MONTHS = 18 * 12
_REQUESTS = (1, 2, 3, 3)
_PRIORITY_DIVISORS = (1, 4, 16, 64)
"""By activity: requests a month, and the divisor of their ``priority``: the lowest priority is served first."""
_PRIORITIES = 1 << 24
_LATEST_ENTRY = 3


def group_of(federation: pl.Expr, section: pl.Expr, slot: pl.Expr) -> pl.Expr:
    """Return one number for a federation, a section and a slot: the players of a group may meet in an event."""
    return ((federation * SECTIONS + section) * SLOTS + slot).cast(pl.Int32)


def federation_of(group: pl.Expr) -> pl.Expr:
    """Return the federation's index among those of the world."""
    return group // (SECTIONS * SLOTS)


def section_of(group: pl.Expr) -> pl.Expr:
    """Return the section: 0 open, 1 youth, then the classes by strength."""
    return group // SLOTS % SECTIONS


def slot_of(group: pl.Expr) -> pl.Expr:
    """Return the slot: the third of the month, from 0."""
    return group % SLOTS


def entry_requests(world: World, month: int) -> pl.DataFrame:
    """Return the requests of all players in ``month``: ``number``, ``group``, ``priority`` (the lowest comes first)."""
    seed, at = world.seed, pl.lit(month, dtype=pl.Int64)
    frame = people.with_strength(people.with_biography(people.numbers(world, month), world), world, month)
    frame = _available(frame, world, month).select(
        "number",
        "federation",
        "activity",
        _section(world, month).alias("section"),
        roll(seed, "first slot", NUMBER, at, sides=SLOTS).alias("slot"),
    )
    divisor = pl.lit(pl.Series(_PRIORITY_DIVISORS, dtype=pl.Int64)).gather("activity")
    parts = []
    for request_no in range(max(_REQUESTS)):
        keys = NUMBER, at, pl.lit(request_no, dtype=pl.Int64)
        has_request = pl.lit(pl.Series(_REQUESTS, dtype=pl.Int32)).gather("activity") > request_no
        slot = (pl.col("slot") + request_no) % SLOTS
        parts.append(
            frame.filter(has_request).select(
                "number",
                group_of(_requested_federation(world, *keys), pl.col("section"), slot).alias("group"),
                (roll(seed, "priority", *keys, sides=_PRIORITIES) // divisor).alias("priority"),
            )
        )
    return _merge_small_classes(pl.concat(parts), world)


def _available(frame: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """Return ``frame`` without most of the unrated players.

    The month's newcomers get the highest activity: they were registered in order to play.
    """
    is_new = NUMBER.ge(world.registered(month - 1))
    is_rated = people.may_be_rated(world) & (pl.col("strength") >= people.FLOOR)
    at_home = per_thousand(
        world.seed, "at home", NUMBER, pl.lit(month, dtype=pl.Int64), chance=world.plan.unrated_at_home
    )
    return frame.filter(is_new | is_rated | ~at_home).with_columns(
        pl.when(is_new).then(len(_PRIORITY_DIVISORS) - 1).otherwise("activity").alias("activity")
    )


def _section(world: World, month: int) -> pl.Expr:
    """Return the section of a player's requests in ``month``: open, or the class of their age or strength."""
    in_class = per_thousand(
        world.seed, "in a class", NUMBER, pl.lit(month, dtype=pl.Int64), chance=world.plan.class_events
    )
    young = people.age_months(pl.col("birth_date"), world.period(month)) < _YOUTH_MONTHS
    steps = [(pl.col("strength") >= step).cast(pl.Int32) for step in CLASS_STEPS]
    by_strength = WEAKEST_CLASS + pl.sum_horizontal(steps)
    return pl.when(~in_class).then(OPEN).when(young).then(YOUTH).otherwise(by_strength).cast(pl.Int32)


def _requested_federation(world: World, *keys: pl.Expr) -> pl.Expr:
    """Return the federation of a request: mostly the player's own."""
    anywhere = roll(world.seed, "abroad", *keys, sides=len(world.federations)).cast(pl.Int32)
    travels = per_thousand(world.seed, "travels", *keys, chance=world.plan.travels)
    return pl.when(travels).then(anywhere).otherwise("federation")


def _merge_small_classes(frame: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``frame`` with the requests of small classes moved to the open section of the same federation and slot."""
    counts = frame["group"].value_counts()
    small = counts.filter(pl.col("count") < world.plan.smallest_class)["group"]
    group = pl.col("group")
    to_open = group_of(federation_of(group), pl.lit(OPEN), slot_of(group))
    return frame.with_columns(pl.when(group.is_in(small.implode())).then(to_open).otherwise(group).alias("group"))


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
        (pl.col("system") == "swiss").alias("may_leave"),
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
