"""Hold the settings of one command: from the command line, else the environment, else the default.

The clock, the environment and ``office.toml`` are read here, once a command, and passed on. The log reads
``office.toml`` too, to keep its bytes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.text import visible

if TYPE_CHECKING:
    from ratinglist.office import Office

STORE = "ratinglist.duckdb"
LOG = "log"
PUBLISHED = "published"

Progress = Callable[[str, int, int], None]
"""Receives the name of a step, how many parts of it are done and how many there are."""


Warn = Callable[[str], None]
"""Receives a sentence that the person at the terminal should read, though the command goes on."""


def warn_on_stderr(text: str) -> None:
    """Print a warning on stderr, with control characters escaped."""
    sys.stderr.write(visible(f"ratinglist: {text}\n"))


def is_home(folder: Path) -> bool:
    """Return whether a folder has a log, or published lists: a copy of ``published/`` alone can be read too."""
    return any((folder / name).is_dir() for name in (LOG, PUBLISHED))


def silent(_step: str, _done: int, _of: int) -> None:
    """Discard progress updates."""


@dataclass(frozen=True)
class Settings:
    """One rating office: its home directory, its family of rules, today's date and the threads it may use.

    ``choices``: those of the office where they are not the ones in ``office.toml``. ``person``: who gives the command,
    for the log. ``is_clock``: today is the day of the computer's clock, and was not given.
    """

    home: Path
    family: str
    today: date
    threads: int | None = None
    progress: Progress = field(default=silent, compare=False)
    choices: Office | None = None
    person: str = ""
    warn: Warn = field(default=warn_on_stderr, compare=False)
    is_clock: bool = False

    @classmethod
    def read(
        cls,
        home: str | Path | None = None,
        family: str | None = None,
        today: date | None = None,
        progress: Progress = silent,
        environment: Mapping[str, str] | None = None,
        family_of: Callable[[Path], str | None] | None = None,
    ) -> Settings:
        """Read the settings from flags (where given), the environment and the defaults.

        ``family_of``: returns the family of a home, where neither flag nor environment names one; default: `fide`.
        ``RATINGLIST_HOME``, ``RATINGLIST_RULES``, ``RATINGLIST_TODAY`` (``YYYY-MM-DD``), ``RATINGLIST_BY`` (else the
        name of the account) and ``POLARS_MAX_THREADS`` are read from ``environment``, by default the process's. Raises
        :class:`CommandLineError` for a bad value.
        """
        variables = os.environ if environment is None else environment
        if home is not None and (str(home) == "" or (str(home) == "." and not is_home(Path()))):
            raise CommandLineError("--home is empty, or the current directory, which is no home: name a directory.")
        folder = Path(home or variables.get("RATINGLIST_HOME") or "ratinglist-home")
        named = family or variables.get("RATINGLIST_RULES")
        stated_day = today or _day(variables.get("RATINGLIST_TODAY"))
        return cls(
            home=folder,
            family=named or (family_of(folder) if family_of else None) or "fide",
            today=stated_day or date.today(),  # noqa: DTZ011 - the office's own day
            threads=_threads(variables.get("POLARS_MAX_THREADS")),
            progress=progress,
            person=variables.get("RATINGLIST_BY") or _login(),
            is_clock=stated_day is None,
        )

    @cached_property
    def office(self) -> Office:
        """The choices in ``office.toml``, read when first needed.

        Raises :class:`CommandLineError` naming the key where the file is wrong.
        """
        # Imported here so that `ratinglist --help` does not import Polars.
        from ratinglist import office

        return office.read(self.home) if self.choices is None else self.choices

    def check_month(self, period: Period) -> None:
        """Raise :class:`CommandLineError` where a list takes effect more than one month after today."""
        newest = Period.of(self.today) + 1
        if period > newest:
            raise CommandLineError(
                f"The list of {period} takes effect more than one month after today ({self.today}). Name a month up "
                f"to {newest}; if today is wrong, set the clock, or RATINGLIST_TODAY."
            )

    def check_received_on(self, day: date | None) -> None:
        """Raise :class:`CommandLineError` where ``day``, on which reports are said to have arrived, is after today."""
        if day is not None and day > self.today:
            raise CommandLineError(
                f"--received {day} is after today ({self.today}): no report has arrived yet on that day. Name the day "
                "of receipt, or leave the option out."
            )

    @property
    def store(self) -> Path:
        """The DuckDB file: one writer at a time."""
        return self.home / STORE

    @property
    def reports(self) -> Path:
        """Every delivered report, its original bytes, named by sha256."""
        return self.home / "reports"

    @property
    def published(self) -> Path:
        """Published lists, one folder a month."""
        return self.home / PUBLISHED

    @property
    def drafts(self) -> Path:
        """Finished files that are not in their places yet, by their paths below the home; absent between commands."""
        return self.home / "drafts"

    @property
    def previews(self) -> Path:
        """Lists as they would be published, one folder a month: not for readers."""
        return self.home / "previews"


def _login() -> str:
    """Return the name of the account; empty where the system has none."""
    import getpass

    # Which error it raises for an account without a name depends on the version of Python and on the system.
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""


def _day(text: str | None) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandLineError(f"RATINGLIST_TODAY is '{text}': write YYYY-MM-DD.") from None


def _threads(text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdigit() or int(text) < 1:
        raise CommandLineError(f"POLARS_MAX_THREADS is '{text}': write a whole number from 1.")
    return int(text)
