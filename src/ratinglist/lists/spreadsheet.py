"""Text that a spreadsheet cannot take for a formula: the format ``csv-spreadsheet``.

A spreadsheet calculates a text that begins with ``=``, ``+``, ``-`` or ``@``, so a player's name could send the list
to a stranger. Such a text gets an apostrophe before that sign, which spreadsheets read as "this is text". Blanks,
control characters and quotation marks may precede the sign, and its wide and small forms count too. A program with
another list separator splits a text at it, so the sign is looked for behind every other separator as well. Behind the
file's own separator it is safe, because a text that holds it is quoted.
"""

from __future__ import annotations

import polars as pl

from ratinglist.lists.export_request import ExportRequest, PreparedExport, PublishedLists
from ratinglist.lists.selection import published_rows

_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212"
"""The four signs, their wide and small forms, and the minus."""
_MARKS = "\"'`\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"
_HIDING = rf"[\s\p{{Z}}\p{{C}}{_MARKS}]*"
_SEPARATORS = ",;|"
_LEADING_CONTROL = r"^[\t\r\n]"


def prepare(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the published rows with guarded texts; ``cells_guarded`` counts the changed cells."""
    rows, guarded = guard_formulas(published_rows(published), ";" if request.semicolons else ",")
    return PreparedExport(rows, {"cells_guarded": guarded})


def guard_formulas(rows: pl.DataFrame, separator: str = ",") -> tuple[pl.DataFrame, int]:
    """Return ``rows`` with every text made harmless, and the number of changed cells.

    ``separator``: that of the file. A program that reads the file has to remove the apostrophe.
    """
    others = _SEPARATORS.replace(separator, "")
    formula = rf"(^|[{others}\t\r\n])({_HIDING})([{_SIGNS}])"
    texts = [name for name, dtype in rows.schema.items() if dtype == pl.String]
    found = rows.select(pl.col(texts).str.contains(f"{formula}|{_LEADING_CONTROL}"))
    dangerous = [name for name in texts if found[name].any()]
    if not dangerous:
        return rows, 0
    safe = pl.col(dangerous).str.replace_all(formula, "${1}${2}'${3}").str.replace(f"({_LEADING_CONTROL})", "'${1}")
    return rows.with_columns(safe), int(found.sum().sum_horizontal().item())
