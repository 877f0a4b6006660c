"""Use the rating systems of the Python packages that an office trusts, and of no others."""

from __future__ import annotations

from pathlib import Path

from ratinglist.config import office
from ratinglist.errors import CommandLineError
from ratinglist.rating.systems import registry


def use_systems_of(home: Path) -> None:
    """Use the systems of the packages that ``office.toml`` in ``home`` trusts, and of no others, from now on.

    Where the file cannot be read, of none: the command that needs the file says what is wrong with it.
    """
    try:
        registry.trust(office.read(home).systems.trusted)
    except (CommandLineError, OSError):
        registry.trust(())
