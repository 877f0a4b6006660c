"""Generic Elo by riix, which takes integers from 0 for players, all of them given at the start, and one K.

Its reader of data frames joins the players without `maintain_order`, and Polars 2 does not keep the order then: pairs
and results no longer correspond. So the arrays are built here.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from riix.models.elo import Elo
from riix.utils import MatchupDataset

from benchmarks.peers.elo_plain import K, games_of, start_of, write


def rate(folder: Path, out: Path) -> None:
    """Read the games, rate them one after the other, write every player's rating."""
    games = games_of(folder)
    start = start_of(games)
    place = pl.DataFrame({"fide_id": start["fide_id"], "place": np.arange(len(start))})
    pairs = [
        games.select(pl.col(name).alias("fide_id")).join(place, on="fide_id", maintain_order="left")["place"]
        for name in ("white_id", "black_id")
    ]
    days = (games["day"] - games["day"].min()).dt.total_days().to_numpy()
    dataset = MatchupDataset.init_from_arrays(
        time_steps=days,
        matchups=np.column_stack([one.to_numpy() for one in pairs]),
        outcomes=games["score"].to_numpy(),
        competitors=start["fide_id"].to_list(),
    )
    system = Elo(dataset.competitors, k=K)
    system.ratings[:] = start["rating"].to_numpy()
    system.fit_dataset(dataset)
    write(out, dataset.competitors, system.ratings.tolist())
