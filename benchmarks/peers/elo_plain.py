"""Generic Elo as a plain Python loop over a dictionary: the libraries' figures are compared with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

K = 20
Game = tuple[int, int, float]
"""White, Black and White's score."""


def games_of(folder: Path) -> pl.DataFrame:
    """Return the games in the order they are rated in: ``day``, ``white_id``, ``black_id``, ``score``, ratings."""
    games = pl.read_parquet(folder / "games.parquet")
    return games.with_columns((pl.col("white_halves") / 2).alias("score"))


def start_of(games: pl.DataFrame) -> pl.DataFrame:
    """Return every player's initial rating, the one on the list: ``fide_id``, ``rating``; sorted by ``fide_id``."""
    sides = (
        games.select(pl.col(f"{colour}_id").alias("fide_id"), pl.col(f"{colour}_rating").alias("rating"))
        for colour in ("white", "black")
    )
    return pl.concat(sides).unique("fide_id", keep="any").sort("fide_id")


def elo(games: Iterable[Game], rating: dict[int, float]) -> None:
    """Update both ratings after every game."""
    for white, black, score in games:
        change = K * (score - 1 / (1 + 10 ** ((rating[black] - rating[white]) / 400)))
        rating[white] += change
        rating[black] -= change


def rate(folder: Path, out: Path) -> None:
    """Read the games, rate them one after the other, write every player's rating."""
    games = games_of(folder)
    rating = {fide_id: float(start) for fide_id, start in start_of(games).iter_rows()}
    elo(games.select("white_id", "black_id", "score").iter_rows(), rating)
    write(out, list(rating), list(rating.values()))


def write(out: Path, fide_ids: list[int], ratings: list[float]) -> None:
    """Write ``fide_id`` and ``rating``, sorted by ``fide_id``."""
    pl.DataFrame({"fide_id": fide_ids, "rating": ratings}).sort("fide_id").write_parquet(
        out, compression="zstd", compression_level=3
    )
