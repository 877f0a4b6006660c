"""What a month in buckets costs: as a whole, in buckets in one process, and by Dask's workers, one after the other.

``python -m benchmarks.in_buckets --reports 5000 --players 1900000 --buckets 8``. Every way runs the whole month; the
last column names the published files that are not those of the first, byte for byte. Memory is that of all processes
together, read ten times a second: shared pages of libraries count once for each.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep

from benchmarks.measure import ROOT
from benchmarks.month import DATA, MONTH, Size, World, made
from benchmarks.stages import opened, program
from benchmarks.table import table

HEADER = ("way", "seconds", "× the whole", "CPU s", "× the whole", "peak MB", "files differ")


@dataclass(frozen=True, slots=True)
class TreeCost:
    """What a process and all that it started cost; ``memory`` in MB, all of them at the same moment."""

    seconds: float
    cpu: float
    memory: int


def measure_tree(arguments: Sequence[str]) -> TreeCost:
    """Run Python with ``arguments``; raise ``RuntimeError`` with its messages where it fails."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])),
        "RATINGLIST_TODAY": "2025-11-15",
    }
    most = 0
    with tempfile.TemporaryFile() as messages:
        began = perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments], stdout=messages, stderr=messages, cwd=ROOT, env=environment
        )
        while True:
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            most = max(most, sum(_resident(one) for one in _tree(process.pid)))
            sleep(0.1)
        seconds = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}:\n{messages.read().decode()}")
    return TreeCost(seconds, used.ru_utime + used.ru_stime, most * os.sysconf("SC_PAGE_SIZE") // 2**20)


def _tree(pid: int) -> list[int]:
    """The process and everything it started that still runs."""
    try:
        children = [
            int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()
        ]
    except OSError:
        return [pid]
    return [pid, *(one for child in children for one in _tree(child))]


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0


def compare(world: World, ways: dict[str, list[str]], work: Path) -> str:
    """The table of ``ways``: the options of ``run`` by name, the first of them the one they are compared with."""
    shutil.rmtree(work, ignore_errors=True)
    start = work / "start"
    opened(start, world)
    lines, first, files = [], None, None
    for name, options in ways.items():
        home = work / "office"
        shutil.copytree(start, home)
        cost = measure_tree(program(home, "run", MONTH, str(world.month.reports), *options))
        made_files = {path.name: path.read_bytes() for path in (home / "published" / MONTH / "r1").iterdir()}
        shutil.rmtree(home)
        first, files = first or cost, files or made_files
        differ = sorted(name for name in files.keys() | made_files.keys() if files.get(name) != made_files.get(name))
        lines.append(
            (
                name,
                f"{cost.seconds:.1f}",
                f"{cost.seconds / first.seconds:.2f}",
                f"{cost.cpu:.1f}",
                f"{cost.cpu / first.cpu:.2f}",
                f"{cost.memory:,}",
                ", ".join(differ) or "none",
            )
        )
        print(*lines[-1], sep="  ", file=sys.stderr, flush=True)
    shutil.rmtree(work)
    return table(HEADER, lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.in_buckets", description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=5_000)
    parser.add_argument("--players", type=int, default=1_900_000)
    parser.add_argument("--buckets", type=int, default=8)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--ways", nargs="+", default=["whole", "local", "dask"], choices=["whole", "local", "dask"])
    given = parser.parse_args()
    world = made(Size(given.reports, given.players), data=given.data)
    buckets = ["--buckets", str(given.buckets)]
    options = {
        "whole": ("as a whole", []),
        "local": (f"{given.buckets} buckets, local", buckets),
        "dask": (f"{given.buckets} buckets, dask", ["--engine", "dask", *buckets]),
    }
    print(compare(world, dict(options[way] for way in given.ways), given.data / "in-buckets"))


if __name__ == "__main__":
    main()
