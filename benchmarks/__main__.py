"""``python -m benchmarks run|peers``: what a month costs, and what other programs take for it, as tables.

``run`` measures the stages of months of the sizes S, M and L. Every stage runs in a process of its own and is followed
at once by its floor, so that what else the computer does weighs on both alike. Seconds are those of the clock on the
wall, from the start of the process to its end. ``--games 2 5 10 20`` measures whole months of so many million games.
``peers`` compares the kernel, on a month of one size, with other ways to rate the same games.
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

from benchmarks.compared import PYTHON, kernel_table
from benchmarks.month import DATA, SIZES, World, world_of
from benchmarks.stages import games_table, stages_table


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line asks; the tables go to stdout, what is being done to stderr."""
    options = _options(arguments)
    sections = _run(options) if options.command == "run" else _peers(options)
    print(_conditions(options.runs), *sections, sep="\n\n")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m benchmarks", description="What a month costs.")
    commands = reader.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="each stage next to its floor")
    run.add_argument("--sizes", nargs="*", choices=SIZES, help="default: all three, or none with --games")
    run.add_argument("--games", nargs="*", type=float, default=[], metavar="MILLIONS", help="months of so many games")
    peers = commands.add_parser("peers", help="the kernel next to other programs")
    peers.add_argument("--size", choices=SIZES, default="M", help="60, 500 or 5,000 events; default: M")
    peers.add_argument("--peers-python", type=Path, default=PYTHON, help="the Python that has pandas and the libraries")
    for command in (run, peers):
        command.add_argument("--runs", type=int, default=3, help="how many times each is measured; default: 3")
        command.add_argument("--data", type=Path, default=DATA, help="where months are kept; default: benchmarks/data")
    return reader.parse_args(arguments)


def _run(options: argparse.Namespace) -> list[str]:
    sizes = options.sizes or ([] if options.games else list(SIZES))
    sections = []
    for name in sizes:
        world = world_of(SIZES[name], options.data)
        sections += [_size(name, world), stages_table(world, options.runs, _tell)]
        shutil.rmtree(world.work)
    return [*sections, *([games_table(options.games, options.data, _tell)] if options.games else [])]


def _peers(options: argparse.Namespace) -> list[str]:
    world = world_of(SIZES[options.size], options.data)
    sections = [_size(options.size, world), *kernel_table(world, options.runs, options.peers_python, _tell)]
    shutil.rmtree(world.work)
    return sections


def _size(name: str, world: World) -> str:
    return f"{name}: {SIZES[name].events:,} events, {SIZES[name].players:,} players, {world.games:,} games"


def _conditions(runs: int) -> str:
    """What was measured on what: without it no figure means anything."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("polars", "duckdb", "pyarrow"))
    return (
        f"{f'medians of {runs} runs' if runs > 1 else 'one run'}, {date.today()}; "  # noqa: DTZ011
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    )


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
