"""Write documents and tables as plain text, for a terminal.

``rich.table`` is not used: it fits a table to the terminal and wraps or cuts cells that do not fit, so the output of a
command would depend on the window it runs in. Here every cell is whole, and the same rows give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ratinglist.pages.document import NONE, Document, Entries, Figures, Heading, Paragraph, Part, Table, plain
from ratinglist.text import shown

_INDENT = "  "
_SHOWN = 20
"""How many lines of a long list are printed."""


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines of a list, each after two blanks, and a line that says how many more there are."""
    more = [f"  and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return [*(f"{_INDENT}{line}" for line in lines[:_SHOWN]), *more]


def padded(rows: Sequence[Sequence[str]], to_right: Sequence[bool]) -> list[list[str]]:
    """Return ``rows`` with every cell padded to the width of its column; ``to_right``: the columns aligned right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, to_right, strict=True)
        ]
        for row in rows
    ]


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], to_right: Sequence[bool], *, rule: bool = False
) -> list[str]:
    """Return a table as lines, two blanks between columns; ``rule``: with a line of dashes under the header."""
    table = padded([header, *rows], to_right)
    if rule:
        table.insert(1, ["-" * len(cell) for cell in table[0]])
    return ["  ".join(row).rstrip() for row in table]


def as_text(document: Document) -> str:
    """Return a document as text: its title, then each section after a blank line, indented below its heading.

    Charts are left out.
    """
    lines = [plain(document.title)]
    if document.parts and not isinstance(document.parts[0], Heading):
        lines.append("")
    indent = ""
    for part in document.parts:
        if isinstance(part, Heading):
            lines += ["", plain(part.text)]
            indent = _INDENT
        elif isinstance(part, Paragraph) and part.ends_section:
            lines += ["", plain(part.text)]
            indent = ""
        else:
            lines += [f"{indent}{line}".rstrip() for line in _lines(part)]
    return "\n".join(lines)


def _lines(part: Part) -> Iterator[str]:
    if isinstance(part, Table):
        cells = [[shown(cell) for cell in row] for row in part.rows]
        yield from text_table([*map(shown, part.head)], cells, part.to_right) if cells else [NONE]
    elif isinstance(part, Entries):
        for entry in part.entries:
            yield plain(entry.text)
            yield from (f"{_INDENT}{plain(text)}" for text in entry.below)
    elif not isinstance(part, Figures):
        yield plain(part.text)
