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

from __future__ import annotations

import polars as pl

from ratinglist.simulation.rounds import System


def with_places(players: pl.DataFrame, _seed: int) -> pl.DataFrame:
    """Return ``players`` with ``place``, the start number."""
    return players.with_columns(place="start_number")


def boards(present: pl.DataFrame) -> pl.DataFrame:
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
    with_places=with_places,
    bye_order=pl.col("score") * (1 << 20) - pl.col("place"),
    boards=boards,
    first_has_white=pl.when(pl.col("preference_first") == 0)
    .then(pl.col("place_first") % 2 == pl.col("lot"))
    .otherwise((pl.col("preference_first") > 0) == _FIRST_RANKS_HIGHER),
    exchanges_for_colours=True,
)
