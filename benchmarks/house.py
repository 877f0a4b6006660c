"""``python -m benchmarks.house [CHECKOUT]``: how large the program is, and the modules that a first run enters."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import ROOT

TRACED = """
import sys, threading
from ratinglist.cli.main import main

folder, arguments, entered = sys.argv[1], sys.argv[2:], {}

def note(frame, event, argument):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(folder) or code.co_filename in entered:
        return
    caller = frame
    while caller is not None:
        # What is called while a module is imported does not count.
        if caller.f_code.co_name == "<module>" and caller.f_code.co_filename.startswith(folder):
            return
        caller = caller.f_back
    entered[code.co_filename] = None

sys.argv = ["ratinglist", *arguments]
threading.setprofile(note)
sys.setprofile(note)
try:
    main()
except SystemExit as ended:
    sys.setprofile(None)
    if ended.code:
        raise
print(*entered, sep="\\n")
"""
"""Runs a command and prints the files of the program of which a function was called, in the order of the first call."""


def main(checkout: Path) -> None:
    """Print the modules that the first run of the sample federation enters, and how many there are."""
    entered = modules_entered(checkout)
    modules = len(list((checkout / "src" / "ratinglist").rglob("*.py")))
    print(*entered, f"{len(entered)} of {modules} modules", sep="\n")


def modules_entered(root: Path) -> list[str]:
    """Return the modules that the first run of the sample federation enters, in the order of the first call.

    A module is entered when a function of it is called; what is called while a module is imported does not count.
    """
    folder = root / "src" / "ratinglist"
    sample = root / "data" / "sample"
    with tempfile.TemporaryDirectory() as home:
        _traced(root, "import-list", str(sample / "list-2025-08.csv"), "--month", "2025-08", "--home", home)
        _traced(root, "import-players", str(sample / "players-2025-09.csv"), "--home", home)
        reports = str(sample / "reports" / "2025-09")
        printed = _traced(root, "run", "2025-09", reports, "--home", home, "--json")
    files = [Path(line) for line in printed.splitlines() if line.startswith(str(folder))]
    return [_name(folder, path) for path in files]


def _traced(root: Path, *arguments: str) -> str:
    environment = {
        "PYTHONPATH": str(root / "src"),
        "RATINGLIST_TODAY": "2025-12-01",
        "PYTHONDONTWRITEBYTECODE": "1",
        # What Polars calls in a thread of its own is not traced.
        "POLARS_MAX_THREADS": "1",
    }
    command = [sys.executable, "-c", TRACED, str(root / "src" / "ratinglist"), *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{root}: {' '.join(arguments)}\n{done.stderr}")
    return done.stdout


def _name(folder: Path, path: Path) -> str:
    """Return a module's path below the package; a package's ``__init__`` has the name of the package."""
    return path.relative_to(folder).with_suffix("").as_posix().removesuffix("/__init__")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
