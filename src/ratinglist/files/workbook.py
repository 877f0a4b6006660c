"""Read the sheets of a workbook (.xlsx, .xlsb, .ods) in a process of its own, with a limit of memory and of time.

A workbook of some kilobytes may name one cell a million rows down, and its library allocates all the rows between in
one call that nothing interrupts. So this module is also the program of that process: it reads a workbook on its
standard input and writes the sheets as JSON.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import suppress
from datetime import datetime
from typing import IO, Final

from ratinglist.limits import WORKBOOK_MEMORY_BYTES, WORKBOOK_SECONDS

Sheet = tuple[str, list[tuple[int, list[str]]]]
"""The name of a sheet, and each row that is not blank: its number with its cells as text."""
# Without -P the current folder comes first on the path, and it may hold modules of anybody.
_COMMAND: Final = (sys.executable, "-P", "-m", __name__)


def read_sheets(file: IO[bytes]) -> list[Sheet]:
    """Return the sheets of a workbook that are not hidden.

    Raises :class:`ValueError`, whose message says why, where it is damaged, of another format, or over a limit.
    """
    try:
        done = subprocess.run(_COMMAND, input=file.read(), capture_output=True, timeout=WORKBOOK_SECONDS, check=False)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired:
        raise ValueError(f"it takes more than {WORKBOOK_SECONDS} seconds") from None
    if done.returncode:
        raise ValueError(
            f"it makes its library crash, or needs more than {WORKBOOK_MEMORY_BYTES // 2**20} MiB of memory"
        )
    answer = json.loads(done.stdout)
    if problem := answer["problem"]:
        raise ValueError(problem)
    return [(name, [(number, cells) for number, cells in lines]) for name, lines in answer["sheets"]]


def _read(content: bytes) -> list[Sheet]:
    # Here, because only the process that reads a workbook needs it.
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    sheets = []
    with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
        for listed in book.sheets_metadata:
            if listed.visible == SheetVisibleEnum.Visible and listed.typ == SheetTypeEnum.WorkSheet:
                rows = book.get_sheet_by_name(listed.name).to_python(skip_empty_area=False)
                lines = ([_text(cell) for cell in row] for row in rows)
                sheets.append((listed.name, [(number, cells) for number, cells in enumerate(lines, 1) if any(cells)]))
    return sheets


def _text(cell: object) -> str:
    """Return a cell as text: a whole number without a fraction, a date as ``YYYY-MM-DD``."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, datetime):
        cell = cell.date()
    return str(cell).removesuffix(".0")


if __name__ == "__main__":
    # Windows has no such limit.
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (WORKBOOK_MEMORY_BYTES, WORKBOOK_MEMORY_BYTES))
    from python_calamine import CalamineError

    sheets: list[Sheet] = []
    problem = ""
    try:
        sheets = _read(sys.stdin.buffer.read())
    except CalamineError as error:
        problem = str(error)
    json.dump({"sheets": sheets, "problem": problem}, sys.stdout)
