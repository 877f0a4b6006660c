"""The Swiss system as the Dutch pairs it, in its main lines (Handbook C.04.3).

Players are ranked by score, then by start number. Those with equal scores are a group; of a group with an odd number
the last one goes down to the next group, where he meets its first. Of the others the upper half meets the lower half,
first against first. Two who have met, or who both need the same colour, are parted by the smallest exchange that
helps (:mod:`~ratinglist.simulation.exchanges`): within the lower half, between the halves, then with the groups next
to theirs. An odd number of players leaves the last one free who has not had a point without playing.

The due colours are granted; where both are due the same one equally, the higher ranked gets it; in the first round
the lot decides for the top board and the boards alternate.

Left out of the Dutch system: all possible transpositions are not compared in their full order, floaters of earlier
rounds are not spared, and the last round knows no exception for those on top.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.rounds import System


def with_places(players: pl.DataFrame, _seed: int) -> pl.DataFrame:
    """``players`` with ``place`` on the list of their event: the start number."""
    return players.with_columns(place="start_number")


def boards(present: pl.DataFrame) -> pl.DataFrame:
    """The boards (``event_no``, ``first``, ``second``) of those ``present``, an even number in each event.

    ``present`` has ``event_no``, ``row``, ``score`` (half points) and ``place``.
    """
    ranked = present.sort("event_no", "score", "place", descending=[False, True, False]).select(
        "event_no", "row", "score", rank=pl.int_range(pl.len(), dtype=pl.Int64).over("event_no")
    )
    group = ["event_no", "score"]
    top, bottom = pl.col("rank").min().over(group), pl.col("rank").max().over(group)
    # Groups begin at even ranks: where one begins at an odd rank, the player before has come down to it.
    comes_down = (bottom % 2 == 0) & (pl.col("rank") == bottom)
    bracketed = ranked.with_columns(bracket=pl.when(comes_down).then("rank").otherwise(top - top % 2))
    score = pl.col("score")
    bracketed = bracketed.with_columns(
        inside=pl.col("rank") - pl.col("bracket"),
        half=pl.len().cast(pl.Int64).over("event_no", "bracket") // 2,
        guests=(score.max() != score.min()).cast(pl.Int64).over("event_no", "bracket"),
    )
    # A guest meets the first of the group: both stand before the halves, which the rest makes.
    inside, guests, half = pl.col("inside"), pl.col("guests"), pl.col("half")
    within, halved = inside - 2 * guests, half - guests
    seated = bracketed.with_columns(
        board=pl.col("bracket") // 2 + pl.when(within < 0).then(0).otherwise(guests + within % halved),
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
    with_places=with_places,
    bye_first=pl.col("score") * (1 << 20) - pl.col("place"),
    boards=boards,
    first_has_white=pl.when(pl.col("wish_first") == 0)
    .then(pl.col("place_first") % 2 == pl.col("lot"))
    .otherwise((pl.col("wish_first") > 0) == _FIRST_RANKS_HIGHER),
    colours_choose=True,
)
