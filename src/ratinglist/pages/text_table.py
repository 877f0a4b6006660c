"""Align the columns of a text table: the one place where a table of plain text is laid out.

``rich.table`` is not used: it fits a table to the terminal and wraps or cuts cells that do not fit, so the output of a
command would depend on the window it runs in. Here every cell is whole, and the same rows give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence


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
