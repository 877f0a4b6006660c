"""The rule sets and tables of the program, of the packages that the office trusts, and its own; each read once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

from ratinglist.errors import RulesError
from ratinglist.files.resources import data
from ratinglist.rating.rules import RuleBook
from ratinglist.rating.systems import registry
from ratinglist.rating.systems.registry import SYSTEMS, PlugIn

OWN = "rules"
"""The folder of a home with the rule files of families of the office's own."""
_own: tuple[tuple[str, str], ...] = ()


def texts_in(folder: Path, prefix: str = "") -> dict[str, str]:
    """Return the texts of the rule files below a folder by their names; ``prefix``: what these begin with.

    Raises :class:`RulesError` where a file is not UTF-8.
    """
    texts = {}
    # A hidden file is of an editor, or of another program.
    for path in sorted(folder.rglob("[!.]*.toml")):
        name = (prefix / path.relative_to(folder)).with_suffix("").as_posix()
        try:
            texts[name] = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise RulesError(f"{path} is not UTF-8. Save it as UTF-8.") from None
    return texts


def use_own(home: Path) -> None:
    """Use the rule files of this home from now on, besides those of the program."""
    global _own
    _own = tuple(texts_in(home / OWN).items())


def use_texts(texts: Mapping[str, str]) -> None:
    """Use these rule files of the office's own, by name, in the place of those of the same names."""
    global _own
    _own = tuple(sorted({**dict(_own), **texts}.items()))


def own_texts(family: str) -> dict[str, str]:
    """Return the texts of the rule files of a family of the office's own, by name; none of another family."""
    return {name: text for name, text in _own if name.startswith(f"{family}/")}


def own_families() -> set[str]:
    """Return the families that are the office's own."""
    return {name.partition("/")[0] for name, _ in _own}


def rule_book() -> RuleBook:
    """Return every rule set and table.

    Raises :class:`~ratinglist.errors.RulesError` where a package, or the office, has a family that is there already,
    and where a package has a rule set of a system other than its own.
    """
    return _rule_book(registry.trusted(), _own)


@cache
def _rule_book(trusted: frozenset[str], own: tuple[tuple[str, str], ...]) -> RuleBook:
    """Return the rule book of an office that trusts these packages, and has these rule files of its own."""
    rules, tables = data("rules"), data("tables")
    known = {folder.name for folder in rules.iterdir() if folder.is_dir()}
    for name, _ in own:
        if (family := name.partition("/")[0]) in known:
            raise RulesError(
                f"{OWN}/{name}.toml of the home: the family '{family}' comes with the program, and its values are "
                "those of its regulations. Give the folder, and 'family' in its files, a name of your own."
            )
    files = {
        path.relative_to(rules).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in rules.rglob("*.toml")
    }
    of_packages: dict[str, PlugIn] = {}
    for system in registry.plug_ins().values() if trusted else ():
        for name, text in _rule_files(system):
            family = name.partition("/")[0]
            if family in known or of_packages.setdefault(family, system) != system:
                other = "ratinglist" if family in known else of_packages[family].package
                raise RulesError(
                    f"The package {system.package} {system.version} has a family '{family}', and so has {other}. Take "
                    "one of them out of 'trusted' in the section [systems] of office.toml."
                )
            files[name] = text
    return RuleBook.parse(
        {**dict(own), **files},
        {path.stem: path.read_text(encoding="utf-8") for path in tables.glob("*.csv")},
    )


def _rule_files(plug_in: PlugIn) -> Iterator[tuple[str, str]]:
    """Yield name and text of the rule files of a system of another package."""
    folder = SYSTEMS[plug_in.name].rules
    for name, file in _files(folder) if folder is not None else ():
        if name.endswith(".toml"):
            yield name.removesuffix(".toml"), file.read_text(encoding="utf-8")


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield the files below a folder of a package by their path, in order."""
    for path in sorted(folder.iterdir(), key=lambda file: file.name):
        if path.is_dir() and path.name != "__pycache__":
            yield from _files(path, f"{prefix}{path.name}/")
        elif path.is_file():
            yield f"{prefix}{path.name}", path


def stated_plug_in(plug_in: PlugIn) -> str:
    """Return what identifies a system of another package: its name, the package, its version, and a digest.

    The digest is that of the paths and bytes of all files of the Python package that the system is in. Nothing of it is
    imported.
    """
    top = plug_in.entry.module.partition(".")[0]
    spec = find_spec(top)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    alone = [Path(spec.origin)] if spec is not None and spec.origin is not None and not folders else []
    files = [file for folder in folders for file in _files(Path(folder))] + [(path.name, path) for path in alone]
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()} {name}\n" for name, file in files]
    digest = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
    return f"{plug_in.name} {plug_in.package} {plug_in.version} {digest}"
