"""The columns of the US Chess rating: those of its own state, and those that it adds to the published tables."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.systems.own_state import OwnState
from ratinglist.tables import Column

_NUMBER, _WIDE = pl.Int32(), pl.Int64()

STATE = OwnState(
    1,
    {
        "fide_id": Column(_WIDE, "the player"),
        "rating": Column(_WIDE, "rating in units of 0.000001"),
        "credited": Column(_NUMBER, "games that the rating rests on"),
        "wins": Column(_NUMBER, "rated games won"),
        "draws": Column(_NUMBER, "rated games drawn"),
        "losses": Column(_NUMBER, "rated games lost"),
        "long_events": Column(_NUMBER, "rated events with at least three games"),
        "highest": Column(_NUMBER, "highest established rating; null: never established", null=True),
    },
)
"""A row for each rated player."""

LIST_COLUMNS = {
    "provisional_games": Column(_NUMBER, "games of a provisional rating, as in 1480P3; null: established", null=True),
    "floor": Column(_NUMBER, "lowest rating that the player may fall to, by the results so far", null=True),
}
CHANGE_COLUMNS = {
    "events": Column(_NUMBER, "rated events of the period", null=True),
    "old_rated_games": Column(_NUMBER, "games that the rating rested on before; of a FIDE rating, those it is worth"),
    "new_rated_games": Column(_NUMBER, "games that the rating rests on after", null=True),
    "old_highest": Column(_NUMBER, "highest established rating before; null: never established", null=True),
}
GAME_COLUMNS = {
    "event_place": Column(
        _NUMBER, "number of the event among the player's of the period, in the order rated", null=True
    ),
    "is_dual": Column(pl.Boolean(), "whether the event counts for two ratings, which lowers K", null=True),
    "rated_games": Column(_NUMBER, "games that the player's rating rested on before the event", null=True),
    "earlier_results": Column(pl.String(), "wins or losses: all earlier games were; else mixed", null=True),
    "effective_games_ten_thousandths": Column(
        _NUMBER, "effective games before the event, in units of 0.0001", null=True
    ),
    "k_ten_thousandths": Column(_NUMBER, "K, in units of 0.0001; null: special formula", null=True),
    "expected_ten_thousandths": Column(
        _NUMBER, "expected score in the event, in units of 0.0001; null: special formula", null=True
    ),
    "bonus_hundredths": Column(_NUMBER, "bonus of the event, in hundredths; null: special formula", null=True),
    "event_floor": Column(_NUMBER, "lowest rating that the event could give; null: a match", null=True),
    "formula_hundredths": Column(
        _NUMBER,
        "what the formula gives, at least 100, before floor or limit; as ``rating_after_hundredths``",
        null=True,
    ),
    "rating_after_hundredths": Column(
        _NUMBER,
        "rating after the event, what is beyond hundredths cut off; in whole points while the player is provisional, "
        "or won or lost every game",
        null=True,
    ),
}
