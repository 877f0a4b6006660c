"""The Italian-Swiss system: a circle of players, and a rotation that never turns back.

The regulation of the Italian federation (``sistema italo-svizzero``, in the version of 1997), as read here:

1. The list is drawn once, by lot or by strength, and stays as it is; it is read as a circle (articles 3 and 4).
   Here half the events draw it by lot. Late entrants are put at its end.
2. A pair is a first player and a second one who is looked for him. In the first round number 1 meets 2 and has
   White, number 3 meets 4, and so on (articles 4 and 5).
3. From the second round on the rotation goes on from the player who had White in the last pair of the round before
   (article 6). If he has the highest score, he is the first of the first pair; otherwise it is the next one on the
   circle with the highest score. After each pair the search for the highest score left goes on from its second player.
4. The second is the next one on the circle after the first with the same score whom he has not met. Where there is
   none, the search goes on from the last one looked at, among those with the next lower score.
5. Nobody meets twice. Where those left over have all met, the last pair is made anew with the pair before it, or with
   the nearest one before that where it helps (:mod:`~ratinglist.simulation.exchanges`).
6. Colours do not choose opponents. The more urgent due colour is granted; where they are alike, the first player's,
   and White to the first where none is due.
7. An odd number leaves one player free, with a point, once in the event: among those with the lowest score the last one
   on the circle from where the rotation begins. In the first round that is the last number of the list.
8. Who has left, has not come yet or asked to be free keeps his place on the circle and is passed over.

Points 1 to 4 follow the articles named, and for the lower score the equal article of the Italian draughts federation.
The articles on colours, odd numbers and withdrawals were not at hand: points 5 to 8 are UNCONFIRMED.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.exchanges import met_columns
from ratinglist.simulation.keyed_random import MOST_SIDES, per_thousand, roll
from ratinglist.simulation.rounds import System

DRAWN_BY_LOT = 500
"""Per thousand events; the others list the players by strength."""


def with_places(players: pl.DataFrame, seed: int) -> pl.DataFrame:
    """``players`` with ``place``, from 1 on the circle of each event: by lot or by start number, late entrants last."""
    event, number = pl.col("event_no"), pl.col("start_number")
    by_lot = per_thousand(seed, "list drawn by lot", event, chance=DRAWN_BY_LOT)
    drawn = pl.when(by_lot).then(roll(seed, "lot", event, number, sides=MOST_SIDES)).otherwise(number)
    return (
        players.with_columns(drawn=drawn, late=pl.col("enters_round") > 1)
        .sort("event_no", "late", "drawn", "start_number")
        .with_columns(place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("event_no"))
        .drop("drawn", "late")
    )


def boards(present: pl.DataFrame) -> pl.DataFrame:
    """The boards (``event_no``, ``first``, ``second``) in the order in which the rotation forms them.

    ``present`` has ``event_no``, ``row``, ``score``, ``place``, ``circle`` (how many places there are), ``turn`` (where
    the rotation begins) and the columns of :func:`~ratinglist.simulation.exchanges.met_columns`.

    A pair begins where the one before ended, so the pairs of an event can only come one after the other: each step
    takes every event one search further, found or not, and the steps are as many as the longest event needs.
    """
    history = met_columns(present)
    waiting = present.sort("event_no", "place").select(
        "event_no",
        "row",
        "score",
        "place",
        "circle",
        "turn",
        *history,
        first=pl.lit(None, dtype=pl.UInt32),
        level=pl.lit(None, dtype=pl.Int32),
        anyone=pl.lit(value=False),
    )
    formed = [pl.DataFrame(schema={"event_no": pl.UInt32(), "first": pl.UInt32(), "second": pl.UInt32()})]
    while len(waiting):
        waiting = _looked_at(_with_first(waiting), history)
        found = pl.col("second").is_not_null()
        formed.append(waiting.filter(pl.col("row") == pl.col("second")).select("event_no", "first", "second"))
        waiting = waiting.filter((~found) | ((pl.col("row") != pl.col("first")) & (pl.col("row") != pl.col("second"))))
        waiting = _further(waiting)
    return pl.concat(formed).with_row_index("step").sort("event_no", "step").drop("step")


def _in_event(value: pl.Expr, where: pl.Expr) -> pl.Expr:
    """The value of the one row of an event where ``where`` holds, in all its rows."""
    return pl.when(where).then(value).max().over("event_no")


def _away(start: str) -> pl.Expr:
    return (pl.col("place") - pl.col(start)) % pl.col("circle")


def _with_first(waiting: pl.DataFrame) -> pl.DataFrame:
    """Events that look for nobody's opponent: the next on the circle with the highest score is the first of a pair."""
    away = pl.when(pl.col("score") == pl.col("score").max().over("event_no")).then(_away("turn"))
    chosen = away == away.min().over("event_no")
    begins = pl.col("first").is_null()
    return waiting.with_columns(
        first=pl.when(begins).then(_in_event(pl.col("row"), chosen)).otherwise("first"),
        turn=pl.when(begins).then(_in_event(pl.col("place"), chosen)).otherwise("turn"),
        level=pl.when(begins).then(_in_event(pl.col("score"), chosen)).otherwise("level"),
    )


def _looked_at(waiting: pl.DataFrame, history: list[str]) -> pl.DataFrame:
    """``waiting`` with ``second``, the row found at this level, and ``last_looked_at``, the place the search ended."""
    others = (pl.col("score") == pl.col("level")) & (pl.col("row") != pl.col("first"))
    have_met = pl.any_horizontal(*[pl.col(name) == pl.col("first") for name in history], pl.lit(value=False))
    may = others & (pl.col("anyone") | ~have_met.fill_null(value=False))
    away = _away("turn")
    nearest, furthest = (
        pl.when(may).then(away).min().over("event_no"),
        pl.when(others).then(away).max().over("event_no"),
    )
    return waiting.with_columns(
        second=_in_event(pl.col("row"), may & (away == nearest)),
        second_place=_in_event(pl.col("place"), may & (away == nearest)),
        last_looked_at=_in_event(pl.col("place"), others & (away == furthest)),
    )


def _further(waiting: pl.DataFrame) -> pl.DataFrame:
    """Where each event goes on: from the second of the pair just formed, or a level lower for the same first."""
    found = pl.col("second").is_not_null()
    is_lower = (pl.col("score") < pl.col("level")) & (pl.col("row") != pl.col("first"))
    lower = pl.when(is_lower).then("score").max().over("event_no")
    exhausted = ~found & lower.is_null()
    # He has met all who are left: the search begins again and takes the nearest, to be parted by an exchange.
    again = pl.col("row") == pl.col("first")
    own_score = _in_event(pl.col("score"), again)
    own_place = _in_event(pl.col("place"), again)
    return waiting.with_columns(
        anyone=pl.when(found).then(pl.lit(value=False)).otherwise(pl.col("anyone") | exhausted),
        level=pl.when(exhausted).then(own_score).otherwise(lower),
        turn=pl.when(found)
        .then("second_place")
        .when(exhausted)
        .then(own_place)
        .otherwise(pl.coalesce("last_looked_at", "turn")),
        first=pl.when(~found).then("first"),
    ).drop("second", "second_place", "last_looked_at")


ITALIAN_SWISS = System(
    with_places=with_places,
    bye_first=pl.col("score") * (1 << 20) - (pl.col("place") - pl.col("turn")) % pl.col("circle"),
    boards=boards,
    first_has_white=pl.col("wish_first") >= 0,
    colours_choose=False,
)
