"""The rating systems that a home uses: the family of its lists, and the packages that the office trusts."""

from __future__ import annotations

import json
from pathlib import Path

from ratinglist import office
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.files.durable_files import read_regular_file
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.publication import revisions
from ratinglist.publication.manifest import MANIFEST
from ratinglist.rating.systems import registry
from ratinglist.store.rule_files import rule_book


def family_of_home(home: Path) -> str | None:
    """Return the family of the newest published list where it is of another system than FIDE's; else None.

    A list of such a family starts from the one before, so a command that names no family means this one. None too where
    the newest list cannot be read: the command says what is wrong with it.
    """
    published = home / "published"
    try:
        months = revisions.months(published) if published.is_dir() else []
        folder = revisions.latest(published, months[-1]) if months else None
        data = read_regular_file(folder / MANIFEST, REVISION_MANIFEST_BYTES) if folder is not None else None
        found = json.loads(data) if data is not None else {}
    except (RatinglistError, OSError, ValueError, RecursionError):
        return None
    family = found.get("family") if isinstance(found, dict) else None
    if not isinstance(family, str) or family in ("", "fide"):
        return None
    use_systems_of(home)
    book = rule_book()
    return family if family in book.families and book.is_system(family) else None


def use_systems_of(home: Path) -> None:
    """Use the systems of the packages that ``office.toml`` in ``home`` trusts, and of no others, from now on.

    Where the file cannot be read, of none: the command that needs the file says what is wrong with it.
    """
    try:
        registry.trust(office.read(home).systems.trusted)
    except (CommandLineError, OSError):
        registry.trust(())
