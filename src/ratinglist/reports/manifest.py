"""The parser of ``manifest.csv``: facts of a report that the office knows and a TRF16 file has no field for.

Parsing is strict. A cell that cannot be understood refuses its report, because a report rated as something it was not
is worse than one that waits; a manifest without a ``file`` column refuses every report in its folder and below.

A report has one row with its facts, and a row for each player whose FIDE ID the manifest states. A table of events has
the same columns, and their cells are read by :func:`values` too.
"""

from __future__ import annotations

import csv
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from io import StringIO
from pathlib import PurePosixPath
from typing import Any, Final

import polars as pl

from ratinglist.findings import RULES, refuses
from ratinglist.limits import (
    EVENT_ID_LENGTH,
    MANIFEST_COLUMNS,
    MANIFEST_ROWS,
    PATH_LENGTH,
    SHOWN_LENGTH,
    TABLE_NAME_LENGTH,
)
from ratinglist.reports.encoding import decode
from ratinglist.text import FORBIDDEN_IN_NAME, UNSEEN, shortened

DAYS: Final = ("received_on", "start_date", "end_date", "registered_on")
"""The columns that hold a day."""
FORM_OF_DAY: Final = "YYYY-MM-DD or DD.MM.YYYY"
"""The forms of a day that :func:`day` reads, as messages name them."""
_WHOLE: Final = "a whole number from 1 to 9999"
ALLOWED: Final = {
    "event_id": f"any text of at most {EVENT_ID_LENGTH} characters, all of them seen",
    "version": _WHOLE,
    "received_on": FORM_OF_DAY,
    "event_type": "swiss, roundrobin, double_roundrobin, team, match",
    "time_control": "standard, rapid, blitz",
    "official": "0, 1",
    "federation": "three letters",
    "start_date": FORM_OF_DAY,
    "end_date": FORM_OF_DAY,
    "registered_on": FORM_OF_DAY,
    "minutes_per_60_moves": _WHOLE,
}
"""What the cells of each column may hold, in the order of the columns."""
NAME: Final = f"any text of at most {TABLE_NAME_LENGTH} characters, without control characters"
"""What the cells of the column ``name`` may hold."""
_FACTS: Final = {**ALLOWED, "name": NAME}
_OF_PLAYER: Final = {"start_number": _WHOLE, "fide_id": "the digits of a FIDE ID"}
_READ: Final = ("file", *_FACTS, *_OF_PLAYER)
_NUMBERS: Final = {"start_number": re.compile("0*[1-9][0-9]{0,3}"), "fide_id": re.compile("0*[1-9][0-9]{0,10}|")}
_FORM_OF_DAY: Final = r"^(?:[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.[1-9][0-9]{3})$"
_FLAGS: Final = {"true": "1", "false": "0", "1.0": "1", "0.0": "0"}


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a manifest that refuses a report: a code of :data:`ratinglist.findings.RULES`, value and detail."""

    rule: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class ManifestFacts:
    """The cells of one report's row; ``None`` where a cell is blank. Fields are columns of ``DELIVERED``.

    ``player_ids``: the players whose FIDE ID the manifest states, by start number, such as ``3=99900208 12=99900347``.
    """

    received_on: date | None = None
    event_id: str | None = None
    version: int | None = None
    event_type: str | None = None
    time_control: str | None = None
    official: bool | None = None
    federation: str | None = None
    start_date: date | None = None
    end_date: date | None = None
    registered_on: date | None = None
    minutes_per_60_moves: int | None = None
    event_name: str | None = None
    player_ids: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
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


_Row = dict[str, Any]
"""The cells of a row by column, with ``line``, ``further`` (cells beyond the header, by number) and the values read."""


class UnreadableTableError(ValueError):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


def key(name: str) -> str:
    """Return the name of a report in the form used to join manifests and deliveries: accents composed (NFC)."""
    return unicodedata.normalize("NFC", name)


def read(name: str, data: bytes) -> Manifest:
    """Parse one manifest delivered as ``name``. Cells are trimmed; columns are separated by ``,``, ``;`` or a tab.

    Never raises for any bytes: a manifest that cannot be used is returned with a ``refusal``.
    """
    try:
        rows, notes = _rows(name, text_of(name, data))
    except csv.Error as error:
        return Manifest(name, refusal=f"{name} is not readable as CSV: {error}")
    except UnreadableTableError as error:
        return Manifest(name, refusal=str(error))
    of_report: dict[str, list[_Row]] = {}
    problems = []
    for row in rows:
        inner = posixpath.normpath(row["file"].replace("\\", "/"))
        problem = ""
        if len(row["file"]) > PATH_LENGTH:
            problem = f"{len(row['file'])} characters; a path has at most {PATH_LENGTH}"
        elif inner == ".":
            problem = "the cell is blank, so the row names no report"
        elif re.match(r"\.\.(/|$)|/|[A-Za-z]:", inner):
            problem = f"'{inner}' is not in the manifest's folder or below"
        if problem:
            problems.append(f"{name}, line {row['line']}, column file: {problem}")
        else:
            of_report.setdefault(key(posixpath.join(posixpath.dirname(name), inner)), []).append(row)
    facts, where = {}, {}
    for report, some in of_report.items():
        # A row may be of a player alone.
        stating = [row for row in some if row["states_facts"]]
        where[report] = f"{name}, " + " and ".join(f"line {row['line']}" for row in stating or some[:1])
        stated = _facts(name, PurePosixPath(report).name, stating, where[report])
        player_ids, wrong = _player_ids(name, some)
        facts[report] = replace(stated, player_ids=player_ids, problems=(*stated.problems, *wrong))
    return Manifest(name, facts, where, tuple(problems), (*notes, *_moved_codes(name, facts)))


def merged(manifests: Sequence[Manifest]) -> dict[str, ManifestFacts]:
    """Return the facts of each report from all manifests, by the key of the report; two rows refuse the report."""
    facts: dict[str, ManifestFacts] = {}
    where: dict[str, str] = {}
    for sheet in manifests:
        for report, stated in sheet.facts.items():
            places = [where[report]] if report in where else []
            where[report] = " and ".join([*places, sheet.where[report]])
            twice = ManifestFacts(problems=(Problem("manifest_twice", report, where[report]),))
            facts[report] = twice if places else stated
    return facts


def refusals(manifests: Sequence[Manifest]) -> dict[str, list[Problem]]:
    """Return a problem for every unusable manifest, by its folder: it may have a row for any report there or below."""
    of_folder: dict[str, list[Problem]] = {}
    for sheet in manifests:
        if sheet.refusal:
            problem = Problem("manifest_unreadable", "", sheet.refusal.removesuffix("."))
            of_folder.setdefault(key(posixpath.dirname(sheet.name)) or ".", []).append(problem)
    return of_folder


def text_of(name: str, data: bytes, *, searched_for_forbidden: bool = True) -> str:
    """Return the text of a table; raises :class:`UnreadableTableError` where it is none."""
    decoded = decode(data, searched_for_forbidden=searched_for_forbidden)
    if decoded.rule and refuses(decoded.rule):
        place = f", line {decoded.line}, column {decoded.column}" if decoded.line else ""
        sentence = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        raise UnreadableTableError(f"{name}{place}: {sentence}. Save it again as CSV in UTF-8.")
    return decoded.text


def named_columns(
    place: str, header: Sequence[str], required: Sequence[str], known: Sequence[str], most: int
) -> tuple[list[str], list[str]]:
    """Return the names of the columns in small letters, and a note for each that is not read.

    Raises :class:`UnreadableTableError` without a column of ``required``, for more than ``most`` and for one twice.
    """
    columns = [cell.strip().casefold() for cell in header]
    if len(columns) > most:
        raise UnreadableTableError(f"{place}: {len(columns)} columns; at most {most} are read.")
    if missing := [column for column in required if column not in columns]:
        raise UnreadableTableError(
            f"{place}: the column '{missing[0]}' is missing; found: {_shown(', '.join(header))}. Name the columns "
            f"{', '.join(required)}."
        )
    if repeated := sorted({column for column in columns if column and columns.count(column) > 1}):
        raise UnreadableTableError(f"{place}: the column '{_shown(repeated[0])}' appears twice. Leave one of them out.")
    unread = [column for column in columns if column and column not in known]
    return columns, [
        f"{place}: the column '{_shown(column)}' is not one of {', '.join(known)}; it is not read" for column in unread
    ]


def _rows(name: str, text: str) -> tuple[list[_Row], list[str]]:
    """Return the rows that are not blank, with the value of each cell that states a fact, and the notes on columns."""
    separator = max(",;\t", key=next((line for line in text.splitlines() if line.strip()), "").count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    columns: list[str] = []
    notes: list[str] = []
    rows: list[_Row] = []
    for line, written in enumerate(reader, start=1):
        cells = [cell.strip() for cell in written]
        if line > MANIFEST_ROWS:
            raise UnreadableTableError(f"{name}, line {line}: more rows than the {MANIFEST_ROWS} that are read")
        if reader.line_num > line:
            raise UnreadableTableError(f"{name}, line {line}: a cell in quotes runs over the end of the line")
        if any(cells) and not columns:
            columns, notes = named_columns(f"{name}, line {line}", cells, ("file",), _READ, MANIFEST_COLUMNS)
        elif any(cells):
            names = [*columns, *[""] * len(cells)]
            further = {number: cell for number, cell in enumerate(cells, 1) if cell and not names[number - 1]}
            row = dict.fromkeys(_READ, "") | dict(zip(columns, cells, strict=False))
            of_report = any(row[column] for column in _FACTS) or further or not any(row[name] for name in _OF_PLAYER)
            rows.append({"line": line, "further": further, "states_facts": bool(of_report), **row})
    if not columns:
        raise UnreadableTableError(f"{name} is empty: its first line must name the columns, one of them 'file'")
    frame = pl.DataFrame([{column: row[column] for column in _FACTS} for row in rows], dict.fromkeys(_FACTS, pl.String))
    frame = frame.with_columns(pl.col("event_id", "name").str.replace_all(r"\s+", " ")).select(values())
    return [row | of_row for row, of_row in zip(rows, frame.to_dicts(), strict=True)], notes


def _facts(name: str, report: str, rows: Sequence[_Row], where: str) -> ManifestFacts:
    """Return the facts of a report, which one of its ``rows`` states."""
    if len(rows) > 1:
        return ManifestFacts(problems=(Problem("manifest_twice", report, where),))
    if not rows:
        return ManifestFacts()
    row = rows[0]
    place = f"{name}, line {row['line']}, column"
    further = [Problem("manifest_row", _shown(cell), f"{place} {number}") for number, cell in row["further"].items()]
    wrong = [
        Problem("manifest_value", _shown(row[column]), f"{place} {column} (allowed: {allowed})")
        for column, allowed in _FACTS.items()
        if row[column] and row[f"{column}_value"] is None
    ]
    # Where a report is recorded, its name is that of the file.
    facts = {column: row[f"{column}_value"] for column in ALLOWED}
    return ManifestFacts(**facts, event_name=row["name_value"] or None, problems=(*further, *wrong))


def _player_ids(name: str, rows: Sequence[_Row]) -> tuple[str | None, list[Problem]]:
    """Return the FIDE IDs that ``rows`` of a report state, and what is wrong with them.

    A row with a start number and no FIDE ID states nothing.
    """
    ids: dict[int, int] = {}
    lines: dict[int, int] = {}
    problems = []
    for row in rows:
        if not any(row[column] for column in _OF_PLAYER):
            continue
        wrong = {name: allowed for name, allowed in _OF_PLAYER.items() if not _NUMBERS[name].fullmatch(row[name])}
        if not wrong and row["fide_id"]:
            number, fide_id = int(row["start_number"]), int(row["fide_id"])
            if ids.setdefault(number, fide_id) != fide_id:
                wrong["start_number"] = f"each start number once; line {lines[number]} has it"
            lines.setdefault(number, row["line"])
        place = f"{name}, line {row['line']}, column"
        problems += [
            Problem("manifest_value", _shown(row[column]), f"{place} {column} (allowed: {allowed})")
            for column, allowed in wrong.items()
        ]
    return " ".join(f"{number}={ids[number]}" for number in sorted(ids)) or None, problems


def _moved_codes(name: str, facts: Mapping[str, ManifestFacts]) -> Iterator[str]:
    """Yield a note where files that are named by the code of an event have another code, and another file theirs."""
    named = {stated.event_id: report for report, stated in facts.items() if stated.event_id}
    moved = [
        (report, stated.event_id, code)
        for report, stated in facts.items()
        if stated.event_id and (code := PurePosixPath(report).stem) in named and code != stated.event_id
    ]
    if moved:
        report, has, code = moved[0]
        yield (
            f"{name}: {report} has the event_id {has}, and {named[code]} has {code}; were the codes moved to other rows"
            f"? {len(moved):,} such {'report' if len(moved) == 1 else 'reports'}"
        )


def _shown(text: str) -> str:
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
    for column in ("event_type", "time_control"):
        text = pl.col(column).str.to_lowercase()
        columns[column] = pl.when(text.is_in(ALLOWED[column].split(", "))).then(text)
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
    """Return the day that a cell is, also as spreadsheets save it, ``DD.MM.YYYY``; null for any other text."""
    turned = pl.col(column).str.replace(r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$", "${3}-${2}-${1}")
    return pl.when(pl.col(column).str.contains(_FORM_OF_DAY)).then(turned.str.to_date("%Y-%m-%d", strict=False))


def recorded_report(name: str, sha256: str, facts: ManifestFacts) -> dict[str, object]:
    """Return a delivered report as JSON values: ``name``, ``sha256``, and the facts that a manifest states."""
    cells = {one.name: getattr(facts, one.name) for one in fields(facts) if one.name != "problems"}
    known = {column: str(cell) if column in DAYS else cell for column, cell in cells.items() if cell is not None}
    problems = {"problems": [asdict(problem) for problem in facts.problems]} if facts.problems else {}
    return {"name": name, "sha256": sha256, **known, **problems}


def facts_of_recorded(recorded: Mapping[str, Any]) -> ManifestFacts:
    """Return the facts of a report that :func:`recorded_report` encoded."""
    names = {one.name for one in fields(ManifestFacts)}
    cells: dict[str, Any] = {
        column: date.fromisoformat(cell) if column in DAYS else cell
        for column, cell in recorded.items()
        if column in names
    }
    cells["problems"] = tuple(Problem(**problem) for problem in recorded.get("problems", ()))
    return ManifestFacts(**cells)
