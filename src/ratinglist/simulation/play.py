"""Play whole events, from the entrants to the cells of the reports.

Each event is paired by its own system, and all events of one system are played at once.
"""

from __future__ import annotations

from functools import reduce

import polars as pl

from ratinglist.simulation.italian_swiss import ITALIAN_SWISS
from ratinglist.simulation.matches import MATCH, play_matches
from ratinglist.simulation.round_robin import CELL, play_round_robins, rounds_of_cycle
from ratinglist.simulation.rounds import System, play_rounds


def swiss_boards(present: pl.DataFrame) -> pl.DataFrame:
    """Return the boards (``event_no``, ``first``, ``second``) of the players ``present``, an even number in each event.

    ``present`` has ``event_no``, ``row``, ``score`` (half points) and ``place``. Earlier games are not considered.
    """
    ranked = present.sort("event_no", "score", "place", descending=[False, True, False]).select(
        "event_no", "row", "score", rank=pl.int_range(pl.len(), dtype=pl.Int64).over("event_no")
    )
    group = ["event_no", "score"]
    top, bottom = pl.col("rank").min().over(group), pl.col("rank").max().over(group)
    # Brackets begin at even ranks: if a group begins at an odd rank, the player before it floats down to it.
    floats_down = (bottom % 2 == 0) & (pl.col("rank") == bottom)
    bracketed = ranked.with_columns(bracket=pl.when(floats_down).then("rank").otherwise(top - top % 2))
    score = pl.col("score")
    bracketed = bracketed.with_columns(
        inside=pl.col("rank") - pl.col("bracket"),
        half=pl.len().cast(pl.Int64).over("event_no", "bracket") // 2,
        floaters=(score.max() != score.min()).cast(pl.Int64).over("event_no", "bracket"),
    )
    # A floater meets the first player of the group; the halves are made of the others.
    inside, floaters, half = pl.col("inside"), pl.col("floaters"), pl.col("half")
    within, halved = inside - 2 * floaters, half - floaters
    seated = bracketed.with_columns(
        board=pl.col("bracket") // 2 + pl.when(within < 0).then(0).otherwise(floaters + within % halved),
        side=pl.when(within < 0).then(inside).otherwise(within // halved),
    ).sort("event_no", "board", "side")
    return pl.DataFrame(
        {
            "event_no": seated["event_no"].gather_every(2),
            "first": seated["row"].gather_every(2),
            "second": seated["row"].gather_every(2, 1),
        }
    )


_FIRST_RANKS_HIGHER = (pl.col("score_first") > pl.col("score_second")) | (
    (pl.col("score_first") == pl.col("score_second")) & (pl.col("place_first") < pl.col("place_second"))
)

SWISS = System(
    with_places=lambda players, _seed: players.with_columns(place="start_number"),
    bye_order=pl.col("score") * (1 << 20) - pl.col("place"),
    boards=swiss_boards,
    first_has_white=pl.when(pl.col("preference_first") == 0)
    .then(pl.col("place_first") % 2 == pl.col("lot"))
    .otherwise((pl.col("preference_first") > 0) == _FIRST_RANKS_HIGHER),
    exchanges_for_colours=True,
)
"""The Swiss system, a simplified Dutch system (Handbook C.04.3).

Players are ranked by score, then by start number. Players with equal scores are a group. The last player of a group
with an odd number floats down to the next group and meets its first player. Of the others the upper half meets the
lower half, first against first. Two players who have met, or who prefer the same colour, are separated by the smallest
exchange that helps (:mod:`~ratinglist.simulation.exchanges`): within the lower half, between the halves, then with the
neighbouring groups. With an odd number of players the bye goes to the last one who has had no point without playing.

Colour preferences are granted. Of two equal ones, the higher ranked player's is; in the first round the colour of the
top board is drawn by lot and the boards alternate.

Differences from the Dutch system: not all transpositions are compared in their full order, floaters of earlier rounds
are not protected, and the last round has no exception for the top scorers.
"""

BY_SCORE = {"swiss": SWISS, "italian_swiss": ITALIAN_SWISS}
BY_SCHEDULE = ("round_robin", "double_round_robin", "team")

MOST_SWISS_ROUNDS = 11
_MOST_PLAYERS = 1 << 16


def rounds_needed(system: pl.Expr, players: pl.Expr) -> pl.Expr:
    """Return the number of rounds of an event of ``players`` (of teams, for ``team``) (Int32).

    Round robins: one cycle or two. Swiss: two more than are needed to leave one player without a loss, at most 11, and
    at most half the players, so that every player always finds a new opponent. Italian-Swiss: at least a third of the
    players (article 2 of its regulation), with the same limits.
    """
    players = players.cast(pl.Int32)
    doublings = reduce(
        lambda sum_, power: sum_ + (players > (1 << power)).cast(pl.Int32),
        range(_MOST_PLAYERS.bit_length()),
        pl.lit(0, dtype=pl.Int32),
    )
    third = pl.when(system == "italian_swiss").then((players + 2) // 3).otherwise(0)
    most = (players // 2).clip(1, MOST_SWISS_ROUNDS)
    cycle = rounds_of_cycle(players)
    return (
        pl.when(system.is_in(["round_robin", "team"]))
        .then(cycle)
        .when(system == "double_round_robin")
        .then(2 * cycle)
        .otherwise(pl.min_horizontal(pl.max_horizontal(doublings + 2, third), most))
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
    for name, system in BY_SCORE.items():
        chosen = events.filter(pl.col("system") == name)
        if len(chosen):
            parts += play_rounds(chosen, entrants, seed, expected, system)
    scheduled = events.filter(pl.col("system").is_in(BY_SCHEDULE))
    if len(scheduled):
        parts.append(play_round_robins(scheduled, entrants, seed, expected))
    matches = events.filter(pl.col("system") == MATCH)
    if len(matches):
        parts.append(play_matches(matches, entrants, seed, expected))
    return pl.concat(parts).sort("event_no", "round", "start_number")
