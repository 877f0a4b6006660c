"""Text that a spreadsheet cannot take for a formula.

A spreadsheet calculates what begins with ``=``, ``+``, ``-`` or ``@``, so a player's name could send the list to a
stranger. Such a text gets an apostrophe before that sign, which spreadsheets read as "this is text". Blanks, control
characters and quotation marks before the sign do not hide it, nor do its wide and small forms. A program whose list
separator is another one cuts a text in two, so the sign is looked for behind every separator as well.
"""

from __future__ import annotations

import polars as pl

_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212"
"""The four signs, their wide and small forms, and the minus."""
_MARKS = "\"'`\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"
_HIDING = rf"[\s\p{{Z}}\p{{C}}{_MARKS}]*"
_FORMULA = rf"(^|[;,|\t\r\n])({_HIDING})([{_SIGNS}])"
_LEADING_CONTROL = r"^[\t\r\n]"


def guarded(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """``rows`` with every text made harmless, and how many cells that changed; whoever reads it back drops ``'``."""
    texts = [name for name, dtype in rows.schema.items() if dtype == pl.String]
    found = rows.select(pl.col(texts).str.contains(f"{_FORMULA}|{_LEADING_CONTROL}"))
    dangerous = [name for name in texts if found[name].any()]
    if not dangerous:
        return rows, 0
    safe = pl.col(dangerous).str.replace_all(_FORMULA, "${1}${2}'${3}").str.replace(f"({_LEADING_CONTROL})", "'${1}")
    return rows.with_columns(safe), int(found.sum().sum_horizontal().item())
