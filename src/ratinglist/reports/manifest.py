"""The parser of ``manifest.csv``: facts of a report that the office knows and a TRF16 file has no field for.

Parsing is strict. A cell that cannot be understood refuses its report, because a report rated as something it was not
is worse than one that waits; a manifest without a ``file`` column refuses every report in its folder and below.

A report has one row with its facts, and a row for each player whose FIDE ID the manifest states. The cells are read as
those of a table of events are.
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
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any, Final

import polars as pl

from ratinglist.limits import MANIFEST_COLUMNS, MANIFEST_ROWS, PATH_LENGTH, SHOWN_LENGTH
from ratinglist.reports.stated import ALLOWED, DAYS, NAME, values
from ratinglist.text import shortened

_FACTS: Final = {**ALLOWED, "name": NAME}
_OF_PLAYER: Final = {"start_number": "a whole number from 1 to 9999", "fide_id": "the digits of a FIDE ID"}
_READ: Final = ("file", *_FACTS, *_OF_PLAYER)
_NUMBERS: Final = {"start_number": re.compile("0*[1-9][0-9]{0,3}"), "fide_id": re.compile("0*[1-9][0-9]{0,10}")}


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

    @property
    def folder(self) -> str:
        """The folder or archive of the manifest; empty for the folder that all names are relative to."""
        return posixpath.dirname(self.name)


_Row = dict[str, Any]
"""The cells of a row by column, with ``line``, ``further`` (cells beyond the header, by number) and the values read."""


class _UnusableError(ValueError):
    """The manifest cannot be used. The message continues a sentence that begins with its name."""


def key(name: str) -> str:
    """Return the name of a report in the form used to join manifests and deliveries: accents composed (NFC)."""
    return unicodedata.normalize("NFC", name)


def read(name: str, text: str) -> Manifest:
    """Parse one manifest delivered as ``name``. Cells are trimmed; columns are separated by ``,``, ``;`` or a tab.

    Never raises for any text: a manifest that cannot be used is returned with a ``refusal``.
    """
    try:
        rows = list(_rows(text))
        line, columns = _columns(rows)
    except csv.Error as error:
        return Manifest(name, refusal=f"{name} is not readable as CSV: {error}")
    except _UnusableError as error:
        return Manifest(name, refusal=f"{name}{error}")
    of_report: dict[str, list[_Row]] = {}
    problems = []
    for row in _with_values(columns, rows[1:]):
        place = f"{name}, line {row['line']}, column file"
        inner = posixpath.normpath(row["file"].replace("\\", "/"))
        if len(row["file"]) > PATH_LENGTH:
            problems.append(f"{place}: {len(row['file'])} characters; a path has at most {PATH_LENGTH}")
        elif inner == ".":
            problems.append(f"{place}: the cell is blank, so the row names no report")
        elif re.match(r"\.\.(/|$)|/|[A-Za-z]:", inner):
            problems.append(f"{place}: '{inner}' is not in the manifest's folder or below")
        else:
            of_report.setdefault(key(posixpath.join(posixpath.dirname(name), inner)), []).append(row)
    stating = {report: [row for row in some if _states_facts(row)] for report, some in of_report.items()}
    where = {report: _lines(name, stating[report] or some[:1]) for report, some in of_report.items()}
    facts = {report: _facts(name, PurePosixPath(report).name, stating[report], where[report]) for report in of_report}
    for report, some in of_report.items():
        player_ids, wrong = _player_ids(name, some)
        if player_ids or wrong:
            facts[report] = replace(facts[report], player_ids=player_ids, problems=(*facts[report].problems, *wrong))
    notes = [
        f"{name}, line {line}: the column '{_shown(column)}' is not one of {', '.join(_READ)}; it is not read"
        for column in columns
        if column and column not in _READ
    ]
    return Manifest(name, facts, where, tuple(problems), (*notes, *_moved_codes(name, facts)))


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the trimmed cells of every row that is not blank."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    for line, row in enumerate(reader, start=1):
        if line > MANIFEST_ROWS:
            raise _UnusableError(f", line {line}: more rows than the {MANIFEST_ROWS} that are read")
        if reader.line_num > line:
            raise _UnusableError(f", line {line}: a cell in quotes runs over the end of the line")
        if any(cell.strip() for cell in row):
            yield line, [cell.strip() for cell in row]


def _columns(rows: Sequence[tuple[int, list[str]]]) -> tuple[int, list[str]]:
    """Return the line of the header, and the names of the columns in small letters."""
    if not rows:
        raise _UnusableError(" is empty: its first line must name the columns, one of them 'file'")
    line, header = rows[0]
    columns = [cell.casefold() for cell in header]
    if "file" not in columns:
        raise _UnusableError(
            f", line {line}: the first line must name the columns, one of them 'file'; found: "
            f"{_shown(', '.join(header))}"
        )
    if len(columns) > MANIFEST_COLUMNS:
        raise _UnusableError(f", line {line}: {len(columns)} columns; at most {MANIFEST_COLUMNS} are read")
    repeated = sorted({column for column in columns if column and columns.count(column) > 1})
    if repeated:
        raise _UnusableError(f", line {line}: the column '{_shown(repeated[0])}' appears twice")
    return line, columns


def _with_values(columns: Sequence[str], rows: Sequence[tuple[int, list[str]]]) -> list[_Row]:
    """Return the rows with the value of each cell that states a fact, as ``..._value``."""
    read_rows: list[_Row] = []
    for line, cells in rows:
        row = dict.fromkeys(_READ, "") | dict(zip(columns, cells, strict=False))
        unnamed = enumerate(zip_longest(cells, columns, fillvalue=""), start=1)
        further = {number: cell for number, (cell, column) in unnamed if cell and not column}
        read_rows.append({"line": line, "further": further, **row})
    cells_of_facts = [{column: row[column] for column in _FACTS} for row in read_rows]
    frame = pl.DataFrame(cells_of_facts, schema=dict.fromkeys(_FACTS, pl.String))
    frame = frame.with_columns(pl.col("event_id", "name").str.replace_all(r"\s+", " ")).select(values())
    return [row | read_values for row, read_values in zip(read_rows, frame.to_dicts(), strict=True)]


def _states_facts(row: _Row) -> bool:
    """Return whether a row is not one of a player alone."""
    return any(row[column] for column in _FACTS) or bool(row["further"]) or not any(row[name] for name in _OF_PLAYER)


def _lines(name: str, rows: Sequence[_Row]) -> str:
    return f"{name}, " + " and ".join(f"line {row['line']}" for row in rows)


def _facts(name: str, report: str, rows: Sequence[_Row], where: str) -> ManifestFacts:
    """Return the facts of a report, which one of its ``rows`` states."""
    if len(rows) > 1:
        return ManifestFacts(problems=(Problem("manifest_twice", report, where),))
    if not rows:
        return ManifestFacts()
    row = rows[0]
    place = f"{name}, line {row['line']}, column"
    problems = [
        Problem("manifest_row", _shown(cell), f"{place} {number}") for number, cell in row["further"].items()
    ] + [
        Problem("manifest_value", _shown(row[column]), f"{place} {column} (allowed: {allowed})")
        for column, allowed in _FACTS.items()
        if row[column] and row[f"{column}_value"] is None
    ]
    # Where a report is recorded, its name is that of the file.
    facts = {column: row[f"{column}_value"] for column in ALLOWED if row[column]}
    event_name = row["name_value"] if row["name"] else None
    return ManifestFacts(**facts, event_name=event_name, problems=tuple(problems))


def _player_ids(name: str, rows: Sequence[_Row]) -> tuple[str | None, list[Problem]]:
    """Return the FIDE IDs that ``rows`` of a report state, and what is wrong with them.

    A row with a start number and no FIDE ID states nothing.
    """
    ids: dict[int, int] = {}
    lines: dict[int, int] = {}
    problems = []
    for row in rows:
        cells = {column: row[column] for column in _OF_PLAYER}
        if not any(cells.values()):
            continue
        wrong = {
            column: _OF_PLAYER[column]
            for column, cell in cells.items()
            if not (_NUMBERS[column].fullmatch(cell) or (column == "fide_id" and not cell))
        }
        if not wrong and cells["fide_id"]:
            number, fide_id = int(cells["start_number"]), int(cells["fide_id"])
            if ids.setdefault(number, fide_id) != fide_id:
                wrong["start_number"] = f"each start number once; line {lines[number]} has it"
            lines.setdefault(number, row["line"])
        place = f"{name}, line {row['line']}, column"
        problems += [
            Problem("manifest_value", _shown(cells[column]), f"{place} {column} (allowed: {allowed})")
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
