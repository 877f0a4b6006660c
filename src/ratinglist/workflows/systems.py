"""The rating systems that are installed, and the package of a new one: a copy of the example, under another name."""

from __future__ import annotations

import keyword
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import polars as pl

import ratinglist
from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.rating.systems import registry
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book, stated_plug_in
from ratinglist.summaries import Facts, frame_table
from ratinglist.workflows.opening import use_systems_of

_OWN = "ratinglist"
_NOT_TRUSTED = "not used: office.toml does not trust the package"


def installed_systems(settings: Settings) -> list[dict[str, object]]:
    """Return a row for every installed system: ``system``, ``families``, ``package``, ``version``, ``state``.

    A package that the office does not trust is not imported, so its families are not known.
    """
    use_systems_of(settings.home)
    book = rule_book()
    families: dict[str, list[str]] = {}
    for family in book.families:
        families.setdefault(book.of(family)[0].system, []).append(family)
    in_use = registry.plug_ins()
    own = [name for name in registry.SYSTEMS if name not in in_use]
    rows = [
        (name, families.get(name, []), _OWN, ratinglist.__version__, "used")
        for name in (registry.FIDE_SYSTEM, *sorted(own))
    ]
    for system in registry.installed():
        is_used = in_use.get(system.name) == system
        named = families.get(system.name, []) if is_used else []
        rows.append((system.name, named, system.package, system.version, "used" if is_used else _NOT_TRUSTED))
    missing = sorted(registry.trusted() - {system.package for system in registry.installed()})
    rows += [("", [], package, "", "not installed: office.toml trusts the package") for package in missing]
    return [dict(zip(("system", "families", "package", "version", "state"), row, strict=True)) for row in rows]


def systems_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the rows of :func:`installed_systems` as a table."""
    return "\n".join(frame_table(pl.DataFrame(rows)))


def check_installed(home: Path, lists: Sequence[tuple[str, Mapping[str, Sequence[str]]]]) -> None:
    """Raise where a system of another package that a list was made with is not there as it was.

    In: ``home``: whose ``office.toml`` names the trusted packages; ``lists``: month and inputs of each list, as its
    manifest has them. Raises :class:`NothingReadError` where a system is not installed or not trusted,
    :class:`AlteredError` where it is installed in another version or with other files.
    """
    use_systems_of(home)
    for month, line in [(month, line) for month, inputs in lists for line in inputs.get("systems", ())]:
        name, package, version, _ = line.split(" ")
        plug_ins = [system for system in registry.installed() if (system.name, system.package) == (name, package)]
        needed = (
            f"The list of {month} was made with the system '{name}' of the package {package} {version}. That package"
        )
        if not plug_ins:
            remedy = f"Install it: python3 -m pip install {package}=={version}"
            raise NothingReadError(f"{needed} is not installed here. {remedy}")
        if stated_plug_in(plug_ins[0]) != line:
            raise AlteredError(
                f"{needed} has other files here, of the version {plug_ins[0].version}. Install {version} from where "
                "the office has it."
            )
        if package not in registry.trusted():
            raise NothingReadError(
                f"{needed} is not trusted here. Read what it does, then write into office.toml of the home: "
                f'[systems] trusted = ["{package}"]'
            )


_EXAMPLE, _MODULE = "plain-elo", "plain_elo"
_LONGEST = 40
_LEFT_OUT = re.compile(r"(^|/)(\.|__pycache__/|[^/]*\.egg-info/)")
"""What an editor or an installation has left in the folder of the example."""


def new_system(name: str, folder: Path) -> Facts:
    """Write the package of the system ``name`` into ``folder/name``.

    Raises :class:`CommandLineError` where the name is wrong or taken, and where something is there already; then
    nothing is written.

    Out: ``system``, ``folder`` of the package, ``files`` in it.
    """
    out = _checked(name, folder)
    module = name.replace("-", "_")
    names = {_EXAMPLE: name, _MODULE: module}

    def changed(text: str) -> str:
        for old, new in names.items():
            text = text.replace(old, new)
        return text

    source = resources.data("systems") / _EXAMPLE
    files = []
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source).as_posix()
        if path.is_file() and not _LEFT_OUT.search(inner):
            files.append(changed(inner))
            place = out / files[-1]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(changed(path.read_text(encoding="utf-8")), encoding="utf-8")
    steps = (
        f'install it:                       python3 -m pip install --editable "{out}[test]"',
        f"see that it keeps every promise:  python3 -m ratinglist_world.testing {name}",
        f"and that its own tests pass:      python3 -m pytest {out}",
        f"write the values of your rules:   {out}/{module}/rules/{name}/standard/2000-01-01.toml",
        f"write the calculation:            {out}/{module}/__init__.py",
        f"write it again in plain Python:   {out}/tests/second_calculation.py, and repeat 2 and 3",
        f'trust it in the office:           [systems] trusted = ["{name}"] in office.toml of the home',
        f"calculate a list by it:           ratinglist run MONTH REPORTS --rules {name}",
    )
    title = f"Wrote the package of the rating system '{name}' to {out}. It is Elo with one K, and complete."
    lines = ["What comes next:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))]
    return Facts(title, {"system": name, "folder": str(out), "files": sorted(files)}, lines)


def _checked(name: str, folder: Path) -> Path:
    """Return the folder of the package; raise :class:`CommandLineError` where it or the name cannot be taken."""
    if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > _LONGEST:
        raise CommandLineError(
            f"'{name}' cannot be the name of a system: write small letters, digits and single hyphens, the first a "
            f"letter and at most {_LONGEST} in all, such as hill-elo. Nothing was written."
        )
    out = folder / name
    if os.path.lexists(out):
        raise CommandLineError(
            f"{out} is there already. Give the system another name, or move what is there. Nothing was written."
        )
    taken = {
        registry.FIDE_SYSTEM,
        *registry.SYSTEMS,
        *rule_book().families,
        *(system.name for system in registry.installed()),
    }
    if name in taken:
        raise CommandLineError(
            f"There is a system or a rule family '{name}' already (`ratinglist systems`): give the new one another "
            "name. Nothing was written."
        )
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module) is not None:
        raise CommandLineError(
            f"Python has a module or a word '{module}' already: give the system another name, such as {name}-rating. "
            "Nothing was written."
        )
    return out
