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


def measure(arguments: Sequence[str], python: str | Path = sys.executable) -> Cost:
    """Run ``python`` with ``arguments`` from the root of the sources, in the office of a fixed day.

    Raises ``RuntimeError`` with what the command printed where it fails.
    """
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])),
        "RATINGLIST_TODAY": "2025-11-15",
        # An installed program has its byte code; without it every command compiles the program first.
        "PYTHONDONTWRITEBYTECODE": "",
    }
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
