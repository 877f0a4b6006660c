"""The parser of ``manifest.csv``: facts of a report that the office knows and a TRF16 file has no field for.

Parsing is strict. A cell that cannot be understood refuses its report, because a report rated as something it was not
is worse than one that waits; a manifest without a ``file`` column refuses every report in its folder and below.

A report has one row with its facts, and a row for each player whose FIDE ID the manifest states.
"""

from __future__ import annotations

import csv
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from io import StringIO
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any

from ratinglist.limits import (
    EVENT_ID_LENGTH,
    MANIFEST_COLUMNS,
    MANIFEST_ROWS,
    PATH_LENGTH,
    SHOWN_LENGTH,
    TABLE_NAME_LENGTH,
)
from ratinglist.text import first_forbidden_in_written_text, shortened

NAME = "manifest.csv"
# Cells of a row that are checked; of more cells than columns the first ones suffice for the message.
_CELLS_CHECKED = 2 * MANIFEST_COLUMNS
_DAY_FORM = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_WHOLE_FORM = re.compile(r"[0-9]{1,4}")
_ID_FORM = re.compile(r"[0-9]{1,11}")
DAYS = ("received_on", "start_date", "end_date", "registered_on")
"""The columns that hold a day."""


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


def key(name: str) -> str:
    """Return the name of a report in the form used to join manifests and deliveries: accents composed (NFC)."""
    return unicodedata.normalize("NFC", name)


def read(name: str, text: str) -> Manifest:
    """Parse one manifest delivered as ``name``. Cells are trimmed; columns are separated by ``,``, ``;`` or a tab.

    A day may be written ``05.10.2025``, as Excel saves it where the day comes first; a note gives the first such cell.

    Never raises for any text: a manifest that cannot be used is returned with a ``refusal``.
    """
    try:
        rows = list(_rows(text))
    except csv.Error as error:
        return Manifest(name, refusal=f"{name} is not readable as CSV: {error}")
    except _LimitError as error:
        return Manifest(name, refusal=f"{name}, {error}")
    if not rows:
        return Manifest(name, refusal=f"{name} is empty: its first line must name the columns, one of them 'file'")
    line, header = rows[0]
    columns = [cell.casefold() for cell in header]
    if "file" not in columns:
        return Manifest(
            name,
            refusal=f"{name}, line {line}: the first line must name the columns, one of them 'file'; found: "
            f"{_shown(', '.join(header))}",
        )
    if len(columns) > MANIFEST_COLUMNS:
        return Manifest(
            name, refusal=f"{name}, line {line}: {len(columns)} columns; at most {MANIFEST_COLUMNS} are read"
        )
    repeated = sorted({column for column in columns if column and columns.count(column) > 1})
    if repeated:
        return Manifest(name, refusal=f"{name}, line {line}: the column '{_shown(repeated[0])}' appears twice")
    notes = tuple(
        f"{name}, line {line}: the column '{_shown(column)}' is not one of {', '.join(_READ)}; it is not read"
        for column in columns
        if column and column not in _READ
    )
    return _assigned(Manifest(name, notes=notes + _day_first(name, columns, rows[1:])), columns, rows[1:])


def _day_first(name: str, columns: list[str], rows: list[tuple[int, list[str]]]) -> tuple[str, ...]:
    """Return a note on the cells with the day first; none where there are none."""
    found = [
        (line, column, cell)
        for line, cells in rows
        for column, cell in zip(columns, cells, strict=False)
        if _COLUMNS.get(column, ("",))[0] == _DAY and _is_day_first(cell)
    ]
    if not found:
        return ()
    line, column, cell = found[0]
    days = "1 day is" if len(found) == 1 else f"{len(found):,} days are"
    return (f"{name}: {days} written DD.MM.YYYY and read so (first: line {line}, column {column}, {cell})",)


