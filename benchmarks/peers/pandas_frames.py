"""The rule in plain pandas and numpy, Parquet to Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet  # noqa: F401 - pandas would import it while the clock runs

from benchmarks.peers.given import YEAR, higher_scores


def rate(folder: Path, out: Path) -> None:
    """Read sides, events and state, rate the sides, write the changes."""
    sides = pd.read_parquet(
        folder / "sides.parquet", columns=["event_row", "fide_id", "rating", "opponent_rating", "score_halves"]
    )
    events = pd.read_parquet(folder / "events.parquet", columns=["cap", "cap_players_below"])
    state = pd.read_parquet(folder / "state.parquet")

    counted = sides.groupby("fide_id").size().rename("games").astype("int32").reset_index()
    players = counted.merge(state, on="fide_id")
    junior = YEAR - players["birth_year"] <= 18
    unlimited = np.select(
        [players["reached_2400"], junior & ~players["reached_2300"], players["games_played"] < 30], [10, 40, 40], 20
    )
    players["k"] = np.where(unlimited * players["games"] > 700, 700 // players["games"], unlimited).astype("int32")

    sides = sides.join(events, on="event_row").merge(players[["fide_id", "k"]], on="fide_id")
    difference = sides["rating"] - sides["opponent_rating"]
    capped = difference.clip(-sides["cap"], sides["cap"])
    used = difference.where(sides["rating"] >= sides["cap_players_below"], capped)
    scores = np.array(higher_scores(), dtype="int32")
    higher = scores[np.minimum(used.abs(), len(scores) - 1)]
    expected = np.where(used >= 0, higher, 100 - higher)
    sides["change_hundredths"] = sides["k"] * (sides["score_halves"] * 50 - expected)

    hundredths = sides.groupby("fide_id")["change_hundredths"].sum().astype("int32").reset_index()
    changes = players[["fide_id", "games", "k"]].merge(hundredths, on="fide_id").sort_values("fide_id")
    exact = changes["change_hundredths"]
    changes["change"] = (np.sign(exact) * ((exact.abs() + 50) // 100)).astype("int32")
    changes.to_parquet(out, index=False, compression="zstd", compression_level=3)
