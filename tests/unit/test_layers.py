"""Who may import what, and where the world may be touched: read from the source, so nobody has to remember it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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

TOUCHES_THE_WORLD = {
    *("__main__", "concurrency", "office", "settings"),
    *("analysis/player_changes", "analysis/report_states", "names/alike"),
    *("corrections/apply", "corrections/diff"),
    *("lists/fide_lists", "lists/formats"),
    *("lists/list_reader", "lists/official_rows"),
    *("pages/html_pages", "reports/discovery"),
    *("reports/delivered_tables", "reports/judge"),
}
"""The modules of the shell outside the packages that touch the world as a whole."""

COMPUTES_IN_DOUBLES = {
    # The one system whose lists are made with doubles; every sum is of whole numbers.
    "rating/systems/glicko",
}
"""The modules whose numbers are not whole by their nature. No list of FIDE's regulations is calculated with them."""

SHELL_PACKAGES = ("published", "cli", "workflows", "publication", "store", "home", "files")


ADD_ONS = {
    "ratinglist_desk": (
        *("cli", "workflows", "pages", "publication", "home", "lists", "files", "summaries", "findings"),
        *("errors", "limits", "period", "settings", "tables", "text"),
    ),
    "ratinglist_lab": (
        *(
            "cli",
            "workflows",
            "rating",
            "reports",
            "analysis",
            "publication",
            "lists",
            "names",
            "store",
            "home",
            "files",
        ),
        *("errors", "limits", "messages", "pages", "period", "result_codes", "settings", "strict_toml", "summaries"),
        *("tables", "text"),
    ),
    "ratinglist_nations": ("rating", "tables", "period", "strict_toml"),
    "ratinglist_site": (
        *("cli", "workflows", "published", "pages", "files", "summaries"),
        *("errors", "messages", "period", "settings", "tables", "text"),
    ),
    "ratinglist_world": (
        *("cli", "workflows", "store", "rating", "files", "pages", "result_codes"),
        *("errors", "office", "period", "settings", "summaries", "text", "tables"),
    ),
}
"""The packages beside the program, and what each imports of it."""

FLOWS_IMPORT = ("workflows", "pages", "published", "files")
"""The packages that a flow imports: the commands, and what texts and files are written with."""
FLOWS_ADD_ON = "ratinglist_site"
"""The add-on that a flow imports: readers see a list on the site as soon as it is published."""


