"""The source code never puts received text into an SQL statement or a program: read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src"
SOURCE = sorted(PACKAGE.rglob("*.py"))

OWN_TEXTS = {
    *("table", "table.name", "columns", "values", "marks", "name", "query", "text", "facts", "file.stem", "index"),
    *("source", "select"),
    *("EVER_KNOWN", "_REPORT"),
    *("_COMPARED_LISTS.format(rows=source)", "_EARLIER_LISTS.format(rows=source)"),
}
"""Variables that hold the program's own names and texts, each reviewed; review a new one before adding it."""
QUOTING = {"_text", "_texts", "quoted", "quoted_list", "parquet_source", "int"}
RUNS_TEXT = {"execute", "executemany", "sql", "read", "rows", "query"}
ALLOWED = {
    ("cli/main.py", "importlib"): "the commands of our add-ons, whose modules it names",
    ("ratinglist_desk/work.py", "subprocess"): "this program again, with the arguments of a form, and no shell",
    ("ratinglist_nations/dwz/event.py", "importlib"): "a table of its own, nothing else",
    ("rating/systems/registry.py", "importlib"): "systems of the program, and of packages that office.toml trusts",
    ("rating/systems/system.py", "importlib"): "the type of a folder of rule files, nothing else",
    ("store/rule_files.py", "importlib"): "where the program and its rule files are, found without an import",
    ("workflows/__init__.py", "importlib"): "its own modules, when they are named",
    ("workflows/new_system.py", "importlib"): "whether a package of this name is there already, without an import",
}
"""What a module imports of these all the same, and why."""
STARTS_PROGRAMS = {
    "subprocess",
    "pickle",
    "marshal",
    "shelve",
    "ctypes",
    "importlib",
    "runpy",
    "code",
    "multiprocessing",
}


@cache
def trees() -> list[tuple[Path, ast.AST]]:
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCE]


def formatted(text: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts that are formatted into a text."""
    if isinstance(text, ast.JoinedStr):
        yield from (part.value for part in text.values if isinstance(part, ast.FormattedValue))
    elif isinstance(text, ast.BinOp):
        sides = (text.left, text.right)
        if any(isinstance(side, ast.JoinedStr | ast.Constant) and "'" in ast.unparse(side) for side in sides):
            yield from (side for side in sides if not isinstance(side, ast.Constant))
    elif isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute) and text.func.attr == "format":
        yield text


def is_our_own(part: ast.expr) -> bool:
    if isinstance(part, ast.IfExp):
        return is_our_own(part.body) and isinstance(part.orelse, ast.Constant)
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
        return part.func.id in QUOTING
    return ast.unparse(part) in OWN_TEXTS


def test_a_statement_is_formatted_with_our_own_names_and_quoted_texts_only():
    found = []
    statements = 0
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNS_TEXT:
                statements += 1
                parts = [part for text in node.args[:1] for part in formatted(text)]
                found += [f"{path.name}:{part.lineno} {ast.unparse(part)}" for part in parts if not is_our_own(part)]
    assert statements > 50
    assert found == []


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the package of every module that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_no_module_runs_a_program_or_a_text_of_python():
    run, started = [], []
    for path, tree in trees():
        place = path.relative_to(PACKAGE).as_posix().removeprefix("ratinglist/")
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        run += [(place, name) for name in sorted(names & {"eval", "exec", "compile", "__import__"})]
        started += [(place, name) for name in sorted(set(imported(tree)) & STARTS_PROGRAMS)]
    assert run == []
    assert sorted(started) == sorted(ALLOWED)
