"""Whether one way to rate gave the right figures: ``python -m benchmarks.agreement NAME FOLDER FILE``.

A way that applies the rule has to give what was published, row for row and type for type. One that computes generic
Elo has to come within a millionth of a point of the plain loop over the same games; then it is counted for how many
players its rating, rounded, is the one the rule gives. Prints that share as JSON, null where the library cannot start
from the players' ratings. In a process of its own, for it holds all those tables.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl

from benchmarks.kernel import CHANGES
from benchmarks.peers.elo_plain import elo, games_of, start_of

NEAR = 1e-6
SKELO_START = 1500.0


def as_published(folder: Path, file: Path) -> float:
    """The share of players with the published number, which is all; ``ValueError`` where one is not what was."""
    truth, found = pl.read_parquet(folder / "truth.parquet"), pl.read_parquet(file)
    if found.schema != pl.Schema(CHANGES):
        raise ValueError(f"the columns are {dict(found.schema)}, not {CHANGES}")
    if not found.equals(truth):
        key = list(CHANGES)
        raise ValueError(
            f"{len(found.join(truth, on=key, how='anti'))} rows were not published, "
            f"{len(truth.join(found, on=key, how='anti'))} published ones are missing, or the order is another"
        )
    return 1


def as_plain_elo(name: str, folder: Path, file: Path) -> float | None:
    """The share of players with the rule's number; ``ValueError`` where the plain loop differs."""
    games, found = games_of(folder), pl.read_parquet(file)
    if name == "elo_skelo":
        games = games.filter(pl.col("white_halves") != 1)
    start = start_of(games)
    if name == "elo_skelo":
        start = start.with_columns(pl.lit(SKELO_START).alias("rating"))
    rating = {fide_id: float(first) for fide_id, first in start.iter_rows()}
    elo(games.select("white_id", "black_id", "score").iter_rows(), rating)
    expected = pl.DataFrame({"fide_id": list(rating), "plain": list(rating.values())})
    both = expected.join(found, on="fide_id", how="full", coalesce=True)
    wrong = both.filter(((pl.col("plain") - pl.col("rating")).abs() < NEAR).fill_null(value=False).not_())
    if len(wrong):
        raise ValueError(f"{len(wrong)} of {len(both)} ratings are not those of the plain loop")
    if name == "elo_skelo":
        return None
    truth = pl.read_parquet(folder / "truth.parquet")
    change = found.join(start.rename({"rating": "start"}), on="fide_id").select(
        "fide_id", (pl.col("rating") - pl.col("start")).round(mode="half_away_from_zero").alias("elo_change")
    )
    same = truth.join(change, on="fide_id", how="left").select((pl.col("elo_change") == pl.col("change")).sum()).item()
    return float(same / len(truth))


if __name__ == "__main__":
    way, given, written = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    print(json.dumps(as_plain_elo(way, given, written) if way.startswith("elo_") else as_published(given, written)))
