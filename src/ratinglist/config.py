"""Where things are and what day it is: command line first, then environment, then the default.

The clock and the environment are read here, once, and passed on; nothing deeper in the package asks for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from ratinglist.errors import CommandLineError

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many are done and how many there are."""


def silent(_what: str, _done: int, _of: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One rating office: its home directory, its family of rules, today's date and the threads it may use."""

    home: Path
    family: str
    today: date
    threads: int | None = None
    progress: Progress = field(default=silent, compare=False)

    @classmethod
    def read(
        cls,
        home: str | Path | None = None,
        family: str | None = None,
        today: date | None = None,
        progress: Progress = silent,
        environment: Mapping[str, str] | None = None,
    ) -> Settings:
        """Settings from flags (where given), the environment and the defaults.

        ``RATINGLIST_HOME``, ``RATINGLIST_RULES``, ``RATINGLIST_TODAY`` (``YYYY-MM-DD``) and ``POLARS_MAX_THREADS``
        are read from ``environment``, by default the process's. Raises :class:`CommandLineError` for a bad value.
        """
        known = os.environ if environment is None else environment
        if home is not None and str(home) in ("", "."):
            raise CommandLineError("--home is empty, or the current directory: name a directory of its own.")
        return cls(
            home=Path(home or known.get("RATINGLIST_HOME") or "ratinglist-home"),
            family=family or known.get("RATINGLIST_RULES") or "fide",
            today=today or _day(known.get("RATINGLIST_TODAY")) or date.today(),  # noqa: DTZ011 - the office's own day
            threads=_threads(known.get("POLARS_MAX_THREADS")),
            progress=progress,
        )

    @property
    def store(self) -> Path:
        """The DuckDB file: one writer at a time."""
        return self.home / "ratinglist.duckdb"

    @property
    def reports(self) -> Path:
        """Every delivered report, its original bytes, named by sha256."""
        return self.home / "reports"

    @property
    def published(self) -> Path:
        """Published lists, one folder a month."""
        return self.home / "published"

    @property
    def previews(self) -> Path:
        """Lists as they would be published, one folder a month: no reader looks here."""
        return self.home / "previews"


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
