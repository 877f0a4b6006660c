"""Escaping of untrusted text in Markdown: it stays in its cell or its line, and stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import polars as pl

from ratinglist.safe_text import on_one_line

#: Characters that begin a link, an image, emphasis, code or HTML, end a cell, or escape any of these.
_SIGNS: Final = re.compile(r"[\\`*\[\]<>&|~$]|(?<!\w)_|_(?!\w)")
#: The place at the beginning of a line in front of a sign of a heading, a list or a rule.
_LINE_START: Final = re.compile(r"^(\d*)(?=[#+=.)-])")
#: Places inside an address that many renderers turn into a link without any markup.
_ADDRESS: Final = re.compile(r"(?<=\w)(?=://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)


def cell(value: object) -> str:
    """Return ``value`` escaped as the cell of a table, so that it is rendered as it is written; None is blank."""
    if value is None:
        return ""
    return _ADDRESS.sub(r"\\", _SIGNS.sub(r"\\\g<0>", on_one_line(str(value))))


def paragraph(text: str) -> str:
    """Return ``text`` escaped as a paragraph, every line of it on a line of its own."""
    # Two blanks at the end of a line are the break that all renderers know; a blank line would end the paragraph.
    return "  \n".join(_LINE_START.sub(r"\1\\", cell(line.strip())) for line in text.splitlines() if line.strip())


def table(head: Iterable[str], rows: pl.DataFrame) -> list[str]:
    """Return the lines of a Markdown table, numbers to the right; ``None.`` where it has no row."""
    if rows.is_empty():
        return ["None.", ""]
    rule = "".join("--:|" if dtype.is_numeric() else "---|" for dtype in rows.dtypes)
    return [
        f"| {' | '.join(head)} |",
        f"|{rule}",
        *("| " + " | ".join(cell(value) for value in row) + " |" for row in rows.iter_rows()),
        "",
    ]
