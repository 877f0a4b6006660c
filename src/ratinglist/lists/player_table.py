"""Read a table of players as pairing programs and tournament sites export it, as CSV or as a workbook.

Such a table has a heading for each column, in the language of its program, often below some lines about the tournament,
and often lines of text after the players. The columns are found by their headings
(:mod:`~ratinglist.lists.player_headings`); the lines are the players that have a FIDE ID. A blank cell says nothing:
Swiss-Manager leaves the sex of men blank. Where the FIDE IDs have the heading of a published list, in whatever
spelling, it states a blank as it does there. Ratings are not read.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from io import StringIO
from typing import IO

import polars as pl

from ratinglist.files import zip_files
from ratinglist.files.limited_process import LimitError, results
from ratinglist.limits import (
    HEADER_LENGTH,
    LIST_COLUMNS,
    SHOWN_LENGTH,
    WORKBOOK_BYTES,
    WORKBOOK_MEMORY_BYTES,
    WORKBOOK_ROWS,
    WORKBOOK_SECONDS,
)
from ratinglist.lists.line_batches import plain_text
from ratinglist.lists.player_headings import columns, is_incomplete, missing
from ratinglist.lists.raw_list import Inspection, RawList, column_name
from ratinglist.text import on_one_line, shortened

Rows = Sequence[tuple[int, list[str]]]
"""The rows of a table, each with the number of its line."""

_SEXES = {
    "f": "F",
    "w": "F",
    "female": "F",
    "weiblich": "F",
    "k": "F",
    "ж": "F",
    "d": "F",
    "m": "M",
    "male": "M",
    "männlich": "M",
    "м": "M",
}
_TITLES = {"", "gm", "im", "fm", "cm", "wgm", "wim", "wfm", "wcm"}
_ROWS_BEFORE = 30
"""In that many rows the headings are looked for."""
_SEPARATORS = ",;\t"
_HEAD_BYTES = 64 * 1024
_SERIAL_DAYS = range(3_000, 60_000)
"""The numbers that are a date in a workbook: from 1908 to 2064. A year is below."""
_DAY_ZERO = date(1899, 12, 30)
_PLAYER = (
    *("fide_id", "name", "title", "women_title", "other_titles", "federation", "sex", "birth_date", "birth_year"),
    *("club", "member_until"),
)
_REMEDY = "give a table with a heading for the FIDE ID and one for the name, such as FideID and Name"


def recognises(head: bytes) -> bool:
    """Return whether one of the first lines names a FIDE ID and a name, separated by commas, semicolons or tabs."""
    return any(_separator(line) for line in _first_lines(head))


def _first_lines(head: bytes) -> list[str]:
    return plain_text(head.removeprefix(BOM_UTF8)).split("\n")[:_ROWS_BEFORE]


def lacks_heading(head: bytes) -> bool:
    """Return whether a line of a file that :func:`recognises` does not has two headings or more of such a table."""
    return any(is_incomplete(cells) for _, cells in _first_cells(head))


def refuse(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Refuse the table in ``stream``, for which :func:`lacks_heading`: name what is missing."""
    rows = list(_first_cells(stream.read(_HEAD_BYTES)))
    raise missing(rows, inspection)


