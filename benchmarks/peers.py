"""Ways to rate the same games, each a function from the folder of inputs to the Parquet file that it writes.

``python -m benchmarks.peers WAY FOLDER OUT`` runs one in a process of its own, and prints as JSON the seconds on the
wall and of the processor from the first byte read to the last one written. Its libraries are imported before.

``program``, ``duckdb_sql``, ``pandas_frames`` and ``c_loop`` apply the rule and must write the same rows.
``elo_plain``, ``elo_riix`` and ``elo_elote`` compute generic Elo: the rating changes with every game, by the formula,
in floating point. ``folder`` contains the files of :mod:`benchmarks.kernel`.
"""

from __future__ import annotations

import csv
import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time

import polars as pl

from benchmarks.measure import ROOT
from benchmarks.month import MONTH, MONTH_BEFORE

YEAR = int(MONTH_BEFORE[:4])
"""The year that juniors are judged in: K is judged on the list before the one computed."""
SCORES = ROOT / "data" / "tables" / "expected_score.csv"
COMPRESSION = {"compression": "zstd", "compression_level": 3}
SOURCE, LIBRARY = Path(__file__).with_name("c_loop.c"), "c_loop.so"
NOT_RATED = {-1: "a player of a side is not in the state", -2: "out of memory"}
ELO_K = 20
RATE = """
copy (
    with counted as (
        select fide_id, count(*)::integer as games from read_parquet($sides) group by fide_id
    ),
    coefficient as (
        select fide_id, games,
               case when reached_2400 then 10
                    when $year - birth_year <= 18 and not reached_2300 then 40
                    when games_played < 30 then 40
                    else 20 end as unlimited,
               case when unlimited * games > 700 then 700 // games else unlimited end as k
        from counted join read_parquet($state) using (fide_id)
    ),
    difference as (
        select fide_id, score_halves, rating - opponent_rating as whole,
               case when rating < 2650 then least(greatest(whole, -400), 400) else whole end as used
        from read_parquet($sides)
    ),
    side as (
        select fide_id, k, games,
               k * (score_halves * 50 - case when used >= 0 then higher else 100 - higher end) as hundredths
        from difference
        join expected on expected.difference = least(abs(used), $last)
        join coefficient using (fide_id)
    )
    select fide_id, any_value(games) as games, any_value(k)::integer as k,
           sum(hundredths)::integer as change_hundredths,
           (sign(sum(hundredths)) * ((abs(sum(hundredths)) + 50)::bigint // 100))::integer as change
    from side
    group by fide_id
    order by fide_id
) to '{out}' (format parquet, compression zstd, compression_level 3)
"""


def higher_scores() -> list[int]:
    """Return the higher rated player's expected scores in hundredths, by absolute difference, up to the last range."""
    scores: list[int] = []
    with SCORES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            last = int(row["difference_to"] or row["difference_from"])
            scores += [int(row["higher_hundredths"])] * (last + 1 - len(scores))
    return scores


def program(folder: Path, out: Path) -> None:
    """The functions that ``rate`` calls. Every side gets its expected score, K and change, as in the program.

    In the program a side comes with the ratings of its players. Here it is read with them, as the others read it.
    """
    from ratinglist.period import Period
    from ratinglist.rating.change import sum_changes
    from ratinglist.rating.player_games import REASON, add_changes, add_expected_scores, rate_players
    from ratinglist.store.rule_files import rule_book

    book = rule_book()
    rule_set = book.on("fide", "standard", Period.parse(MONTH).first_day)
    if rule_set is None:
        raise ValueError(f"there is no rule set for {MONTH}")
    sides = pl.read_parquet(folder / "sides.parquet").with_columns(
        event_id=pl.lit(0), rule_set=pl.lit("text"), reason=pl.lit("", dtype=REASON)
    )
    # A player of the list in an event, with the state that K depends on.
    players = (
        sides.select("event_id", "fide_id", old_rating="rating")
        .unique("fide_id")
        .join(pl.read_parquet(folder / "state.parquet"), on="fide_id")
        .with_columns(
            # Juniors are judged on the list before, whatever the event.
            pl.lit("standard").alias("time_control"),
            pl.lit(None, dtype=pl.Date).alias("start_date"),
            pl.lit(None, dtype=pl.Date).alias("birth_date"),
            pl.lit(Period.parse(MONTH_BEFORE).first_day).alias("list_before"),
        )
    )
    sides = add_expected_scores(sides, {"text": rule_set}, book.tables)
    rated = rate_players(sides, players, {"standard": rule_set})
    add_changes(sides, rated, rated.clear().select("event_id", "fide_id", reason=pl.lit("")))
    sum_changes(rated, rule_set.change).sort("fide_id").write_parquet(out, compression="zstd", compression_level=3)


