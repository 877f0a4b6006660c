"""Round after round: who is there, who is free, who meets whom with which colour, and how it ends.

What all systems share whose pairs depend on the scores. A :class:`System` says what it does in its own way. All events
of one system are played at once; only the rounds come one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from ratinglist.simulation.colours import balance_after, first_is_white, run_after, wish
from ratinglist.simulation.exchanges import exchanged, met, met_columns
from ratinglist.simulation.fallback_matching import pair_unmet
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.outcome import with_results

HALF_POINT_BYE_CHANCE = 25
"""Per thousand entrants: asks for one, in any round but the last."""
FULL_POINT_CODE_CHANCE = 60
"""Per thousand events: the pairing program writes the bye it allots as a full-point bye, as older ones do."""

_LATEST = 1 << 20
"""More than any place on a list."""


@dataclass(frozen=True, slots=True)
class System:
    """What one pairing system does in its own way.

    ``with_places`` gives the players of an event their ``place`` on its list, from the seed. ``bye_first`` orders the
    players of one event, the next to be free first. ``boards`` pairs those present, an even number in each event, and
    returns ``event_no``, ``first`` and ``second`` (rows), top board first; it may pair who have met.
    ``first_has_white`` decides where neither player's colours do; it may ask for ``wish``, ``score`` and ``place`` of
    both (``place_first``, ``place_second``) and for ``lot``, 0 or 1 for each event. ``colours_choose``: whether
    opponents may be changed for the sake of colours.
    """

    with_places: Callable[[pl.DataFrame, int], pl.DataFrame]
    bye_first: pl.Expr
    boards: Callable[[pl.DataFrame], pl.DataFrame]
    first_has_white: pl.Expr
    colours_choose: bool


def play_rounds(
    events: pl.DataFrame, entrants: pl.DataFrame, seed: int, expected: pl.Series, system: System
) -> list[pl.DataFrame]:
    """The cells of all rounds of ``events``, one frame a round; columns as in :func:`~ratinglist.simulation.play.play`.

    ``events``: ``event_no``, ``rounds``. ``entrants``: ``event_no``, ``start_number``, ``strength``,
    ``enters_round``, ``leaves_after``. ``expected`` as in :func:`~ratinglist.simulation.outcome.with_results`.
    """
    players = _at_the_start(events, entrants, seed, system)
    cells = []
    for round_no in range(1, 1 + int(events.select(pl.col("rounds").max().fill_null(0)).item())):
        present, free = _called(players, round_no, system)
        boards, left_out = _paired(present, players, system)
        games = _played(boards, players, round_no, seed, expected, system)
        told = _cells(players, games, pl.concat([free, left_out]), round_no)
        cells.append(told.filter(pl.col("rounds") >= round_no).select(*_CELL))
        players = _afterwards(players, told, games, round_no)
    return cells


_CELL = ("event_no", "round", "start_number", "opponent", "colour", "result")


def _at_the_start(events: pl.DataFrame, entrants: pl.DataFrame, seed: int, system: System) -> pl.DataFrame:
    """Everybody, in the order of event and place; a player's ``row`` is his position in this frame from now on."""
    event, number = pl.col("event_no"), pl.col("start_number")
    listed = system.with_places(entrants.join(events.select("event_no", "rounds"), on="event_no"), seed)
    asks = per_thousand(seed, "half-point bye", event, number, chance=HALF_POINT_BYE_CHANCE)
    when = 1 + roll(seed, "half-point bye round", event, number, sides=pl.max_horizontal(pl.col("rounds") - 1, 1))
    program = per_thousand(seed, "bye code", event, chance=FULL_POINT_CODE_CHANCE)
    return (
        listed.sort("event_no", "place")
        .with_row_index("row")
        .select(
            "row",
            "event_no",
            "start_number",
            "strength",
            "rounds",
            "enters_round",
            "leaves_after",
            place=pl.col("place").cast(pl.Int64),
            lot=roll(seed, "first colour", event, sides=2),
            half_point_bye=pl.when(asks & (pl.col("rounds") > 1)).then(when).otherwise(0).cast(pl.Int32),
            bye_code=pl.when(program).then(pl.lit("F")).otherwise(pl.lit("U")),
            circle=pl.col("place").max().over("event_no").cast(pl.Int64),
            turn=pl.lit(1, dtype=pl.Int64),
            score=pl.lit(0, dtype=pl.Int32),
            balance=pl.lit(0, dtype=pl.Int32),
            run=pl.lit(0, dtype=pl.Int32),
            wish=pl.lit(0, dtype=pl.Int32),
            had_bye=pl.lit(value=False),
        )
    )


