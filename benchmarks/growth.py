"""Whether the cost of a month grows with its games and with nothing else: the same month, ten times as large.

The kernel is given the games of one published month many times over, each with events and players of its own; the
whole ``rate`` a month made of that size, with four games to a player on the list.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.compared import C_LOOP, PROGRAM, PYTHON, Taken, Way, missing, one, prepared
from benchmarks.measure import Cost, measure
from benchmarks.month import MONTH, Size, made
from benchmarks.stages import opened, program
from benchmarks.table import table

GAMES = (100_000, 1_000_000, 10_000_000)
GAMES_A_REPORT, GAMES_A_PLAYER, LEAST_PLAYERS = 437, 4, 240
"""What an event of the generator holds, and the players it needs at least."""
HEADER = ("step", "games", "seconds", "s a million", "CPU s", "CPU s a million", "× the first", "peak MB")
MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True, slots=True)
class Point:
    """One step at one size: medians of its runs, and the most memory of any."""

    games: int
    seconds: float
    cpu: float
    memory: int

    @classmethod
    def of(cls, games: int, runs: Sequence[Cost | Taken]) -> Point:
        """The point that ``runs`` over ``games`` games make."""
        return cls(
            games,
            median(run.seconds for run in runs),
            median(run.cpu for run in runs),
            max(run.memory for run in runs),
        )


def growth(sizes: Sequence[int], office: Path, data: Path, runs: int, tell: Callable[[str], None]) -> str:
    """The table for months of about ``sizes`` games; ``office``: whose published month the kernel is given."""
    ways = [way for way in (PROGRAM, C_LOOP) if not missing(way, PYTHON)]
    kernel = [_kernel(ways, size, office, data, runs, tell) for size in sizes]
    lines = []
    for at, way in enumerate(ways):
        lines += _lines(f"kernel: {way.name}", [points[at] for points in kernel])
    notes: list[str] = []
    points: list[Point] = []
    for size in sizes:
        needed = points[-1].memory * size // points[-1].games if points else 0
        if needed > _free_memory():
            notes.append(f"rate of {size:,} games: not measured, it would need about {needed:,} MB")
        else:
            points.append(_rate(size, data, runs, tell))
    return "\n\n".join([table(HEADER, [*lines, *_lines("rate", points)]), *notes])


def _kernel(
    ways: Sequence[Way], size: int, office: Path, data: Path, runs: int, tell: Callable[[str], None]
) -> list[Point]:
    """Every one of ``ways`` on about ``size`` games."""
    folder = data / "growth"
    once = prepared(office, folder)
    sides = prepared(office, folder, max(1, round(2 * size / once)))
    taken: dict[str, list[Taken]] = {way.module: [] for way in ways}
    for number in range(1, runs + 1):
        tell(f"kernel, {sides // 2:,} games, run {number} of {runs}")
        for way in ways:
            taken[way.module].append(one(way, folder, PYTHON))
    shutil.rmtree(folder)
    return [Point.of(sides // 2, taken[way.module]) for way in ways]


def _rate(size: int, data: Path, runs: int, tell: Callable[[str], None]) -> Point:
    """``rate`` on a store that holds a month's reports, in each run a copy of the same store."""
    world = made(Size(max(1, size // GAMES_A_REPORT), max(LEAST_PLAYERS, size // GAMES_A_PLAYER)), data=data)
    loaded, office = world.work / "loaded", world.work / "rated"
    for folder in (loaded, office):
        shutil.rmtree(folder, ignore_errors=True)
    opened(loaded, world)
    games = json.loads(measure(program(loaded, "load", str(world.month.reports), "--json")).output)["games"]
    costs: list[Cost] = []
    for number in range(1, runs + 1):
        tell(f"rate, {games:,} games, run {number} of {runs}")
        shutil.copytree(loaded, office)
        costs.append(measure(program(office, "rate", MONTH)))
        shutil.rmtree(office)
    shutil.rmtree(loaded)
    return Point.of(games, costs)


def _lines(step: str, points: Sequence[Point]) -> list[tuple[str, ...]]:
    """A line for each size; the ratio is that of CPU seconds a game, to the smallest month."""
    return [
        (
            step,
            f"{point.games:,}",
            f"{point.seconds:.2f}",
            f"{point.seconds / point.games * 1e6:.2f}",
            f"{point.cpu:.2f}",
            f"{point.cpu / point.games * 1e6:.2f}",
            f"{point.cpu / point.games / (points[0].cpu / points[0].games):.2f}",
            f"{point.memory:,}",
        )
        for point in points
    ]


def _free_memory() -> int:
    """The megabytes a new process may take; where the system does not say, as much as it likes."""
    if not MEMORY.exists():
        return sys.maxsize
    lines = dict(line.split(":", 1) for line in MEMORY.read_text(encoding="ascii").splitlines())
    return int(lines["MemAvailable"].split()[0]) // 1024
