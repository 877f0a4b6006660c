"""Text of others in a Markdown table: it stays in its cell, and stays text."""

from __future__ import annotations

import re
from typing import Final

from ratinglist.safe_text import on_one_line

#: What begins a link, an image, emphasis, code or HTML, ends a cell, or escapes any of these.
_SIGNS: Final = re.compile(r"[\\`*\[\]<>&|~$]|(?<!\w)_|_(?!\w)")
#: What many readers make a link of without being asked.
_ADDRESS: Final = re.compile(r"(?<=\w)(?=://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)


def cell(value: object) -> str:
    """``value`` as the cell of a table, shown as it is written; None is blank."""
    if value is None:
        return ""
    return _ADDRESS.sub(r"\\", _SIGNS.sub(r"\\\g<0>", on_one_line(str(value))))