def _there(round_no: int) -> pl.Expr:
    return (pl.col("enters_round") <= round_no) & (pl.col("leaves_after") >= round_no)


def _called(players: pl.DataFrame, round_no: int, system: System) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Those to be paired in this round, an even number in each event, and the ``row`` and ``code`` of one left over."""
    there = players.filter(_there(round_no) & (pl.col("half_point_bye") != round_no) & (pl.col("rounds") >= round_no))
    odd = there.filter(pl.len().over("event_no") % 2 == 1)
    # Who has had a point without playing is free again only where everybody has; then he gets nothing.
    free = (
        odd.sort("event_no", "had_bye", system.bye_first, "place")
        .group_by("event_no", maintain_order=True)
        .first()
        .select("row", code=pl.when("had_bye").then(pl.lit("Z")).otherwise("bye_code"))
    )
    return there.filter(~pl.col("row").is_in(free["row"].implode())), free


def _paired(present: pl.DataFrame, players: pl.DataFrame, system: System) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The boards of this round, and the ``row`` and ``code`` of those whom nobody is left for."""
    judged = players if system.colours_choose else players.with_columns(wish=pl.lit(0, dtype=pl.Int32))
    boards = exchanged(system.boards(present), judged)
    met_again = met(boards, players)
    nobody = pl.DataFrame(schema={"row": pl.UInt32(), "code": pl.String()})
    if not met_again.any():
        return boards, nobody
    stuck = boards.filter(met_again)["event_no"].unique()
    anew, left_out = _tried_out(present.filter(pl.col("event_no").is_in(stuck.implode())), players)
    kept = boards.filter(~pl.col("event_no").is_in(stuck.implode()))
    return pl.concat([kept, anew]), left_out


