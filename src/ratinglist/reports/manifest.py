"""The parser of ``manifest.csv``: facts of a report that the office knows and a TRF16 file has no field for.

Parsing is strict. A cell that cannot be understood refuses its report, because a report rated as something it was not
is worse than one that waits; a manifest without a ``file`` column refuses every report in its folder and below.

A report has one row with its facts, and a row for each player whose FIDE ID the manifest states. A table of events has
the same columns, and their cells are read by :func:`values` too.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import PurePosixPath
from typing import Any, Final

import polars as pl

from ratinglist.limits import EVENT_ID_LENGTH, MANIFEST_ROWS, PATH_LENGTH, SHOWN_LENGTH, TABLE_NAME_LENGTH
from ratinglist.reports.table_cells import MISPLACED, UnreadableTableError, read_cells
from ratinglist.text import FORBIDDEN_IN_NAME, UNSEEN, on_one_line, shortened

DAYS: Final = ("received_on", "start_date", "end_date", "registered_on")
"""The columns that hold a day."""
FORM_OF_DAY: Final = "YYYY-MM-DD or DD.MM.YYYY, from 1970 to 2099"
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
_CELLS: Final = {**_FACTS, **_OF_PLAYER}
_ELSEWHERE: Final = re.compile(r"\.$|\.\.(/|$)|/|[A-Za-z]:")
_YEAR: Final = "(?:19[7-9]|20[0-9])[0-9]"
_FORM_OF_DAY: Final = rf"^(?:{_YEAR}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}\.[0-9]{{1,2}}\.{_YEAR})$"
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


def key(name: str) -> str:
    """Return the name of a report in the form used to join manifests and deliveries: accents composed (NFC)."""
    return unicodedata.normalize("NFC", name)


def read(name: str, data: bytes) -> Manifest:
    """Parse one manifest delivered as ``name``.

    Never raises for any bytes: a manifest that cannot be used is returned with a ``refusal``.
    """
    try:
        table = read_cells(name, data, ("file",), tuple(_CELLS), most_rows=MANIFEST_ROWS, may_be_short=True)
    except UnreadableTableError as error:
        return Manifest(name, refusal=str(error))
    cells = table.rows.with_columns(pl.col("event_id", "name").str.replace_all(r"\s+", " "))
    broken = table.broken.select("row", pl.col("cells").cast(pl.String).fill_null(MISPLACED), file="key")
    rows: dict[str, list[dict[str, Any]]] = {}
    problems = []
    for row in pl.concat([cells.with_columns(*values(), *_numbers()), broken], how="diagonal").sort("row").to_dicts():
        file = posixpath.normpath(on_one_line(row["file"].replace("\\", "/")))
        if len(row["file"]) > PATH_LENGTH or _ELSEWHERE.match(file):
            problems.append(
                f"{name}, line {row['row']}, column file: '{_shown(row['file'])}' names no file in the manifest's "
                f"folder or below, with at most {PATH_LENGTH} characters"
            )
        else:
            rows.setdefault(key(posixpath.join(posixpath.dirname(name), file)), []).append(row)
    facts = {report: _facts(name, report, of_report, table.width) for report, of_report in rows.items()}
    where = {report: f"{name}, line {of_report[0]['row']}" for report, of_report in rows.items()}
    return Manifest(name, facts, where, tuple(problems), (*table.notes, *_moved_codes(name, facts)))


def merged(manifests: Sequence[Manifest]) -> dict[str, ManifestFacts]:
    """Return the facts of each report from all manifests, by the key of the report; two manifests refuse the report."""
    facts: dict[str, ManifestFacts] = {}
    for sheet in manifests:
        for report, stated in sheet.facts.items():
            twice = Problem("manifest_twice", report, f"{sheet.where[report]}, and another manifest")
            facts[report] = ManifestFacts(problems=(twice,)) if report in facts else stated
    return facts


def _facts(name: str, report: str, rows: Sequence[Mapping[str, Any]], width: int) -> ManifestFacts:
    """Return the facts that the ``rows`` of a report state: one row its own, and each row the FIDE ID of a player.

    A row with a start number and no FIDE ID states nothing.
    """
    ids: dict[int, int] = {}
    problems, stating = [], []
    for row in rows:
        place = f"{name}, line {row['row']}"
        if row["cells"]:
            problems.append(Problem("manifest_row", row["cells"], f"{place}; its header has {width}"))
            continue
        wrong = {column for column in _CELLS if row[column] and row[f"{column}_value"] is None}
        number, fide_id = row["start_number_value"], row["fide_id_value"]
        if row["fide_id"] and number is None:
            wrong.add("start_number")
        elif fide_id and ids.setdefault(number, fide_id) != fide_id:
            problems.append(Problem("manifest_value", str(number), f"{place}, column start_number (allowed: once)"))
        problems += [
            Problem("manifest_value", _shown(row[column]), f"{place}, column {column} (allowed: {allowed})")
            for column, allowed in _CELLS.items()
            if column in wrong
        ]
        if any(row[column] for column in _FACTS) or not any(row[column] for column in _OF_PLAYER):
            stating.append(row)
    if len(stating) > 1:
        lines = " and ".join(f"line {row['row']}" for row in stating)
        return ManifestFacts(problems=(Problem("manifest_twice", report, f"{name}, {lines}"),))
    # Where a report is recorded, its name is that of the file.
    facts = {column: row[f"{column}_value"] for row in stating for column in ALLOWED}
    event_name = next((row["name_value"] for row in stating), None) or None
    player_ids = " ".join(f"{number}={ids[number]}" for number in sorted(ids)) or None
    return ManifestFacts(**facts, event_name=event_name, player_ids=player_ids, problems=tuple(problems))


def _numbers() -> list[pl.Expr]:
    """Return the start number and the FIDE ID of a row."""
    patterns = {"start_number": r"^0*([1-9][0-9]{0,3})$", "fide_id": r"^0*([1-9][0-9]{0,10})$"}
    return [pl.col(name).str.extract(text).cast(pl.Int64).alias(f"{name}_value") for name, text in patterns.items()]


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
