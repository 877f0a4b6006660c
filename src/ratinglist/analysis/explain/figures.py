"""Format figures for people: hundredths, half points, signs and aligned tables. Integers in, text out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ratinglist.safe_text import on_one_line
from ratinglist.text_table import text_table


def hundredths(count: int | None, *, sign: bool = False) -> str:
    """Format hundredths as a decimal number, such as ``-1.05``; empty for None."""
    if count is None:
        return ""
    before = "-" if count < 0 else "+" if sign else ""
    return f"{before}{abs(count) // 100}.{abs(count) % 100:02d}"


def thousandths(count: int | None, *, sign: bool = False) -> str:
    """Format thousandths as a decimal number, such as ``-11.010``; empty for None."""
    if count is None:
        return ""
    before = "-" if count < 0 else "+" if sign else ""
    return f"{before}{abs(count) // 1000}.{abs(count) % 1000:03d}"


def decimal(count: int | None, places: int, *, sign: bool = False) -> str:
    """Format a count of units of 10 to the power of ``-places`` as a decimal number; empty for None."""
    if count is None:
        return ""
    before = "-" if count < 0 else "+" if sign else ""
    whole, part = divmod(abs(count), 10**places)
    return f"{before}{whole}.{part:0{places}d}"


def halves(count: int | None) -> str:
    """Format half points as points, such as ``½`` or ``4½``; empty for None."""
    if count is None:
        return ""
    return f"{count // 2 or ('' if count % 2 else 0)}{'½' if count % 2 else ''}"


def signed(count: int) -> str:
    """Format an integer with its sign: ``+3``, ``-1``, ``0``."""
    return f"{count:+d}" if count else "0"


def plus(count: int) -> str:
    """Format an integer as the second term of a sum: ``+ 3`` or ``- 1``."""
    return f"{'-' if count < 0 else '+'} {abs(count)}"


def counted(count: int, what: str) -> str:
    """Format a number with its noun: ``1 game``, ``9 games``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def numbered(what: str, numbers: Iterable[int]) -> str:
    """Format numbers behind their noun: ``round 3``, ``rounds 1, 2 and 9``."""
    *first, last = [str(number) for number in sorted(set(numbers))]
    return f"{what}s {', '.join(first)} and {last}" if first else f"{what} {last}"


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table of an account. ``to_right``: which columns are aligned right: those of numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    to_right: Sequence[bool]

    def lines(self, indent: str) -> list[str]:
        """Return the table as aligned lines of text."""
        return [f"{indent}{line}".rstrip() for line in text_table(self.header, self.rows, self.to_right)]


Block = str | FigureTable
"""A part of an account: a line of text, which is a heading where it is not indented, or a table."""

INDENT = "  "


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Iterable[str]) -> list[Block]:
    """Return a table, or nothing without rows.

    The columns named in ``left`` are left-aligned, the others right-aligned. A column that is empty in all rows is left
    out.
    """
    cells = [["" if cell is None else on_one_line(str(cell)) for cell in row] for row in rows]
    columns = [[name, *column] for name, column in zip(head, zip(*cells, strict=True), strict=True) if any(column)]
    if not columns:
        return []
    to_left = set(left)
    header, *shown = zip(*columns, strict=True)
    return [FigureTable(header, shown, [name not in to_left for name in header])]


def as_text(blocks: Iterable[Block]) -> str:
    """Return the blocks of an account as text."""
    return "\n".join(line for block in blocks for line in ([block] if isinstance(block, str) else block.lines(INDENT)))
