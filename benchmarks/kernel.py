"""The inputs of the rating kernel, cut from the reports of a month and the list that it starts from.

``python -m benchmarks.kernel REPORTS LIST PUBLISHED FOLDER`` writes into ``FOLDER``:

``sides.parquet``: a row a side of a game between rated players: ``event_row``, ``fide_id``, ``rating``,
``opponent_rating``, ``score_halves``.
``state.parquet``: a row a player of the list: ``fide_id``, ``games_played``, ``reached_2400``, ``reached_2300``,
``birth_year``; sorted by ``fide_id``.
``events.parquet``: the rule of each event, by row number: the columns of :data:`RULE`.
``games.parquet``: the same games once each, for libraries without sides: ``day``, ``white_id``, ``black_id``,
``white_rating``, ``black_rating``, ``white_halves``; sorted by day and players.
``truth.parquet``: the published changes of these players, with the columns of :data:`CHANGES`; sorted by ``fide_id``.

Only Polars is imported, because the libraries in an environment of their own cut a whole month by this module too.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import polars as pl

from benchmarks.floor import cut_reports

CHANGES = {
    "fide_id": pl.Int64,
    "games": pl.Int32,
    "k": pl.Int32,
    "change_hundredths": pl.Int32,
    "change": pl.Int32,
}
"""The columns that every implementation writes: one row per player with rated games, sorted by ``fide_id``."""
RULE = {
    "start_date": pl.lit(date(2025, 10, 1)),
    "cap": pl.lit(400, pl.Int32),
    "cap_applies_to": pl.lit("players_below"),
    "cap_players_below": pl.lit(2650, pl.Int32),
    "table": pl.lit("expected_score"),
}
"""The one text of the regulations that all events of the month are rated by: what was published shows that it is."""


def write_inputs(reports: Path, starting_list: Path, folder: Path) -> None:
    """Cut the reports, find the players on the list, and write the inputs of the kernel into ``folder``."""
    numbers = {"fide_id": pl.Int64, "rating": pl.Int32, "games_played": pl.Int32, "birth_year": pl.Int32}
    flags = ["reached_2400", "reached_2300"]
    listed = (
        pl.read_csv(starting_list, infer_schema=False, columns=[*numbers, *flags])
        .with_columns(*(pl.col(name).cast(dtype) for name, dtype in numbers.items()), pl.col(flags) == "1")
        .filter(pl.col("rating").is_not_null())
    )
    lines, games = _numbered(reports)
    players = lines.join(listed, on="fide_id").select("event_row", "start_number", "fide_id", "rating")
    for colour in ("white", "black"):
        named = players.rename({"start_number": colour, "fide_id": f"{colour}_id", "rating": f"{colour}_rating"})
        games = games.join(named, on=["event_row", colour], maintain_order="left")
    sides = pl.concat([_sides(games, "white", "black"), _sides(games, "black", "white")])
    events = lines.select(pl.col("event_row").unique().sort())
    tables = {
        "sides": sides,
        "state": listed.drop("rating").sort("fide_id"),
        "events": events.with_columns(**RULE).drop("event_row"),
        "games": games.select(
            (RULE["start_date"] + pl.duration(days=pl.col("round"))).alias("day"),
            *("white_id", "black_id", "white_rating", "black_rating"),
            pl.col("halves").alias("white_halves"),
        ).sort("day", "white_id", "black_id"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.write_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=3)


def _numbered(reports: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The player lines and the games of all reports, with the number of the event."""
    event = pl.col("file_no").cast(pl.UInt32).alias("event_row")
    lines, games = zip(*cut_reports(str(reports)), strict=True)
    return tuple(pl.concat(frames).with_columns(event) for frames in (lines, games))


def _sides(games: pl.DataFrame, colour: str, other: str) -> pl.DataFrame:
    return games.select(
        "event_row",
        pl.col(f"{colour}_id").alias("fide_id"),
        pl.col(f"{colour}_rating").alias("rating"),
        pl.col(f"{other}_rating").alias("opponent_rating"),
        (pl.col("halves") if colour == "white" else 2 - pl.col("halves")).cast(pl.Int32).alias("score_halves"),
    )


def write_truth(published: Path, folder: Path) -> None:
    """Write the published standard changes that stand on rated games."""
    changes = pl.read_parquet(published / "changes.parquet").filter(
        (pl.col("time_control") == "standard") & (pl.col("games") > 0) & pl.col("change_hundredths").is_not_null()
    )
    truth = changes.select(pl.col(name).cast(dtype) for name, dtype in CHANGES.items()).sort("fide_id")
    truth.write_parquet(folder / "truth.parquet")


if __name__ == "__main__":
    of_reports, of_list, of_revision, to = map(Path, sys.argv[1:])
    write_inputs(of_reports, of_list, to)
    write_truth(of_revision, to)
