"""``python -m benchmarks.house [CHECKOUT ...]``: how large the program is, one column for each checkout.

It counts the lines and modules of ``src``, the modules that a first run of the sample federation enters, and for each
package the names that other packages use. Without a checkout it counts this one.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT
from benchmarks.table import table

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


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a source file, by what stands in them."""

    code: int
    docstrings: int
    comments: int
    blank: int


@dataclass(frozen=True, slots=True)
class Face:
    """What the rest of the program uses of a package: how many names, of how many of its modules."""

    names: int
    modules: int
    of_modules: int


def main(checkouts: Sequence[str]) -> None:
    """Print both tables for ``checkouts``, paths of folders with ``src`` and ``data``."""
    roots = [Path(checkout).resolve() for checkout in checkouts] or [ROOT]
    print(report({root.name: root for root in roots}))


def report(roots: Mapping[str, Path]) -> str:
    """Return the size of each checkout of ``roots`` as tables, under its name."""
    sizes = [_sizes(root / "src" / "ratinglist") | _entered_by_a_run(root) for root in roots.values()]
    faces = [faces_of(root / "src" / "ratinglist") for root in roots.values()]
    of_sizes = [(what, *(f"{size[what]:,}" for size in sizes)) for what in sizes[0]]
    packages = sorted(set().union(*faces))
    of_faces = [(package, *(_face_text(face.get(package)) for face in faces)) for package in packages]
    title = "names used by other packages, of how many modules"
    return f"{table(('', *roots), of_sizes)}\n\n{table((title, *roots), of_faces)}"


def _face_text(face: Face | None) -> str:
    return f"{face.names} of {face.modules} of {face.of_modules}" if face else "–"


def _sizes(package: Path) -> dict[str, int]:
    counted = [lines_of(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")]
    by_kind = {kind: sum(getattr(lines, kind) for lines in counted) for kind in Lines.__slots__}
    modules = [path for path in package.rglob("*.py") if path.read_text(encoding="utf-8").count("\n") > 1]
    return {"lines": sum(by_kind.values())} | by_kind | {"modules": len(modules)}


def lines_of(text: str) -> Lines:
    """Count the lines of a module's source; a string that is a statement of its own is a docstring."""
    strings = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    in_strings = {at for node in strings for at in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    others = [line.strip() for at, line in enumerate(text.splitlines(), 1) if at not in in_strings]
    comments, blank = sum(line.startswith("#") for line in others), others.count("")
    return Lines(len(others) - comments - blank, len(in_strings), comments, blank)


def _entered_by_a_run(root: Path) -> dict[str, int]:
    entered = modules_entered(root)
    first = next(at for at, name in enumerate(entered) if name.partition("/")[0] == "reports")
    return {"modules entered by a first run": len(entered), "of them before the first of reports": first}


def modules_entered(root: Path) -> list[str]:
    """Return the modules that the first run of the sample federation enters, in the order of the first call.

    A module is entered when a function of it is called; what is called while a module is imported does not count.
    """
    folder = root / "src" / "ratinglist"
    sample = root / "data" / "sample"
    with tempfile.TemporaryDirectory() as home:
        _traced(root, "import-list", str(sample / "list-2025-08.csv"), "--month", "2025-08", "--home", home)
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


def faces_of(folder: Path) -> dict[str, Face]:
    """Return what is used from outside of each package below ``folder``."""
    modules = {_name(folder, path): path for path in folder.rglob("*.py")}
    used: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for name, path in modules.items():
        for module, what in names_used(path.read_text(encoding="utf-8"), set(modules)):
            package = module.partition("/")[0]
            if package != name.partition("/")[0]:
                used[package].add((module, what))
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    return {
        package: Face(
            len(used[package]),
            len({module for module, _ in used[package]}),
            sum(name.startswith(f"{package}/") and not path.stem.startswith("__") for name, path in modules.items()),
        )
        for package in packages
    }


def names_used(text: str, modules: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each name of another module that a module's source uses: imported, or read from the imported module."""
    tree = ast.parse(text)
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("ratinglist"):
            continue
        below = "/".join((node.module or "").split(".")[1:])
        for alias in node.names:
            module = "/".join(filter(None, [below, alias.name]))
            if module in modules:
                bound[alias.asname or alias.name] = module
            elif below in modules:
                yield below, alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            yield bound[node.value.id], node.attr


if __name__ == "__main__":
    main(sys.argv[1:])
