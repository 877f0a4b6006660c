"""Characters that no name and no text of a chess event needs, and that do harm where they are shown.

Control characters move a terminal's cursor and rewrite what stands there; the overrides of direction make one name
read as another. What is received with one of them is refused, and whatever is shown is shown without them.
"""

from __future__ import annotations

import re
from typing import Final

#: C0 without tab, line feed and carriage return; DEL; C1; separators of lines and paragraphs; overrides and isolates.
_RANGES: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
FORBIDDEN: Final = f"[{_RANGES}]"
"""The characters that are refused in a text of lines, as a regular expression of Python and of Polars."""

FORBIDDEN_IN_NAME: Final = rf"[\t\n\r{_RANGES}]"
"""Those that are refused in a name: of a file, of a player, of an event. A name has one line."""

_FORBIDDEN: Final = re.compile(FORBIDDEN)
_IN_NAME: Final = re.compile(FORBIDDEN_IN_NAME)
_UNSHOWABLE: Final = re.compile(rf"[\r{_RANGES}\ud800-\udfff]")
_OF_ONE_BYTE: Final = bytes({*range(0x20), 0x7F} - set(b"\t\n\r"))
_HARMLESS: Final = bytes(set(range(256)) - set(_OF_ONE_BYTE))
#: First bytes in UTF-8 of every other character that is refused: C1, then U+2000 to U+2FFF.
_MAY_BEGIN_ONE: Final = (b"\xc2", b"\xe2")


def first_forbidden(text: str, data: bytes | None = None) -> int | None:
    """The place, from 0, of the first character in ``text`` that is refused; None where there is none.

    ``data``, where given, are the bytes ``text`` was made of. Bytes are far quicker to look through than characters:
    where they are UTF-8, or any code page, and none of them can belong to such a character, ``text`` is not looked at.
    """
    if data is not None and not data.translate(None, _HARMLESS) and not any(mark in data for mark in _MAY_BEGIN_ONE):
        return None
    found = _FORBIDDEN.search(text)
    return found.start() if found else None


def first_forbidden_in_name(name: str) -> str:
    """The first character of ``name`` that no name may have, such as ``U+202E``; empty where there is none."""
    found = _IN_NAME.search(name)
    return code_point(found[0]) if found else ""


def code_point(character: str) -> str:
    """``character`` by its number, such as ``U+001B``."""
    return f"U+{ord(character):04X}"


def visible(text: str) -> str:
    r"""``text`` as it may be shown: characters that do harm become ``\u001b`` and the like; tabs and lines stay.

    What it gives back for a JSON document is the same document.
    """
    return _UNSHOWABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def on_one_line(text: str) -> str:
    r""":func:`visible`, with tabs and line ends shown as ``\t`` and ``\n``: a cell of a table."""
    return visible(text).replace("\t", "\\t").replace("\n", "\\n")


def shortened(text: str, length: int) -> str:
    """``text`` as it may be shown, at most ``length`` characters of it, with ``...`` where more were left out."""
    return on_one_line(text[:length]) + ("..." if len(text) > length else "")
