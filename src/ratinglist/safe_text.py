"""Characters that are refused in received text and escaped in printed text.

Control characters move a terminal's cursor and overwrite what is printed there; direction overrides make one name read
as another. No name and no text of a chess event needs them.
"""

from __future__ import annotations

import re
from typing import Final

#: C0 without tab, line feed and carriage return; DEL; C1; separators of lines and paragraphs; overrides and isolates.
_RANGES: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
FORBIDDEN: Final = f"[{_RANGES}]"
"""The characters that are refused in a text of several lines: a regular expression for Python and for Polars."""

FORBIDDEN_IN_NAME: Final = rf"[\t\n\r{_RANGES}]"
"""The characters that are refused in the name of a file, a player or an event: a name has one line."""

_FORBIDDEN: Final = re.compile(FORBIDDEN)
_IN_NAME: Final = re.compile(FORBIDDEN_IN_NAME)
_UNSHOWABLE: Final = re.compile(rf"[\r{_RANGES}\ud800-\udfff]")
_FORBIDDEN_BYTES: Final = bytes({*range(0x20), 0x7F} - set(b"\t\n\r"))
_ALLOWED_BYTES: Final = bytes(set(range(256)) - set(_FORBIDDEN_BYTES))
#: The first byte in UTF-8 of every other refused character: C1, then U+2000 to U+2FFF.
_FIRST_BYTES: Final = (b"\xc2", b"\xe2")


def first_forbidden(text: str, data: bytes | None = None) -> int | None:
    """Return the offset, from 0, of the first refused character in ``text``; None where there is none.

    ``data``: the bytes that ``text`` was decoded from, where they are UTF-8 or a code page of one byte a character.
    Bytes are searched far faster than characters, so ``text`` is searched only where one of the bytes can belong to
    a refused character.
    """
    if data is not None and not data.translate(None, _ALLOWED_BYTES) and not any(mark in data for mark in _FIRST_BYTES):
        return None
    found = _FORBIDDEN.search(text)
    return found.start() if found else None


def first_forbidden_in_name(name: str) -> str:
    """Return the first refused character of ``name``, such as ``U+202E``; empty where there is none."""
    found = _IN_NAME.search(name)
    return code_point(found[0]) if found else ""


def code_point(character: str) -> str:
    """Return the number of ``character``, such as ``U+001B``."""
    return f"U+{ord(character):04X}"


def visible(text: str) -> str:
    r"""Return ``text`` with refused characters escaped, such as ``\u001b``; tabs and line feeds stay.

    A JSON document stays the same document.
    """
    return _UNSHOWABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def on_one_line(text: str) -> str:
    r"""Return :func:`visible` text with tabs and line feeds escaped as ``\t`` and ``\n`` too, for a cell of a table."""
    return visible(text).replace("\t", "\\t").replace("\n", "\\n")


def shortened(text: str, length: int) -> str:
    """Return at most ``length`` characters of ``text``, escaped, with ``...`` where more were left out."""
    return on_one_line(text[:length]) + ("..." if len(text) > length else "")
