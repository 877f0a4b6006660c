"""What a federation chose for its office: ``office.toml`` in its home, read strictly; every choice has a default."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError
from ratinglist.field_policy import FieldPolicy
from ratinglist.field_policy import parse as field_policy
from ratinglist.limits import SHOWN_LENGTH, TOML_BYTES
from ratinglist.question_limits import Thresholds
from ratinglist.question_limits import parse as thresholds
from ratinglist.safe_text import shortened

ContinueFrom = Literal["corrected", "published"]
Land = Literal["revisions", "next_list"]

NAME = "office.toml"
MOST_APPROVALS = 99
_SECTIONS = ("corrections", "publication", "questions", "fields")


@dataclass(frozen=True, slots=True)
class Office:
    """The choices.

    ``continue_from``: later lists stand on the corrected lists, or on the lists as they were first published.
    ``land``: a correction makes new revisions of the lists it changes, or only shows in the list that comes next.
    ``approvals``: how many different people have to approve a list before it is published.
    ``questions``: from where on a list raises a question.
    ``signing_key``: the private key every revision is signed with, told from the home; empty: none is signed.
    ``fields``: the columns that published files leave out.
    """

    continue_from: ContinueFrom = "corrected"
    land: Land = "revisions"
    approvals: int = 0
    questions: Thresholds = field(default_factory=Thresholds)
    signing_key: str = ""
    fields: FieldPolicy = field(default_factory=FieldPolicy)


def parse(text: str) -> Office:
    """The choices of an ``office.toml``; what it does not say is the default.

    Raises :class:`CommandLineError` naming the key for anything unknown or misspelt, and for choices that contradict
    each other.
    """
    try:
        content = strict_toml.parse(text)
    except ValueError as error:
        raise CommandLineError(f"{NAME}: not valid TOML ({error}). Mend the file.") from None
    corrections = content.get("corrections", {})
    if unknown := sorted(set(content) - set(_SECTIONS)):
        raise CommandLineError(f"{NAME}: unknown section {_shown(unknown[0])} - known are {', '.join(_SECTIONS)}.")
    if not isinstance(corrections, dict):
        raise CommandLineError(f"{NAME}: 'corrections' must be a section: [corrections].")
    may_be = {"continue_from": get_args(ContinueFrom), "land": get_args(Land)}
    for key, cell in corrections.items():
        if key not in may_be:
            raise CommandLineError(
                f"{NAME}: unknown key {_shown(key)} in [corrections] - known are {', '.join(may_be)}."
            )
        if cell not in may_be[key]:
            raise CommandLineError(f"{NAME}: '{key}' is {_shown(cell)}; it may be {' or '.join(may_be[key])}.")
    chosen = Office(
        **corrections,
        **_publication(content.get("publication", {})),
        questions=thresholds(content.get("questions", {}), NAME),
        fields=field_policy(content.get("fields", {}), NAME),
    )
    if (chosen.continue_from, chosen.land) == ("published", "next_list"):
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
    if not file.is_file():
        raise CommandLineError(f"{file}: this is not an ordinary file. Take it away, or put the choices there.")
    if (size := file.stat().st_size) > TOML_BYTES:
        raise CommandLineError(f"{file}: it has {size} bytes, and at most {TOML_BYTES} are read. Mend the file.")
    try:
        return parse(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise CommandLineError(f"{file}: not UTF-8. Save it as UTF-8.") from None


def _publication(section: object) -> dict[str, Any]:
    if not isinstance(section, dict):
        raise CommandLineError(f"{NAME}: 'publication' must be a section: [publication].")
    for key, cell in section.items():
        if key not in ("approvals", "signing_key"):
            raise CommandLineError(
                f"{NAME}: unknown key {_shown(key)} in [publication] - known are approvals, signing_key."
            )
        if key == "approvals" and (type(cell) is not int or not 0 <= cell <= MOST_APPROVALS):
            raise CommandLineError(
                f"{NAME}: approvals is {_shown(cell)}; it is how many people, from 0 to {MOST_APPROVALS}."
            )
        if key == "signing_key" and not isinstance(cell, str):
            raise CommandLineError(
                f'{NAME}: signing_key is {_shown(cell)}; it is the path of a key file: "office.pem".'
            )
    return section


def _shown(cell: object) -> str:
    return shortened(repr(cell), SHOWN_LENGTH)
