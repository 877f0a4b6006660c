"""Lists as an Excel workbook: a sheet for each time control. The same rows always give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from pathlib import Path

import polars as pl

from ratinglist.errors import ExportError
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists
from ratinglist.tables import LISTED

COLUMNS = tuple(name for name in LISTED.columns if name not in ("list_month", "time_control"))
MOST_ROWS = 1_048_575
"""Rows of a sheet without its headings."""
_WIDTHS = {"fide_id": 12, "name": 32, "other_titles": 14}
_OTHER_WIDTH = 10


def prepare(published: PublishedLists, _request: ExportRequest) -> PreparedExport:
    """Return the selected rows of all lists, with ``time_control`` and the published ones of :data:`COLUMNS`.

    Raises as :func:`check` does.
    """
    check(published.selected)
    columns = [name for name in COLUMNS if name in published.carried]
    sheets = [rows.select(pl.lit(name).alias("time_control"), *columns) for name, rows in published.selected.items()]
    return PreparedExport(pl.concat(sheets), time_controls=tuple(published.selected))


def check(lists: Mapping[str, pl.DataFrame]) -> None:
    """Raise :class:`ExportError` if a list (by time control) has more rows than fit."""
    for name, rows in lists.items():
        if rows.height > MOST_ROWS:
            raise ExportError(
                f"Nothing was exported: the {name} list has {rows.height:,} players, and a sheet has room for "
                f"{MOST_ROWS:,}. Add --federation or --top, or export as csv-spreadsheet."
            )


def write(path: Path, prepared: PreparedExport, request: ExportRequest) -> None:
    """Write each list of ``prepared`` to a sheet of its own; a list without rows has a sheet of headings."""
    # Here, because no other format needs it.
    import xlsxwriter

    # A name is a text: nothing in it is a formula, a link or a number.
    literally = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(path, literally) as workbook:
        workbook.set_properties(
            {
                "title": f"Rating list of {request.period}",
                "created": datetime.combine(request.period.first_day, time()),
            }
        )
        heading = workbook.add_format({"bold": True})
        for time_control in prepared.time_controls:
            rows = prepared.rows.filter(pl.col("time_control") == time_control).drop("time_control")
            sheet = workbook.add_worksheet(f"{time_control} {request.period}")
            sheet.freeze_panes(1, 2)
            sheet.write_row(0, 0, rows.columns, heading)
            sheet.autofilter(0, 0, rows.height, rows.width - 1)
            for number, name in enumerate(rows.columns):
                sheet.set_column(number, number, _WIDTHS.get(name, _OTHER_WIDTH))
                sheet.write_column(1, number, rows[name].to_list())
