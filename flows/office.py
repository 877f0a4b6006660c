"""The office that a program of this folder serves, checked before anything is started."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.telling import check_addresses
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.settings import Settings
from ratinglist.workflows.decide import check_office
from ratinglist.workflows.opening import family_of_home


def checked_reports(reports: str | None) -> str | None:
    """Return the absolute path of ``--reports``: each run is a process with its own working directory.

    Raises :class:`SystemExit` where it is not there, which each scheduled run would find a month later.
    """
    if reports and not Path(reports).exists():
        sys.stderr.write(f"--reports {reports} does not exist: make the folder in which reports arrive.\n")
        raise SystemExit(CommandLineError.exit_code)
    return str(Path(reports).resolve()) if reports else None


def checked_office(home: str | None, rules: str | None = None) -> Settings:
    """Return the settings of a home that has an office; raise :class:`SystemExit` with the reason where it has none.

    A mistyped name would be served for years, and publish nothing.
    """
    try:
        settings = Settings.read(home=home, family=rules, family_of=family_of_home)
        check_office(settings)
        check_addresses(settings)
    except RatinglistError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(error.exit_code) from None
    return settings
