"""Play whole events, from the entrants to the cells of the reports.

Each event is paired by its own system, and all events of one system are played at once.
"""

from __future__ import annotations

from functools import reduce

import polars as pl

from ratinglist.simulation.matches import MATCH, play_matches
from ratinglist.simulation.round_robin import CELL, play_round_robins, rounds_of_cycle
from ratinglist.simulation.rounds import play_rounds

BY_SCHEDULE = ("round_robin", "double_round_robin", "team")

MOST_SWISS_ROUNDS = 11
_MOST_PLAYERS = 1 << 16


def rounds_needed(system: pl.Expr, players: pl.Expr) -> pl.Expr:
    """Return the number of rounds of an event of ``players`` (of teams, for ``team``) (Int32).

    Round robins: one cycle or two. Swiss: two more than are needed to leave one player without a loss, at most 11, and
    at most half the players, so that every player always finds a new opponent.
    """
    players = players.cast(pl.Int32)
    doublings = reduce(
        lambda sum_, power: sum_ + (players > (1 << power)).cast(pl.Int32),
        range(_MOST_PLAYERS.bit_length()),
        pl.lit(0, dtype=pl.Int32),
    )
    most = (players // 2).clip(1, MOST_SWISS_ROUNDS)
    cycle = rounds_of_cycle(players)
    return (
        pl.when(system.is_in(["round_robin", "team"]))
        .then(cycle)
        .when(system == "double_round_robin")
        .then(2 * cycle)
        .otherwise(pl.min_horizontal(doublings + 2, most))
        .cast(pl.Int32)
    )


def play(events: pl.DataFrame, entrants: pl.DataFrame, seed: int, expected: pl.Series) -> pl.DataFrame:
    """Return every entrant's cell of every round, sorted by event, round and start number.

    A match may end before its last round; it has no cells for the rounds after its end.

    ``events``: ``event_no`` (UInt32), ``system`` (of ``plan.SYSTEMS``) and ``rounds`` (Int32).
    ``entrants``: ``event_no``, ``start_number`` (Int32, 1 to n in starting order), ``strength`` (Int32, rating points),
    ``team`` and ``board`` (Int32, from 1 within the event; null where there are none), ``enters_round`` (Int32, 1: from
    the start) and ``leaves_after`` (Int32, the last round the player attends).
    ``expected``: the higher rated player's expected score in hundredths by rating difference (8.1.2).

    Out: ``event_no``, ``round``, ``start_number``, ``opponent`` (start number; null without one), ``colour``
    (``w``, ``b``, ``-``) and ``result``, a code of the report format: ``1 = 0`` over the board, ``+ -`` by forfeit,
    ``H`` a requested half-point bye, ``U`` (from some programs ``F``) the allocated bye of an odd number, ``Z`` absent
    or free without a point.
    """
    events = events.sort("event_no")
    entrants = entrants.sort("event_no", "start_number")
    parts = [pl.DataFrame(schema=CELL)]
    swiss = events.filter(pl.col("system") == "swiss")
    if len(swiss):
        parts += play_rounds(swiss, entrants, seed, expected)
    scheduled = events.filter(pl.col("system").is_in(BY_SCHEDULE))
    if len(scheduled):
        parts.append(play_round_robins(scheduled, entrants, seed, expected))
    matches = events.filter(pl.col("system") == MATCH)
    if len(matches):
        parts.append(play_matches(matches, entrants, seed, expected))
    return pl.concat(parts).sort("event_no", "round", "start_number")
