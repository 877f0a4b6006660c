"""The list as CSV with the published column names, one row per player and time control.

Reading: a row is one line, so that every refusal can name its line; a quoted text may therefore not contain a line end.
Parquet lists have the same columns and share :func:`check_columns` and :func:`raw_list`.

Writing: two dialects of CSV, as the office publishes it and as office programs expect it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO

import polars as pl

from ratinglist.limits import HEADER_LENGTH, LIST_COLUMNS, SHOWN_LENGTH
from ratinglist.lists.line_batches import text_lines
from ratinglist.lists.official_rows import MEMBERSHIP_COLUMNS, OFFICIAL_ROW
from ratinglist.lists.raw_list import Inspection, RawList, column_name, first_line, of_different
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists, published_rows
from ratinglist.period import Period
from ratinglist.store import table_files
from ratinglist.tables import LISTED
from ratinglist.text import shortened

# ---------------------------------------------------------------------------------------------------------- reading

COLUMNS = (*OFFICIAL_ROW.columns, *MEMBERSHIP_COLUMNS)
"""Every column that is read. A column ``list_month``, if there is one, has to name the month that is imported."""
_REQUIRED = ("fide_id", "name")
_KNOWN = {*COLUMNS, *LISTED.columns}
PARQUET_MARK = b"PAR1"
"""The first bytes of a Parquet file."""
_COLUMN_REMEDY = f"name the columns as the reference does: {', '.join(COLUMNS)}"


def recognises(head: bytes) -> bool:
    """Return whether a file with these first bytes is a CSV list: its first line has a field ``fide_id``.

    With another spelling of it, such as ``FIDE ID``, every field must be a spelling of a column that lists have: a
    table of a pairing program may have that heading too, and others in its language.
    """
    # The first bytes of a Parquet file may contain anything.
    if head.startswith(PARQUET_MARK):
        return False
    fields = _split(first_line(head))
    names = {column_name(field) for field in fields}
    return "fide_id" in fields or ("fide_id" in names and names <= _KNOWN)


def check_headings(head: bytes, inspection: Inspection) -> None:
    """Refuse a table that has the FIDE ID and headings that no list has: which column they mean is not guessed."""
    fields = _split(first_line(head))
    others = [field for field in fields if column_name(field) not in _KNOWN]
    if len(others) < len(fields) and "fide_id" in map(column_name, fields):
        shown = ", ".join(f"'{shortened(field, SHOWN_LENGTH)}'" for field in others)
        raise inspection.refused(f"no list has a column {shown}", _COLUMN_REMEDY)


def has_required(head: bytes) -> bool:
    """Return whether the first line has the published names of every column that a list must have."""
    return {*_REQUIRED} <= {*_fields(first_line(head))}


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the CSV list in ``stream``.

    The separator is a comma, a semicolon or a tab, whichever occurs most often in the header line.
    """
    batches = text_lines(stream, inspection)
    first = next(batch for batch in batches if batch.height)
    line, header = first.row(0)
    if len(header) > HEADER_LENGTH:
        raise inspection.refused(
            f"line {line}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}", _COLUMN_REMEDY
        )
    columns, separator = _fields(header), _separator(header)
    check_columns(columns, inspection)
    frames = (_cells(lines, columns, separator, inspection) for lines in chain([first.slice(1)], batches))
    return raw_list(frames, columns, inspection)


def raw_list(frames: Iterator[pl.DataFrame], columns: list[str], inspection: Inspection) -> RawList:
    """Return the list whose rows are in ``frames`` (``line``, and text under ``columns``).

    Raises :class:`OfficialListError` if there are no rows or ``list_month`` is not a month. Rows of different months
    are refused batch by batch.
    """
    read_columns = [name for name in columns if name in COLUMNS]
    unknown = [name for name in columns if name not in _KNOWN]
    inspection.note(
        pl.DataFrame({"line": [1] * len(unknown), "value": unknown}), "unknown_column", "a column is not read"
    )
    first = next((frame for frame in frames if frame.height), None)
    if first is None:
        inspection.stop()
        raise inspection.refused("it holds no players", "send a list with at least one player")
    month = None
    if "list_month" in columns:
        month = _month(first, inspection)
    return RawList(
        combined=False,
        has_time_control="time_control" in columns,
        month=month,
        places={name: f"column {name}" for name in read_columns},
        batches=_batches(chain([first], frames), read_columns, month, inspection),
    )


def _batches(
    frames: Iterator[pl.DataFrame], read_columns: list[str], month: Period | None, inspection: Inspection
) -> Iterator[pl.DataFrame]:
    for frame in frames:
        if month is not None:
            inspection.refuse(
                frame.filter(pl.col("list_month") != str(month)).select("line", value="list_month"),
                "column list_month",
                f"is not the month of the first row, {month}",
                "import one list at a time",
            )
        rows = frame.select(pl.col("line").cast(pl.Int64), *(_stripped(frame[name]) for name in read_columns))
        if (rows["fide_id"] == "").any():  # a spreadsheet may save rows without a value, as separators alone
            rows = rows.filter(pl.any_horizontal(frame.drop("line").select(pl.all().str.strip_chars() != "")))
        yield rows


