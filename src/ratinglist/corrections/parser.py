"""A corrections file, read strictly: what is wrong, what is right, why, who said so and when.

```toml
[[correction]]
action = "change_result"
match = { event_id = "ORV2510", round = 3, white = 990001, black = 990002 }
result = "0-1"
reason = "score sheets compared"
who = "chief arbiter"
reported_on = 2025-11-03
```

Whether a correction matches anything is not known here: that is for the store to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from ratinglist import strict_toml
from ratinglist.errors import NothingReadError
from ratinglist.limits import LIST_TEXT_LENGTH, SHOWN_LENGTH
from ratinglist.safe_text import first_forbidden_in_name, shortened

RESULTS = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "0-0": (0, 0), "not played": None}
"""What a result may be corrected to: the half points of White and of Black, or no game at all."""

DATA = {"name": str, "federation": str, "sex": str, "birth_date": date, "birth_year": int}
"""What of a player's data may be corrected, and its type."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a correction of this kind matches, and what it says instead; every key with its type.

    ``optional`` keys belong to ``match``; of ``one_of`` at least one has to be given.
    """

    match: Mapping[str, type]
    says: Mapping[str, type]
    optional: Mapping[str, type]
    one_of: Mapping[str, type]


ACTIONS = {
    "replace_report": Action({"event_id": str}, {"file": str}, {"start_date": date}, {}),
    "withdraw_event": Action({"event_id": str}, {}, {}, {}),
    "change_result": Action({"event_id": str, "round": int, "white": int, "black": int}, {"result": str}, {}, {}),
    "change_player": Action({"event_id": str, "fide_id": int}, {"fide_id": int}, {}, {}),
    "change_data": Action({"fide_id": int}, {}, {}, DATA),
    "merge": Action({"fide_id": int}, {"into": int}, {}, {}),
    "undo": Action({"correction": int}, {}, {}, {}),
}
"""What can be corrected, each with its keys besides ``reason``, ``who`` and ``reported_on``."""

# A FIDE ID has at most eleven digits (TRF, columns 58-68), and every other number here is smaller.
_LARGEST = 99_999_999_999
_ALWAYS: dict[str, type] = {"action": str, "reason": str, "who": str, "reported_on": date}


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction of a file.

    ``line`` is that of its heading. ``match`` and ``says`` hold the keys of its :class:`Action`.
    """

    line: int
    action: str
    match: Mapping[str, Any]
    says: Mapping[str, Any]
    reason: str
    who: str
    reported_on: date


def parse(text: str, name: str) -> list[Correction]:
    """The corrections of a file, in its order.

    In: the text of a TOML file and its ``name`` for messages. Raises :class:`NothingReadError`, naming file, line and
    key, for anything unknown, missing or misspelt: a file is taken whole or not at all.
    """
    try:
        content = strict_toml.parse(text)
    except ValueError as error:
        raise NothingReadError(f"{name}: not valid TOML ({error}). Mend the file; nothing was corrected.") from None
    tables = content.get("correction")
    if set(content) != {"correction"} or not isinstance(tables, list):
        raise NothingReadError(
            f"{name}: a corrections file holds [[correction]] tables and nothing else. Mend the file; nothing was "
            "corrected."
        )
    lines = [
        number for number, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[\s*correction\s*\]\]", line)
    ]
    # Written as an inline array, the tables have no headings: then all of them begin where the array does.
    lines = lines if len(lines) == len(tables) else [1] * len(tables)
    return [_correction(table, name, line) for table, line in zip(tables, lines, strict=True)]


def _correction(table: Any, name: str, line: int) -> Correction:
    where = f"{name}, line {line}"
    chosen = table.get("action") if isinstance(table, dict) else None
    if not isinstance(chosen, str) or chosen not in ACTIONS:
        raise _wrong(where, f"the action is {_shown(chosen)}; it may be {', '.join(ACTIONS)}")
    action = ACTIONS[chosen]
    match = table.get("match")
    if not isinstance(match, dict):
        raise _wrong(
            where, f"'match' says what is corrected: {{ {', '.join(f'{key} = ...' for key in action.match)} }}"
        )
    says = {key: cell for key, cell in table.items() if key not in _ALWAYS and key != "match"}
    given = {key: cell for key, cell in table.items() if key in _ALWAYS}
    _typed(where, "", given, _ALWAYS, {})
    _typed(where, " of match", match, action.match, action.optional)
    _typed(where, "", says, action.says, action.one_of)
    if action.one_of and not says:
        raise _wrong(where, f"nothing is said to be different: give {', '.join(action.one_of)} as they should be")
    for key in ("reason", "who"):
        if not given[key].strip():
            raise _wrong(where, f"'{key}' is empty; a correction nobody can account for is not made")
    if chosen == "change_result" and says["result"] not in RESULTS:
        raise _wrong(where, f"the result is {_shown(says['result'])}; it may be {', '.join(RESULTS)}")
    if chosen == "replace_report" and _leads_away(says["file"]):
        raise _wrong(where, f"the file {_shown(says['file'])} does not lie beside or below the corrections file")
    same = {"merge": "into", "change_player": "fide_id"}.get(chosen)
    if same is not None and says[same] == match["fide_id"]:
        raise _wrong(where, f"{match['fide_id']} is the same number on both sides")
    return Correction(line, chosen, match, says, given["reason"], given["who"], given["reported_on"])


def _typed(
    where: str, of: str, given: Mapping[str, Any], wanted: Mapping[str, type], optional: Mapping[str, type]
) -> None:
    """Every wanted key, perhaps an optional one, and no other; each of its type."""
    known = {**wanted, **optional}
    if unknown := [key for key in given if key not in known]:
        raise _wrong(where, f"unknown key {_shown(unknown[0])}{of}; known are {', '.join(known) or 'none'}")
    if missing := [key for key in wanted if key not in given]:
        raise _wrong(where, f"key '{missing[0]}'{of} is missing")
    for key, cell in given.items():
        # A bool is an int to Python, and a moment a date: neither is meant.
        if type(cell) is not known[key]:
            raise _wrong(where, f"'{key}'{of} is {_shown(cell)}; it must be {_PLAINLY[known[key]]}")
        if isinstance(cell, str) and (character := first_forbidden_in_name(cell)):
            raise _wrong(where, f"'{key}'{of} holds the character {character}; it is a text of one line")
        if isinstance(cell, str) and len(cell) > LIST_TEXT_LENGTH:
            raise _wrong(where, f"'{key}'{of} has {len(cell)} characters; at most {LIST_TEXT_LENGTH} are kept")
        if isinstance(cell, int) and not 0 <= cell <= _LARGEST:
            raise _wrong(where, f"'{key}'{of} is {_shown(cell)}; it must be a whole number from 0 to {_LARGEST}")


_PLAINLY = {str: "a text in quotes", int: "a whole number", date: "a date without quotes, such as 2025-11-03"}


def _leads_away(file: str) -> bool:
    """Whether a path is absolute, has a drive letter or climbs out of its folder, as any system reads it."""
    windows = PureWindowsPath(file)
    return bool(PurePosixPath(file).is_absolute() or windows.drive or windows.root or ".." in windows.parts)


def _shown(cell: object) -> str:
    return shortened(repr(cell), SHOWN_LENGTH)


def _wrong(where: str, what: str) -> NothingReadError:
    return NothingReadError(f"{where}: {what}. Mend the file; nothing was corrected.")
