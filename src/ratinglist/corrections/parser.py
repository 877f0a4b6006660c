"""Read and write corrections files: what is wrong, what is right, why, who found it and when.

```toml
[[correction]]
action = "change_result"
match = { event_id = "ORV2510", round = 3, white = 990001, black = 990002 }
result = "0-1"
reason = "score sheets compared"
who = "chief arbiter"
reported_on = 2025-11-03
```

Whether a correction matches anything is not decided here: :mod:`ratinglist.corrections.apply` looks into the store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from datetime import date
from pathlib import PurePosixPath, PureWindowsPath
from types import NoneType
from typing import Annotated, Any, Literal, get_args

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.limits import LIST_TEXT_LENGTH
from ratinglist.strict_toml import Allowed, Day, Flag, matching
from ratinglist.tables import EVENT_TYPES, LISTS
from ratinglist.text import (
    first_forbidden_in_written_text,
    says_nothing,
    with_plain_blanks,
)

RESULTS = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "0-0": (0, 0), "not played": None}
"""What a result may be corrected to: the half points of White and of Black, or no game at all."""
WOMEN_TITLES = ("WGM", "WIM", "WFM", "WCM")
TITLES = ("GM", "IM", "FM", "CM", *WOMEN_TITLES)
_OPTIONS = {"reason": "--because", "who": "--by", "reported_on": "--reported"}
_GAME_ARGUMENTS = {"match.event_id": "EVENT", "match.round": "ROUND", "match.white": "WHITE", "match.black": "BLACK"}
_ARGUMENTS = {
    "change_result": {**_GAME_ARGUMENTS, "result": "RESULT"},
    "change_data": {"match.fide_id": "PLAYER", "past_federation": "--because past_federation"},
    "change_player": {"match.event_id": "EVENT", "match.fide_id": "WRONG", "fide_id": "RIGHT"},
    "change_report": {"match.event_id": "EVENT"},
    "replace_report": {"match.event_id": "EVENT", "file": "--file"},
    "merge": {"match.fide_id": "OLD", "into": "NEW", "unlike_person": "--because unlike_person"},
    "withdraw_event": {"match.event_id": "EVENT"},
    "undo": {"match.correction": "CORRECTION"},
}


def _written(text: str) -> None:
    if character := first_forbidden_in_written_text(text):
        raise ValueError(f"holds the character {character}, which is not seen, or not of a text of one line")


def _not_blank(text: str) -> None:
    _written(text)
    if not text.strip():
        raise ValueError("is empty, and says nothing: write it out")


def _reason(text: str) -> None:
    _not_blank(text)
    if says_nothing(text):
        raise ValueError(f"is {strict_toml.as_toml(text)}, no reason that a reader understands: write why")


def _inside_folder(file: str) -> None:
    """Refuse a path that is absolute, has a drive letter or leads out of its folder, on any operating system."""
    _written(file)
    windows = PureWindowsPath(file)
    if PurePosixPath(file).is_absolute() or windows.drive or windows.root or ".." in windows.parts:
        raise ValueError(f"is {strict_toml.as_toml(file)}, which is not in the folder of the corrections file or below")


# A FIDE ID has at most eleven digits (TRF, columns 58-68), and every other number here is smaller.
_Number = Annotated[int, Allowed(ge=0, le=99_999_999_999)]
_Written = Annotated[str, Allowed(_written, max_length=LIST_TEXT_LENGTH)]
_Year = Annotated[int, Allowed(ge=1, le=9999)]
_NotBlank = Annotated[str, Allowed(_not_blank, max_length=LIST_TEXT_LENGTH)]
_Reason = Annotated[str, Allowed(_reason, max_length=LIST_TEXT_LENGTH)]
_Federation = Annotated[str, matching("[A-Z]{3}", "is {text!r}; write three capital letters, such as ITA")]
_File = Annotated[str, Allowed(_inside_folder, max_length=LIST_TEXT_LENGTH)]

PLAYER_DATA: dict[str, Any] = {
    "name": _NotBlank | None,
    "federation": _Federation | None,
    "sex": Literal["M", "F"] | None,
    "birth_date": Day | None,
    "birth_year": _Year | None,
    "title": Literal["", *TITLES] | None,
    "women_title": Literal["", *WOMEN_TITLES] | None,
    "other_titles": _Written | None,
}
"""What of a player's data may be corrected, and its type."""

REPORT_FIELDS: dict[str, Any] = {
    "start_date": Day | None,
    "end_date": Day | None,
    "event_type": Literal[*EVENT_TYPES] | None,
    "time_control": Literal[*LISTS] | None,
    "official": Flag | None,
    "federation": _Federation | None,
    "registered_on": Day | None,
    "minutes_per_60_moves": Annotated[int, Allowed(ge=1, le=9999)] | None,
}
"""What of a report may be corrected, as a manifest names it, and its type."""

_ALWAYS: dict[str, Any] = {"action": str, "reason": _Reason, "who": _NotBlank, "reported_on": Day}


