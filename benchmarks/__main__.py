"""``python -m benchmarks [--size S|M|L] [--runs N] [--out FILE]``: what a month costs, as tables.

Every stage runs in a process of its own and is followed at once by its floor, so that what else the computer does
weighs on both alike. Seconds are those of the clock on the wall, from the start of the process to its end.
After the stages comes the rating kernel compared with its peers. ``--profile`` says instead where inside the stages the
time goes, ``--peers`` measures the kernel alone, ``--growth`` months from a hundred thousand games to ten million,
``--history N`` that many months one after the other, and ``--exports`` what each export of a published list costs.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median

from benchmarks.compared import PYTHON, prepared, tables
from benchmarks.exports import PLAYERS, exports
from benchmarks.growth import GAMES, growth
from benchmarks.history import history
from benchmarks.measure import Cost
from benchmarks.month import DATA, SIZES, Size, World, made
from benchmarks.stages import Pair, Step, one_run, steps_of_stages, warmed_up
from benchmarks.table import table

HEADER = ("stage", "seconds", "min", "max", "floor", "ratio", "CPU s", "CPU ratio", "peak MB", "floor MB")
STEPS_HEADER = ("stage", "step", "calls", "seconds", "share", "CPU s", "peak MB")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line asks; the table goes to stdout and ``--out``, what is being done to stderr."""
    options = _options(arguments)
    named = SIZES[options.size]
    size = Size(options.reports or named.reports, options.players or named.players, options.simulated)
    if options.exports:
        size = Size(0, options.players or PLAYERS)
        _print(f"{_conditions(size, options)}\n\n{exports(size.players, options.runs, _tell)}\n", options)
        return
    _tell("making what is measured")
    world = made(size, options.history or 1, options.data)
    try:
        report = history(world, _tell) if options.history else _of_one_month(world, options)
    finally:
        shutil.rmtree(world.work, ignore_errors=True)
    _print(f"{_conditions(size, options)}\n\n{report}\n", options)


def _print(text: str, options: argparse.Namespace) -> None:
    print(text, end="")
    if options.out:
        options.out.write_text(text, encoding="utf-8")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m benchmarks", description="What a month costs.")
    reader.add_argument("--size", choices=SIZES, default="S", help="60, 500 or 5,000 reports; default: S")
    reader.add_argument("--runs", type=int, default=3, help="how many times each stage is measured; default: 3")
    reader.add_argument("--out", type=Path, help="also write the table to this file, as Markdown")
    reader.add_argument("--profile", action="store_true", help="show the steps inside load, rate and publish instead")
    reader.add_argument(
        "--peers", action="store_true", help="compare the rating kernel with its peers, and nothing else"
    )
    reader.add_argument(
        "--growth", type=int, nargs="*", metavar="GAMES", help="months of so many games instead; default: 10^5 to 10^7"
    )
    reader.add_argument("--simulated", action="store_true", help="a world of `ratinglist simulate` instead")
    reader.add_argument("--history", type=int, metavar="N", help="N months one after the other instead")
    reader.add_argument("--exports", action="store_true", help="measure the exports of a published list instead")
    reader.add_argument(
        "--peers-python", type=Path, default=PYTHON, help="the Python that has pandas and the libraries"
    )
    reader.add_argument("--reports", type=int, help="another number of reports")
    reader.add_argument("--players", type=int, help="another number of players, such as 1900000")
    reader.add_argument("--data", type=Path, default=DATA, help="where the month is kept; default: benchmarks/data")
    return reader.parse_args(arguments)


def _of_one_month(world: World, options: argparse.Namespace) -> str:
    if options.profile:
        return _profile(world)
    _tell("one run unmeasured")
    published = warmed_up(world)
    office = published.parents[2]
    if options.growth is not None:
        return growth(options.growth or GAMES, office, options.data, options.runs, _tell)
    stages = [] if options.peers else [_measured(world, published, options.runs)]
    prepared(office, world.work / "kernel")
    return "\n\n".join([*stages, tables(world.work / "kernel", options.runs, options.peers_python, _tell)])


def _measured(world: World, published: Path, runs: int) -> str:
    pairs: list[Pair] = []
    for number in range(1, runs + 1):
        _tell(f"run {number} of {runs}")
        pairs += one_run(world, number, published, _tell)
    stages = list(dict.fromkeys(pair.stage for pair in pairs))
    return table(HEADER, [_row(stage, [pair for pair in pairs if pair.stage == stage]) for stage in stages])


def _row(stage: str, pairs: list[Pair]) -> tuple[str, ...]:
    """One stage's line: medians, and of the ratios the median of those measured side by side."""
    seconds = [pair.program.seconds for pair in pairs]

    def most(costs: list[Cost]) -> str:
        return f"{max(cost.memory for cost in costs):,}"

    return (
        stage,
        f"{median(seconds):.2f}",
        f"{min(seconds):.2f}",
        f"{max(seconds):.2f}",
        f"{median(pair.floor.seconds for pair in pairs):.2f}",
        f"{median(pair.program.seconds / pair.floor.seconds for pair in pairs):.1f}",
        f"{median(pair.program.cpu for pair in pairs):.2f}",
        f"{median(pair.program.cpu / pair.floor.cpu for pair in pairs):.1f}",
        most([pair.program for pair in pairs]),
        most([pair.floor for pair in pairs]),
    )


def _profile(world: World) -> str:
    rows = []
    for stage, steps in steps_of_stages(world, _tell):
        whole = sum(step.seconds for step in steps)
        rows += [(stage, step.name, f"{step.calls:,}", *_cells(step, step.seconds / whole)) for step in steps]
        together = Step("", 0, whole, sum(step.cpu for step in steps), max(step.memory for step in steps))
        rows.append((stage, "together", "", *_cells(together, 1)))
    return table(STEPS_HEADER, rows, words=2)


def _cells(step: Step, share: float) -> tuple[str, ...]:
    return f"{step.seconds:.3f}", f"{share:.0%}", f"{step.cpu:.3f}", f"{step.memory:,}"


def _conditions(size: Size, options: argparse.Namespace) -> str:
    """What was measured on what: without it no figure means anything."""
    how = f"medians of {options.runs} runs" if options.runs > 1 else "one run"
    if options.profile:
        how = "one profiled run"
    elif options.history:
        how = f"{options.history} months, each once"
    versions = ", ".join(f"{name} {version(name)}" for name in ("polars", "duckdb", "pyarrow"))
    world = "simulated, " if size.simulated else ""
    reports = f"{size.reports:,} reports, " if size.reports else ""
    return (
        f"{world}{reports}{size.players:,} players; {how}, {date.today():%Y-%m}; "  # noqa: DTZ011
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    )


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
