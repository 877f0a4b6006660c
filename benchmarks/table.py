"""A table as Markdown: aligned for whoever reads it in the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """``rows`` under ``header``, the first ``words`` columns to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    rule = ["-" * width if at < words else "-" * (width - 1) + ":" for at, width in enumerate(widths)]
    aligned = [
        [
            cell.ljust(width) if at < words else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in [lines[0], rule, *lines[1:]]
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in aligned)
