"""The predictions of several systems for the same games, a row per game."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.analysis.laboratory.predictions import PREDICTION_TABLE

_KEY = list(PREDICTION_TABLE.key)


def side_by_side(predictions: Mapping[str, pl.DataFrame]) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return the key of every game that any system counts, and by system a row for each of them, in the same order.

    In: the predictions by system (``PREDICTION_TABLE``). Out: the rows have the other columns of the table, null where
    the system does not count the game.
    """
    different: list[pl.DataFrame] = []
    for rows in predictions.values():
        keys = rows.select(_KEY)
        # Most systems count the same games, and a comparison is cheaper than a join.
        if not any(keys.equals(other) for other in different):
            different.append(keys)
    games = different[0] if len(different) == 1 else pl.concat(different).unique().sort(_KEY)
    return games, {name: _in_order_of(games, rows) for name, rows in predictions.items()}


def _in_order_of(games: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    if not rows.select(_KEY).equals(games):
        rows = games.join(rows, on=_KEY, how="left", maintain_order="left")
    return rows.drop(_KEY)
