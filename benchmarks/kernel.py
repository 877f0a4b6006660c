"""The inputs of the rating kernel, from a published month and the list that it starts from; and what must come out.

``python -m benchmarks.kernel write PUBLISHED LIST FOLDER`` writes into ``FOLDER``:

``sides.parquet``: a row a rated side of a standard game: ``fide_id``, ``rating``, ``opponent_rating``,
``score_halves``.
``state.parquet``: a row a player of the list: ``fide_id``, ``games_played``, ``reached_2400``, ``reached_2300``,
``birth_year``; sorted by ``fide_id``.
``games.parquet``: the games with two such sides once each, for libraries without sides: ``round``, ``white_id``,
``black_id``, ``white_rating``, ``black_rating``, ``white_halves``; sorted by round.
``truth.parquet``: the published changes, with the columns of :data:`CHANGES`; sorted by ``fide_id``.

``python -m benchmarks.kernel check WAY FOLDER FILE`` prints the share of players to whom a way gives the published
change, as JSON. Each in a process of its own: what the parent ever held is counted to its children's memory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl

from benchmarks.peers import elo, elo_inputs

CHANGES = {
    "fide_id": pl.Int64,
    "games": pl.Int32,
    "k": pl.Int32,
    "change_hundredths": pl.Int32,
    "change": pl.Int32,
}
"""The columns that every implementation of the rule writes: a row a player with rated games, sorted by ``fide_id``."""
NEAR = 1e-6


def write_inputs(published: Path, starting_list: Path, folder: Path) -> None:
    """Write the inputs of the kernel, and what was published, into ``folder``."""
    is_standard = pl.col("time_control") == "standard"
    rated = pl.read_parquet(published / "games.parquet").filter(is_standard, "rated")
    side = ("fide_id", "rating", "opponent_rating", "score_halves")
    listed = pl.read_csv(starting_list, infer_schema=False).filter(is_standard, pl.col("rating").is_not_null())
    state = listed.select(
        pl.col("fide_id").cast(pl.Int64),
        pl.col("games_played").cast(pl.Int32),
        pl.col("reached_2400", "reached_2300") == "1",
        pl.col("birth_year").cast(pl.Int32),
    )
    of_black = rated.filter(colour="b").select("event_id", "round", opponent_id="fide_id", fide_id="opponent_id")
    games = rated.filter(colour="w").join(of_black, on=["event_id", "round", "fide_id", "opponent_id"])
    changes = pl.read_parquet(published / "changes.parquet").filter(is_standard, pl.col("games") > 0)
    tables = {
        "sides": rated.select(side),
        "state": state.sort("fide_id"),
        "games": games.sort("round", "event_id", "fide_id").select(
            "round",
            white_id="fide_id",
            black_id="opponent_id",
            white_rating="rating",
            black_rating="opponent_rating",
            white_halves="score_halves",
        ),
        "truth": changes.drop_nulls("change_hundredths")
        .select(pl.col(name).cast(dtype) for name, dtype in CHANGES.items())
        .sort("fide_id"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.write_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=3)


def as_published(folder: Path, file: Path) -> float:
    """The share of players with the published number, which is all; ``ValueError`` where one is not what was."""
    truth, written = pl.read_parquet(folder / "truth.parquet"), pl.read_parquet(file)
    if written.schema != pl.Schema(CHANGES):
        raise ValueError(f"the columns are {dict(written.schema)}, not {CHANGES}")
    if not written.equals(truth):
        key = list(CHANGES)
        raise ValueError(
            f"{len(written.join(truth, on=key, how='anti'))} rows were not published, "
            f"{len(truth.join(written, on=key, how='anti'))} published ones are missing, or the order is another"
        )
    return 1


def as_plain_elo(folder: Path, file: Path) -> float:
    """The share of players with the rule's number; ``ValueError`` where the plain loop has other ratings."""
    games, start = elo_inputs(folder)
    rating = {fide_id: float(first) for fide_id, first in start.iter_rows()}
    elo(games.iter_rows(), rating)
    expected = pl.DataFrame({"fide_id": list(rating), "plain": list(rating.values())})
    written = pl.read_parquet(file)
    both = expected.join(written, on="fide_id", how="full", coalesce=True)
    wrong = both.filter(((pl.col("plain") - pl.col("rating")).abs() < NEAR).fill_null(value=False).not_())
    if len(wrong):
        raise ValueError(f"{len(wrong)} of {len(both)} ratings are not those of the plain loop")
    truth = pl.read_parquet(folder / "truth.parquet")
    change = written.join(start.rename({"rating": "start"}), on="fide_id").select(
        "fide_id", (pl.col("rating") - pl.col("start")).round(mode="half_away_from_zero").alias("elo_change")
    )
    same = truth.join(change, on="fide_id", how="left").select((pl.col("elo_change") == pl.col("change")).sum()).item()
    return float(same / len(truth))


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    if task == "write":
        write_inputs(*map(Path, arguments))
    else:
        check = as_plain_elo if arguments[0].startswith("elo_") else as_published
        print(json.dumps(check(*map(Path, arguments[1:]))))