def _assigned(manifest: Manifest, columns: list[str], rows: list[tuple[int, list[str]]]) -> Manifest:
    """Return ``manifest`` with the facts of each row assigned to the report that the row names."""
    facts: dict[str, ManifestFacts] = {}
    where: dict[str, str] = {}
    problems: list[str] = []
    repeated: set[str] = set()
    players: dict[str, dict[int, dict[str, str]]] = {}
    for line, cells in rows:
        place = f"{manifest.name}, line {line}"
        values = dict(zip(columns, cells, strict=False))
        given = values.get("file", "")
        if len(given) > PATH_LENGTH:
            problems.append(f"{place}, column file: {len(given)} characters; a path has at most {PATH_LENGTH}")
            continue
        inner = posixpath.normpath(given.replace("\\", "/"))
        if inner == ".":
            problems.append(f"{place}, column file: the cell is blank, so the row names no report")
        elif re.match(r"\.\.(/|$)|/|[A-Za-z]:", inner):
            problems.append(f"{place}, column file: '{inner}' is not in the manifest's folder or below")
        else:
            report = key(posixpath.join(manifest.folder, inner))
            if any(values.get(column) for column in _OF_PLAYER):
                players.setdefault(report, {})[line] = values
                if not any(cell for column, cell in zip_longest(columns, cells) if column in (None, "", *_FACTS)):
                    where.setdefault(report, place)
                    continue
            if report in repeated:
                continue
            if report in facts:
                repeated.add(report)
                where[report] += f" and line {line}"
                facts[report] = ManifestFacts(problems=(Problem("manifest_twice", inner, where[report]),))
            else:
                where[report] = place
                facts[report] = _facts(place, columns, cells)
    for report, rows_of_players in players.items():
        known = facts.get(report, ManifestFacts())
        player_ids, wrong = _player_ids(manifest.name, rows_of_players)
        facts[report] = replace(known, player_ids=player_ids, problems=(*known.problems, *wrong))
    notes = (*manifest.notes, *_moved_codes(manifest.name, facts))
    return replace(manifest, facts=facts, where=where, problems=tuple(problems), notes=notes)


def _moved_codes(name: str, facts: Mapping[str, ManifestFacts]) -> Iterator[str]:
    """Yield a note where files that are named by the code of an event have another code, and another file theirs."""
    named = {one.event_id: report for report, one in facts.items() if one.event_id}
    moved = [
        (report, one.event_id, code)
        for report, one in facts.items()
        if one.event_id and (code := PurePosixPath(report).stem) in named and code != one.event_id
    ]
    if moved:
        report, has, code = moved[0]
        yield (
            f"{name}: {report} has the event_id {has}, and {named[code]} has {code}; were the codes moved to other rows"
            f"? {len(moved):,} such {'report' if len(moved) == 1 else 'reports'}"
        )


def _player_ids(name: str, rows: Mapping[int, Mapping[str, str]]) -> tuple[str | None, tuple[Problem, ...]]:
    """Return the FIDE IDs that ``rows`` of a report state, by line, and what is wrong with them.

    A row with a start number and no FIDE ID states nothing.
    """
    ids: dict[int, int] = {}
    first: dict[int, int] = {}
    problems: list[Problem] = []
    for line, values in rows.items():
        number, fide_id = (values.get(column, "") for column in _OF_PLAYER)
        is_number = _WHOLE_FORM.fullmatch(number) is not None and int(number) > 0
        is_id = not fide_id or (_ID_FORM.fullmatch(fide_id) is not None and int(fide_id) > 0)
        wrong = []
        if not is_number:
            wrong.append(("start_number", number, _OF_PLAYER["start_number"]))
        if not is_id:
            wrong.append(("fide_id", fide_id, _OF_PLAYER["fide_id"]))
        if not wrong and fide_id and ids.setdefault(int(number), int(fide_id)) != int(fide_id):
            wrong.append(("start_number", number, f"each start number once; line {first[int(number)]} has it"))
        problems += [
            Problem("manifest_value", _shown(cell), f"{name}, line {line}, column {column} (allowed: {allowed})")
            for column, cell, allowed in wrong
        ]
        if is_number:
            first.setdefault(int(number), line)
    return " ".join(f"{number}={ids[number]}" for number in sorted(ids)) or None, tuple(problems)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the trimmed cells of every row that is not blank."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    following = 1
    for row in reader:
        line, following = following, reader.line_num + 1
        if line > MANIFEST_ROWS:
            raise _LimitError(f"line {line}: more rows than the {MANIFEST_ROWS} that are read")
        if following > line + 1:
            raise _LimitError(f"line {line}: a cell in quotes runs over the end of the line")
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield line, cells


class _LimitError(ValueError):
    """The manifest is over a limit; the message begins with the line."""


def _shown(text: str) -> str:
    return shortened(text, SHOWN_LENGTH)


