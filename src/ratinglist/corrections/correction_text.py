"""The text of a corrections file with one correction: what a correction typed as a command means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

_OPTIONS = {"reason": "--because", "who": "--by", "reported_on": "--reported"}
_GAME = {"match.event_id": "EVENT_ID", "match.round": "ROUND", "match.white": "WHITE", "match.black": "BLACK"}
_ARGUMENTS = {
    "change_result": {**_GAME, "result": "RESULT"},
    "change_data": {"match.fide_id": "FIDE_ID"},
    "merge": {"match.fide_id": "OLD", "into": "NEW"},
    "withdraw_event": {"match.event_id": "EVENT_ID"},
    "undo": {"match.correction": "CORRECTION"},
}


def argument_names(action: str) -> dict[str, str]:
    """Return the arguments and options in which a command writes the keys of a correction, by the path of the key.

    The data of a player keep their keys: they are typed as ``KEY=VALUE``.
    """
    return _OPTIONS | _ARGUMENTS.get(action, {})


def correction_text(
    action: str, match: Mapping[str, object], says: Mapping[str, object], *, reason: str, who: str, reported_on: date
) -> str:
    """Return one correction as TOML, in the form that :func:`~ratinglist.corrections.parser.parse` reads.

    ``match`` and ``says``: the keys of the action, whole numbers, texts and days.
    """
    matched = ", ".join(f"{key} = {_value(value)}" for key, value in match.items())
    own = {**says, "reason": reason, "who": who, "reported_on": reported_on}
    lines = ["[[correction]]", f"action = {_value(action)}", f"match = {{ {matched} }}"]
    return "\n".join([*lines, *(f"{key} = {_value(value)}" for key, value in own.items())]) + "\n"


def _value(value: object) -> str:
    """Return a value as TOML: the texts of JSON are texts of TOML too, but for U+007F, which TOML wants escaped."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
