"""Escaping of untrusted text in Markdown tables: it stays in its cell, and stays text."""

from __future__ import annotations

import re
from typing import Final

from ratinglist.safe_text import on_one_line

#: Characters that begin a link, an image, emphasis, code or HTML, end a cell, or escape any of these.
_SIGNS: Final = re.compile(r"[\\`*\[\]<>&|~$]|(?<!\w)_|_(?!\w)")
#: Places inside an address that many renderers turn into a link without any markup.
_ADDRESS: Final = re.compile(r"(?<=\w)(?=://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)


def cell(value: object) -> str:
    """Return ``value`` escaped as the cell of a table, so that it is rendered as it is written; None is blank."""
    if value is None:
        return ""
    return _ADDRESS.sub(r"\\", _SIGNS.sub(r"\\\g<0>", on_one_line(str(value))))
