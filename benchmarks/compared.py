"""The rating kernel compared with what else one might write it in, and with libraries for generic Elo.

Every way runs in a process of its own, one after the other in every run, and what it wrote is checked each time
(:mod:`benchmarks.agreement`): a way that is wrong stops the benchmark.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, measure
from benchmarks.peers import c_compiler
from benchmarks.table import table

PYTHON = ROOT / ".venv-bench" / "bin" / "python"
"""Where `make bench` installs the peers: apart, for pyarrow imports pandas wherever it finds it."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to rate: what it is called, its module, whether it needs the peers' Python, what it leaves out."""

    name: str
    module: str
    foreign: bool
    leaves_out: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What one way took: seconds and CPU from the first byte read to the last one written, and of the process."""

    seconds: float
    cpu: float
    process: float
    memory: int
    games: int
    share: float | None


PROGRAM = Way("ratinglist", "program", False, "nothing: every dated text, a rule for each event, one row a side")
C_LOOP = Way("C loop", "c_loop", False, "other texts than this one; what became of the single games")
RULE = [
    PROGRAM,
    C_LOOP,
    Way("DuckDB SQL", "duckdb_sql", False, "other texts than this one; what became of the single games"),
    Way("pandas", "pandas_frames", True, "other texts than this one"),
]
ALL_OF_IT = "table, limits, periods, rounding, K by player"
ELO = [
    Way("plain Python loop", "elo_plain", False, ALL_OF_IT),
    Way("riix", "elo_riix", True, f"{ALL_OF_IT}, players unknown at the start"),
    Way("elote", "elo_elote", True, "table, limits, periods, rounding; K by player it has"),
    Way("skelo", "elo_skelo", True, f"{ALL_OF_IT}, draws, starting ratings"),
]
RULE_HEADER = ("way", "seconds", "min", "max", "× C", "CPU s", "CPU × C", "process s", "peak MB", "leaves out")
ELO_HEADER = ("way", "games", "seconds", "min", "max", "µs a game", "CPU s", "peak MB", "same number", "leaves out")


def prepared(home: Path, folder: Path, copies: int = 1) -> int:
    """Write the kernel's inputs from the office ``home`` into ``folder``, compile the loop; the number of sides."""
    sides = int(measure(["-m", "benchmarks.kernel", str(home), str(folder), str(copies)]).output)
    if c_compiler():
        measure(["-m", "benchmarks.peers.c_loop", str(folder)])
    return sides


def tables(folder: Path, runs: int, python: Path, tell: Callable[[str], None]) -> str:
    """Both tables: the rule by those that can apply it, and generic Elo by the libraries."""
    taken = dict(_taken([*RULE, *ELO], folder, runs, python, tell))
    loop = taken[C_LOOP.module]
    rule = table(RULE_HEADER, [_rule_row(way, taken[way.module], loop, python) for way in RULE], 1, 1)
    elo = table(ELO_HEADER, [_elo_row(way, taken[way.module], python) for way in ELO], 1, 1)
    return f"{rule}\n\n{elo}"


def one(way: Way, folder: Path, python: Path) -> Taken:
    """``way`` run once and checked; raises ``RuntimeError`` where its figures are wrong."""
    written = folder / f"by-{way.module}.parquet"
    with_python = python if way.foreign else sys.executable
    cost = measure(["-m", "benchmarks.peer", way.module, str(folder), str(written)], with_python, touched=True)
    seconds, cpu = json.loads(cost.output.splitlines()[-1])
    games, share = json.loads(measure(["-m", "benchmarks.agreement", way.module, str(folder), str(written)]).output)
    return Taken(seconds, cpu, cost.seconds, cost.memory, games, share)


def missing(way: Way, python: Path) -> str:
    """Why ``way`` cannot be run here; empty where it can."""
    if way.foreign and not python.exists():
        return f"not measured: there is no {python}; make bench installs it"
    if way == C_LOOP and not c_compiler():
        return "not measured: there is no C compiler"
    return ""


def _taken(
    ways: Sequence[Way], folder: Path, runs: int, python: Path, tell: Callable[[str], None]
) -> Iterator[tuple[str, list[Taken]]]:
    """What every way took in each run, by module; side by side, so that the neighbours weigh on all alike."""
    found: dict[str, list[Taken]] = {way.module: [] for way in ways}
    for number in range(1, runs + 1):
        tell(f"kernel, run {number} of {runs}")
        for way in ways:
            if not missing(way, python):
                found[way.module].append(one(way, folder, python))
    yield from found.items()


def _rule_row(way: Way, taken: list[Taken], loop: list[Taken], python: Path) -> tuple[str, ...]:
    if not taken:
        return (way.name, *["–"] * (len(RULE_HEADER) - 2), missing(way, python))
    pairs = list(zip(taken, loop, strict=False))
    return (
        way.name,
        *_seconds(taken),
        f"{median(ours.seconds / least.seconds for ours, least in pairs):.2f}" if pairs else "–",
        f"{median(one.cpu for one in taken):.3f}",
        f"{median(ours.cpu / least.cpu for ours, least in pairs):.2f}" if pairs else "–",
        f"{median(one.process for one in taken):.2f}",
        f"{max(one.memory for one in taken):,}",
        way.leaves_out,
    )


def _elo_row(way: Way, taken: list[Taken], python: Path) -> tuple[str, ...]:
    if not taken:
        return (way.name, *["–"] * (len(ELO_HEADER) - 2), missing(way, python))
    games, share = taken[0].games, taken[0].share
    return (
        way.name,
        f"{games:,}",
        *_seconds(taken),
        f"{median(one.seconds for one in taken) / games * 1e6:.2f}",
        f"{median(one.cpu for one in taken):.3f}",
        f"{max(one.memory for one in taken):,}",
        "–" if share is None else f"{share:.0%}",
        way.leaves_out,
    )


def _seconds(taken: list[Taken]) -> tuple[str, str, str]:
    seconds = [one.seconds for one in taken]
    return f"{median(seconds):.3f}", f"{min(seconds):.3f}", f"{max(seconds):.3f}"
