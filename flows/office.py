"""The office that a program of this folder serves, checked before anything is started."""

from __future__ import annotations

import sys

from ratinglist.config import Settings
from ratinglist.errors import RatinglistError
from ratinglist.workflows.due import check_office
from ratinglist.workflows.home_family import family_of_home


def checked_office(home: str | None, rules: str | None = None) -> Settings:
    """Return the settings of a home that has an office; raise :class:`SystemExit` with the reason where it has none.

    A mistyped name would be served for years, and publish nothing.
    """
    try:
        settings = Settings.read(home=home, family=rules, family_of=family_of_home)
        check_office(settings)
    except RatinglistError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(error.exit_code) from None
    return settings