def _table(**keys: Any) -> type:
    """Return a dataclass with these ``keys`` and their types; a key whose type includes None may be missing."""
    known = [(key, kind, field(default=None) if NoneType in get_args(kind) else field()) for key, kind in keys.items()]
    namespace = {"__pydantic_config__": strict_toml.FORBID_UNKNOWN_KEYS}
    return make_dataclass("Table", known, kw_only=True, slots=True, namespace=namespace)


_EVENT = _table(event_id=_Written)
_EVENT_OR_SLICE = _table(event_id=_Written, start_date=Day | None)
_EVENT_PLAYER = _table(event_id=_Written, fide_id=_Number)
_GAME = _table(event_id=_Written, round=_Number, white=_Number, black=_Number)
_PLAYER = _table(fide_id=_Number)
_NUMBERED = _table(correction=_Number)

ACTIONS = {
    "replace_report": _table(match=_EVENT_OR_SLICE, file=_File, **_ALWAYS),
    "withdraw_event": _table(match=_EVENT, **_ALWAYS),
    "change_result": _table(match=_GAME, result=Literal[*RESULTS], **_ALWAYS),
    "change_player": _table(match=_EVENT_PLAYER, fide_id=_Number, **_ALWAYS),
    "change_data": _table(match=_PLAYER, past_federation=_Reason | None, **PLAYER_DATA, **_ALWAYS),
    "change_report": _table(match=_EVENT, **REPORT_FIELDS, **_ALWAYS),
    "merge": _table(match=_PLAYER, into=_Number, unlike_person=_Reason | None, **_ALWAYS),
    "undo": _table(match=_NUMBERED, **_ALWAYS),
}
"""What can be corrected, with the keys of each correction and of its ``match``."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction of a file.

    ``line``: the line of its heading. ``match``: the keys of its ``match``. ``says``: the keys of its own.
    """

    line: int
    action: str
    match: Mapping[str, Any]
    says: Mapping[str, Any]
    reason: str
    who: str
    reported_on: date


def parse_corrections(text: str, name: str, *, typed: bool = False) -> list[Correction]:
    """Return the corrections of a file, in its order.

    In: the text of a TOML file and its ``name`` for messages. ``typed``: the text is of a correction that was typed as
    a command, so messages name its arguments and no file. Raises :class:`NothingReadError`, naming file, line and
    key, for anything unknown, missing or misspelt: a file is read whole or not at all; :class:`CommandLineError` for
    what was typed.
    """
    where = name
    try:
        content = strict_toml.parse(text)
        tables = content.get("correction")
        if set(content) != {"correction"} or not isinstance(tables, list):
            # Answered below, as every other ValueError of a corrections file is.
            raise ValueError("a corrections file holds [[correction]] tables and nothing else")  # noqa: TRY301
        corrections = []
        for table, line in zip(tables, _lines(text, len(tables)), strict=True):
            where = f"{name}, line {line}"
            corrections.append(_correction(table, line, typed=typed))
    except ValueError as error:
        if typed:
            raise CommandLineError(f"{error}. Nothing was corrected.") from None
        raise NothingReadError(f"{where}: {error}. Fix the file; nothing was corrected.") from None
    return corrections


def _lines(text: str, tables: int) -> list[int]:
    """Return the lines of the headings; all 1 where the tables are written as an inline array, without headings."""
    heading = re.compile(r"\s*\[\[\s*correction\s*\]\]")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if heading.match(line)]
    return lines if len(lines) == tables else [1] * tables


def _correction(table: Any, line: int, *, typed: bool) -> Correction:
    action = table.get("action") if isinstance(table, dict) else None
    if not isinstance(action, str) or action not in ACTIONS:
        raise ValueError(f"the action is {strict_toml.as_toml(action)}; it must be {', '.join(ACTIONS)}")
    strict_toml.checked(ACTIONS[action], table, argument_names(action) if typed else None)
    match = table["match"]
    says = {key: cell for key, cell in table.items() if key != "match" and key not in _ALWAYS}
    reason, who = with_plain_blanks(table["reason"]), with_plain_blanks(table["who"])
    fields = {"change_data": PLAYER_DATA, "change_report": REPORT_FIELDS}.get(action, ())
    if fields and not says:
        raise ValueError(f"nothing is corrected: give {', '.join(fields)} as they should be")
    if action in ("change_player", "merge") and match["fide_id"] in says.values():
        raise ValueError(f"{match['fide_id']} is the same number on both sides: write two FIDE IDs")
    return Correction(line, action, match, says, reason, who, table["reported_on"])


def argument_names(action: str) -> dict[str, str]:
    """Return the arguments and options in which a command writes the keys of a correction, by the path of the key.

    The data of a player keep their keys: they are typed as ``KEY=VALUE``.
    """
    return _OPTIONS | _ARGUMENTS.get(action, {})


def correction_text(
    action: str, match: Mapping[str, object], says: Mapping[str, object], *, reason: str, who: str, reported_on: date
) -> str:
    """Return one correction as TOML, in the form that :func:`parse_corrections` reads.

    ``match`` and ``says``: the keys of the action, whole numbers, texts and days.
    """
    keys = {"action": action, "match": match, **says, "reason": reason, "who": who, "reported_on": reported_on}
    return (
        "\n".join(["[[correction]]", *(f"{key} = {strict_toml.written(value)}" for key, value in keys.items())]) + "\n"
    )