def _facts(place: str, columns: list[str], cells: list[str]) -> ManifestFacts:
    facts: dict[str, Any] = {}
    problems = [
        Problem("manifest_row", _shown(cell), f"{place}, column {number}")
        for number, (cell, column) in enumerate(zip_longest(cells[:_CELLS_CHECKED], columns, fillvalue=""), start=1)
        if cell and not column
    ]
    for column, cell in zip(columns, cells, strict=False):
        if cell and column in _FACTS:
            allowed, reading = _FACTS[column]
            try:
                facts[_FIELDS.get(column, column)] = reading(cell)
            except ValueError:
                problems.append(
                    Problem("manifest_value", _shown(cell), f"{place}, column {column} (allowed: {allowed})")
                )
    return ManifestFacts(**facts, problems=tuple(problems))


def _text_of(most: int) -> tuple[str, Callable[[str], str]]:
    def reading(cell: str) -> str:
        text = " ".join(cell.split())
        if len(text) > most or first_forbidden_in_written_text(text):
            raise ValueError(cell)
        return text

    return f"any text of at most {most} characters, all of them seen", reading


def _is_day_first(cell: str) -> bool:
    """Return whether a cell is a day of the calendar, written DD.MM.YYYY."""
    try:
        return _DAY_FIRST.fullmatch(cell) is not None and _day(cell) is not None
    except ValueError:
        return False


def _day(cell: str) -> date:
    if parts := _DAY_FIRST.fullmatch(cell):
        return date(int(parts[3]), int(parts[2]), int(parts[1]))
    # fromisoformat alone also takes 20251005 and week dates.
    if not _DAY_FORM.fullmatch(cell):
        raise ValueError(cell)
    return date.fromisoformat(cell)


def _whole(cell: str) -> int:
    if not _WHOLE_FORM.fullmatch(cell) or int(cell) < 1:
        raise ValueError(cell)
    return int(cell)


def _yes(cell: str) -> bool:
    if cell not in ("0", "1"):
        raise ValueError(cell)
    return cell == "1"


def _letters(cell: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{3}", cell):
        raise ValueError(cell)
    return cell.upper()


def _one_of(*names: str) -> tuple[str, Callable[[str], str]]:
    def reading(cell: str) -> str:
        if cell.casefold() not in names:
            raise ValueError(cell)
        return cell.casefold()

    return ", ".join(names), reading


_DAY = "YYYY-MM-DD"
_WHOLE = "a whole number from 1 to 9999"
# column: the allowed values, for the message, and the parser of a cell
_COLUMNS: dict[str, tuple[str, Callable[[str], object]]] = {
    "event_id": _text_of(EVENT_ID_LENGTH),
    "version": (_WHOLE, _whole),
    "received_on": (_DAY, _day),
    "event_type": _one_of("swiss", "roundrobin", "double_roundrobin", "team", "match"),
    "time_control": _one_of("standard", "rapid", "blitz"),
    "official": ("0, 1", _yes),
    "federation": ("three letters", _letters),
    "start_date": (_DAY, _day),
    "end_date": (_DAY, _day),
    "registered_on": (_DAY, _day),
    "minutes_per_60_moves": (_WHOLE, _whole),
}

_FACTS = {**_COLUMNS, "name": _text_of(TABLE_NAME_LENGTH)}
# Where a report is recorded, its name is that of the file.
_FIELDS = {"name": "event_name"}
_OF_PLAYER = {"start_number": _WHOLE, "fide_id": "the digits of a FIDE ID"}
_READ = ("file", *_FACTS, *_OF_PLAYER)

ALLOWED = {column: allowed for column, (allowed, _) in _COLUMNS.items()}
"""Every column that a table of events has too, in order, with what its cells may hold."""


def recorded_report(name: str, sha256: str, facts: ManifestFacts) -> dict[str, object]:
    """Return a delivered report as JSON values: ``name``, ``sha256``, and the facts that a manifest states."""
    cells = {one.name: getattr(facts, one.name) for one in fields(facts) if one.name != "problems"}
    known = {key: str(cell) if key in DAYS else cell for key, cell in cells.items() if cell is not None}
    problems = {"problems": [asdict(one) for one in facts.problems]} if facts.problems else {}
    return {"name": name, "sha256": sha256, **known, **problems}


def facts_of_recorded(recorded: Mapping[str, Any]) -> ManifestFacts:
    """Return the facts of a report that :func:`recorded_report` encoded."""
    names = {one.name for one in fields(ManifestFacts)}
    cells: dict[str, Any] = {
        key: date.fromisoformat(cell) if key in DAYS else cell for key, cell in recorded.items() if key in names
    }
    cells["problems"] = tuple(Problem(**one) for one in recorded.get("problems", ()))
    return ManifestFacts(**cells)
