"""The rating systems that are not FIDE's, by name: what the program knows of a system is reached from here.

A system of the program is an object in a module of this package or of ``ratinglist_nations``. A system of another
Python package is an entry point of the group ``ratinglist.systems`` whose name is that of the system. It is imported
only where the office trusts the package (:func:`trust`). A system is imported when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from ratinglist.errors import RulesError

if TYPE_CHECKING:
    from ratinglist.rating.systems.system import RatingSystem

FIDE_SYSTEM = "fide"
"""The system of a rule file that names none."""
GROUP = "ratinglist.systems"
"""The group of the entry points by which a Python package adds systems."""

_MODULES = {
    "fsi": "ratinglist.rating.systems.table_elo:FSI",
    "club": "ratinglist.rating.systems.table_elo:CLUB",
    "fsi-1998": "ratinglist.rating.systems.fsi_1998:SYSTEM",
    "uscf": "ratinglist.rating.systems.uscf:SYSTEM",
    "ffe": "ratinglist.rating.systems.ffe:SYSTEM",
    "glicko": "ratinglist.rating.systems.glicko:SYSTEM",
    "dwz": "ratinglist_nations.dwz.month:SYSTEM",
    "ecf": "ratinglist_nations.ecf.month:SYSTEM",
    "uschess": "ratinglist_nations.uschess.month:SYSTEM",
}
"""The systems that come with the program, each with its module and name. Looking for entry points takes longer."""

_trusted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PlugIn:
    """A system of another package: its name, the package and its version. ``entry``: what imports it."""

    name: str
    package: str
    version: str
    entry: EntryPoint


def trust(packages: Iterable[str]) -> None:
    """Use the systems of these packages from now on, and those of no other package."""
    global _trusted
    _trusted = frozenset(package_name(package) for package in packages)


def trusted() -> frozenset[str]:
    """Return the names of the packages whose systems are used."""
    return _trusted


def package_name(name: str) -> str:
    """Return the name of a package in the one spelling that package indexes compare."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> list[PlugIn]:
    """Return the systems of all other packages, in the order of name and package. None is imported."""
    systems = [
        PlugIn(point.name, package_name(point.dist.name), point.dist.version, point)
        for point in entry_points(group=GROUP)
        if point.dist is not None
    ]
    return sorted(systems, key=lambda system: (system.name, system.package))


def plug_ins() -> dict[str, PlugIn]:
    """Return the systems of the trusted packages by name.

    Raises :class:`RulesError` where a system has the name of another one.
    """
    return _plug_ins(_trusted)


@cache
def _plug_ins(packages: frozenset[str]) -> dict[str, PlugIn]:
    by_name: dict[str, PlugIn] = {}
    # Looking through all packages takes time, which an office without other systems does not spend.
    for system in installed() if packages else ():
        if system.package not in packages:
            continue
        if system.name in (FIDE_SYSTEM, *_MODULES) or system.name in by_name:
            other = by_name[system.name].package if system.name in by_name else "ratinglist"
            raise RulesError(
                f"The package {system.package} {system.version} has a system '{system.name}', and so has {other}. Take "
                "one of them out of 'trusted' in the section [systems] of office.toml."
            )
        by_name[system.name] = system
    return by_name


class _Systems(Mapping[str, "RatingSystem"]):
    """Every system by the name that a rule file gives under ``system``, imported when it is looked up."""

    def __getitem__(self, name: str) -> RatingSystem:
        if name in _MODULES:
            module, _, system = _MODULES[name].partition(":")
            of_program: RatingSystem = getattr(import_module(module), system)
            return of_program
        return _loaded(plug_ins()[name])

    def __iter__(self) -> Iterator[str]:
        yield from (*_MODULES, *plug_ins())

    def __len__(self) -> int:
        return len(_MODULES) + len(plug_ins())


SYSTEMS = _Systems()
"""Every system by the name that a rule file gives under ``system``: those of the program and of trusted packages."""


@cache
def _loaded(plug_in: PlugIn) -> RatingSystem:
    """Import a system of another package; raise :class:`RulesError` where it is none."""
    from ratinglist.rating.systems.system import RatingSystem, with_named_failures

    try:
        system: Any = plug_in.entry.load()
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise RulesError(f"{_of(plug_in)} cannot be imported ({reason}). {_REMEDY}") from None
    if not isinstance(system, RatingSystem):
        raise RulesError(f"{_of(plug_in)}: {plug_in.entry.value} is no RatingSystem. {_REMEDY}")
    if plug_in.name != system.sections.SYSTEM:
        raise RulesError(f"{_of(plug_in)}: its rules are of a system '{system.sections.SYSTEM}'. {_REMEDY}")
    if system.rules is None:
        raise RulesError(f"{_of(plug_in)} has no folder of rule files. {_REMEDY}")
    return with_named_failures(system, _of(plug_in))


def _of(plug_in: PlugIn) -> str:
    return f"The system '{plug_in.name}' of the package {plug_in.package} {plug_in.version}"


_REMEDY = (
    "Write to its author, or take the package out of 'trusted' in the section [systems] of office.toml. Nothing was "
    "calculated."
)
