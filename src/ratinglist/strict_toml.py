"""A TOML text of somebody else's, read without ever taking more than it can need.

The standard library's reader is exact about what TOML is and says nothing of nesting without end or numbers of a
million digits; here all that is wrong with a text is one kind of error.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from ratinglist.limits import TOML_BYTES, TOML_DEPTH
from ratinglist.safe_text import code_point, first_forbidden

_TEXTS_AND_REMARKS: Final = re.compile(r"""("(?:\\.|[^"\\\n])*"|'[^'\n]*')|#[^\n]*""")
_BETWEEN_KEYS: Final = re.compile(r"[=,{}\[\]]")


def parse(text: str) -> dict[str, Any]:
    """The tables of a TOML ``text``; raises :class:`ValueError`, saying what is wrong and where, for anything else."""
    size = len(text.encode(errors="replace"))
    if size > TOML_BYTES:
        raise ValueError(f"it has {size} bytes, and at most {TOML_BYTES} are read")
    place = first_forbidden(text)
    if place is not None:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        raise ValueError(f"line {line}, column {column}: the character {code_point(text[place])} may not stand there")
    if deep := _line_of_deep_key(text):
        raise ValueError(f"line {deep}: a key of more than {TOML_DEPTH} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("tables and arrays lie too deep in one another") from None
    if _deeper(tables, TOML_DEPTH):
        raise ValueError(f"tables and arrays lie more than {TOML_DEPTH} deep in one another")
    return tables


def _line_of_deep_key(text: str) -> int:
    """The first line with a key of too many parts, ``a.b.c``, whose cost grows with their square; 0: there is none."""
    bare = _TEXTS_AND_REMARKS.sub("", text)
    for number, line in enumerate(bare.split("\n"), 1):
        if line.count(".") >= TOML_DEPTH and any(part.count(".") >= TOML_DEPTH for part in _BETWEEN_KEYS.split(line)):
            return number
    return 0


def _deeper(cell: object, levels: int) -> bool:
    """Whether ``cell`` holds anything more than ``levels`` deep."""
    if not isinstance(cell, (dict, list)):
        return False
    return levels == 0 or any(_deeper(one, levels - 1) for one in (cell.values() if isinstance(cell, dict) else cell))
