"""Matches: two rated players of a like strength over a few games, which may end before their last.

The colours change with every game; who begins with White is drawn by lot. A match is decided as soon as one of the two
has more than half of the points that were to be had. Most end there, and what was not played is not reported; the
others asked beforehand that all their games count, as B.02 6.2 lets them.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation import people
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.outcome import with_results
from ratinglist.simulation.plan import World
from ratinglist.simulation.round_robin import CELL

MATCH = "match"
PLAYERS = 2
PLAYED_OUT_CHANCE = 250
"""Per thousand matches: all games are played, whenever it is decided."""
_LEAST_RATING = people.FLOOR + 100
"""Nobody near the floor: with a player who is off the list by then no game of a match would be rated (6.1)."""
_HALVES = {"1": 2, "+": 2, "=": 1, "0": 0, "-": 0}


def with_two_players(world: World, month: int, events: pl.DataFrame, wished: pl.DataFrame) -> pl.DataFrame:
    """``events`` without the matches of groups that have not two rated players for each of them.

    ``events`` has ``event_no``, ``group`` and ``system``; ``wished`` is as
    :func:`ratinglist.simulation.participation.wishes` gives it.
    """
    seated = opponents_of(world, month, events, wished)["event_no"].unique().implode()
    return events.filter((pl.col("system") != MATCH) | pl.col("event_no").is_in(seated))


def opponents_of(world: World, month: int, events: pl.DataFrame, wished: pl.DataFrame) -> pl.DataFrame:
    """``event_no``, ``group`` and ``number`` of both players of every match; in and out as :func:`with_two_players`.

    The rated players of a group, by strength, are shared out among its matches; of each share two neighbours are drawn.
    """
    held = (
        events.filter(pl.col("system") == MATCH)
        .sort("group", "event_no")
        .select(
            "event_no",
            "group",
            pl.len().over("group").cast(pl.Int64).alias("matches"),
            pl.int_range(pl.len(), dtype=pl.Int64).over("group").alias("turn"),
        )
    )
    listed = _rated(world, month, wished.join(held.select("group").unique(), on="group", how="semi"))
    supply = listed.group_by("group").agg(pl.len().cast(pl.Int64).alias("supply"))
    share = pl.col("supply") // pl.col("matches")
    drawn = roll(world.seed, "opponents of a match", pl.col("event_no"), sides=(share - 1).clip(1))
    return (
        held.join(supply, on="group")
        .filter(share >= PLAYERS)
        .with_columns(place=pl.col("turn") * share + drawn)
        .select("event_no", "group", place=pl.int_ranges("place", pl.col("place") + PLAYERS, dtype=pl.Int64))
        .explode("place")
        .join(listed, on=["group", "place"])
        .select("event_no", "group", "number")
        .sort("event_no", "number")
    )


def _rated(world: World, month: int, wished: pl.DataFrame) -> pl.DataFrame:
    """``group``, ``number`` and ``place``: the rated ones of ``wished`` by rating, from 0 in each group."""
    known = people.with_strength(people.with_lives(wished.select("group", "number"), world), world, month)
    return (
        people.with_rating(known, world)
        .filter(pl.col("rating") >= _LEAST_RATING)
        .sort("group", "rating", "number")
        .select("group", "number", pl.int_range(pl.len(), dtype=pl.Int64).over("group").alias("place"))
    )


def play_matches(events: pl.DataFrame, entrants: pl.DataFrame, seed: int, expected: pl.Series) -> pl.DataFrame:
    """The cells of ``events``, matches of two, up to the last game of each.

    In and out as :func:`ratinglist.simulation.play.play`; nobody enters late or withdraws.
    """
    event, number = pl.col("event_no"), pl.col("round")
    strengths = [
        entrants.filter(pl.col("start_number") == at).select("event_no", pl.col("strength").alias(f"strength_{at}"))
        for at in (1, PLAYERS)
    ]
    first_has_white = (number + roll(seed, "first colour", event, sides=2)) % 2 == 0
    scheduled = (
        events.select("event_no", "rounds", round=pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int32))
        .explode("round")
        .join(strengths[0], on="event_no")
        .join(strengths[1], on="event_no")
    )
    games = scheduled.select(
        "event_no",
        "rounds",
        "round",
        white_number=pl.when(first_has_white).then(1).otherwise(PLAYERS).cast(pl.Int32),
        black_number=pl.when(first_has_white).then(PLAYERS).otherwise(1).cast(pl.Int32),
        white_strength=pl.when(first_has_white).then("strength_1").otherwise("strength_2"),
        black_strength=pl.when(first_has_white).then("strength_2").otherwise("strength_1"),
        white_absent=pl.lit(value=False),
        black_absent=pl.lit(value=False),
    )
    played = with_results(games, seed, expected)
    sides = [
        played.select(
            "event_no",
            "round",
            "rounds",
            start_number=f"{own}_number",
            opponent=f"{other}_number",
            colour=pl.lit(own[0]),
            result=f"{own}_code",
        )
        for own, other in (("white", "black"), ("black", "white"))
    ]
    return _until_decided(pl.concat(sides).sort("event_no", "round", "start_number"), seed).select(*CELL)


def _until_decided(cells: pl.DataFrame, seed: int) -> pl.DataFrame:
    """``cells`` without the games after the decision, but for matches that are played to their end."""
    halves = pl.col("result").replace_strict(_HALVES, return_dtype=pl.Int32)
    had_before = halves.cum_sum().over("event_no", "start_number") - halves
    played_out = per_thousand(seed, "played out", pl.col("event_no"), chance=PLAYED_OUT_CHANCE)
    # Two half points a game were to be had: as many as there are rounds is half of the points.
    return (
        cells.with_columns(had=had_before)
        .with_columns(leading=pl.col("had").max().over("event_no", "round"))
        .filter((pl.col("leading") <= pl.col("rounds")) | played_out)
    )


def ended(events: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """``events`` whose matches have the ``rounds`` that were played, a day for each of them (``days``)."""
    last = cells.group_by("event_no").agg(pl.col("round").max().alias("last"))
    is_match = pl.col("system") == MATCH
    return (
        events.join(last, on="event_no", how="left", maintain_order="left")
        .with_columns(
            pl.when(is_match).then("last").otherwise("rounds").cast(events.schema["rounds"]).alias("rounds"),
            pl.when(is_match).then("last").otherwise("days").cast(events.schema["days"]).alias("days"),
        )
        .drop("last")
    )
