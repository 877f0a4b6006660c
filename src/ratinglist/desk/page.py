"""What a page is made from, and what it is: the visit of an officer, and a template with its values."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import polars as pl

from ratinglist.config import Settings
from ratinglist.config.office import NAME
from ratinglist.desk.work import Bench, newest_entry
from ratinglist.home.backup_folder import TRACE
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.workflows import inbox, status
from ratinglist.workflows.inbox import Received
from ratinglist.workflows.month_changes import month_changes
from ratinglist.workflows.status_summary import StatusSummary

_SECONDS: Final = 30
"""For so long a page shows the state of the office that was read, where nothing was changed by any command."""


@lru_cache(maxsize=4)
def _status(settings: Settings, _state: tuple[object, ...]) -> StatusSummary:
    return status.status(settings)


@lru_cache(maxsize=4)
def _log(settings: Settings, _state: tuple[object, ...]) -> Log:
    return Log.open(settings.home)


@lru_cache(maxsize=4)
def _received(settings: Settings, _state: tuple[object, ...]) -> Sequence[Received]:
    return tuple(inbox.received(settings))


@lru_cache(maxsize=2)
def _changes(settings: Settings, period: Period, _state: tuple[object, ...]) -> pl.DataFrame | None:
    return month_changes(settings, period)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a page. ``path`` and ``query``: the variable parts of its address.

    ``site``: the address of the site that is looked at.
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
        return _status(self.settings, self._state())

    @property
    def received(self) -> Sequence[Received]:
        """The reports received, those that need a hand first."""
        return _received(self.settings, self._state())

    @property
    def changes(self) -> pl.DataFrame | None:
        """What the month in the address moves; None where it is not calculated."""
        return _changes(self.settings, self.period, self._state())

    def _state(self) -> tuple[object, ...]:
        """Return what is the same until a command changes something: newest entry of the log, choices, last backup."""
        home = self.settings.home
        files = [file.stat().st_mtime_ns if file.exists() else 0 for file in (home / NAME, home / TRACE)]
        return newest_entry(home), *files, time.monotonic_ns() // (_SECONDS * 10**9)

    @property
    def log(self) -> Log:
        """The log of the office, to be read alone."""
        return _log(self.settings, self._state())

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
