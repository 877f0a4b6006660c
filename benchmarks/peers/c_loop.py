"""The rule as a loop in C over the Arrow columns in memory; pyarrow reads and writes the Parquet."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers import c_compiler
from benchmarks.peers.given import YEAR, higher_scores

SOURCE = Path(__file__).with_name("c_loop.c")
LIBRARY = "c_loop.so"
FLAGS = ("-O3", "-shared", "-fPIC")
SIDES = ["event_row", "fide_id", "rating", "opponent_rating", "score_halves"]
STATE = ["fide_id", "games_played", "reached_2400", "reached_2300", "birth_year"]
NOT_RATED = {-1: "a player of a side is not in the state", -2: "out of memory"}


def compiled(folder: Path) -> None:
    """Compile the loop into ``folder``, where :func:`rate` loads it; this is not measured."""
    subprocess.run([c_compiler() or "cc", *FLAGS, "-o", folder / LIBRARY, SOURCE], check=True)


def rate(folder: Path, out: Path) -> None:
    """Read sides, events and state, rate the sides, write the changes."""
    sides = _columns(folder / "sides.parquet", SIDES)
    state = _columns(folder / "state.parquet", STATE)
    events = _columns(folder / "events.parquet", ["cap", "cap_players_below"])
    scores = pa.array(higher_scores(), pa.int32())
    players = len(state[0])
    types = [pa.int64(), pa.int32(), pa.int32(), pa.int32(), pa.int32()]
    found = [pa.allocate_buffer(players * (dtype.bit_width // 8)) for dtype in types]
    rating = ctypes.CDLL(str(folder / LIBRARY)).rate
    rating.restype = ctypes.c_int64
    written = rating(
        ctypes.c_int64(len(sides[0])),
        *map(_address, sides),
        ctypes.c_int64(players),
        *map(_address, state),
        ctypes.c_int32(YEAR),
        *map(_address, events),
        _address(scores),
        ctypes.c_int32(len(scores) - 1),
        *(ctypes.c_void_p(buffer.address) for buffer in found),
    )
    if written < 0:
        raise ValueError(NOT_RATED[written])
    columns = [pa.Array.from_buffers(dtype, written, [None, one]) for dtype, one in zip(types, found, strict=True)]
    names = ["fide_id", "games", "k", "change_hundredths", "change"]
    pq.write_table(pa.table(columns, names=names), out, compression="zstd", compression_level=3)


def _columns(file: Path, names: list[str]) -> list[pa.Array]:
    with pq.ParquetFile(file) as parquet:
        table = parquet.read(columns=names)
    columns = [table.column(name).combine_chunks() for name in names]
    if any(column.null_count or column.offset for column in columns):
        raise ValueError(f"{file} has empty cells")
    return columns


def _address(column: pa.Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(column.buffers()[1].address)


if __name__ == "__main__":
    compiled(Path(sys.argv[1]))
