"""Generic Elo by skelo: no draws, one initial rating for all players; it stores every rating of every player."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from skelo.model.elo import EloEstimator

from benchmarks.peers.elo_plain import K, games_of, write

START = 1500


def rate(folder: Path, out: Path) -> None:
    """Read the games, rate the decisive ones one after the other, write every player's rating."""
    games = games_of(folder).filter(pl.col("white_halves") != 1)
    day = (pl.col("day") - pl.col("day").min()).dt.total_days()
    rows = games.select("white_id", "black_id", day).to_numpy()
    # Its clock starts at 0, and it accepts no game at that time.
    rows[:, 2] += 1
    estimator = EloEstimator(default_k=K, initial_value=START).fit(rows, np.array(games["white_halves"] == 2))
    ratings = estimator.rating_model.ratings
    write(out, [int(fide_id) for fide_id in ratings], [float(history[-1]["rating"]) for history in ratings.values()])
