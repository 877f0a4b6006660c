"""What a federation chose for its office: ``office.toml`` in its home, read strictly; every choice has a default."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ratinglist.errors import CommandLineError

ContinueFrom = Literal["corrected", "published"]
Land = Literal["revisions", "next_list"]

NAME = "office.toml"


@dataclass(frozen=True, slots=True)
class Office:
    """The choices.

    ``continue_from``: later lists stand on the corrected lists, or on the lists as they were first published.
    ``land``: a correction makes new revisions of the lists it changes, or only shows in the list that comes next.
    """

    continue_from: ContinueFrom = "corrected"
    land: Land = "revisions"


def parse(text: str) -> Office:
    """The choices of an ``office.toml``; what it does not say is the default.

    Raises :class:`CommandLineError` naming the key for anything unknown or misspelt, and for choices that contradict
    each other.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CommandLineError(f"{NAME}: not valid TOML ({error}). Mend the file.") from None
    corrections = content.get("corrections", {})
    if unknown := sorted(set(content) - {"corrections"}):
        raise CommandLineError(f"{NAME}: unknown section '{unknown[0]}' - known is corrections.")
    if not isinstance(corrections, dict):
        raise CommandLineError(f"{NAME}: 'corrections' must be a section: [corrections].")
    may_be = {"continue_from": get_args(ContinueFrom), "land": get_args(Land)}
    for key, cell in corrections.items():
        if key not in may_be:
            raise CommandLineError(f"{NAME}: unknown key '{key}' in [corrections] - known are {', '.join(may_be)}.")
        if cell not in may_be[key]:
            raise CommandLineError(f"{NAME}: '{key}' is {cell!r}; it may be {' or '.join(may_be[key])}.")
    chosen = Office(**corrections)
    if chosen == Office("published", "next_list"):
        raise CommandLineError(
            f'{NAME}: with continue_from = "published" and land = "next_list" no correction would ever be seen. '
            'Choose continue_from = "corrected", or land = "revisions".'
        )
    return chosen


def read(home: Path) -> Office:
    """The choices of the office in ``home``: its ``office.toml``, or the defaults where there is none."""
    file = home / NAME
    if not file.exists():
        return Office()
    try:
        return parse(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise CommandLineError(f"{file}: not UTF-8. Save it as UTF-8.") from None
