"""Write documents as Markdown. Untrusted text stays in its cell or its line, and stays text."""

from __future__ import annotations

import re
from typing import Final

from ratinglist.pages.document import (
    NONE,
    Code,
    Document,
    Entries,
    Figures,
    Heading,
    Paragraph,
    Part,
    Span,
    Strong,
    Table,
    Text,
)
from ratinglist.text import on_one_line, shown

#: Characters that begin a link, an image, emphasis, code or HTML, end a cell, or escape any of these.
_SIGNS: Final = re.compile(r"[\\`*\[\]<>&|~$]|(?<!\w)_|_(?!\w)")
#: The place at the beginning of a line in front of a sign of a heading, a list or a rule.
_LINE_START: Final = re.compile(r"^(\d*)(?=[#+=.)-])")
#: Places inside an address that many renderers turn into a link without any markup.
_ADDRESS: Final = re.compile(r"(?<=\w)(?=://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)


def cell(value: object) -> str:
    """Return ``value`` escaped as the cell of a table, so that it is rendered as it is written; None is blank."""
    return _ADDRESS.sub(r"\\", _SIGNS.sub(r"\\\g<0>", shown(value)))


def paragraph(text: str) -> str:
    """Return ``text`` escaped as a paragraph, every line of it on a line of its own."""
    # Two blanks at the end of a line are the break that all renderers know; a blank line would end the paragraph.
    return "  \n".join(_LINE_START.sub(r"\1\\", cell(line.strip())) for line in text.splitlines() if line.strip())


def as_markdown(document: Document) -> str:
    """Return a document as Markdown, without its charts."""
    parts = [f"# {cell(document.title)}", *filter(None, map(_part, document.parts))]
    return "\n\n".join(parts) + "\n"


def _part(part: Part) -> str:
    if isinstance(part, Heading):
        return f"{'#' * part.level} {_inline(part.text)}"
    if isinstance(part, Paragraph):
        return paragraph(part.text) if isinstance(part.text, str) else _line(part.text)
    if isinstance(part, Entries):
        lines = [[f"- {_line(entry.text)}", *(f"  - {_line(text)}" for text in entry.below)] for entry in part.entries]
        return "\n".join(line for of_entry in lines for line in of_entry)
    if isinstance(part, Figures):
        return ""
    return _table(part)


def _table(table: Table) -> str:
    if not table.rows:
        return NONE
    rule = "".join("--:|" if right else "---|" for right in table.to_right)
    lines = [f"| {' | '.join(map(cell, row))} |" for row in (table.head, *table.rows)]
    return "\n".join([lines[0], f"|{rule}", *lines[1:]])


def _line(text: Text) -> str:
    return _LINE_START.sub(r"\1\\", _inline(text))


def _inline(text: Text) -> str:
    return cell(text) if isinstance(text, str) else "".join(map(_span, text))


def _span(part: Span) -> str:
    if isinstance(part, str):
        return cell(part)
    if isinstance(part, Code):
        # The fence is longer than any in the text, which is shown as it is.
        fence = "`" * (max(map(len, re.findall("`+", part.text)), default=0) + 1)
        blank = " " if len(fence) > 1 else ""
        return f"{fence}{blank}{on_one_line(part.text)}{blank}{fence}"
    mark = "**" if isinstance(part, Strong) else "*"
    return f"{mark}{cell(part.text)}{mark}"
