"""Who may import what, and where the world may be touched: read from the source, so nobody has to remember it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "ratinglist"
SOURCE = sorted(PACKAGE.rglob("*.py"))
FLOWS = sorted((ROOT / "flows").rglob("*.py"))
DESIGN = (ROOT / "docs" / "explanation" / "design.md").read_text(encoding="utf-8")

WORLD = {
    *("asyncio", "ctypes", "glob", "http", "logging", "multiprocessing", "os", "pathlib", "random", "secrets"),
    *("shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib"),
    *("zipfile", "click", "duckdb", "prefect", "pyarrow"),
}
"""What gives a module files, a clock, chance, other programs, the network, a terminal or a database."""

CLOCK = {"now", "today", "utcnow"}
CATALOGUES = {"findings", "schemas"}
"""One entry after another, to be looked up and not read through: one idea at any length."""

FLOWS_MAY_IMPORT = {
    "ratinglist.pipeline",
    "ratinglist.correct.revise",
    "ratinglist.correct.summary_of_corrections",
    *(f"ratinglist.{name}" for name in ("settings", "period", "errors", "summary", "markdown")),
}


def name_of(path: Path) -> str:
    """A module's name as the design writes it: ``month``, ``simulation/months``."""
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def named_in_design(start: str, end: str) -> set[str]:
    """The modules that the design names, between backquotes, from ``start`` to ``end``."""
    _, found, rest = DESIGN.partition(start)
    part, ended, _ = rest.partition(end)
    assert (found, ended) == (start, end)
    return set(re.findall(r"`([\w/]+)`", part))


PURE = named_in_design("**Pure modules**", "**The shell**")
SHELL = named_in_design("**The shell**", "## ")


def imports(path: Path) -> Iterator[str]:
    """Every module or name that ``path`` imports, in full, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules_imported(path: Path) -> set[str]:
    """The modules of this program that ``path`` imports, named as in the design."""
    own = {name_of(module) for module in SOURCE}
    parts = [name.split(".")[1:] for name in imports(path) if name.startswith("ratinglist.")]
    return {"/".join(part[:length]) for part in parts for length in range(1, len(part) + 1)} & own


@pytest.fixture(params=SOURCE, ids=name_of)
def module(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture(params=sorted(PURE))
def pure_module(request: pytest.FixtureRequest) -> Path:
    return PACKAGE / f"{request.param}.py"


def test_the_design_says_of_every_module_whether_it_is_pure():
    written = {name_of(path) for path in SOURCE if path.stem != "__init__"}
    assert sorted(PURE & SHELL) == []
    assert sorted(written - PURE - SHELL) == []
    assert sorted((PURE | SHELL) - written) == []


def test_the_program_does_not_know_prefect(module):
    assert [name for name in imports(module) if name.split(".")[0] in ("prefect", "flows")] == []


def test_a_pure_module_imports_nothing_that_touches_the_world(pure_module):
    # PurePosixPath is text with slashes; it cannot open anything.
    found = {name for name in imports(pure_module) if name.split(".")[0] in WORLD}
    assert sorted(found - {"pathlib.PurePosixPath", "pathlib.PureWindowsPath"}) == []


def test_a_pure_module_imports_no_module_of_the_shell(pure_module):
    assert sorted(modules_imported(pure_module) & SHELL) == []


def test_a_pure_module_asks_for_no_file_and_no_clock(pure_module):
    found = []
    for node in ast.walk(ast.parse(pure_module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            of_polars = node.value.id == "pl" and node.attr.startswith(("read_", "scan_"))
            if of_polars or (node.value.id in ("date", "datetime") and node.attr in CLOCK):
                found.append(f"{node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.Attribute) and node.attr.startswith(("sink_", "write_")):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("open", "print", "input")
        ):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_the_program_knows_no_floating_point(module):
    found = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in ("float", "Float32", "Float64") or (
            isinstance(node, ast.Constant) and isinstance(node.value, float)
        ):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_a_pure_module_never_divides_into_fractions(pure_module):
    tree = ast.parse(pure_module.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    assert [f"{node.lineno}: {ast.unparse(node)}" for node in found] == []


@pytest.mark.parametrize("path", FLOWS, ids=lambda path: path.stem)
def test_a_flow_is_thin(path):
    own = {name for name in imports(path) if name.split(".")[0] == "ratinglist"}
    others = {name.split(".")[0] for name in imports(path)} - {"ratinglist", "prefect", "flows"}
    assert sorted(name for name in own if not any(f"{name}.".startswith(f"{may}.") for may in FLOWS_MAY_IMPORT)) == []
    assert sorted(others - sys.stdlib_module_names) == []


@pytest.mark.parametrize("path", SOURCE + FLOWS, ids=lambda path: path.stem)
def test_a_module_holds_one_idea(path):
    assert path.stem not in ("utils", "util", "helpers", "helper", "core", "base", "common", "misc")
    assert path.stem in CATALOGUES or len(path.read_text(encoding="utf-8").splitlines()) <= 400
