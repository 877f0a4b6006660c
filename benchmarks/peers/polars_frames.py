"""The rule in plain Polars, Parquet to Parquet."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from benchmarks.peers.given import YEAR, higher_scores


def rate(folder: Path, out: Path) -> None:
    """Read sides, events and state, rate the sides, write the changes."""
    scores = pl.Series(higher_scores(), dtype=pl.Int32)
    sides, events, state = (pl.scan_parquet(folder / f"{name}.parquet") for name in ("sides", "events", "state"))
    games, unlimited, used = (pl.col(name) for name in ("games", "unlimited", "used"))
    junior = YEAR - pl.col("birth_year") <= 18
    players = (
        sides.group_by("fide_id")
        .agg(pl.len().cast(pl.Int32).alias("games"))
        .join(state, on="fide_id")
        .with_columns(
            pl.when("reached_2400")
            .then(10)
            .when((junior & ~pl.col("reached_2300")) | (pl.col("games_played") < 30))
            .then(40)
            .otherwise(20)
            .alias("unlimited")
        )
        .select("fide_id", "games", k=pl.when(unlimited * games > 700).then(700 // games).otherwise(unlimited))
    )
    difference = pl.col("rating") - pl.col("opponent_rating")
    capped = difference.clip(-pl.col("cap"), pl.col("cap"))
    higher = pl.lit(scores).gather(used.abs().clip(upper_bound=len(scores) - 1))
    exact = pl.col("change_hundredths")
    changes = (
        sides.join(events.with_row_index("event_row"), on="event_row")
        .join(players, on="fide_id")
        .with_columns(used=pl.when(pl.col("rating") < pl.col("cap_players_below")).then(capped).otherwise(difference))
        .with_columns(expected=pl.when(used >= 0).then(higher).otherwise(100 - higher))
        .group_by("fide_id", "games", "k")
        .agg((pl.col("k") * (pl.col("score_halves") * 50 - pl.col("expected"))).sum().alias("change_hundredths"))
        .with_columns(change=exact.sign() * ((exact.abs() + 50) // 100))
        .select("fide_id", *(pl.col(name).cast(pl.Int32) for name in ("games", "k", "change_hundredths", "change")))
        .sort("fide_id")
    )
    changes.sink_parquet(out, compression="zstd", compression_level=3)
