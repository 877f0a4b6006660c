"""The rating kernel and the whole month compared with what else one might write them in, and with libraries for Elo.

Every way runs in a process of its own, one after the other in every run, and what it wrote is checked each time
(:mod:`benchmarks.agreement`): a way that is wrong stops the benchmark.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, Cost, measure
from benchmarks.month import World
from benchmarks.peers import c_compiler
from benchmarks.stages import month_cost, warmed_up
from benchmarks.table import table

PYTHON = ROOT / ".venv-bench" / "bin" / "python"
"""Where `make peers` installs the libraries: apart, for pyarrow imports pandas wherever it finds it."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to rate: what it is called, its module, whether it needs the peers' Python, what it leaves out."""

    name: str
    module: str
    foreign: bool
    leaves_out: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What one way took: seconds and CPU from the first byte read to the last one written, and of its process.

    ``same``: the share of players to whom it gives the regulations' change, None where it cannot.
    """

    seconds: float
    cpu: float
    process: Cost
    same: float | None


PROGRAM = Way("ratinglist", "program", False, "nothing: every dated text, a rule for each event, one row a side")
C_LOOP = Way("C loop", "c_loop", False, "other texts than this one; what became of the single games")
OF_A_RULE = "table, limits, periods, rounding, K by player"
WAYS = [
    PROGRAM,
    C_LOOP,
    Way("Polars", "polars_frames", False, "other texts than this one"),
    Way("DuckDB SQL", "duckdb_sql", False, "other texts than this one; what became of the single games"),
    Way("pandas", "pandas_frames", True, "other texts than this one"),
    Way("plain Python loop", "elo_plain", False, OF_A_RULE),
    Way("riix", "elo_riix", True, f"{OF_A_RULE}, players unknown at the start"),
    Way("elote", "elo_elote", True, "table, limits, periods, rounding; K by player it has"),
    Way("skelo", "elo_skelo", True, f"{OF_A_RULE}, draws, starting ratings"),
]
OF_A_MONTH = (
    "The month from its reports. The others cut them by Polars into the inputs of the kernel and write the changes: "
    "they check nothing, keep neither reports nor a store, and make no list, entries or reasons."
)
KERNEL_HEADER = ("kernel", "seconds", "min", "max", "× C", "CPU s", "peak MB", "same number", "leaves out")
MONTH_HEADER = ("month", "seconds", "min", "max", "× C", "CPU s", "peak MB")


def peers_tables(world: World, runs: int, python: Path, tell: Callable[[str], None]) -> list[str]:
    """Two tables: from frames to the changes of all players, and from the reports of the month to these."""
    folder, month = world.work / "kernel", [world.reports, world.starting_list]
    measure(["-m", "benchmarks.kernel", *map(str, [*month, warmed_up(world), folder])])
    if c_compiler():
        measure(["-m", "benchmarks.peers.c_loop", str(folder)])
    ways = [way for way in WAYS if not missing(way, python)]
    kernel: dict[Way, list[Taken]] = {way: [] for way in ways}
    whole: dict[Way, list[Cost]] = {way: [] for way in ways}
    for number in range(1, runs + 1):
        tell(f"run {number} of {runs}")
        for way in ways:
            kernel[way].append(_rated(way, folder, python))
            whole[way].append(month_cost(world) if way == PROGRAM else _rated(way, folder, python, month).process)
    return [
        table(KERNEL_HEADER, [_kernel_row(way, kernel, missing(way, python)) for way in WAYS], 1, 1),
        OF_A_MONTH,
        table(MONTH_HEADER, [(way.name, *_figures(whole[way], whole.get(C_LOOP, []))) for way in ways]),
    ]


def missing(way: Way, python: Path) -> str:
    """Why ``way`` cannot be run here; empty where it can."""
    if way.foreign and not python.exists():
        return f"not measured: there is no {python}; make peers installs it"
    if way == C_LOOP and not c_compiler():
        return "not measured: there is no C compiler"
    return ""


def _rated(way: Way, folder: Path, python: Path, month: Sequence[Path] = ()) -> Taken:
    """``way`` run once and checked; raises ``RuntimeError`` where its figures are wrong."""
    written = folder / f"by-{way.module}.parquet"
    command = ["-m", "benchmarks.peer", way.module, str(folder), str(written), *map(str, month)]
    cost = measure(command, python if way.foreign else sys.executable, touched=True)
    seconds, cpu = json.loads(cost.output.splitlines()[-1])
    same = json.loads(measure(["-m", "benchmarks.agreement", way.module, str(folder), str(written)]).output)
    return Taken(seconds, cpu, cost, same)


def _kernel_row(way: Way, kernel: dict[Way, list[Taken]], why_not: str) -> tuple[str, ...]:
    if why_not:
        return (way.name, *["–"] * (len(KERNEL_HEADER) - 2), why_not)
    costs, loop = (
        [Cost(one.seconds, one.cpu, one.process.memory, "") for one in kernel.get(which, [])] for which in (way, C_LOOP)
    )
    same = kernel[way][0].same
    return way.name, *_figures(costs, loop), "–" if same is None else f"{same:.0%}", way.leaves_out


def _figures(costs: Sequence[Cost], loop: Sequence[Cost]) -> tuple[str, ...]:
    seconds = [cost.seconds for cost in costs]
    ratios = [cost.seconds / least.seconds for cost, least in zip(costs, loop, strict=False)]
    return (
        f"{median(seconds):.3f}",
        f"{min(seconds):.3f}",
        f"{max(seconds):.3f}",
        f"{median(ratios):.2f}" if ratios else "–",
        f"{median(cost.cpu for cost in costs):.3f}",
        f"{max(cost.memory for cost in costs):,}",
    )
