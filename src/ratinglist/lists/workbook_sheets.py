"""Read the cells of a workbook as text, row by row: of Excel (.xlsx, .xlsb) or LibreOffice (.ods).

Calamine reads them, in a process of limited memory (:mod:`~ratinglist.limited_process`): a workbook of some kilobytes
may state a cell in the last row and column of a sheet, or unpack to gigabytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from ratinglist import zip_files
from ratinglist.limited_process import LimitError, results
from ratinglist.limits import (
    LIST_COLUMNS,
    SHOWN_LENGTH,
    WORKBOOK_BYTES,
    WORKBOOK_MEMORY_BYTES,
    WORKBOOK_ROWS,
    WORKBOOK_SECONDS,
)
from ratinglist.lists.inspection import Inspection
from ratinglist.safe_text import on_one_line, shortened

_REMEDY = "save it again as .xlsx or as CSV"
_ALONE = "keep the players' sheet alone"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook: its name, and each row that is not blank, its number (from 1) with its cells from A on."""

    name: str
    rows: list[tuple[int, list[str]]]


def sheets(stream: IO[bytes], inspection: Inspection) -> Iterator[Sheet]:
    """Yield the sheets of the workbook in ``stream`` that are not hidden, in order.

    Raises :class:`OfficialListError` for a workbook that is damaged, over a limit, or not of these formats.
    """
    try:
        zip_files.members(stream, WORKBOOK_BYTES)
        stream.seek(0)
        yield from results(WORKBOOK_MEMORY_BYTES, WORKBOOK_SECONDS, _sheets, stream.read())
    except (zip_files.TooLargeError, LimitError) as wrong:
        raise inspection.refused(f"it {wrong}", _ALONE) from None
    except zip_files.UNREADABLE as wrong:
        reason = shortened(on_one_line(str(wrong)), 3 * SHOWN_LENGTH)
        raise inspection.refused(f"not a readable workbook ({reason})", _REMEDY) from None


def _sheets(content: bytes) -> Iterator[Sheet]:
    # Here, because only the process that reads a workbook needs it.
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
            for found in book.sheets_metadata:
                if found.visible == SheetVisibleEnum.Visible and found.typ == SheetTypeEnum.WorkSheet:
                    sheet = book.get_sheet_by_name(found.name)
                    if sheet.total_width > LIST_COLUMNS:
                        raise zip_files.TooLargeError(f"has a sheet of more than {LIST_COLUMNS} columns, {found.name}")
                    if sheet.total_height > WORKBOOK_ROWS:
                        raise zip_files.TooLargeError(f"has a sheet of more than {WORKBOOK_ROWS} rows, {found.name}")
                    rows = ([_text(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False))
                    yield Sheet(found.name, [(number, row) for number, row in enumerate(rows, 1) if any(row)])
    except CalamineError as wrong:
        raise ValueError(str(wrong)) from None


def _text(cell: object) -> str:
    """Return a cell as text: a whole number without a fraction, a date as ``YYYY-MM-DD``."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, datetime):
        cell = cell.date()
    return str(cell).removesuffix(".0")
