"""What an officer delivers as tables, CSV or Parquet: manifests, and tables of events and games.

The files are untrusted: what they take is bounded (:mod:`~ratinglist.files.parquet_files`). A row of a CSV file is one
line, so that a row has the number that an editor shows; the header is row 1. The first row of a Parquet file, which has
no header, is row 1 too. Cells are trimmed; those of a CSV file are separated by ``,``, ``;`` or a tab.

``manifest.csv`` has the facts of a report that the office knows and a TRF16 file has no field for: one row with its
facts, and a row for each player whose FIDE ID the manifest states. Parsing is strict. A cell that cannot be understood
refuses its report, because a report rated as something it was not is worse than one that waits; a manifest without a
``file`` column refuses every report in its folder and below.

A table of events and one of games in one folder make reports, one for each event. The columns of events are those of a
manifest. A row of games has the results of both players, as the two lines of a TRF report have them, and is judged by
the same rules (:mod:`~ratinglist.reports.games`). A row with one player is a bye, an absence or a forfeit without
opponent. A cell that cannot be understood refuses its event.

An event is identified by its canonical rows: the values of its rows, sorted, so that the same event delivered again,
among other events or in the other format, has the same digest. They are kept as the original of the event.
"""

from __future__ import annotations

import csv
import hashlib
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Any, Final

import polars as pl
import pyarrow as pa

from ratinglist.errors import first_line
from ratinglist.files import parquet_files
from ratinglist.files.parquet_files import BoundedFile, RowLimit
from ratinglist.findings import RULES, finding, limit_per_rule, refused_files, refuses
from ratinglist.limits import (
    EVENT_ID_LENGTH,
    HEADER_LENGTH,
    LINE_LENGTH,
    MANIFEST_ROWS,
    PARQUET_TEXT_BYTES,
    PATH_LENGTH,
    PLAYERS,
    ROUNDS,
    SHOWN_LENGTH,
    TABLE_CELL_BYTES,
    TABLE_COLUMNS,
    TABLE_EVENTS,
    TABLE_NAME_LENGTH,
    TABLE_PARQUET_BYTES_PER_ROW,
    TABLE_ROWS,
    TABLE_VALUE_LENGTH,
    TooLargeError,
)
from ratinglist.reports import games
from ratinglist.reports.encoding import decode, leave_out
from ratinglist.reports.games import GAME, Batch, Parsed
from ratinglist.result_codes import CODES, COLOURS, PLAYED, POINT_HALVES
from ratinglist.tables import DELIVERED, EVENT_TYPES, FILE_FINDING, HEADER, LISTS, PLAYER_LINE
from ratinglist.text import FORBIDDEN_IN_NAME, UNSEEN, on_one_line, shortened