def c_compiler() -> str | None:
    """Return the path of the C compiler: ``CC``, else ``cc``; None if there is none."""
    return shutil.which(os.environ.get("CC", "cc"))


def compile_loop(folder: Path) -> None:
    """Compile the loop into ``folder``, where :func:`c_loop` loads it; this is not measured."""
    subprocess.run([c_compiler() or "cc", "-O3", "-shared", "-fPIC", "-o", folder / LIBRARY, SOURCE], check=True)


def c_loop(folder: Path, out: Path) -> None:
    """A loop in C over the Arrow columns in memory; pyarrow reads and writes the Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def columns(name: str) -> list[pa.Array]:
        with pq.ParquetFile(folder / f"{name}.parquet") as parquet:
            return [column.combine_chunks() for column in parquet.read().columns]

    def address(column: pa.Array) -> ctypes.c_void_p:
        return ctypes.c_void_p(column.buffers()[1].address)

    sides, state, scores = columns("sides"), columns("state"), pa.array(higher_scores(), pa.int32())
    players = len(state[0])
    types = [pa.int64(), pa.int32(), pa.int32(), pa.int32(), pa.int32()]
    buffers = [pa.allocate_buffer(players * (dtype.bit_width // 8)) for dtype in types]
    rate = ctypes.CDLL(str(folder / LIBRARY)).rate
    rate.restype = ctypes.c_int64
    written = rate(
        ctypes.c_int64(len(sides[0])),
        *map(address, sides),
        ctypes.c_int64(players),
        *map(address, state),
        ctypes.c_int32(YEAR),
        address(scores),
        ctypes.c_int32(len(scores) - 1),
        *(ctypes.c_void_p(buffer.address) for buffer in buffers),
    )
    if written < 0:
        raise ValueError(NOT_RATED[written])
    arrays = [
        pa.Array.from_buffers(dtype, written, [None, buffer]) for dtype, buffer in zip(types, buffers, strict=True)
    ]
    names = ["fide_id", "games", "k", "change_hundredths", "change"]
    pq.write_table(pa.table(arrays, names=names), out, **COMPRESSION)


def duckdb_sql(folder: Path, out: Path) -> None:
    """One plain SQL statement, Parquet to Parquet, by DuckDB alone."""
    import duckdb

    scores = higher_scores()
    connection = duckdb.connect()
    connection.execute(
        "create temp table expected as select unnest(range(len($scores))) as difference, unnest($scores) as higher",
        {"scores": scores},
    )
    files = {name: str(folder / f"{name}.parquet") for name in ("sides", "state")}
    quoted = str(out).replace("'", "''")
    connection.execute(RATE.format(out=quoted), files | {"last": len(scores) - 1, "year": YEAR})


def pandas_frames(folder: Path, out: Path) -> None:
    """Plain pandas and numpy, Parquet to Parquet."""
    import numpy as np
    import pandas as pd

    sides, state = pd.read_parquet(folder / "sides.parquet"), pd.read_parquet(folder / "state.parquet")
    counted = sides.groupby("fide_id").size().rename("games").astype("int32").reset_index()
    players = counted.merge(state, on="fide_id")
    junior = YEAR - players["birth_year"] <= 18
    unlimited = np.select(
        [players["reached_2400"], junior & ~players["reached_2300"], players["games_played"] < 30], [10, 40, 40], 20
    )
    players["k"] = np.where(unlimited * players["games"] > 700, 700 // players["games"], unlimited).astype("int32")

    sides = sides.merge(players[["fide_id", "k"]], on="fide_id")
    difference = sides["rating"] - sides["opponent_rating"]
    used = difference.where(sides["rating"] >= 2650, difference.clip(-400, 400))
    scores = np.array(higher_scores(), dtype="int32")
    higher = scores[np.minimum(used.abs(), len(scores) - 1)]
    expected = np.where(used >= 0, higher, 100 - higher)
    sides["change_hundredths"] = sides["k"] * (sides["score_halves"] * 50 - expected)

    hundredths = sides.groupby("fide_id")["change_hundredths"].sum().astype("int32").reset_index()
    changes = players[["fide_id", "games", "k"]].merge(hundredths, on="fide_id").sort_values("fide_id")
    exact = changes["change_hundredths"]
    changes["change"] = (np.sign(exact) * ((exact.abs() + 50) // 100)).astype("int32")
    changes.to_parquet(out, index=False, **COMPRESSION)


def elo_inputs(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the games (``white_id``, ``black_id``, ``score``, ``round``) and every player's rating on the list."""
    games = pl.read_parquet(folder / "games.parquet")
    sides = (
        games.select(pl.col(f"{colour}_id").alias("fide_id"), pl.col(f"{colour}_rating").alias("rating"))
        for colour in ("white", "black")
    )
    start = pl.concat(sides).unique("fide_id", keep="any").sort("fide_id")
    return games.select("white_id", "black_id", (pl.col("white_halves") / 2).alias("score"), "round"), start