def packages_in_design() -> list[str]:
    """The packages in the order of the design's table: each may import those below it."""
    table = DESIGN.partition("| package |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def name_of(path: Path) -> str:
    """A module's path below the package: ``period``, ``site/folder``."""
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def package_of(module: str) -> str:
    """The package of a module; empty for the shared vocabulary next to the packages."""
    return module.partition("/")[0] if "/" in module else ""


PACKAGES = packages_in_design()
OWN = {name_of(path) for path in SOURCE}
MODULES = {name_of(path) for path in SOURCE if path.stem != "__init__"}
SHELL = TOUCHES_THE_WORLD | {module for module in MODULES if package_of(module) in SHELL_PACKAGES}
PURE = MODULES - SHELL
PURE_SOURCE = [PACKAGE / f"{module}.py" for module in sorted(PURE)]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of the syntax tree of ``path``."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def places(path: Path, syntax_nodes: Iterable[ast.AST]) -> list[str]:
    """Each node with its file and line."""
    return [f"{path}:{getattr(node, 'lineno', '')}: {ast.unparse(node)}" for node in syntax_nodes]


def imports(path: Path) -> Iterator[str]:
    """Every module or name that ``path`` imports, in full, inside functions too."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules_imported(path: Path) -> set[str]:
    """The modules of this program that ``path`` imports, named as in the design."""
    parts = [name.split(".")[1:] for name in imports(path) if name.startswith("ratinglist.")]
    return {"/".join(part[:length]) for part in parts for length in range(1, len(part) + 1)} & OWN


def test_the_design_names_the_packages_there_are():
    assert sorted(PACKAGES) == sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())


def test_imports_go_down_the_list_of_packages():
    upward = []
    for module in SOURCE:
        own = package_of(name_of(module))
        imported = {package_of(name) for name in modules_imported(module)} - {own, ""}
        may = PACKAGES[PACKAGES.index(own) + 1 :] if own else PACKAGES if module.stem == "__main__" else []
        upward += [f"{name_of(module)} imports {package}" for package in sorted(imported - set(may))]
    assert upward == []


def test_every_module_said_to_touch_the_world_or_to_compute_in_doubles_is_there():
    assert (set(), set()) == (TOUCHES_THE_WORLD - MODULES, COMPUTES_IN_DOUBLES - PURE)


def test_a_pure_module_imports_nothing_that_touches_the_world_and_no_module_of_the_shell():
    # PurePosixPath is text with slashes; it cannot open anything. A Random of a seed draws the same numbers each time.
    harmless = ("pathlib.PurePosixPath", "pathlib.PureWindowsPath", "random.Random")
    named = [(module, name) for module in PURE_SOURCE for name in imports(module) if name not in harmless]
    assert [(module, name) for module, name in named if name.split(".")[0] in WORLD] == []
    assert [(module, name) for module in PURE_SOURCE for name in sorted(modules_imported(module) & SHELL)] == []


def asks_the_world(node: ast.AST) -> bool:
    """Return whether a node reads or writes a file, reads the clock or talks to a terminal."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        of_polars = node.value.id == "pl" and node.attr.startswith(("read_", "scan_"))
        if of_polars or (node.value.id in ("date", "datetime") and node.attr in CLOCK):
            return True
    if isinstance(node, ast.Attribute) and node.attr.startswith(("sink_", "write_")):
        return True
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return named and node.func.id in ("open", "print", "input")


def test_a_pure_module_asks_for_no_file_and_no_clock():
    assert [place for path in PURE_SOURCE for place in places(path, filter(asks_the_world, nodes(path)))] == []


def is_floating_point(node: ast.AST) -> bool:
    """Return whether a node is a float or names a type of floats."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    is_value = isinstance(node, ast.Constant) and isinstance(node.value, float)
    return is_value or name in ("float", "Float32", "Float64")


def divides(node: ast.AST) -> bool:
    """Return whether a node divides into fractions."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def test_the_program_knows_no_floating_point_and_a_pure_module_never_divides_into_fractions():
    whole = [path for path in SOURCE if name_of(path) not in COMPUTES_IN_DOUBLES]
    floats = [place for path in whole for place in places(path, filter(is_floating_point, nodes(path)))]
    pure = [path for path in whole if path in PURE_SOURCE]
    assert floats + [place for path in pure for place in places(path, filter(divides, nodes(path)))] == []


def test_the_nodes_that_are_looked_for_are_found():
    """The tests above expect to find nothing."""
    sample = ast.parse("open('a')\npl.read_csv\ndate.today()\nframe.write_csv\n1.5\nfloat\npl.Float32\n1 / 2\n")
    lines = [
        sorted({node.lineno for node in ast.walk(sample) if of_kind(node)})
        for of_kind in (asks_the_world, is_floating_point, divides)
    ]
    assert lines == [[1, 2, 3, 4], [5, 6, 7], [8]]


def test_an_add_on_imports_the_faces_of_the_program_alone_and_no_module_imports_it():
    assert sorted(ADD_ONS) == sorted(path.name for path in (ROOT / "src").iterdir() if path != PACKAGE)
    others = []
    for add_on, faces in ADD_ONS.items():
        for path in (ROOT / "src" / add_on).rglob("*.py"):
            of_program = {name.split(".")[1] for name in imports(path) if name.split(".")[0] == "ratinglist"}
            others += [(path, face) for face in of_program - {*faces}]
    unknown = {*ADD_ONS, "flows", "prefect"}
    others += [(path, name) for path in SOURCE for name in imports(path) if name.split(".")[0] in unknown]
    assert others == []


def test_a_flow_is_thin():
    others = []
    for path in FLOWS:
        names = set(imports(path))
        # psutil finds the processes of runs, apprise tells people of lists.
        known = {"ratinglist", FLOWS_ADD_ON, "prefect", "pydantic", "httpx", "psutil", "apprise", "flows"}
        packages = {name.split(".")[0] for name in names} - known
        below = {name.split(".")[1] for name in names if name.split(".")[0] == "ratinglist"} & set(PACKAGES)
        others += [(path, name) for name in (below - set(FLOWS_IMPORT)) | (packages - sys.stdlib_module_names)]
    assert others == []