MISPLACED: Final = "a misplaced quotation mark in its"
"""What is said of a line broken by a quotation mark, in the place of its number of cells."""
BLANKS: Final = (
    " \t\n\r\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What is trimmed from a cell: the blanks of any width. A line or paragraph separator (U+2028) is none of them."""
_ROWS_AT_ONCE: Final = 200_000
_ROW_LIMIT: Final = RowLimit(small=100_000, bytes_per_row=TABLE_PARQUET_BYTES_PER_ROW, most=TABLE_ROWS)
_UNREADABLE: Final = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
_BROKEN: Final = pl.Schema({"row": pl.Int32, "key": pl.String, "cells": pl.UInt32})
_REMEDY: Final = "Look whether every column holds what its name says, and deliver the events in several parts."


class UnreadableTableError(ValueError):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """The cells of a table.

    ``rows``: ``row`` and the columns that are read, as trimmed text, blank where the cell or the column is missing.
    ``numbers``: the number, from 1, of each of these columns in the file. ``broken``: of the lines that do not fit the
    header ``row``, ``key`` (the cell of the first required column) and ``cells`` (how many there are; null for a
    quotation mark that does not quote a whole cell). ``width``: the columns of the header. ``notes``: one sentence for
    each column that is not read.
    """

    name: str
    rows: pl.DataFrame
    numbers: dict[str, int]
    broken: pl.DataFrame
    width: int
    notes: Sequence[str]


def read_cells(
    name: str,
    data: bytes,
    required: Sequence[str],
    optional: Sequence[str] = (),
    *,
    most_rows: int = TABLE_ROWS,
    may_be_short: bool = False,
) -> TableCells:
    """Read the table ``data`` that was delivered as ``name``: Parquet where the name says so, else CSV.

    ``may_be_short``: a row may lack its last cells, as a row written by hand does. Raises
    :class:`UnreadableTableError` for a file over a limit, one that is damaged, and one without a column of
    ``required``, of which the first is the key.
    """
    known = (*required, *optional)
    if name.lower().endswith(".parquet"):
        columns, rows, broken = _parquet(name, data, required, known)
    else:
        columns, rows, broken = _csv(name, data, required, known, most_rows, may_be_short=may_be_short)
    return TableCells(
        name,
        rows.select(
            pl.col("row").cast(pl.Int32),
            *(
                pl.col(column).str.strip_chars(BLANKS) if column in columns else pl.lit("").alias(column)
                for column in known
            ),
        ),
        {column: number for number, column in enumerate(columns, start=1)},
        broken,
        len(columns),
        [
            f"{name}: the column '{shortened(column, SHOWN_LENGTH)}' is not one of {', '.join(known)}; it is not read"
            for column in columns
            if column and column not in known
        ],
    )


_Table = tuple[list[str], pl.DataFrame, pl.DataFrame]
"""The names of the columns, the rows, and the broken lines."""


def _parquet(name: str, data: bytes, required: Sequence[str], known: Sequence[str]) -> _Table:
    try:
        file = parquet_files.bounded(data, _ROW_LIMIT)
        columns = _column_names(name, file.schema.names, required)
        wanted = {field.name: column for field, column in zip(file.schema, columns, strict=True) if column in known}
        rows = _rows(file, list(wanted)).rename(wanted)
    except TooLargeError as error:
        raise UnreadableTableError(f"{name} {error}. {_REMEDY}") from None
    except _UNREADABLE as error:
        raise UnreadableTableError(
            f"{name} is not a readable Parquet file ({shortened(first_line(error), 3 * SHOWN_LENGTH)}). Write it again."
        ) from None
    return columns, rows.with_row_index("row", 1), _BROKEN.to_frame()


def _rows(file: BoundedFile, columns: list[str]) -> pl.DataFrame:
    """Return the columns as text; raise :class:`TooLargeError` as soon as they have too many bytes."""
    parts = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    size = 0
    for batch in file.batches(columns, _ROWS_AT_ONCE, PARQUET_TEXT_BYTES):
        parts.append(parquet_files.texts(batch))
        size += int(parts[-1].estimated_size())
        if size > TABLE_CELL_BYTES:
            raise TooLargeError(f"has cells of more than {TABLE_CELL_BYTES} bytes")
    return pl.concat(parts)


def _csv(
    name: str, data: bytes, required: Sequence[str], known: Sequence[str], most_rows: int, *, may_be_short: bool
) -> _Table:
    decoded = decode(data, searched_for_forbidden=False)
    if decoded.rule and refuses(decoded.rule):
        sentence = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        raise UnreadableTableError(f"{name}: {sentence}. Save it again as CSV in UTF-8.")
    if decoded.text.count("\n") > most_rows:
        raise UnreadableTableError(f"{name} has more than {most_rows} rows. Deliver it in several parts.")
    lines = pl.Series("text", [decoded.text]).str.split("\n").explode().to_frame().with_row_index("row", 1)
    lines = lines.filter(pl.col("text").str.contains(r"\S"))
    if lines.is_empty():
        raise UnreadableTableError(f"{name} is empty. Begin with the names of the columns.")
    row, header = lines.row(0)
    if len(header) > HEADER_LENGTH:
        raise UnreadableTableError(
            f"{name}, row {row}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}. Begin with "
            "the names of the columns."
        )
    separator = max(",;\t", key=header.count)
    columns = _column_names(f"{name}, row {row}", next(csv.reader([header], delimiter=separator)), required)
    parts = [
        split_lines(part, columns, separator, required[0], may_be_short=may_be_short)
        for part in lines.slice(1).iter_slices(_ROWS_AT_ONCE)
    ] or [split_lines(lines.clear(), columns, separator, required[0])]
    wanted = [
        pl.col("cells").list.get(at, null_on_oob=True).fill_null("").alias(column)
        for at, column in enumerate(columns)
        if column in known
    ]
    rows = pl.concat([sound.select("row", *wanted) for sound, _ in parts])
    return columns, rows, pl.concat([broken for _, broken in parts])


def split_lines(
    lines: pl.DataFrame, columns: Sequence[str], separator: str, key: str, *, may_be_short: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``row`` and ``cells`` of the ``lines`` (``row``, ``text``) that fit the ``columns``, and the others.

    A cell has no quotation mark, or is wholly between two, with each mark inside it doubled. The others: see
    :attr:`TableCells.broken`.
    """
    text, width = pl.col("text"), len(columns)
    cell = f'(?:"(?:[^"]|"")*"|[^"{separator}]*)'
    is_quoted = text.str.contains('"', literal=True)
    bare = pl.when(is_quoted).then(text.str.replace_all('"(?:[^"]|"")*"', "")).otherwise(text)
    counted = lines.with_columns(
        is_quoted.alias("is_quoted"),
        (is_quoted & ~text.str.contains(f"^{cell}(?:{separator}{cell})*$")).alias("is_misplaced"),
        (1 + bare.str.count_matches(separator, literal=True)).alias("number"),
    )
    is_wide = pl.col("number").is_between(1 if may_be_short else width, width)
    fits = ~pl.col("is_misplaced") & is_wide & (text.str.len_chars() <= LINE_LENGTH)
    key_cell = text.str.slice(0, LINE_LENGTH).str.split(separator).list.get(columns.index(key), null_on_oob=True)
    broken = counted.filter(~fits).select(
        pl.col("row").cast(pl.Int32),
        key_cell.fill_null("").str.strip_chars(BLANKS + '"').alias("key"),
        pl.when(~pl.col("is_misplaced")).then("number").alias("cells"),
    )
    sound = counted.filter(fits & ~text.str.contains(f"^[\\s{separator}]*$"))
    plain, quoted = sound.filter(~pl.col("is_quoted")), sound.filter("is_quoted")
    cells = pl.Series("cells", list(csv.reader(quoted["text"], delimiter=separator)), dtype=pl.List(pl.String))
    both = [plain.select("row", text.str.split(separator).alias("cells")), quoted.select("row", cells)]
    return pl.concat(both).sort("row"), broken


def _column_names(place: str, header: Sequence[str], required: Sequence[str]) -> list[str]:
    """Return the names of the columns in small letters.

    Raises :class:`UnreadableTableError` without a column of ``required``, for too many columns and for one twice.
    """
    columns = [cell.strip().casefold() for cell in header]
    if len(columns) > TABLE_COLUMNS:
        raise UnreadableTableError(f"{place}: {len(columns)} columns; at most {TABLE_COLUMNS} are read.")
    if missing := [column for column in required if column not in columns]:
        raise UnreadableTableError(
            f"{place}: the column '{missing[0]}' is missing; found: {shortened(', '.join(header), SHOWN_LENGTH)}. Name "
            f"the columns {', '.join(required)}."
        )
    if repeated := sorted({column for column in columns if column and columns.count(column) > 1}):
        raise UnreadableTableError(
            f"{place}: the column '{shortened(repeated[0], SHOWN_LENGTH)}' appears twice. Leave one of them out."
        )
    return columns


# ----------------------------------------------------------------------------------------------------------- manifests

DAYS: Final = ("received_on", "start_date", "end_date", "registered_on")
"""The columns that hold a day."""
FORM_OF_DAY: Final = "YYYY-MM-DD or DD.MM.YYYY, from 1970 to 2099"
"""The forms of a day that :func:`day` reads, as messages name them."""
_WHOLE: Final = "a whole number from 1 to 9999"
ALLOWED: Final = {
    "event_id": f"any text of at most {EVENT_ID_LENGTH} characters, all of them seen",
    "version": _WHOLE,
    "received_on": FORM_OF_DAY,
    "event_type": ", ".join(EVENT_TYPES),
    "time_control": ", ".join(LISTS),
    "official": "0, 1",
    "federation": "three letters",
    "start_date": FORM_OF_DAY,
    "end_date": FORM_OF_DAY,
    "registered_on": FORM_OF_DAY,
    "minutes_per_60_moves": _WHOLE,
}
"""What a manifest can say of a report: its columns in their order, and what the cells of each may hold."""
NAME: Final = f"any text of at most {TABLE_NAME_LENGTH} characters, without control characters"
"""What the cells of the column ``name`` may hold."""
_FACTS: Final = {**ALLOWED, "name": NAME}
_OF_PLAYER: Final = {"start_number": _WHOLE, "fide_id": "the digits of a FIDE ID"}
_CELLS: Final = {**_FACTS, **_OF_PLAYER}
_ELSEWHERE: Final = re.compile(r"\.$|\.\.(/|$)|/|[A-Za-z]:")
_YEAR: Final = "(?:19[7-9]|20[0-9])[0-9]"
_FORM_OF_DAY: Final = rf"^(?:{_YEAR}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}\.[0-9]{{1,2}}\.{_YEAR})$"
_FLAGS: Final = {"true": "1", "false": "0", "1.0": "1", "0.0": "0"}


ManifestFacts = Mapping[str, Any]
"""What a manifest states of a report, by column (:data:`STATED`), and of its players.

Under ``problems``, where there are any: the faults that refuse the report, each with ``rule`` (a code of
:data:`ratinglist.findings.RULES`), ``value`` and ``detail``.
"""
STATED: Final = tuple(name for name in DELIVERED.columns if name not in ("file_no", "file_name", "sha256", "text"))
"""The columns of ``DELIVERED`` that a manifest states.

``player_ids``: the players whose FIDE ID it states, by start number, such as ``3=99900208 12=99900347``.
"""


def problem(rule: str, value: str, detail: str) -> dict[str, str]:
    """Return a fault of a manifest that refuses a report."""
    return {"rule": rule, "value": value, "detail": detail}


@dataclass(frozen=True, slots=True)
class DeliveryManifest:
    """One manifest: the facts of each report, by the report's name in the delivery.

    ``where``: each report's line, as text. ``problems``: one sentence for each row that belongs to no report.
    ``notes``: one sentence for each column that is not read. ``refusal``: why the manifest cannot be used at all; its
    other fields are then empty.
    """

    name: str
    facts: dict[str, ManifestFacts] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    refusal: str = ""


def report_key(name: str) -> str:
    """Return the name of a report in the form used to join manifests and deliveries: accents composed (NFC)."""
    return unicodedata.normalize("NFC", name)


def read_manifest(name: str, data: bytes) -> DeliveryManifest:
    """Parse one manifest delivered as ``name``.

    Never raises for any bytes: a manifest that cannot be used is returned with a ``refusal``.
    """
    try:
        table = read_cells(name, data, ("file",), tuple(_CELLS), most_rows=MANIFEST_ROWS, may_be_short=True)
    except UnreadableTableError as error:
        return DeliveryManifest(name, refusal=str(error))
    cells = table.rows.with_columns(pl.col("event_id", "name").str.replace_all(r"\s+", " "))
    broken = table.broken.select("row", pl.col("cells").cast(pl.String).fill_null(MISPLACED), file="key")
    by_report: dict[str, list[dict[str, Any]]] = {}
    problems = []
    for row in pl.concat([cells.with_columns(*values(), *_numbers()), broken], how="diagonal").sort("row").to_dicts():
        file = posixpath.normpath(on_one_line(row["file"].replace("\\", "/")))
        if len(row["file"]) > PATH_LENGTH or _ELSEWHERE.match(file):
            problems.append(
                f"{name}, line {row['row']}, column file: '{_shown_cell(row['file'])}' names no file in the manifest's "
                f"folder or below, with at most {PATH_LENGTH} characters"
            )
        else:
            by_report.setdefault(report_key(posixpath.join(posixpath.dirname(name), file)), []).append(row)
    facts = {report: _facts(name, report, of_report, table.width) for report, of_report in by_report.items()}
    where = {report: f"{name}, line {of_report[0]['row']}" for report, of_report in by_report.items()}
    return DeliveryManifest(name, facts, where, tuple(problems), (*table.notes, *_moved_codes(name, facts)))


def merged_facts(manifests: Sequence[DeliveryManifest]) -> dict[str, ManifestFacts]:
    """Return the facts of each report from all manifests, by the key of the report; two manifests refuse the report."""
    facts: dict[str, ManifestFacts] = {}
    for sheet in manifests:
        for report, stated in sheet.facts.items():
            twice = problem("manifest_twice", report, f"{sheet.where[report]}, and another manifest")
            facts[report] = {"problems": [twice]} if report in facts else stated
    return facts


def _facts(name: str, report: str, of_report: Sequence[Mapping[str, Any]], width: int) -> ManifestFacts:
    """Return the facts that the rows ``of_report`` state: one row its own, and each row the FIDE ID of a player.

    A row with a start number and no FIDE ID states nothing.
    """
    ids: dict[int, int] = {}
    problems, stating = [], []
    for row in of_report:
        place = f"{name}, line {row['row']}"
        if row["cells"]:
            problems.append(problem("manifest_row", row["cells"], f"{place}; its header has {width}"))
            continue
        wrong = {column for column in _CELLS if row[column] and row[f"{column}_value"] is None}
        number, fide_id = row["start_number_value"], row["fide_id_value"]
        if row["fide_id"] and number is None:
            wrong.add("start_number")
        elif fide_id and ids.setdefault(number, fide_id) != fide_id:
            problems.append(problem("manifest_value", str(number), f"{place}, column start_number (allowed: once)"))
        problems += [
            problem("manifest_value", _shown_cell(row[column]), f"{place}, column {column} (allowed: {allowed})")
            for column, allowed in _CELLS.items()
            if column in wrong
        ]
        if any(row[column] for column in _FACTS) or not any(row[column] for column in _OF_PLAYER):
            stating.append(row)
    if len(stating) > 1:
        lines = " and ".join(f"line {row['row']}" for row in stating)
        return {"problems": [problem("manifest_twice", report, f"{name}, {lines}")]}
    # Where a report is recorded, its name is that of the file.
    facts = {column: row[f"{column}_value"] for row in stating for column in ALLOWED}
    facts["event_name"] = next((row["name_value"] for row in stating), None) or None
    facts["player_ids"] = " ".join(f"{number}={ids[number]}" for number in sorted(ids)) or None
    facts["problems"] = problems or None
    return {name: stated for name, stated in facts.items() if stated is not None}


def _numbers() -> list[pl.Expr]:
    """Return the start number and the FIDE ID of a row."""
    patterns = {"start_number": r"^0*([1-9][0-9]{0,3})$", "fide_id": r"^0*([1-9][0-9]{0,10})$"}
    return [pl.col(name).str.extract(text).cast(pl.Int64).alias(f"{name}_value") for name, text in patterns.items()]


def _moved_codes(name: str, facts: Mapping[str, ManifestFacts]) -> Iterator[str]:
    """Yield a note where files that are named by the code of an event have another code, and another file theirs."""
    codes = {report: stated["event_id"] for report, stated in facts.items() if "event_id" in stated}
    named = {has: report for report, has in codes.items()}
    moved = [
        (report, has, code)
        for report, has in codes.items()
        if (code := PurePosixPath(report).stem) in named and code != has
    ]
    if moved:
        report, has, code = moved[0]
        yield (
            f"{name}: {report} has the event_id {has}, and {named[code]} has {code}; were the codes moved to other rows"
            f"? {len(moved):,} such {'report' if len(moved) == 1 else 'reports'}"
        )


def _shown_cell(text: str) -> str:
    return shortened(text, SHOWN_LENGTH)


def values() -> list[pl.Expr]:
    """Return the value of each cell as ``..._value``, null where it is blank or cannot be understood.

    In: the columns of :data:`ALLOWED` and ``name``, as trimmed text with single blanks.
    """
    flag = pl.col("official").str.to_lowercase().replace(_FLAGS)
    name = pl.col("name")
    is_name = (name.str.len_chars() <= TABLE_NAME_LENGTH) & ~name.str.contains(f"{FORBIDDEN_IN_NAME}|{UNSEEN}")
    columns = {column: day(column) for column in DAYS}
    for column in ("version", "minutes_per_60_moves"):
        number = pl.col(column).str.extract(r"^([0-9]{1,4})(?:\.0)?$").cast(pl.Int32)
        columns[column] = pl.when(number > 0).then(number)
    for column, allowed in (("event_type", EVENT_TYPES), ("time_control", LISTS)):
        text = pl.col(column).str.to_lowercase()
        columns[column] = pl.when(text.is_in(allowed)).then(text)
    columns |= {
        "official": pl.when(flag.is_in(["0", "1"])).then(flag == "1"),
        "federation": pl.col("federation").str.extract(r"^([A-Za-z]{3})$").str.to_uppercase(),
        "event_id": pl.when(is_code("event_id")).then("event_id"),
        "name": pl.when(is_name).then(name),
    }
    return [value.alias(f"{column}_value") for column, value in columns.items()]


def is_code(column: str) -> pl.Expr:
    """Return whether a text can be a registration code."""
    text = pl.col(column)
    is_written = ~text.str.contains(f"{FORBIDDEN_IN_NAME}|{UNSEEN}")
    return (text != "") & (text.str.len_chars() <= EVENT_ID_LENGTH) & is_written


def day(column: str) -> pl.Expr:
    """Return the day that a cell states, in the spreadsheets' form ``DD.MM.YYYY`` too; null for any other text."""
    turned = pl.col(column).str.replace(r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$", "${3}-${2}-${1}")
    return pl.when(pl.col(column).str.contains(_FORM_OF_DAY)).then(turned.str.to_date("%Y-%m-%d", strict=False))


def recorded_report(name: str, sha256: str, facts: ManifestFacts) -> dict[str, object]:
    """Return a delivered report as JSON values: ``name``, ``sha256``, and the facts that a manifest states."""
    known = [column for column in (*STATED, "problems") if facts.get(column) not in (None, [])]
    return {
        "name": name,
        "sha256": sha256,
        **{column: str(facts[column]) if column in DAYS else facts[column] for column in known},
    }


def facts_of_recorded(recorded: Mapping[str, Any]) -> ManifestFacts:
    """Return the facts of a report that :func:`recorded_report` encoded."""
    return {
        column: date.fromisoformat(fact) if column in DAYS else fact
        for column, fact in recorded.items()
        if column not in ("name", "sha256")
    }


# ---------------------------------------------------------------------------------------------------- events and games

FORMAT: Final = "table"
"""The ``report_format`` of an event that was delivered in tables."""
SIDES: Final = ("white", "black")
_EVENT_FACTS: Final = tuple(name for name in ALLOWED if name != "event_id")
EVENT_CELLS: Final = {
    "name": NAME,
    **{name: ALLOWED[name] for name in _EVENT_FACTS},
}
"""What the cells of a table of events may hold, by column, without ``event_id``."""
GAME_CELLS: Final = {
    "round": f"a whole number from 1 to {ROUNDS}",
    "date": f"{FORM_OF_DAY}, or blank",
    "white_id": "digits of a FIDE ID, or blank for a bye of Black",
    "black_id": "digits of a FIDE ID, or blank for a bye of White",
    "white_result": "1 = 0 + - W D L H F U Z or blank; = is a draw",
    "black_result": "1 = 0 + - W D L H F U Z or blank; = is a draw",
}
"""What the cells of a table of games may hold, by column, without ``event_id``."""
_CANONICAL: Final = tuple(GAME_CELLS)
_CANONICAL_HEADER: Final = "\t".join(_CANONICAL)
_NUMBER: Final = rf"^([0-9]{{1,{TABLE_VALUE_LENGTH}}})(?:\.0)?$"
_MOST_ID: Final = 10**11 - 1
"""The greatest number that the eleven columns of a FIDE ID hold."""


def read_tables(
    tables: Mapping[str, bytes], events_name: str, games_name: str, received_on: date, today: date
) -> Batch:
    """Read two ``tables`` from their bytes, by name.

    The text of an event is its canonical rows; ``line`` and ``column`` of a finding are those of the table of games.
    ``received_on``: the day of arrival where the table gives none; one that gives a day after ``today`` refuses the
    event. Raises :class:`UnreadableTableError` where a table cannot be used.
    """
    event_cells = read_cells(events_name, tables[events_name], ("event_id", "name"), _EVENT_FACTS)
    required = ("event_id", *(name for name in GAME_CELLS if name != "date"))
    game_cells = read_cells(games_name, tables[games_name], required, ("date",))
    coded, broken = (game_cells.rows.with_columns(_code()), game_cells.broken.with_columns(_code("key")))
    events, event_findings = _events(event_cells, pl.concat([coded["code"], broken["code"]]))
    if len(events) > TABLE_EVENTS:
        raise UnreadableTableError(f"{games_name} has more than {TABLE_EVENTS} events. Deliver them in several parts.")
    numbers = events.select("code", "file_no")
    game_rows = coded.join(numbers, on="code", how="left", maintain_order="left").with_columns(*_game_values())
    broken = broken.join(numbers, on="code", how="left")
    is_sound = ~pl.any_horizontal(f"is_wrong_{name}" for name in GAME_CELLS)
    sound = game_rows.filter(is_sound).select(
        "file_no", "row", *(pl.col(f"{name}_value").alias(name) for name in GAME_CELLS)
    )
    alone, both = _cells(sound, game_cells.numbers)
    played, others, disagreements = games.judge(both)
    delivered = _delivered(events, game_rows, games_name, received_on)
    named = pl.concat([game_rows["file_no"], broken["file_no"]]).implode()
    findings = limit_per_rule(
        pl.concat(
            [
                event_findings,
                finding(
                    "event_without_games", events.filter(~pl.col("file_no").is_in(named)), value=_shown(pl.col("code"))
                ),
                finding(
                    "received_in_the_future",
                    delivered.filter(pl.col("received_on") > today),
                    value=pl.col("received_on"),
                ),
                finding(
                    "game_row",
                    broken,
                    line=pl.col("row"),
                    value=pl.col("cells").cast(pl.String).fill_null(MISPLACED),
                    detail=pl.lit(game_cells.width),
                ),
                *(
                    finding(
                        "game_value",
                        game_rows.filter(f"is_wrong_{name}"),
                        line=pl.col("row"),
                        column=game_cells.numbers.get(name),
                        value=_shown(pl.col(name)),
                        detail=pl.lit(f"{name} (allowed: {allowed})"),
                    )
                    for name, allowed in GAME_CELLS.items()
                ),
                *_game_findings(sound, game_cells.numbers),
                disagreements,
            ]
        )
    )
    accepted = ~pl.col("file_no").is_in(refused_files(findings).implode())
    sound, played, others, alone = (frame.filter(accepted) for frame in (sound, played, others, alone))
    return Batch(
        delivered,
        {sha256: text.encode() for sha256, text in delivered.select("sha256", "text").iter_rows()},
        FILE_FINDING.empty(),
        parsed=_parsed(events, sound, played, others, alone, findings),
        tables=tables,
        problems=_problems(event_cells),
        notes=(*event_cells.notes, *game_cells.notes),
    )


def cells_of_rows(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the results in canonical rows (``file_no``, ``text``) as round cells.

    Out: ``file_no``, ``start_number``, ``round``, ``opponent_number`` and ``code``.
    """
    cell = pl.col("text").str.split("\t")
    game_rows = (
        texts.select("file_no", pl.col("text").str.strip_chars_end("\n").str.split("\n").list.slice(1))
        .explode("text")
        .drop_nulls("text")
        .select("file_no", *(cell.list.get(number).alias(name) for number, name in enumerate(_CANONICAL)))
        .with_columns(
            pl.lit(None, pl.Int32).alias("row"),
            pl.col("round").cast(pl.Int32),
            *(pl.col(f"{side}_id").cast(pl.Int64, strict=False) for side in SIDES),
        )
    )
    sides = _sides(game_rows)
    numbers = _players(sides).select("file_no", "fide_id", "start_number")
    opponents = numbers.rename({"fide_id": "opponent_id", "start_number": "opponent_number"})
    return (
        sides.join(numbers, on=["file_no", "fide_id"])
        .join(opponents, on=["file_no", "opponent_id"], how="left")
        .select("file_no", "start_number", "round", "opponent_number", pl.col("result").alias("code"))
    )


def is_canonical(text: pl.Expr) -> pl.Expr:
    """Return whether a text is the canonical rows of an event, and no report."""
    return text.str.starts_with(_CANONICAL_HEADER)


def _code(column: str = "event_id") -> pl.Expr:
    """Return the ``code``: the registration code with single blanks, as a manifest's is read."""
    return pl.col(column).str.replace_all(r"\s+", " ").alias("code")


def _shown(text: pl.Expr) -> pl.Expr:
    """Return a cell as it may be printed: shortened, with U+FFFD for what no reader sees."""
    end = pl.when(text.str.len_chars() > SHOWN_LENGTH).then(pl.lit("...")).otherwise(pl.lit(""))
    plain = text.str.slice(0, SHOWN_LENGTH).str.replace_all(f"{FORBIDDEN_IN_NAME}|{UNSEEN}", "\ufffd")
    return pl.concat_str(plain, end)


def _events(table: TableCells, codes_of_games: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the events and the findings of their rows.

    Out: ``file_no`` (from 1, in the order of ``code``), ``code``, ``row`` (null for an event that only the games name),
    ``name``, ``event_id`` and the other columns of a manifest, null where a cell is blank or cannot be understood. An
    event without a row of its own has its code as name.
    """
    coded = table.rows.with_columns(_code()).filter(is_code("code"))
    first = coded.unique("code", keep="first", maintain_order=True)
    broken = table.broken.with_columns(_code("key"))
    every = pl.concat([first["code"], broken["code"], codes_of_games]).unique().sort().to_frame("code")
    events = every.with_row_index("file_no", 1).with_columns(pl.col("file_no").cast(pl.Int32))
    events = events.join(first, on="code", how="left", maintain_order="left").with_columns(
        pl.col(pl.String).fill_null("")
    )
    repeated = coded.join(events.select("code", "file_no", first_row="row"), on="code").filter(
        pl.col("row") != pl.col("first_row")
    )
    named, notes = leave_out(events.with_columns(line=pl.col("row")), "name", 1)
    name = pl.when(pl.col("row").is_null()).then(_shown(pl.col("code"))).otherwise("name")
    columns = [name.str.replace_all(r"\s+", " ").alias("name"), pl.col("code").alias("event_id")]
    valued = named.drop("line").with_columns(columns).with_columns(*values())
    has_row = pl.col("row").is_not_null()
    place = pl.format(f"{table.name}, row {{}}", "row")
    cells = pl.col("cells").cast(pl.String).fill_null(MISPLACED)
    findings = [
        # Their place is a row of the table of events, and the report is named after that of the games.
        notes.with_columns(pl.lit(None, pl.Int32).alias("line"), pl.lit(None, pl.Int32).alias("column")),
        finding(
            "event_row_missing",
            events.filter(~has_row).join(broken, on="code", how="anti"),
            value=_shown(pl.col("code")),
            detail=pl.lit(table.name),
        ),
        finding(
            "event_row_twice",
            repeated,
            value=pl.col("code"),
            detail=pl.format(f"{table.name}, rows {{}} and {{}}", "first_row", "row"),
        ),
        *(
            finding(
                "event_value",
                valued.filter((pl.col(column) != "") & pl.col(f"{column}_value").is_null() & has_row),
                value=_shown(pl.col(column)),
                detail=pl.concat_str(place, pl.lit(f", column {column} (allowed: {allowed})")),
            )
            for column, allowed in EVENT_CELLS.items()
        ),
        *(
            finding("event_date_missing", valued.filter((pl.col(day) == "") & has_row), value=pl.lit(day), detail=place)
            for day in ("start_date", "end_date")
        ),
        finding("event_name_missing", valued.filter(pl.col("name") == "")),
        finding(
            "event_row",
            broken.join(events.select("code", "file_no"), on="code"),
            value=cells,
            detail=pl.concat_str(place, pl.lit(f"; its header has {table.width}")),
        ),
    ]
    facts = valued.select(
        *("file_no", "code", "row"),
        *(pl.col(f"{column}_value").alias(column) for column in ("name", "event_id", *_EVENT_FACTS)),
    )
    return facts, pl.concat(findings)


def _game_values() -> list[pl.Expr]:
    """Return the value of every cell of a row, null where it is blank or wrong, and whether it is wrong."""

    def number(column: str, most: int) -> pl.Expr:
        # A whole number in a column with missing values is written as a fraction by many programs.
        value = pl.col(column).str.extract(_NUMBER).cast(pl.Int64, strict=False)
        return pl.when(value.is_between(1, most)).then(value)

    results = {f"{side}_result": pl.col(f"{side}_result").str.to_uppercase() for side in SIDES}
    values = {
        "round": number("round", ROUNDS).cast(pl.Int32),
        "date": day("date"),
        **{f"{side}_id": number(f"{side}_id", _MOST_ID) for side in SIDES},
        **{name: pl.when(code.is_in(list(POINT_HALVES))).then(code) for name, code in results.items()},
    }
    # A cell of 0 says that there is no player.
    blank = {"white_id": ["", "0", "0000", "0.0"], "black_id": ["", "0", "0000", "0.0"], "round": []}
    return [
        *(value.alias(f"{column}_value") for column, value in values.items()),
        *(
            (value.is_null() & ~pl.col(column).is_in(blank.get(column, [""]))).alias(f"is_wrong_{column}")
            for column, value in values.items()
        ),
    ]


def _cells(sound: pl.DataFrame, column: Mapping[str, int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the cells of the rows with one player, and the rows with two as pairs of cells (:func:`games.judge`)."""
    two = sound.filter(pl.col("white_id") != pl.col("black_id"))
    both = two.select(
        *("file_no", "round", "date"),
        *(pl.col("row").alias(name) for name in ("line", "line_b")),
        # The place of a cell is that of its opponent, seven columns before the result.
        *(
            pl.lit(column[f"{side}_result"] - 7, pl.Int32).alias(name)
            for side, name in zip(SIDES, ("column", "column_b"), strict=True)
        ),
        *(pl.col("white_id").alias("start_number"), pl.col("black_id").alias("start_number_b")),
        *(pl.lit(letter, pl.Enum(COLOURS)).alias(name) for letter, name in (("w", "colour"), ("b", "colour_b"))),
        *(
            pl.col(f"{side}_result").fill_null("").cast(pl.Enum(CODES)).alias(name)
            for side, name in zip(SIDES, ("code", "code_b"), strict=True)
        ),
    )
    alone = [
        sound.filter(pl.col(f"{other}_id").is_null()).select(
            "file_no", pl.col(f"{own}_result").fill_null("").alias("code")
        )
        for own, other in (SIDES, SIDES[::-1])
    ]
    return pl.concat(alone), both


def _sides(game_rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``row``, ``round``, ``fide_id``, ``opponent_id`` and ``result``, a row for each player."""
    return pl.concat(
        game_rows.select(
            *("file_no", "row", "round"),
            pl.col(f"{own}_id").alias("fide_id"),
            pl.col(f"{other}_id").alias("opponent_id"),
            pl.col(f"{own}_result").fill_null("").alias("result"),
        ).drop_nulls("fide_id")
        for own, other in (SIDES, SIDES[::-1])
    )


def _players(sides: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``fide_id``, ``line``, ``points_tenths`` and ``start_number``: by FIDE ID, from 1."""
    halves = pl.col("result").replace_strict(POINT_HALVES, return_dtype=pl.Int32)
    return (
        sides.group_by("file_no", "fide_id")
        .agg(pl.col("row").min().alias("line"), (halves.sum() * 5).alias("points_tenths"))
        .sort("file_no", "fide_id")
        .with_columns((pl.int_range(pl.len(), dtype=pl.Int32).over("file_no") + 1).alias("start_number"))
    )


def _parsed(
    events: pl.DataFrame,
    sound: pl.DataFrame,
    played: pl.DataFrame,
    others: pl.DataFrame,
    alone: pl.DataFrame,
    findings: pl.DataFrame,
) -> Parsed:
    """Return what accepted events say: their ``sound`` rows, the pairs in these, played and other, and lone cells."""
    players = PLAYER_LINE.completed(_players(_sides(sound)), blank_texts=True)
    counts = games.counts(players, played, others, alone, alone.clear())
    days = sound.group_by("file_no").agg(
        pl.col("round").max().alias("rounds"),
        pl.col("date").min().alias("first_round_date"),
        pl.col("date").max().alias("last_round_date"),
    )
    header = events.select("file_no", "name", pl.lit(FORMAT).alias("report_format")).join(
        days, on="file_no", how="left", maintain_order="left"
    )
    ids = {"white_number": "white_id", "black_number": "black_id"}
    return Parsed(HEADER.completed(header), players, played.rename(ids).select(GAME), counts, findings)


def _delivered(events: pl.DataFrame, game_rows: pl.DataFrame, games_name: str, received_on: date) -> pl.DataFrame:
    """Return the events as :data:`~ratinglist.tables.DELIVERED`, with their canonical rows as text."""
    plain = [
        pl.coalesce(pl.col(f"{name}_value").cast(pl.String), pl.col(name).str.replace_all(FORBIDDEN_IN_NAME, "\ufffd"))
        for name in _CANONICAL
    ]
    lines = game_rows.select("file_no", pl.concat_str(plain, separator="\t").alias("line")).group_by("file_no")
    text = pl.format(f"{_CANONICAL_HEADER}\n{{}}", pl.col("line").fill_null("")).alias("text")
    name = pl.when(pl.col("code") == "").then(pl.lit("(no event_id)")).otherwise(_shown(pl.col("code")))
    delivered = (
        events.join(lines.agg(pl.format("{}\n", pl.col("line").sort().str.join("\n"))), on="file_no", how="left")
        .sort("file_no")
        .with_columns(
            text,
            pl.format(f"{games_name.replace('{', '{{').replace('}', '}}')}/{{}}", name).alias("file_name"),
            pl.col("received_on").fill_null(received_on),
            pl.col("name").alias("event_name"),
            pl.lit(None).alias("player_ids"),
        )
    )
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in delivered["text"]]
    return DELIVERED.conform(delivered.with_columns(pl.Series("sha256", digests, dtype=pl.String)))


def _game_findings(sound: pl.DataFrame, column: Mapping[str, int]) -> list[pl.DataFrame]:
    """Return what is wrong or odd with the rows whose cells can be understood, apart from their two results."""
    white, black, row = pl.col("white_id"), pl.col("black_id"), pl.col("row")
    single = sound.filter(white.is_null() != black.is_null())
    sides = [
        sound.select("file_no", "row", "round", "white_id", "black_id")
        .with_columns(pl.col(f"{side}_id").alias("fide_id"), pl.lit(column[f"{side}_id"]).alias("column"))
        .drop_nulls("fide_id")
        for side in SIDES
    ]
    # A player against themselves is another finding.
    places = pl.concat([sides[0], sides[1].filter(white.ne_missing(black))])
    first = places.group_by("file_no", "round", "fide_id").agg(row.min().alias("first_row"), pl.len())
    again = places.join(first.filter(pl.col("len") > 1), on=["file_no", "round", "fide_id"])
    played = sound.filter(pl.col("white_result").is_in(PLAYED) & pl.col("black_result").is_in(PLAYED))
    players = places.group_by("file_no").agg(pl.col("fide_id").n_unique().alias("players"))
    return [
        finding(
            "game_without_players",
            sound.filter(white.is_null() & black.is_null()),
            line=row,
            column=column["white_id"],
        ),
        finding(
            "opponent_self",
            sound.filter(white == black),
            line=row,
            column=column["black_id"],
            value=black,
            detail=pl.col("round"),
        ),
        *(
            finding(
                "opponent_missing",
                single.filter(pl.col(f"{side}_result").is_in(PLAYED)),
                line=row,
                column=column[f"{side}_result"],
                value=pl.col(f"{side}_result"),
                detail=pl.col("round"),
            )
            for side in SIDES
        ),
        finding(
            "game_second_in_round",
            again.filter(row > pl.col("first_row")),
            line=row,
            column=pl.col("column"),
            value=pl.col("fide_id"),
            detail=pl.format("round {}: the first is in row {}", "round", "first_row"),
        ),
        games.pairs_repeated(
            played.select(
                *("file_no", "round", pl.col("row").alias("line")),
                pl.min_horizontal(white, black).alias("low"),
                pl.max_horizontal(white, black).alias("high"),
            )
        ),
        finding(
            "too_many_players",
            players.filter(pl.col("players") > PLAYERS),
            value=pl.col("players"),
            detail=pl.lit(PLAYERS),
        ),
    ]


def _problems(table: TableCells) -> tuple[str, ...]:
    """Return a sentence for the rows that name no event, if there are any."""
    nameless = table.rows.with_columns(_code()).filter(~is_code("code"))
    return tuple(
        f"{table.name}, row {row}, column event_id: '{shortened(text, SHOWN_LENGTH)}' is no registration code "
        f"(allowed: {ALLOWED['event_id']}). Rows that name no event: {len(nameless)}. Correct them, and deliver the "
        "tables again."
        for row, text in nameless.head(1).select("row", "code").iter_rows()
    )
