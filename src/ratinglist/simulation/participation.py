"""Who would like to play in a month, where, when and among whom; the keenest first.

A month has three slots of eight days. A player has at most one wish in a slot, so nobody plays in two places at once.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation import careers, people
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.people import NUMBER
from ratinglist.simulation.plan import World

SLOTS = 3
OPEN, YOUTH, WEAKEST_CLASS = 0, 1, 2
"""Sections; the classes by strength follow from 2 on."""
CLASS_STEPS = (1600, 1900, 2200)
SECTIONS = WEAKEST_CLASS + len(CLASS_STEPS) + 1
_YOUTH_MONTHS = 18 * 12
_WISHES = (1, 2, 3, 3)
_KEENNESS = (1, 4, 16, 64)
"""By activity: wishes a month, and how much more often they are heard."""
_LOTS = 1 << 24


def group_of(federation: pl.Expr, section: pl.Expr, slot: pl.Expr) -> pl.Expr:
    """One number for a federation, a section and a slot: those who may meet in an event."""
    return ((federation * SECTIONS + section) * SLOTS + slot).cast(pl.Int32)


def federation_of(group: pl.Expr) -> pl.Expr:
    """The federation's place among the world's."""
    return group // (SECTIONS * SLOTS)


def section_of(group: pl.Expr) -> pl.Expr:
    """The section: 0 open, 1 youth, then the classes by strength."""
    return group // SLOTS % SECTIONS


def slot_of(group: pl.Expr) -> pl.Expr:
    """The third of the month, from 0."""
    return group % SLOTS


def wishes(world: World, month: int) -> pl.DataFrame:
    """Everybody's wishes to play in ``month``: ``number``, ``group``, ``priority`` (the lowest is heard first)."""
    seed, at = world.seed, pl.lit(month, dtype=pl.Int64)
    frame = people.with_strength(people.with_lives(people.numbers(world, month), world), world, month)
    frame = _who_might(frame, world, month).select(
        "number",
        "federation",
        "activity",
        _section(world, month).alias("section"),
        roll(seed, "first slot", NUMBER, at, sides=SLOTS).alias("slot"),
    )
    keenness = pl.lit(pl.Series(_KEENNESS, dtype=pl.Int64)).gather("activity")
    parts = []
    for turn in range(max(_WISHES)):
        keys = NUMBER, at, pl.lit(turn, dtype=pl.Int64)
        has_turn = pl.lit(pl.Series(_WISHES, dtype=pl.Int32)).gather("activity") > turn
        parts.append(
            frame.filter(has_turn).select(
                "number",
                group_of(_place(world, *keys), pl.col("section"), (pl.col("slot") + turn) % SLOTS).alias("group"),
                (roll(seed, "priority", *keys, sides=_LOTS) // keenness).alias("priority"),
            )
        )
    return _merged(pl.concat(parts), world)


def _who_might(frame: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """``frame`` without most of the unrated; the month's newcomers are the keenest: they were registered to play."""
    is_new = NUMBER.ge(world.known(month - 1))
    is_rated = people.may_be_rated(world) & (pl.col("strength") >= people.FLOOR)
    at_home = per_thousand(
        world.seed, "at home", NUMBER, pl.lit(month, dtype=pl.Int64), chance=world.plan.unrated_at_home
    )
    return frame.filter(is_new | is_rated | ~at_home).with_columns(
        pl.when(is_new).then(len(_KEENNESS) - 1).otherwise("activity").alias("activity")
    )


def _section(world: World, month: int) -> pl.Expr:
    in_class = per_thousand(
        world.seed, "in a class", NUMBER, pl.lit(month, dtype=pl.Int64), chance=world.plan.class_events
    )
    young = careers.age_months(pl.col("birth_date"), world.period(month)) < _YOUTH_MONTHS
    steps = [(pl.col("strength") >= step).cast(pl.Int32) for step in CLASS_STEPS]
    by_strength = WEAKEST_CLASS + pl.sum_horizontal(steps)
    return pl.when(~in_class).then(OPEN).when(young).then(YOUTH).otherwise(by_strength).cast(pl.Int32)


def _place(world: World, *keys: pl.Expr) -> pl.Expr:
    """The federation a wish is for: mostly the player's own."""
    anywhere = roll(world.seed, "abroad", *keys, sides=len(world.federations)).cast(pl.Int32)
    travels = per_thousand(world.seed, "travels", *keys, chance=world.plan.travels)
    return pl.when(travels).then(anywhere).otherwise("federation")


def _merged(frame: pl.DataFrame, world: World) -> pl.DataFrame:
    """``frame`` where too small classes play in the open events of the federation and slot."""
    counts = frame["group"].value_counts()
    small = counts.filter(pl.col("count") < world.plan.smallest_class)["group"]
    group = pl.col("group")
    to_open = group_of(federation_of(group), pl.lit(OPEN), slot_of(group))
    return frame.with_columns(pl.when(group.is_in(small.implode())).then(to_open).otherwise(group).alias("group"))
