"""A table as Markdown: aligned for whoever reads it in the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1, words_at_end: int = 0) -> str:
    """``rows`` under ``header``, the first ``words`` columns and the last ones to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    to_the_left = {*range(words), *range(len(header) - words_at_end, len(header))}
    rule = ["-" * width if at in to_the_left else "-" * (width - 1) + ":" for at, width in enumerate(widths)]
    aligned = [
        [
            cell.ljust(width) if at in to_the_left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in [lines[0], rule, *lines[1:]]
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in aligned)