def elo(games: Iterable[tuple[int, int, float, int]], rating: dict[int, float]) -> None:
    """Update both ratings after every game, of White, Black, White's score and the round."""
    for white, black, score, _ in games:
        change = ELO_K * (score - 1 / (1 + 10 ** ((rating[black] - rating[white]) / 400)))
        rating[white] += change
        rating[black] -= change


def elo_plain(folder: Path, out: Path) -> None:
    """Generic Elo as a plain loop over a dictionary: the libraries' figures are compared with it."""
    games, start = elo_inputs(folder)
    rating = {fide_id: float(first) for fide_id, first in start.iter_rows()}
    elo(games.iter_rows(), rating)
    _write_ratings(out, list(rating), list(rating.values()))


def elo_elote(folder: Path, out: Path) -> None:
    """Generic Elo by elote: one object for each player."""
    from elote import EloCompetitor

    games, start = elo_inputs(folder)
    players = {
        fide_id: EloCompetitor(initial_rating=float(rating), k_factor=ELO_K) for fide_id, rating in start.iter_rows()
    }
    for white, black, score, _ in games.iter_rows():
        if score == 1:
            players[white].beat(players[black])
        elif score == 0:
            players[black].beat(players[white])
        else:
            players[white].tied(players[black])
    _write_ratings(out, list(players), [player.rating for player in players.values()])


def elo_riix(folder: Path, out: Path) -> None:
    """Generic Elo by riix, which takes integers from 0 for players, all of them given at the start, and one K."""
    import numpy as np
    from riix.models.elo import Elo
    from riix.utils import MatchupDataset

    games, start = elo_inputs(folder)
    place = pl.DataFrame({"fide_id": start["fide_id"], "place": np.arange(len(start))})
    # Its reader of data frames does not keep the order of the games with Polars 2.
    pairs = [
        games.select(fide_id=name).join(place, on="fide_id", maintain_order="left")["place"].to_numpy()
        for name in ("white_id", "black_id")
    ]
    dataset = MatchupDataset.init_from_arrays(
        time_steps=games["round"].to_numpy(),
        matchups=np.column_stack(pairs),
        outcomes=games["score"].to_numpy(),
        competitors=start["fide_id"].to_list(),
    )
    system = Elo(dataset.competitors, k=ELO_K)
    system.ratings[:] = start["rating"].to_numpy()
    system.fit_dataset(dataset)
    _write_ratings(out, dataset.competitors, system.ratings.tolist())


def _write_ratings(out: Path, fide_ids: list[int], ratings: list[float]) -> None:
    rows = pl.DataFrame({"fide_id": fide_ids, "rating": ratings}).sort("fide_id")
    rows.write_parquet(out, compression="zstd", compression_level=3)


Way = Callable[[Path, Path], None]
WAYS: dict[str, tuple[Way, tuple[str, ...]]] = {
    "program": (program, ("ratinglist.rating.player_games", "ratinglist.store.rule_files")),
    "c_loop": (c_loop, ("pyarrow.parquet",)),
    "duckdb_sql": (duckdb_sql, ("duckdb",)),
    "pandas_frames": (pandas_frames, ("pandas", "pyarrow.parquet")),
    "elo_plain": (elo_plain, ()),
    "elo_riix": (elo_riix, ("riix.models.elo", "riix.utils")),
    "elo_elote": (elo_elote, ("elote",)),
}
"""Every way, and the libraries that it is measured without importing."""

if __name__ == "__main__":
    name, source, to = sys.argv[1:]
    way, libraries = WAYS[name]
    for library in libraries:
        import_module(library)
    began = perf_counter(), process_time()
    way(Path(source), Path(to))
    print(json.dumps([perf_counter() - began[0], process_time() - began[1]]))
