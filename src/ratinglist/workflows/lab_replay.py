"""The command `ratinglist lab replay`: the frozen months under several systems, all systems month by month."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from operator import methodcaller
from pathlib import Path
from threading import Lock
from typing import Any

import polars as pl

from ratinglist.concurrency import ComputedOnce, map_ordered
from ratinglist.config import Settings
from ratinglist.durable_files import TEMPORARY_PREFIX
from ratinglist.errors import CommandLineError
from ratinglist.store.frozen_months import FrozenMonths, frozen_months
from ratinglist.store.laboratory_lock import held_laboratory
from ratinglist.store.rule_files import rule_book
from ratinglist.text_table import text_table
from ratinglist.workflows.lab_replay_folder import Replay, Start
from ratinglist.workflows.lab_system_replay import MonthToReplay, SystemReplay, has_list
from ratinglist.workflows.lab_systems import System, named_system

STARTS: dict[str, Start] = {"list": "list", "scratch": "scratch"}
"""The starts by the text of the command line."""

_OF_PLAYERS = ("fide_id", "federation", "sex", "title", "birth_date", "birth_year")
"""What the systems use of a player."""

_TOGETHER = 4
"""Systems with a list every month that are replayed together: the newest list of each is in memory."""


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """The systems that were replayed, a row each."""

    digest: str
    start: str
    time_control: str
    systems: list[dict[str, Any]]

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return {name: getattr(self, name) for name in ("digest", "start", "time_control", "systems")}

    def text(self) -> str:
        """Return the systems as a table."""
        rows = [
            [
                row["system"],
                str(row["lists"]),
                f"{row['games']:,}",
                f"{row['predicted']:,}",
                f"{row['players']:,}",
                "" if row["as_published"] is None else f"{row['as_published']} of {row['compared']}",
            ]
            for row in self.systems
        ]
        header = ["system", "lists", "games", "predicted", "players on the last list", "lists as published"]
        head = f"Replayed {self.digest} from {self.start}, {self.time_control}:"
        table = text_table(header, rows, [False, True, True, True, True, True])
        return "\n".join([head, *(f"  {line}" for line in table), "  next: ratinglist lab report"])


def replay(
    settings: Settings,
    names: Sequence[str],
    *,
    start: Start = "list",
    digest: str | None = None,
    time_control: str = "standard",
) -> ReplaySummary:
    """Replay the frozen months under the systems ``names`` and write their lists and predictions.

    ``start``: from the office's list before the first month, or with the same players unrated. A replay of the same
    system is replaced. The store is not opened. Raises :class:`CommandLineError` for a system that is none,
    :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    with held_laboratory(settings.home, writes=True):
        frozen = frozen_months(settings.home, digest)
        rules = rule_book()
        systems = [named_system(name, rules, time_control, from_scratch=start == "scratch") for name in names]
        _check_names(names, systems)
        replays = replay_systems(settings, frozen, systems, start)
        rows = [{name: value for name, value in one.facts.items() if name != "files"} for one in replays]
    return ReplaySummary(frozen.digest, start, time_control, rows)


def _check_names(texts: Sequence[str], systems: Sequence[System]) -> None:
    """Raise :class:`CommandLineError` where two systems have one name: they would have one folder."""
    first: dict[str, str] = {}
    for text, system in zip(texts, systems, strict=True):
        # Some file systems do not distinguish case.
        if (name := system.name.lower()) in first:
            raise CommandLineError(
                f"{first[name]} and {text} are both named '{system.name}'. Give one of the classes another name."
            )
        first[name] = text


def replay_systems(
    settings: Settings,
    frozen: FrozenMonths,
    systems: Sequence[System],
    start: Start,
    parents: Sequence[Path] | None = None,
) -> list[Replay]:
    """Replay the frozen months under some systems; an earlier replay is replaced when the new ones are complete.

    ``parents``: the folder for each replay; default: that of the replays of its time control and start.
    """
    folders = parents or [frozen.folder / f"{system.time_control}-{start}" for system in systems]
    every = list(zip(systems, folders, strict=True))
    is_monthly = [all(has_list(system, month) for month in frozen.months) for system in systems]
    monthly = list(compress(every, is_monthly))
    groups = [monthly[first : first + _TOGETHER] for first in range(0, len(monthly), _TOGETHER)]
    # A list of half a year has the games of half a year: no lists of other systems are in memory then.
    groups += [[pair] for pair, is_one in zip(every, is_monthly, strict=True) if not is_one]
    found: dict[Path, Replay] = {}
    for group in groups:
        try:
            for one in _replay_together(settings, frozen, group, start):
                found[one.folder] = one
        finally:
            # Where a system failed, nothing of the others of its group is complete.
            for system, folder in group:
                shutil.rmtree(folder / f"{TEMPORARY_PREFIX}{system.name}", ignore_errors=True)
    return [found[folder / system.name] for system, folder in every]


def _replay_together(
    settings: Settings, frozen: FrozenMonths, systems: Sequence[tuple[System, Path]], start: Start
) -> list[Replay]:
    """Replay some systems month by month: each month is read once, and two systems are calculated at a time."""
    table = cache(frozen.table)
    running = [SystemReplay.begin(frozen, table, system, start, parent) for system, parent in systems]
    del table
    what = running[0].system.name if len(running) == 1 else f"{len(running)} systems"
    # Names are needed for the digest of a list alone.
    columns = None if any(one.has_list_to_compare for one in running) else _OF_PLAYERS
    players: pl.DataFrame | None = None
    for done, month in enumerate(frozen.months):
        settings.progress(f"replaying {what}", done, len(frozen.months))
        players = frozen.players(month, players, columns)
        of_all = MonthToReplay(month, players, _Reader(frozen), frozen.of_reports, ComputedOnce())
        for _ in map_ordered(methodcaller("calculate", of_all), [one for one in running if one.has_list(month)]):
            pass
    return [Replay(one.finish()) for one in running]


class _Reader:
    """Reads rows of the frozen reports; the rows last read of each table are kept for the next system that needs them.

    Most systems need the same reports, and the games of two selections of a large month are memory that it lacks.
    """

    def __init__(self, frozen: FrozenMonths) -> None:
        self._frozen = frozen
        self._newest: dict[str, tuple[list[str], pl.DataFrame]] = {}
        self._lock = Lock()

    def __call__(self, name: str, report_ids: pl.Series) -> pl.DataFrame:
        """Return the rows of ``report_players`` or ``report_games`` of some reports."""
        wanted = report_ids.sort().to_list()
        with self._lock:
            if name not in self._newest or self._newest[name][0] != wanted:
                self._newest.pop(name, None)
                self._newest[name] = wanted, self._frozen.of_reports(name, report_ids)
            return self._newest[name][1]
