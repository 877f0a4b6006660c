"""One period of Glicko by riix in its batched mode, all games at once: ``rate`` reads and writes Parquet.

riix grows the deviations itself, of the players who have played: here of every player on the list, as the regulation
does. Its memory grows with games × players, so the federation is a small one.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
from riix.models.glicko import Glicko


def rate(folder: Path, out: Path) -> None:
    """Read ``before.parquet`` and ``games.parquet``, write every player's rating and deviation after the period."""
    before, games = (pl.read_parquet(folder / f"{name}.parquet") for name in ("before", "games"))
    place = before.select("fide_id").with_row_index("place")
    pairs = [
        games.select(pl.col(name).alias("fide_id")).join(place, on="fide_id", maintain_order="left")["place"].to_numpy()
        for name in ("white_id", "black_id")
    ]
    system = Glicko(
        before["fide_id"].to_list(),
        initial_rating_dev=350.0,
        c=math.sqrt(before["variance_per_month"][0]),
        update_method="batched",
    )
    system.ratings[:] = before["rating"].to_numpy()
    system.rating_devs[:] = before["deviation"].to_numpy()
    system.has_played[before["is_listed"].to_numpy()] = True
    system.prev_time_step = 0
    system.update(np.column_stack(pairs).astype(np.int64), games["score"].to_numpy(), time_step=1)
    after = before.select("fide_id").with_columns(
        rating=pl.Series(system.ratings), deviation=pl.Series(system.rating_devs)
    )
    after.write_parquet(out)