def _tried_out(present: pl.DataFrame, players: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """As :func:`_paired`, for the few events in which only trying out helps, event by event."""
    history = met_columns(players)
    boards: list[tuple[int, int, int]] = []
    left_out: list[tuple[int, str]] = []
    ranked = present.sort("event_no", "score", "place", descending=[False, True, False])
    for (event_no,), event in ranked.group_by("event_no", maintain_order=True):
        rows = event["row"].to_list()
        have_met = [set(opponents) for opponents in event.select(history).iter_rows()]
        # Ranked by score: two near places have near scores.
        pairs = pair_unmet(
            (one, other) for one, other in combinations(range(len(rows)), 2) if rows[other] not in have_met[one]
        )
        boards += [(event_no, rows[one], rows[other]) for one, other in pairs]
        seated = {one for pair in pairs for one in pair}
        left_out += [(row, "Z") for one, row in enumerate(rows) if one not in seated]
    board = {"event_no": pl.UInt32(), "first": pl.UInt32(), "second": pl.UInt32()}
    return (
        pl.DataFrame(boards, schema=board, orient="row"),
        pl.DataFrame(left_out, schema={"row": pl.UInt32(), "code": pl.String()}, orient="row"),
    )


def _played(
    boards: pl.DataFrame, players: pl.DataFrame, round_no: int, seed: int, expected: pl.Series, system: System
) -> pl.DataFrame:
    """The games: ``white`` and ``black`` (rows) with their codes, in the order of the boards."""
    side = {
        f"{name}_{of}": players[name].gather(boards[of])
        for name in ("wish", "balance", "score", "place")
        for of in ("first", "second")
    }
    white = first_is_white(
        pl.col("wish_first"),
        pl.col("wish_second"),
        pl.col("balance_first") - pl.col("balance_second"),
        system.first_has_white,
    )
    lot = players["lot"].gather(boards["first"])
    coloured = boards.with_columns(**side, lot=lot).select(
        "event_no",
        round=pl.lit(round_no, dtype=pl.Int32),
        white=pl.when(white).then("first").otherwise("second"),
        black=pl.when(white).then("second").otherwise("first"),
    )
    games = coloured.with_columns(
        white_number=players["start_number"].gather(coloured["white"]),
        black_number=players["start_number"].gather(coloured["black"]),
        white_strength=players["strength"].gather(coloured["white"]),
        black_strength=players["strength"].gather(coloured["black"]),
        white_absent=pl.lit(value=False),
        black_absent=pl.lit(value=False),
    )
    return with_results(games, seed, expected)


def _cells(players: pl.DataFrame, games: pl.DataFrame, free: pl.DataFrame, round_no: int) -> pl.DataFrame:
    """``players`` with this round's cell: ``opponent`` and ``opponent_row``, ``colour``, ``result``."""
    white, black = games["white"], games["black"]
    both = pl.concat([white, black])
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, len(players))
    # Free players and games stand in different rows, so the order of writing does not matter.
    codes = pl.concat([free["code"], games["white_code"], games["black_code"]])
    result = nothing.clone().scatter(pl.concat([free["row"], both]), codes)
    nobody = pl.Series([None], dtype=pl.UInt32).new_from_index(0, len(players))
    opponent_row = nobody.scatter(both, pl.concat([black, white]))
    sides = pl.concat([pl.Series([colour]).new_from_index(0, len(games)) for colour in ("w", "b")])
    return players.with_columns(
        round=pl.lit(round_no, dtype=pl.Int32),
        opponent_row=opponent_row,
        opponent=players["start_number"].gather(opponent_row),
        colour=nothing.scatter(both, sides).fill_null("-"),
        result=result.alias("result"),
    ).with_columns(
        result=pl.col("result").fill_null(
            pl.when(_there(round_no) & (pl.col("half_point_bye") == round_no)).then(pl.lit("H")).otherwise(pl.lit("Z"))
        )
    )


def _afterwards(players: pl.DataFrame, told: pl.DataFrame, games: pl.DataFrame, round_no: int) -> pl.DataFrame:
    """``players`` as they stand after the round."""
    result = pl.col("result")
    over_the_board = result.is_in(["1", "=", "0"])
    colour = (
        pl.when(over_the_board & (pl.col("colour") == "w"))
        .then(1)
        .when(over_the_board & (pl.col("colour") == "b"))
        .then(-1)
        .otherwise(0)
        .cast(pl.Int32)
    )
    points = pl.when(result.is_in(["1", "+", "U", "F"])).then(2).when(result.is_in(["=", "H"])).then(1).otherwise(0)
    last = games.group_by("event_no", maintain_order=True).last()
    turns = pl.DataFrame({"event_no": last["event_no"], "new_turn": players["place"].gather(last["white"])})
    return (
        told.with_columns(
            score=(pl.col("score") + points).cast(pl.Int32),
            balance=balance_after(pl.col("balance"), colour),
            run=run_after(pl.col("run"), colour),
            # A point without a game is one, whether by a bye or because the opponent did not come.
            had_bye=pl.col("had_bye") | result.is_in(["U", "F", "+"]),
        )
        .join(turns, on="event_no", how="left", maintain_order="left")
        .with_columns(
            wish=wish(pl.col("balance"), pl.col("run")),
            turn=pl.coalesce("new_turn", "turn"),
        )
        .rename({"opponent_row": f"met_{round_no}"})
        .drop("new_turn", "round", "opponent", "colour", "result")
    )
