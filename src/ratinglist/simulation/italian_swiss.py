"""The Italian-Swiss system: the players form a circle, and the pairs are made by a rotation in one direction.

The regulation of the Italian federation (``sistema italo-svizzero``, in the version of 1997), as read here:

1. The list is drawn once, by lot or by strength, and does not change; it is read as a circle (articles 3 and 4).
   Here half the events draw it by lot. Late entrants are added at its end.
2. A pair has a first player and a second one, the opponent found for the first. In the first round number 1 meets 2
   and has White, number 3 meets 4, and so on (articles 4 and 5).
3. From the second round on the rotation starts at the player who had White in the last pair of the round before
   (article 6). If they have the highest score, they are the first of the first pair; otherwise the next player on the
   circle with the highest score is. After each pair the search for the highest remaining score continues from its
   second player.
4. The second is the next player on the circle after the first who has the same score and has not met the first. If
   there is none, the search continues from the last player considered, among those with the next lower score.
5. Players do not meet twice. If the remaining players have all met, the last pair exchanges players with the pair
   before it, or with the nearest earlier one where that helps (:mod:`~ratinglist.simulation.exchanges`).
6. Colours do not determine opponents. The stronger colour preference is granted; of equal ones, the first player's;
   without any the first player gets White.
7. With an odd number one player has a bye with a point, once in the event: of those with the lowest score the last one
   on the circle from the start of the rotation. In the first round that is the last number of the list.
8. A player who has withdrawn, has not arrived yet or requested a bye keeps their place on the circle and is skipped.

Points 1 to 4 follow the articles named, and for the lower score the same article of the Italian draughts federation.
The articles on colours, odd numbers and withdrawals were not available: points 5 to 8 are UNCONFIRMED.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.exchanges import opponent_columns
from ratinglist.simulation.keyed_random import MOST_SIDES, per_thousand, roll
from ratinglist.simulation.rounds import System

DRAWN_BY_LOT = 500
"""Per thousand events; the others list the players by strength."""


def with_places(players: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return ``players`` with ``place`` on the circle of their event, by lot or start number, late entrants last."""
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
    """Return the boards (``event_no``, ``first``, ``second``) in the order in which the rotation forms them.

    ``present`` has ``event_no``, ``row``, ``score``, ``place``, ``circle`` (the number of places), ``rotation_start``
    (the place where the rotation starts) and the columns of
    :func:`~ratinglist.simulation.exchanges.opponent_columns`.

    A pair starts where the one before ended, so the pairs of an event are formed one after the other. Each step makes
    one search in every event, successful or not; there are as many steps as the longest event needs.
    """
    history = opponent_columns(present)
    waiting = present.sort("event_no", "place").select(
        "event_no",
        "row",
        "score",
        "place",
        "circle",
        "rotation_start",
        *history,
        first=pl.lit(None, dtype=pl.UInt32),
        score_sought=pl.lit(None, dtype=pl.Int32),
        repeats_allowed=pl.lit(value=False),
    )
    formed = [pl.DataFrame(schema={"event_no": pl.UInt32(), "first": pl.UInt32(), "second": pl.UInt32()})]
    while len(waiting):
        waiting = _search(_with_first(waiting), history)
        found = pl.col("second").is_not_null()
        formed.append(waiting.filter(pl.col("row") == pl.col("second")).select("event_no", "first", "second"))
        waiting = waiting.filter((~found) | ((pl.col("row") != pl.col("first")) & (pl.col("row") != pl.col("second"))))
        waiting = _advance(waiting)
    return pl.concat(formed).with_row_index("step").sort("event_no", "step").drop("step")


def _in_event(value: pl.Expr, where: pl.Expr) -> pl.Expr:
    """Return, for all rows of an event, the value of its one row where ``where`` is true."""
    return pl.when(where).then(value).max().over("event_no")


def _distance() -> pl.Expr:
    """Return the number of places from the start of the rotation, in its direction."""
    return (pl.col("place") - pl.col("rotation_start")) % pl.col("circle")


def _with_first(waiting: pl.DataFrame) -> pl.DataFrame:
    """Return ``waiting`` with ``first`` where it is null: the next player on the circle with the highest score."""
    distance = pl.when(pl.col("score") == pl.col("score").max().over("event_no")).then(_distance())
    chosen = distance == distance.min().over("event_no")
    begins = pl.col("first").is_null()
    return waiting.with_columns(
        first=pl.when(begins).then(_in_event(pl.col("row"), chosen)).otherwise("first"),
        rotation_start=pl.when(begins).then(_in_event(pl.col("place"), chosen)).otherwise("rotation_start"),
        score_sought=pl.when(begins).then(_in_event(pl.col("score"), chosen)).otherwise("score_sought"),
    )


def _search(waiting: pl.DataFrame, history: list[str]) -> pl.DataFrame:
    """Return ``waiting`` with ``second``, the row found, and ``search_end``, the last place considered."""
    candidates = (pl.col("score") == pl.col("score_sought")) & (pl.col("row") != pl.col("first"))
    have_met = pl.any_horizontal(*[pl.col(name) == pl.col("first") for name in history], pl.lit(value=False))
    allowed = candidates & (pl.col("repeats_allowed") | ~have_met.fill_null(value=False))
    distance = _distance()
    nearest, furthest = (
        pl.when(allowed).then(distance).min().over("event_no"),
        pl.when(candidates).then(distance).max().over("event_no"),
    )
    return waiting.with_columns(
        second=_in_event(pl.col("row"), allowed & (distance == nearest)),
        second_place=_in_event(pl.col("place"), allowed & (distance == nearest)),
        search_end=_in_event(pl.col("place"), candidates & (distance == furthest)),
    )


def _advance(waiting: pl.DataFrame) -> pl.DataFrame:
    """Return ``waiting`` for the next search.

    If a pair was formed, it starts at the second player; otherwise the same first player seeks the next lower score.
    """
    found = pl.col("second").is_not_null()
    is_lower = (pl.col("score") < pl.col("score_sought")) & (pl.col("row") != pl.col("first"))
    lower = pl.when(is_lower).then("score").max().over("event_no")
    exhausted = ~found & lower.is_null()
    # The first player has met all who remain: search again and take the nearest; an exchange separates them later.
    is_first = pl.col("row") == pl.col("first")
    own_score = _in_event(pl.col("score"), is_first)
    own_place = _in_event(pl.col("place"), is_first)
    return waiting.with_columns(
        repeats_allowed=pl.when(found).then(pl.lit(value=False)).otherwise(pl.col("repeats_allowed") | exhausted),
        score_sought=pl.when(exhausted).then(own_score).otherwise(lower),
        rotation_start=pl.when(found)
        .then("second_place")
        .when(exhausted)
        .then(own_place)
        .otherwise(pl.coalesce("search_end", "rotation_start")),
        first=pl.when(~found).then("first"),
    ).drop("second", "second_place", "search_end")


ITALIAN_SWISS = System(
    with_places=with_places,
    bye_order=pl.col("score") * (1 << 20) - _distance(),
    boards=boards,
    first_has_white=pl.col("preference_first") >= 0,
    exchanges_for_colours=False,
)
