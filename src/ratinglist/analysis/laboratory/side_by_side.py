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
    # Most systems count the same games, and a comparison is cheaper than a join.
    different: list[pl.DataFrame] = []
    for rows in predictions.values():
        if not any(_has_keys(rows, games) for games in different):
            different.append(rows.select(_KEY))
    games = max(different, key=len)
    missing = [games.clear(), *(keys.join(games, on=_KEY, how="anti") for keys in different if keys is not games)]
    if any(len(keys) for keys in missing):
        games = pl.concat([games, pl.concat(missing).unique()]).sort(_KEY)
    return games, {name: _in_order_of(games, rows) for name, rows in predictions.items()}


def _in_order_of(games: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    if not _has_keys(rows, games):
        rows = games.join(rows, on=_KEY, how="left", maintain_order="left")
    return rows.drop(_KEY)


def _has_keys(rows: pl.DataFrame, games: pl.DataFrame) -> bool:
    """Return whether the keys of the rows are those of the games; encoded texts are compared by their codes."""
    code = pl.col("event_id").to_physical()
    return len(rows) == len(games) and rows.select(code, *_KEY[1:]).equals(games.select(code, *_KEY[1:]))