def _first_cells(head: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the first lines, each split in every way that a table may be."""
    for number, line in enumerate(_first_lines(head), 1):
        if len(line) <= HEADER_LENGTH:
            yield from ((number, [cell.strip(' "') for cell in line.split(one)]) for one in _SEPARATORS)


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the table in the CSV file ``stream``; raise :class:`OfficialListError` if it is not readable as CSV."""
    data = stream.read(WORKBOOK_BYTES + 1)
    lines = plain_text(data.removeprefix(BOM_UTF8)).removesuffix("\n").split("\n")
    if len(data) > WORKBOOK_BYTES or len(lines) > WORKBOOK_ROWS:
        raise inspection.refused(
            f"a table of players has at most {WORKBOOK_BYTES} bytes and {WORKBOOK_ROWS} lines", "give it in parts"
        )
    separator = next(found for line in lines[:_ROWS_BEFORE] if (found := _separator(line)))
    try:
        rows = list(_csv_rows(lines, separator))
    except csv.Error as wrong:
        raise inspection.refused(f"not readable as CSV: {wrong}", "save it again as CSV") from None
    return _table(rows, inspection)


def read_workbook(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the table in the first sheet of a workbook that has one; the other sheets are named in a note."""
    found: RawList | None = None
    others = []
    first: list[tuple[int, list[str]]] = []
    for sheet in sheets(stream, inspection):
        first += sheet.rows[:_ROWS_BEFORE]
        if found is None and _header(sheet.rows) is not None:
            found = _table(sheet.rows, inspection)
        elif sheet.rows:
            others.append(sheet.name)
    if found is None and any(is_incomplete(cells) for _, cells in first):
        raise missing(first, inspection)
    if found is None:
        raise inspection.refused("no sheet has a heading for the FIDE ID and one for the name", _REMEDY)
    names = pl.DataFrame({"line": [1] * len(others), "value": others}, schema={"line": pl.Int64, "value": pl.String})
    inspection.note(names, "sheet_not_read", "a sheet is not read; only the first one with players is")
    return found


def _csv_rows(lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of its first line and the cells of every row."""
    reader = csv.reader(StringIO("\n".join(lines), newline=""), delimiter=separator)
    following = 1
    for cells in reader:
        line, following = following, reader.line_num + 1
        yield line, [cell.strip() for cell in cells[: LIST_COLUMNS + 1]]


def _separator(line: str) -> str:
    """Return what separates the headings of ``line``; empty where they name no FIDE ID or no name."""
    if len(line) > HEADER_LENGTH:
        return ""
    return next((one for one in _SEPARATORS if columns([cell.strip(' "') for cell in line.split(one)])), "")


def _header(rows: Rows) -> int | None:
    """Return which of the first ``rows`` has the headings."""
    return next((at for at, (_, cells) in enumerate(rows[:_ROWS_BEFORE]) if columns(cells)), None)


def _table(rows: Rows, inspection: Inspection) -> RawList:
    """Return the players of a table; note how it was read, and which lines have no FIDE ID."""
    at = _header(rows)
    if at is None:
        raise inspection.refused("no line has a heading for the FIDE ID and one for the name", _REMEDY)
    line, headings = rows[at]
    places = columns(headings)
    if len(headings) > LIST_COLUMNS:
        raise inspection.refused(f"line {line}: it has more than {LIST_COLUMNS} columns", _REMEDY)
    cells = {name: [_cell(row, place) for _, row in rows[at + 1 :]] for name, place in places.items()}
    frame = pl.DataFrame(
        {"line": [number for number, _ in rows[at + 1 :]], **cells},
        schema={"line": pl.Int64, **dict.fromkeys(cells, pl.String)},
    )
    if "title" not in places and (place := _title_place(headings, rows[at + 1 :])) is not None:
        frame = frame.with_columns(pl.Series("title", [_cell(row, place) for _, row in rows[at + 1 :]], pl.String))
        places["title"] = place
    read_headings = [headings[place] for place in sorted(places.values()) if headings[place]]
    unread = [heading for place, heading in enumerate(headings) if heading and place not in places.values()]
    inspection.note(
        pl.DataFrame({"line": [line], "value": [", ".join(read_headings)]}),
        "player_table",
        "a table of players was read by its headings" + _not_read(unread),
    )
    shown = {name: f"column {headings[place] or place + 1}" for name, place in places.items()}
    shown |= dict.fromkeys(("birth_date", "birth_year"), shown.get("birth", shown.get("year", ""))) | {
        "name": shown.get("name", "name")
    }
    players = _players(frame, inspection)
    partial = column_name(headings[places["fide_id"]]) != "fide_id"
    return RawList(
        combined=False, has_time_control=False, month=None, places=shown, batches=iter([players]), partial=partial
    )


def _not_read(headings: list[str]) -> str:
    return f"; not read: {shortened(', '.join(headings), SHOWN_LENGTH)}" if headings else ""


def _cell(row: list[str], place: int) -> str:
    return row[place] if place < len(row) else ""


def _title_place(headings: Sequence[str], rows: Rows) -> int | None:
    """Return the column without a heading that holds titles alone, as in the tables of tournament sites."""
    for place, heading in enumerate(headings):
        values = {_cell(row, place).casefold() for _, row in rows}
        if not heading and values - {""} and values <= _TITLES:
            return place
    return None


def _players(frame: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``line`` and the columns of a player as text, of the lines with a FIDE ID; note the others."""
    if "surname" in frame.columns:
        # Dutch tables have "van der", Spanish ones the mother's surname in a column of its own.
        parts = [pl.col(name) for name in ("particle", "surname", "second_surname") if name in frame.columns]
        frame = frame.with_columns(surname=pl.concat_str(parts, separator=" ").str.strip_chars())
        given = pl.col("given") if "given" in frame.columns else pl.lit("")
        comma = pl.when(given != "").then(pl.lit(", ")).otherwise(pl.lit(""))
        frame = frame.with_columns(name=pl.concat_str("surname", comma, given))
    # Müller,Anna as German programs write it.
    frame = frame.with_columns(pl.col("name").str.replace_all(r"\s*,\s*", ", "))
    without = pl.col("fide_id").str.contains("^0*$")
    inspection.note(
        frame.filter(without & (pl.col("name") != "")).select("line", value="name"),
        "no_fide_id",
        "a line has no FIDE ID; it is not read",
    )
    frame = frame.filter(~without)
    if "sex" in frame.columns:
        sex = pl.col("sex").str.to_lowercase()
        frame = frame.with_columns(sex=sex.replace_strict(_SEXES, default=pl.col("sex")))
    if "year" in frame.columns:
        birth = pl.col("birth") if "birth" in frame.columns else pl.lit("")
        frame = frame.with_columns(birth=pl.when(birth != "").then(birth).otherwise("year"))
    if "birth" in frame.columns:
        births = [_birth(text) for text in frame["birth"]]
        frame = frame.with_columns(
            pl.Series("birth_date", [day for day, _ in births], pl.String),
            pl.Series("birth_year", [year for _, year in births], pl.String),
        )
        certain = pl.col("birth").str.contains("/") & (pl.col("birth_date") == "") & (pl.col("birth_year") != "")
        inspection.note(
            frame.filter(certain).select("line", value="birth_year"),
            "year_of_birth_alone",
            "a date of birth may have the day or the month first; only its year is read",
        )
    return frame.select("line", *(name for name in _PLAYER if name in frame.columns))


def _birth(text: str) -> tuple[str, str]:
    """Return a date of birth as ``YYYY-MM-DD`` and its year, each blank if unknown.

    A text that is neither is returned as the year, and refused where years are parsed.
    """
    if re.fullmatch(r"[0-9]{4,5}", text) and int(text) in _SERIAL_DAYS:
        day = _DAY_ZERO + timedelta(days=int(text))
        return day.isoformat(), str(day.year)
    # A day and a month that are unknown are written as zeros.
    if unknown := re.fullmatch(
        r"0{4}([0-9]{4})|0{1,2}[./-]0{1,2}[./-]([0-9]{4})|([0-9]{4})[./-]0{1,2}[./-]0{1,2}", text
    ):
        return "", next(year for year in unknown.groups() if year)
    if parts := re.fullmatch(r"([0-9]{4})[./-]([0-9]{1,2})[./-]([0-9]{1,2})", text):
        year, month, number = parts.groups()
    elif parts := re.fullmatch(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", text):
        number, month, year = parts.groups()
    elif parts := re.fullmatch(r"[0-9]{1,2}[/-][0-9]{1,2}[/-]([0-9]{4})", text):
        return "", parts[1]
    else:
        return "", text
    try:
        return date(int(year), int(month), int(number)).isoformat(), year
    except ValueError:
        return "", text


_WORKBOOK_REMEDY = "save it again as .xlsx or as CSV"
_ALONE = "keep the players' sheet alone"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook: its name, and each row that is not blank, its number (from 1) with its cells from A on."""

    name: str
    rows: list[tuple[int, list[str]]]


def sheets(stream: IO[bytes], inspection: Inspection) -> Iterator[Sheet]:
    """Yield the sheets of the workbook in ``stream`` that are not hidden, in order: .xlsx, .xlsb or .ods.

    Calamine reads them, in a process of limited memory (:mod:`~ratinglist.files.limited_process`): a workbook of some
    kilobytes may state a cell in the last row and column of a sheet, or unpack to gigabytes.
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
        raise inspection.refused(f"not a readable workbook ({reason})", _WORKBOOK_REMEDY) from None


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
