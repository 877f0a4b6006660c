"""Lists as CSV with the contract's own columns, one row per player and time control; and what Parquet shares with it.

A row of CSV is one line, so that every refusal can name it; a quoted text may therefore not run over a line end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import IO

import polars as pl

from ratinglist.limits import HEADER_LENGTH, LIST_COLUMNS, SHOWN_LENGTH
from ratinglist.lists.line_batches import LineChunk, line_chunks
from ratinglist.lists.list_source import Inspection, OfficialListError, OfficialSource
from ratinglist.period import Period
from ratinglist.safe_text import shortened

COLUMNS = (
    "fide_id",
    "name",
    "federation",
    "sex",
    "title",
    "women_title",
    "other_titles",
    "birth_date",
    "birth_year",
    "time_control",
    "rating",
    "k",
    "games",
    "games_played",
    "reached_2400",
    "reached_2300",
    "last_played",
    "flag",
)
"""Every column that is read; ``list_month``, where there is one, has to say the month asked for."""
_REQUIRED = ("fide_id", "name")
_COLUMN_REMEDY = f"name the columns as the reference does: {', '.join(COLUMNS)}"


def is_plain_csv(first_line: str) -> bool:
    """Whether a file with this first line is a CSV list."""
    return "fide_id" in _fields(first_line)


def read_csv(stream: IO[bytes], inspection: Inspection) -> OfficialSource:
    """The CSV list in ``stream``; the separator is a comma, a semicolon or a tab, whichever parts the header line."""
    chunks = line_chunks(stream, inspection)
    line, header, rest = next(chunks).parted()
    if len(header) > HEADER_LENGTH:
        raise inspection.refused(
            f"line {line}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}", _COLUMN_REMEDY
        )
    columns, separator = _fields(header), _separator(header)
    check_columns(columns, inspection)
    frames = (_parsed(chunk, columns, separator, inspection) for chunk in chain([rest], chunks) if chunk.data)
    return source_of(frames, columns, inspection)


def source_of(frames: Iterator[pl.DataFrame], columns: list[str], inspection: Inspection) -> OfficialSource:
    """The list whose rows are in ``frames`` (``line``, and text under ``columns``).

    Raises :class:`OfficialListError` where there are none, or where they name another month than one.
    """
    read = [name for name in columns if name in COLUMNS]
    unknown = [name for name in columns if name not in {*COLUMNS, "list_month"}]
    inspection.note(pl.DataFrame({"line": [1] * len(unknown), "value": unknown}), "unknown_column", "is not read")
    first = next((frame for frame in frames if frame.height), None)
    if first is None:
        inspection.stop()
        raise inspection.refused("it holds no players", "send a list with at least one player")
    month = None
    if "list_month" in columns:
        month = _month(first, inspection)
    return OfficialSource(
        combined=False,
        has_time_control="time_control" in columns,
        month=month,
        places={name: f"column {name}" for name in read},
        batches=_batches(chain([first], frames), read, month, inspection),
    )


def _batches(
    frames: Iterator[pl.DataFrame], read: list[str], month: Period | None, inspection: Inspection
) -> Iterator[pl.DataFrame]:
    for frame in frames:
        if month is not None:
            inspection.refuse(
                frame.filter(pl.col("list_month") != str(month)).select("line", value="list_month"),
                "column list_month",
                f"is not the month of the first row, {month}",
                "import one list at a time",
            )
        yield frame.select(pl.col("line").cast(pl.Int64), pl.col(read).str.strip_chars())


def _month(first: pl.DataFrame, inspection: Inspection) -> Period:
    text = first["list_month"][0]
    if not re.fullmatch(r"[12]\d{3}-(0[1-9]|1[0-2])", text, re.ASCII):
        raise inspection.refused(
            f"line {first['line'][0]}: list_month is '{shortened(text, SHOWN_LENGTH)}'", "write YYYY-MM"
        )
    return Period.parse(text)


def check_columns(columns: list[str], inspection: Inspection) -> None:
    """Raise :class:`OfficialListError` where there are too many ``columns``, one twice, or one too few."""
    if len(columns) > LIST_COLUMNS:
        raise inspection.refused(f"it has {len(columns)} columns, and at most {LIST_COLUMNS} are read", _COLUMN_REMEDY)
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise inspection.refused(f"two columns are called {shortened(twice[0], SHOWN_LENGTH)}", "leave one of them out")
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        raise inspection.refused(f"the column {missing[0]} is missing", _COLUMN_REMEDY)


def _separator(header: str) -> str:
    return max(",;\t", key=header.count)


def _fields(header: str) -> list[str]:
    return [field.strip().strip('"').strip() for field in header.split(_separator(header))]


def _parsed(chunk: LineChunk, columns: list[str], separator: str, inspection: Inspection) -> pl.DataFrame:
    """``line`` and the columns of a chunk as text, blank as ``""``."""
    whole = _cut_at_once(chunk, columns, separator)
    return _cut_by_lines(chunk.lines(), columns, separator, inspection) if whole is None else whole


def _cut_at_once(chunk: LineChunk, columns: list[str], separator: str) -> pl.DataFrame | None:
    """The columns of all lines in one go; None where a line is not plainly one row, and has to be looked at.

    All is well where there are as many rows as lines, no field holds a quotation mark, and every byte is accounted for
    by fields, the separators and line ends due, and quotation marks around fields: a line too short lacks separators,
    and one too long is an error.
    """
    try:
        frame = _read(chunk.data, columns, separator)
    except pl.exceptions.PolarsError:
        return None
    marks = chunk.data.count(b'"')
    due = len(columns) * frame.height - (not chunk.data.endswith(b"\n")) + marks
    held = frame.select(pl.all().str.len_bytes().cast(pl.Int64).sum()).sum_horizontal().item()
    if frame.height != len(chunk) or held + due != len(chunk.data):
        return None
    if marks and frame.select(pl.any_horizontal(pl.all().str.contains('"', literal=True).any())).item():
        return None
    return frame.insert_column(0, pl.int_range(chunk.first, chunk.first + frame.height, eager=True).alias("line"))


def _cut_by_lines(lines: pl.DataFrame, columns: list[str], separator: str, inspection: Inspection) -> pl.DataFrame:
    """The columns of ``lines`` (``line``, ``text``), of which those that are no row are refused."""
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
    whole = lines.filter(~unclosed & ~uneven)
    if whole.is_empty():
        return pl.DataFrame(schema={"line": pl.Int64, **dict.fromkeys(columns, pl.String)})
    try:
        frame = _read("\n".join(whole["text"]).encode(), columns, separator)
    except pl.exceptions.PolarsError as wrong:
        raise _unreadable(whole, wrong, inspection) from None
    return frame.insert_column(0, whole["line"])


def _read(rows: bytes, columns: list[str], separator: str) -> pl.DataFrame:
    return pl.read_csv(
        rows,
        has_header=False,
        schema=dict.fromkeys(columns, pl.String),
        separator=separator,
        empty_string_is_null=False,
    )


def _unreadable(lines: pl.DataFrame, wrong: Exception, inspection: Inspection) -> OfficialListError:
    return inspection.refused(
        f"lines {lines['line'][0]} to {lines['line'][-1]} cannot be read ({str(wrong).splitlines()[0]})",
        "write it as plain CSV, with quotation marks only around whole texts",
    )
