"""One command in a process of its own: how long it took, how much of a processor and of the memory it used."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
#: ``ru_maxrss`` is in kilobytes, on macOS in bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process cost. ``cpu`` are the seconds of all its threads, ``memory`` the most it held, in MB."""

    seconds: float
    cpu: float
    memory: int
    output: str


TOUCHED = 3 * 2**30
"""Bytes of memory that are touched before a stage is measured, where the computer has twice as many to spare."""


def at_hand() -> None:
    """Touch as much memory as any stage needs, and give it back.

    A virtual computer is given memory by its host where it is first touched, and that takes ten times as long as
    touching it again. Who is measured after a pause would pay for that, and who comes at once after him would not.
    """
    if _free_memory() >= TOUCHED * 2:
        touch = (
            f"import mmap; one = mmap.mmap(-1, {TOUCHED}); [one.write(bytes(2**20)) for _ in range({TOUCHED} >> 20)]"
        )
        subprocess.run([sys.executable, "-c", touch], check=True)


def _free_memory() -> int:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


def measure(arguments: Sequence[str], python: str | Path = sys.executable, *, touched: bool = False) -> Cost:
    """Run ``python`` with ``arguments`` from the root of the sources, in the office of a fixed day.

    ``touched``: with memory :func:`at_hand`.
    Raises ``RuntimeError`` with what the command printed where it fails.
    """
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])),
        "RATINGLIST_TODAY": "2025-11-15",
        # An installed program has its byte code; without it every command compiles the program first.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    if touched:
        at_hand()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = perf_counter()
        process = subprocess.Popen([python, *arguments], stdout=output, stderr=errors, cwd=ROOT, env=environment)
        # wait4, for what getrusage says of children is the most of all of them
        _, status, used = os.wait4(process.pid, 0)
        seconds = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        printed = output.read().decode()
        if process.returncode:
            raise RuntimeError(
                f"{' '.join(arguments)} ended with {process.returncode}:\n{errors.read().decode()}{printed}"
            )
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * RSS_UNIT // 2**20, printed)
