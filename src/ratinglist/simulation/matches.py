"""Matches: two rated players of similar strength over a few games, which may end early.

The colours change with every game; the first White is drawn by lot. A match is decided as soon as one player has more
than half of the possible points. Most matches end there, and the games not played are not reported. In the others all
games are played and count: the players requested it before the match (B.02 6.2).
"""

from __future__ import annotations

import polars as pl

from ratinglist.result_codes import POINT_HALVES
from ratinglist.simulation import people
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.outcome import with_results
from ratinglist.simulation.plan import World
from ratinglist.simulation.round_robin import CELL

MATCH = "match"
PLAYERS = 2
PLAYED_OUT_CHANCE = 250
"""Per thousand matches: all games are played, even after the decision."""
_LEAST_RATING = people.FLOOR + 100
"""Players near the floor are excluded: if one fell off the list before, no game of the match would be rated (6.1)."""


def with_two_players(world: World, month: int, events: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """Return ``events`` without the matches of groups that have fewer than two rated players for each match.

    ``events`` has ``event_no``, ``group`` and ``system``; ``requests`` comes from
    :func:`ratinglist.simulation.participation.entry_requests`.
    """
    seated = match_players(world, month, events, requests)["event_no"].unique().implode()
    return events.filter((pl.col("system") != MATCH) | pl.col("event_no").is_in(seated))


def match_players(world: World, month: int, events: pl.DataFrame, requests: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_no``, ``group`` and ``number`` of both players of every match; in as :func:`with_two_players`.

    The rated players of a group, sorted by rating, are divided evenly among its matches; of each share two neighbours
    are drawn.
    """
    matches = (
        events.filter(pl.col("system") == MATCH)
        .sort("group", "event_no")
        .select(
            "event_no",
            "group",
            pl.len().over("group").cast(pl.Int64).alias("matches"),
            pl.int_range(pl.len(), dtype=pl.Int64).over("group").alias("match_no"),
        )
    )
    rated = _rated_by_group(world, month, requests.join(matches.select("group").unique(), on="group", how="semi"))
    supply = rated.group_by("group").agg(pl.len().cast(pl.Int64).alias("supply"))
    share = pl.col("supply") // pl.col("matches")
    drawn = roll(world.seed, "opponents of a match", pl.col("event_no"), sides=(share - 1).clip(1))
    return (
        matches.join(supply, on="group")
        .filter(share >= PLAYERS)
        .with_columns(place=pl.col("match_no") * share + drawn)
        .select("event_no", "group", place=pl.int_ranges("place", pl.col("place") + PLAYERS, dtype=pl.Int64))
        .explode("place")
        .join(rated, on=["group", "place"])
        .select("event_no", "group", "number")
        .sort("event_no", "number")
    )


def _rated_by_group(world: World, month: int, requests: pl.DataFrame) -> pl.DataFrame:
    """Return ``group``, ``number`` and ``place`` (by rating, from 0 in each group) of the rated players."""
    players = people.with_strength(people.with_biography(requests.select("group", "number"), world), world, month)
    return (
        people.with_rating(players, world)
        .filter(pl.col("rating") >= _LEAST_RATING)
        .sort("group", "rating", "number")
        .select("group", "number", pl.int_range(pl.len(), dtype=pl.Int64).over("group").alias("place"))
    )


def play_matches(events: pl.DataFrame, entrants: pl.DataFrame, seed: int, expected: pl.Series) -> pl.DataFrame:
    """Return the cells of ``events``, matches of two players, up to the last game of each.

    In and out as :func:`ratinglist.simulation.play.play`; late entries and withdrawals do not occur.
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
    """Return ``cells`` without the games after the decision, except in matches that are played to their end."""
    halves = pl.col("result").replace_strict(POINT_HALVES, return_dtype=pl.Int32)
    halves_before = halves.cum_sum().over("event_no", "start_number") - halves
    played_out = per_thousand(seed, "played out", pl.col("event_no"), chance=PLAYED_OUT_CHANCE)
    # A game has two half points, so half of all points is as many half points as there are rounds.
    return (
        cells.with_columns(halves_before=halves_before)
        .with_columns(leading=pl.col("halves_before").max().over("event_no", "round"))
        .filter((pl.col("leading") <= pl.col("rounds")) | played_out)
    )


def shorten_matches(events: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Return ``events`` with ``rounds`` and ``days`` of each match cut to the games played, one a day."""
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
