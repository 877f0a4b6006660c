"""The rating kernel compared with what else one might write it in, and with libraries for Elo.

Every way runs in a process of its own, one after the other in every run, and what it wrote is checked each time
(:mod:`benchmarks.kernel`): a way that is wrong stops the benchmark.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, measure
from benchmarks.month import World
from benchmarks.peers import c_compiler, compile_loop
from benchmarks.stages import table, warmed_up

PYTHON = ROOT / ".venv-bench" / "bin" / "python"
"""Where `make peers` installs the libraries: apart, for pyarrow imports pandas wherever it finds it."""
NAMES = {
    "program": "ratinglist",
    "c_loop": "C loop",
    "duckdb_sql": "DuckDB SQL",
    "pandas_frames": "pandas",
    "elo_plain": "plain Python loop",
    "elo_riix": "riix",
    "elo_elote": "elote",
}
"""The ways, by their functions in :mod:`benchmarks.peers`."""
FOREIGN = ("pandas_frames", "elo_riix", "elo_elote")
"""Those that need the peers' Python."""
HEADER = ("kernel", "seconds", "min", "max", "× C", "CPU s", "peak MB", "same number")


@dataclass(frozen=True, slots=True)
class Taken:
    """What one way took: seconds and CPU from the first byte read to the last one written, and MB of its process.

    ``same``: the share of players to whom it gives the regulations' change.
    """

    seconds: float
    cpu: float
    memory: int
    same: float


def kernel_table(world: World, runs: int, python: Path, tell: Callable[[str], None]) -> list[str]:
    """The table of every way from frames to the changes of all players, and a line for each that was not measured."""
    folder = world.work / "kernel"
    measure(["-m", "benchmarks.kernel", "write", *map(str, [warmed_up(world), world.starting_list, folder])])
    if c_compiler():
        compile_loop(folder)
    missing = {way: why for way in NAMES if (why := _missing(way, python))}
    taken: dict[str, list[Taken]] = {way: [] for way in NAMES if way not in missing}
    for number in range(1, runs + 1):
        tell(f"run {number} of {runs}")
        for way, costs in taken.items():
            costs.append(_rated(way, folder, python if way in FOREIGN else Path(sys.executable)))
    rows = [_row(NAMES[way], costs, taken.get("c_loop", [])) for way, costs in taken.items()]
    return [table(HEADER, rows), *(f"{NAMES[way]}: not measured: {why}" for way, why in missing.items())]


def _missing(way: str, python: Path) -> str:
    """Why ``way`` cannot be run here; empty where it can."""
    if way in FOREIGN and not python.exists():
        return f"there is no {python}; make peers installs it"
    return "there is no C compiler" if way == "c_loop" and not c_compiler() else ""


def _rated(way: str, folder: Path, python: Path) -> Taken:
    """``way`` run once and checked; raises ``RuntimeError`` where its figures are wrong."""
    written = str(folder / f"by-{way}.parquet")
    cost = measure(["-m", "benchmarks.peers", way, str(folder), written], python)
    seconds, cpu = json.loads(cost.output.splitlines()[-1])
    same = json.loads(measure(["-m", "benchmarks.kernel", "check", way, str(folder), written]).output)
    return Taken(seconds, cpu, cost.memory, same)


def _row(name: str, costs: Sequence[Taken], loop: Sequence[Taken]) -> tuple[str, ...]:
    seconds = [cost.seconds for cost in costs]
    ratios = [cost.seconds / least.seconds for cost, least in zip(costs, loop, strict=False)]
    return (
        name,
        f"{median(seconds):.3f}",
        f"{min(seconds):.3f}",
        f"{max(seconds):.3f}",
        f"{median(ratios):.2f}" if ratios else "–",
        f"{median(cost.cpu for cost in costs):.3f}",
        f"{max(cost.memory for cost in costs):,}",
        f"{costs[0].same:.0%}",
    )
