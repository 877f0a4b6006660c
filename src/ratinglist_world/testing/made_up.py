"""A made-up federation whose months every system calculates, and the office of one family in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.office import Thresholds
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.month import rate_month
from ratinglist.rating.systems import registry
from ratinglist.settings import Settings
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import import_files, load, rate, run
from ratinglist.workflows.opening import open_to_read, use_systems_of
from ratinglist_world.plan import Plan, world_of
from ratinglist_world.simulate import simulate

STANDARD = "standard"
_BEFORE = Period.parse("2025-12")
"""The month of the list that every office begins with."""
_MONTHS, _PLAYERS, _EVENTS = 3, 60, 6
_TODAY = date(2027, 2, 1)
_PLAN = Plan(
    unrated=400,
    rapid=0,
    blitz=0,
    time_controls=(1000, 0, 0),
    swiss_field=(10, 30),
    problems={"late": 200, "repeated": 20, "corrected": 25, "other code": 10, "unregistered": 10},
)
"""A small world with many unlisted players and late reports, and with standard games alone."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """The made-up federation in ``folder``: an office that received all its months and calculated nothing."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> MadeUp:
        """Make the federation and its office in a new folder."""
        made = cls(folder)
        world = folder / "world"
        months = [_BEFORE + number for number in range(1, _MONTHS + 1)]
        simulate(world, world_of(_PLAYERS, months[0], reports=_EVENTS, federations=("ORV",), plan=_PLAN), _MONTHS)
        settings = made.settings(folder / "home", "fide")
        write_office_file(settings.home, ())
        import_files.import_list(settings, world / f"list-{_BEFORE}.csv", _BEFORE)
        for month in months:
            import_files.import_players(settings, world / f"players-{month}.csv")
        load.load(settings, [world / "reports" / str(month) for month in months], None)
        return made

    def settings(self, home: Path, family: str) -> Settings:
        """Return the settings of an office in ``home``."""
        return Settings(home=home, family=family, today=_TODAY)

    def copied(self, folder: Path, family: str, packages: Sequence[str]) -> Settings:
        """Return the settings of a copy of the office in ``folder`` that trusts some packages."""
        settings = self.settings(Path(shutil.copytree(self.folder / "home", folder / "home")), family)
        write_office_file(settings.home, packages)
        return settings


def write_office_file(home: Path, packages: Sequence[str]) -> None:
    """Write the ``office.toml`` of an office without questions: in a made-up world everything is unusual."""
    home.mkdir(parents=True, exist_ok=True)
    limits = [f"{one.name} = 10000" for one in fields(Thresholds)]
    lines = ["[questions]", *limits, "[systems]", f"trusted = {json.dumps(list(packages))}", ""]
    (home / "office.toml").write_text("\n".join(lines), encoding="utf-8")


@dataclass(frozen=True)
class Sample:
    """The office of a family in the made-up federation.

    ``settings``: of an office that has received all reports and calculated the ``first`` list. ``packages``: those that
    it trusts. ``inputs`` and ``result``: of the ``second`` list.
    """

    made_up: MadeUp
    settings: Settings
    packages: tuple[str, ...]
    first: Period
    second: Period

    @cached_property
    def inputs(self) -> MonthInputs:
        """Return the inputs of the second list."""
        return inputs_of(self.settings, self.second)

    @cached_property
    def result(self) -> MonthResult:
        """Return the second list."""
        return rate_month(self.inputs)

    @cached_property
    def published(self) -> Settings:
        """Return an office that has published both lists; look, do not touch."""
        folder = Path(mkdtemp(dir=self.settings.home.parent))
        settings = self.made_up.copied(folder, self.settings.family, self.packages)
        run.run(settings, self.first)
        run.run(settings, self.second)
        return settings


@contextmanager
def families_of(system: str) -> Iterator[tuple[list[str], list[str]]]:
    """Trust the package of a system, and give the system's families and that package; none for one of the program.

    Raises :class:`CommandLineError` where no installed system has the name.
    """
    packages = _packages(system)
    before = registry.trusted()
    registry.trust(packages)
    try:
        book = rule_book()
        yield [family for family in book.families if book.of(family)[0].system == system], packages
    finally:
        registry.trust(before)


def _packages(system: str) -> list[str]:
    """Return the package that has the system, none for one of the program."""
    if system in registry.SYSTEMS and system not in registry.plug_ins():
        return []
    found = [one.package for one in registry.installed() if one.name == system]
    if not found:
        there = [*registry.SYSTEMS, *(one.name for one in registry.installed())]
        raise CommandLineError(
            f"There is no rating system '{system}'. There are {', '.join(sorted(set(there)))}. A system of a package "
            "is there once the package is installed: python3 -m pip install FOLDER"
        )
    return found[:1]


def sample_of(made_up: MadeUp, folder: Path, family: str, packages: Sequence[str]) -> Sample:
    """Return the office of a family in ``folder``, which calculates its first list there."""
    settings = made_up.copied(folder, family, packages)
    use_systems_of(settings.home)
    book = rule_book()
    first = book.next_list(family, _BEFORE + 1)
    second = book.next_list(family, first + 1)
    rate.rate(settings, first)
    return Sample(made_up, settings, tuple(packages), first, second)


def inputs_of(settings: Settings, period: Period) -> MonthInputs:
    """Return what the list of a month is calculated from in an office."""
    with open_to_read(settings) as store:
        return read_month_inputs(store, period, settings.family, rule_book())


def tables_of(result: MonthResult) -> dict[str, pl.DataFrame]:
    """Return the tables that a month computes, by name; a system's games as they are published."""
    found = {one.name: getattr(result, one.name) for one in fields(result)}
    tables = {name: rows for name, rows in found.items() if isinstance(rows, pl.DataFrame) and rows.columns}
    return {name: rows for name, rows in tables.items() if name != "coincidences"}


def in_another_order(inputs: MonthInputs, seed: int) -> MonthInputs:
    """Return the inputs with the rows of every table in another order."""
    frames = {one.name: getattr(inputs, one.name) for one in fields(inputs)}
    mixed: dict[str, Any] = {
        name: rows.sample(fraction=1, shuffle=True, seed=seed)
        for name, rows in frames.items()
        if isinstance(rows, pl.DataFrame)
    }
    return replace(inputs, **mixed)
