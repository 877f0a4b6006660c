"""What the program calculates by: the rule sets in force, and the rating systems that are installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

import ratinglist
from ratinglist.errors import AlteredError, NothingReadError
from ratinglist.rating.systems import registry
from ratinglist.rating.systems.registry import FIDE_SYSTEM
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book, stated_plug_in
from ratinglist.summaries import frame_table
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
        (name, families.get(name, []), _OWN, ratinglist.__version__, "used") for name in (FIDE_SYSTEM, *sorted(own))
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
        found = [system for system in registry.installed() if (system.name, system.package) == (name, package)]
        made = f"The list of {month} was made with the system '{name}' of the package {package} {version}. That package"
        if not found:
            remedy = f"Install it: python3 -m pip install {package}=={version}"
            raise NothingReadError(f"{made} is not installed here. {remedy}")
        if stated_plug_in(found[0]) != line:
            raise AlteredError(
                f"{made} has other files here, of the version {found[0].version}. Install {version} from where the "
                "office has it."
            )
        if package not in registry.trusted():
            raise NothingReadError(
                f"{made} is not trusted here. Read what it does, then write into office.toml of the home: "
                f'[systems] trusted = ["{package}"]'
            )