def _stripped(texts: pl.Series) -> pl.Series:
    """Return ``texts`` without blanks around them; nearly all FIDE IDs and names are different."""
    if texts.name in ("fide_id", "name"):
        return texts.str.strip_chars()
    return of_different(texts, lambda different: different.str.strip_chars())


def _month(first: pl.DataFrame, inspection: Inspection) -> Period:
    text = first["list_month"][0]
    if not re.fullmatch(r"[12]\d{3}-(0[1-9]|1[0-2])", text, re.ASCII):
        raise inspection.refused(
            f"line {first['line'][0]}: list_month is '{shortened(text, SHOWN_LENGTH)}'", "write YYYY-MM"
        )
    return Period.parse(text)


def check_columns(columns: list[str], inspection: Inspection) -> None:
    """Raise :class:`OfficialListError` for too many ``columns``, a repeated one, or a missing one that is required."""
    if len(columns) > LIST_COLUMNS:
        raise inspection.refused(f"it has {len(columns)} columns, and at most {LIST_COLUMNS} are read", _COLUMN_REMEDY)
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise inspection.refused(f"two columns are called {shortened(twice[0], SHOWN_LENGTH)}", "leave one of them out")
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        shown = shortened(", ".join(columns), 2 * SHOWN_LENGTH)
        raise inspection.refused(f"the column {missing[0]} is missing among {shown}", _COLUMN_REMEDY)


def _separator(header: str) -> str:
    return max(",;\t", key=header.count)


def _split(header: str) -> list[str]:
    return [field.strip().strip('"').strip() for field in header.split(_separator(header))]


def _fields(header: str) -> list[str]:
    """Return the columns that a header names; one that is not known as it is spelled."""
    return [name if (name := column_name(field)) in _KNOWN else field for field in _split(header)]


def _cells(lines: pl.DataFrame, columns: list[str], separator: str, inspection: Inspection) -> pl.DataFrame:
    """Return ``line`` and the columns of ``lines`` (``line``, ``text``) as text, blank as ``""``.

    Lines that are not a row are refused.
    """
    bare = pl.col("text").str.replace_all('"[^"]*"', "")
    fields = 1 + bare.str.count_matches(separator, literal=True)
    unclosed = bare.str.contains('"', literal=True)
    uneven = ~unclosed & (fields != len(columns))
    inspection.refuse(
        lines.filter(unclosed).select("line", value="text"),
        "",
        "has a quotation mark that is not closed",
        "close it on the same line, and double a quotation mark inside a text",
    )
    inspection.refuse(
        lines.filter(uneven).select("line", value=pl.format("{} fields", fields)),
        "",
        f"do not fit the header's {len(columns)}",
        f"quote a text that holds '{separator}'",
    )
    rows = lines.filter(~unclosed & ~uneven)
    if rows.is_empty():
        return pl.DataFrame(schema={"line": pl.Int64, **dict.fromkeys(columns, pl.String)})
    try:
        frame = _read("\n".join(rows["text"]).encode(), columns, separator)
    except pl.exceptions.PolarsError as wrong:
        raise inspection.refused(
            f"lines {rows['line'][0]} to {rows['line'][-1]} cannot be read ({str(wrong).splitlines()[0]})",
            "write it as plain CSV, with quotation marks only around whole texts",
        ) from None
    return frame.insert_column(0, rows["line"])


def _read(rows: bytes, columns: list[str], separator: str) -> pl.DataFrame:
    return pl.read_csv(
        rows,
        has_header=False,
        schema=dict.fromkeys(columns, pl.String),
        separator=separator,
        empty_string_is_null=False,
    )


# ---------------------------------------------------------------------------------------------------------- writing


def prepare(published: PublishedLists, _request: ExportRequest) -> PreparedExport:
    """Return the selected rows of all lists as they were published."""
    return PreparedExport(published_rows(published))


def write(path: Path, prepared: PreparedExport, _request: ExportRequest) -> None:
    """Write CSV as the office publishes it: see :func:`~ratinglist.store.table_files.csv_text`."""
    table_files.write_csv(path, prepared.rows)


def write_for_office_programs(
    path: Path, prepared: PreparedExport, _request: ExportRequest, separator: str = ",", *, mark: bool = False
) -> None:
    """Write CSV with lines ended by CR and LF, quoted only where RFC 4180 requires it.

    ``mark``: with a byte order mark first.
    """
    plain = prepared.rows.with_columns(pl.col(pl.String).replace("", None))
    plain.write_csv(path, include_bom=mark, line_terminator="\r\n", separator=separator, null_value="")


def write_for_spreadsheets(path: Path, prepared: PreparedExport, request: ExportRequest) -> None:
    """Write CSV as :func:`write_for_office_programs` does, separated by commas or semicolons.

    It begins with a byte order mark, without which Excel takes UTF-8 for the machine's old character set.
    """
    write_for_office_programs(path, prepared, request, ";" if request.semicolons else ",", mark=True)


def prepare_for_spreadsheets(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the published rows with guarded texts; ``cells_guarded`` counts the changed cells."""
    rows, guarded = table_files.guard_formulas(published_rows(published), ";" if request.semicolons else ",")
    return PreparedExport(rows, {"cells_guarded": guarded})
