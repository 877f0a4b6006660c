"""The predictions of several systems for the same games, a row per game."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.analysis.laboratory.predictions import PREDICTED_GAME_TABLE, Predictions

_KEY = list(PREDICTED_GAME_TABLE.key)


def side_by_side(predictions: Mapping[str, Predictions]) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return the key of every game that any system counts, and by system a row for each of them, in the same order.

    In: the predictions by system. Out: the rows have ``score_halves`` and what the system expects
    (``PREDICTION_TABLE``), null where the system does not count the game.
    """
    # Most systems count the same games, and a comparison is cheaper than a join.
    different: list[pl.DataFrame] = []
    for one in predictions.values():
        if not any(_have_same_keys(one.games, games) for games in different):
            different.append(one.games)
    longest = max(different, key=len)
    games = longest.select(_KEY)
    others = (one.select(_KEY) for one in different if one is not longest)
    missing = [games.clear(), *(one.join(games, on=_KEY, how="anti") for one in others)]
    if any(len(keys) for keys in missing):
        games = longest = pl.concat([games, pl.concat(missing).unique()]).sort(_KEY)
    return games, {name: _in_order_of(longest, one) for name, one in predictions.items()}


def _in_order_of(games: pl.DataFrame, one: Predictions) -> pl.DataFrame:
    rows = one.games.hstack(one.expected)
    if not _have_same_keys(one.games, games):
        rows = games.select(_KEY).join(rows, on=_KEY, how="left", maintain_order="left")
    return rows.drop(_KEY)


def _have_same_keys(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Return whether two frames have the same games in the same order; encoded texts are compared by their codes."""
    if one is other:
        return True
    code = pl.col("event_id").to_physical()
    return len(one) == len(other) and one.select(code, *_KEY[1:]).equals(other.select(code, *_KEY[1:]))
