"""A table as Markdown, its columns aligned so that it is readable in a terminal too."""

from __future__ import annotations

from collections.abc import Sequence

from ratinglist.pages.plain_text import padded


def table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1, words_at_end: int = 0) -> str:
    """Return ``rows`` under ``header``: the first ``words`` columns and the last ones to the left, the others right."""
    to_right = [words <= at < len(header) - words_at_end for at in range(len(header))]
    head, *lines = padded([header, *rows], to_right)
    rule = [
        "-" * (len(cell) - 1) + ":" if right else "-" * len(cell) for cell, right in zip(head, to_right, strict=True)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *lines])
