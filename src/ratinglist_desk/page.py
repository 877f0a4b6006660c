"""What a page is made from, and what it is: the visit of an officer, and a template with its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import polars as pl

from ratinglist.home.backup_folder import TRACE
from ratinglist.home.log import Log
from ratinglist.office import NAME
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import inbox, status
from ratinglist.workflows.export import month_changes
from ratinglist.workflows.inbox import ReportState
from ratinglist.workflows.opening import disagreements
from ratinglist.workflows.status import StatusSummary
from ratinglist_desk.work import Bench, newest_entry

_READING: Final = Lock()
"""Held while a page reads the state of the office, so that two pages do not read it at once."""


@lru_cache(maxsize=4)
def _status(settings: Settings, _state: tuple[object, ...]) -> StatusSummary:
    return status.status(settings)


@lru_cache(maxsize=4)
def _log(home: Path, _entry: str) -> Log:
    return Log.open(home)


@lru_cache(maxsize=4)
def _received(settings: Settings, _state: tuple[object, ...]) -> Sequence[ReportState]:
    return tuple(inbox.received(settings))


@lru_cache(maxsize=2)
def _changes(settings: Settings, period: Period, _state: tuple[object, ...]) -> pl.DataFrame | None:
    return month_changes(settings, period)


@dataclass(frozen=True)
class Visit:
    """A request for a page, which shows one state of the office.

    ``path`` and ``query``: the variable parts of its address. ``site``: the address of the site that is looked at.
    """

    settings: Settings
    bench: Bench
    language: str
    path: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    site: str = ""

    @property
    def status(self) -> StatusSummary:
        """The state of the office."""
        with _READING:
            return _status(self.settings, self._state)

    @property
    def received(self) -> Sequence[ReportState]:
        """The reports received, those that need a hand first."""
        with _READING:
            return _received(self.settings, self._state)

    @property
    def changes(self) -> pl.DataFrame | None:
        """What the month in the address moves; None where it is not calculated."""
        return _changes(self.settings, self.period, self._state)

    @cached_property
    def _state(self) -> tuple[object, ...]:
        """Return what is the same until something changes: the log, the choices, the last backup, published files."""
        home = self.settings.home
        files = [file.stat().st_mtime_ns if file.exists() else 0 for file in (home / NAME, home / TRACE)]
        found = disagreements(self.log, self.settings)
        return newest_entry(home), *files, *(one.text() for one in found)

    @property
    def log(self) -> Log:
        """The log of the office, to be read alone."""
        return _log(self.settings.home, newest_entry(self.settings.home))

    @property
    def withdrawn(self) -> dict[str, dict[str, Any]]:
        """The rollback by which each month was taken back that has no list now."""
        return self.log.history.withdrawn_months()

    @property
    def period(self) -> Period:
        """The month in the address; raises :class:`~ratinglist.errors.CommandLineError` where it is none."""
        return Period.parse(str(self.path["month"]))


@dataclass(frozen=True, slots=True)
class Page:
    """A page: a template and its values.

    ``refresh``: after so many seconds the browser loads it again; 0: never. ``goes_to``: the address shown instead.
    """

    template: str
    values: Mapping[str, object]
    refresh: int = 0
    goes_to: str = ""
