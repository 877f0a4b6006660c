"""Round robins by the Berger tables, computed instead of looked up (Handbook C.05, annex 1).

With an even number *n* of players, round *r* has a turning point *k* = 1 + (r − 1) · n/2 mod (n − 1). The player *k*
meets number *n*, and two others meet if *k* is halfway between them on the circle of the numbers 1 to *n* − 1;
the one on the first half of the circle after *k* has White. Number *n* has White in even rounds.
With an odd number of players the last number of the next table is a dummy: the player who would meet it is free.

In a second cycle the colours are reversed, and the last two rounds of the first cycle are swapped, so that no player
has the same colour three times in a row. In a team league the teams meet by the same tables; the team with White has it
on the odd boards, the other one on the even boards.

A player who has not arrived yet or has withdrawn loses by forfeit: the schedule is fixed before the event.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.outcome import with_results

CELL = {
    "event_no": pl.UInt32(),
    "round": pl.Int32(),
    "start_number": pl.Int32(),
    "opponent": pl.Int32(),
    "colour": pl.String(),
    "result": pl.String(),
}
"""One round of one entrant: ``opponent`` is a start number, null without one; the colour is ``w``, ``b`` or ``-``."""


def rounds_of_cycle(players: pl.Expr) -> pl.Expr:
    """Return the number of rounds until all players have met each other once."""
    return players + players % 2 - 1


def berger(number: pl.Expr, table: pl.Expr, round_no: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return the opponent's number and whether the player has White, for ``number`` in a table for ``table`` players.

    ``table`` is even; ``round_no`` counts from 1.
    """
    circle = table - 1
    turning = 1 + (round_no - 1) * (table // 2) % circle
    # Modulo 1 everything is 0: a table of two has one player on its circle, who meets number 2.
    mirrored = (2 * turning - number - 1) % circle + 1
    opponent = pl.when(number == table).then(turning).when(number == turning).then(table).otherwise(mirrored)
    after_turning = (number - turning) % circle
    white = (
        pl.when(number == table)
        .then(round_no % 2 == 0)
        .when(number == turning)
        .then(round_no % 2 == 1)
        .otherwise(after_turning < table // 2)
    )
    return opponent, white


def play_round_robins(events: pl.DataFrame, entrants: pl.DataFrame, seed: int, expected: pl.Series) -> pl.DataFrame:
    """Return the cells of round robins of players or teams, one row per entrant and round.

    ``events``: ``event_no``, ``system`` (``round_robin``, ``double_round_robin`` or ``team``), ``rounds``.
    ``entrants``: one row per player with ``event_no``, ``start_number``, ``strength``, ``team``, ``board``,
    ``enters_round``, ``leaves_after``; teams and boards are numbered from 1 within the event.
    ``expected`` as in :func:`~ratinglist.simulation.outcome.with_results`.
    """
    schedule = _schedule(events, entrants)
    side = schedule.select(
        "event_no",
        "round",
        "start_number",
        "strength",
        "white",
        place="opponent_place",
        absent=~pl.col("round").is_between("enters_round", "leaves_after"),
        at_board="at_board",
        opponent_place="place",
    )
    opponents = schedule.select(
        "event_no",
        "round",
        "place",
        "at_board",
        opponent="start_number",
        opponent_strength="strength",
        opponent_absent=~pl.col("round").is_between("enters_round", "leaves_after"),
    )
    cells = side.join(opponents, on=["event_no", "round", "place", "at_board"], how="left", maintain_order="left")
    games = cells.filter(pl.col("white") & pl.col("opponent").is_not_null()).select(
        "event_no",
        "round",
        white_number="start_number",
        black_number="opponent",
        white_strength="strength",
        black_strength="opponent_strength",
        white_absent="absent",
        black_absent="opponent_absent",
    )
    played = with_results(games, seed, expected)
    of_white = played.select("event_no", "round", start_number="white_number", code="white_code")
    of_black = played.select("event_no", "round", start_number="black_number", code="black_code")
    codes = pl.concat([of_white, of_black])
    alone = pl.col("opponent").is_null()
    # A team without a player for a board loses there by forfeit. Without an opposing team the round is free (Z).
    unopposed = pl.col("place").is_not_null() & pl.col("at_board").is_not_null() & ~pl.col("absent")
    return cells.join(codes, on=["event_no", "round", "start_number"], how="left").select(
        "event_no",
        "round",
        "start_number",
        "opponent",
        colour=pl.when(alone).then(pl.lit("-")).when("white").then(pl.lit("w")).otherwise(pl.lit("b")),
        result=pl.when(~alone).then("code").when(unopposed).then(pl.lit("+")).otherwise(pl.lit("Z")),
    )


def _schedule(events: pl.DataFrame, entrants: pl.DataFrame) -> pl.DataFrame:
    """Return every entrant in every round with ``place``, ``opponent_place``, ``at_board`` and ``white``.

    ``place`` is the number in the Berger table: the start number, or that of the team. ``opponent_place`` is null if
    the round is free or the player has no board.
    """
    is_team = pl.col("system") == "team"
    numbered = entrants.join(events, on="event_no", how="inner").with_columns(
        place=pl.when(is_team).then("team").otherwise("start_number").cast(pl.Int32),
        at_board=pl.when(is_team).then("board").otherwise(pl.lit(1)).cast(pl.Int32),
    )
    places = pl.col("place").max().over("event_no")
    cycle = rounds_of_cycle(pl.col("places"))
    in_cycle = (pl.col("round") - 1) % cycle + 1
    second = pl.col("round") > cycle
    # Without the swap a player could have the same colour three times in a row where the cycles meet.
    changes_places = (pl.col("rounds") > cycle) & ~second & (cycle >= 3) & (in_cycle >= cycle - 1)
    table_round = pl.when(changes_places).then(2 * cycle - 1 - in_cycle).otherwise(in_cycle)
    opponent, white = berger(pl.col("place"), pl.col("places") + pl.col("places") % 2, pl.col("table_round"))
    return (
        numbered.with_columns(places=places, round=pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int32))
        .explode("round")
        .with_columns(table_round=table_round, reversed=second)
        .with_columns(opponent_place=opponent, white=white != pl.col("reversed"))
        .with_columns(
            opponent_place=pl.when(
                (pl.col("opponent_place") <= pl.col("places")) & pl.col("at_board").is_not_null()
            ).then("opponent_place"),
            # White on the odd boards is Black on the even ones.
            white=pl.col("white") != (pl.col("at_board").fill_null(1) % 2 == 0),
        )
    )
