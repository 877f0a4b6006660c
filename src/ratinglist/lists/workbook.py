"""Lists as a workbook: a sheet for each time control, every text as text, the same rows always the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from pathlib import Path

import polars as pl
import xlsxwriter  # type: ignore[import-untyped]

from ratinglist.errors import ExportError
from ratinglist.lists.export_formats import COLUMNS
from ratinglist.period import Period

MOST_ROWS = 1_048_575
"""Rows of a sheet, its headings apart."""
LONGEST_TEXT = 32_767
_WIDTHS = {"fide_id": 12, "name": 32, "other_titles": 14}
_OTHER_WIDTH = 10


def check(lists: Mapping[str, pl.DataFrame]) -> None:
    """Raise :class:`ExportError` where a list (by time control) has more rows, or a text more letters, than fit."""
    for name, rows in lists.items():
        if rows.height > MOST_ROWS:
            raise ExportError(
                f"Nothing was exported: the {name} list has {rows.height:,} players, and a sheet has room for "
                f"{MOST_ROWS:,}. Add --federation or --top, or export as csv-spreadsheet."
            )
        longest = rows.filter(pl.any_horizontal(pl.col(pl.String).str.len_chars() > LONGEST_TEXT)).sort("fide_id")
        if longest.height:
            raise ExportError(
                f"Nothing was exported: a text of player {longest.item(0, 'fide_id')} is longer than the "
                f"{LONGEST_TEXT:,} letters of a cell. Correct the player's data and publish again."
            )


def write_workbook(
    path: Path, lists: Mapping[str, pl.DataFrame], period: Period, columns: Sequence[str] = COLUMNS["xlsx"]
) -> None:
    """Write ``columns`` of ``lists`` (frames of ``LISTED`` by time control, in order) of ``period`` to ``path``.

    Raises as :func:`check` does.
    """
    check(lists)
    # A name is a name: nothing in it is a formula, a link or a number.
    literally = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(path, literally) as workbook:
        workbook.set_properties(
            {"title": f"Rating list of {period}", "created": datetime.combine(period.first_day, time())}
        )
        heading = workbook.add_format({"bold": True})
        for time_control, rows in lists.items():
            sheet = workbook.add_worksheet(f"{time_control} {period}")
            sheet.freeze_panes(1, 2)
            sheet.write_row(0, 0, columns, heading)
            sheet.autofilter(0, 0, rows.height, len(columns) - 1)
            for number, name in enumerate(columns):
                sheet.set_column(number, number, _WIDTHS.get(name, _OTHER_WIDTH))
                sheet.write_column(1, number, rows[name].to_list())
