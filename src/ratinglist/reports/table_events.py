"""The rows of a table of events: the facts of each event, and what is wrong with its row.

A cell that cannot be understood refuses its event, as a cell of a manifest refuses its report.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import EVENT_ID_LENGTH, SHOWN_LENGTH, TABLE_NAME_LENGTH
from ratinglist.reports.encoding import leave_out
from ratinglist.reports.manifest import ALLOWED, DAYS
from ratinglist.text import FORBIDDEN_IN_NAME, UNSEEN, shortened

CUT = "\uffff"
"""The end of a cell that was longer than its column allows, and was cut off there. No cell with it can be valid, since
it is no character, and no shortened cell may be taken for another value."""

REQUIRED = ("event_id", "name")
OPTIONAL = tuple(name for name in ALLOWED if name != "event_id")
_NAME = f"a text of at most {TABLE_NAME_LENGTH} characters, without control characters"
CELLS = {"name": _NAME, **{name: ALLOWED[name] for name in OPTIONAL}}
"""What the cells of every column but ``event_id`` may hold."""
_WHOLE = ("version", "minutes_per_60_moves")
_CHOICES = ("event_type", "time_control")
_PROBLEMS_SHOWN = 20
_DAY = r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4})$"


class UnreadableTableError(Exception):
    """The table as a whole cannot be used. The message names the file, the place and what to do."""


@dataclass(frozen=True, slots=True)
class TableCells:
    """The cells of a table, or of some rows of it.

    ``rows``: ``row`` and the columns that are read, as trimmed text, blank where the cell or the column is missing;
    a cell that is too long for its column is cut off, and ends in :data:`CUT`.
    ``numbers``: the number, from 1, of each of these columns in the file. ``broken``: ``row``, ``event_id`` and
    ``cells`` (how many it has; null for a quotation mark that does not quote a whole cell) of the lines that do not fit
    the header. ``width``: the columns of the header. ``notes``: one sentence for each column that is not read.
    """

    name: str
    rows: pl.DataFrame
    numbers: dict[str, int]
    broken: pl.DataFrame
    width: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableEvents:
    """The events of a delivery.

    ``events``: ``file_no`` (from 1, in the order of ``code``), ``code`` (the registration code as delivered), ``row``
    (null for an event that only the games name), ``name``, ``event_id`` and the other columns of a manifest, null where
    a cell is blank or cannot be understood. ``findings``: :data:`~ratinglist.tables.FILE_FINDING`. ``problems``: a
    sentence for each row that names no event.
    """

    events: pl.DataFrame
    findings: pl.DataFrame
    problems: tuple[str, ...]


def code() -> pl.Expr:
    """Return a registration code with single blanks, as a manifest's is read."""
    return pl.col("event_id").str.replace_all(r"\s+", " ")


def day_first_turned(column: str) -> pl.Expr:
    """Return a day as spreadsheets save it, ``DD.MM.YYYY``, as ``YYYY-M-D``, and any other text as it is."""
    return pl.col(column).str.replace(r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$", "${3}-${2}-${1}")


def is_code(column: str) -> pl.Expr:
    """Return whether a text can be a registration code."""
    text = pl.col(column)
    return (
        (text != "") & (text.str.len_chars() <= EVENT_ID_LENGTH) & ~text.str.contains(f"{FORBIDDEN_IN_NAME}|{UNSEEN}")
    )


def shown(text: pl.Expr) -> pl.Expr:
    """Return a cell as it may be printed: shortened, with U+FFFD for what no reader sees."""
    return (
        text.str.slice(0, SHOWN_LENGTH)
        .str.replace(f"{CUT}$", "...")
        .str.replace_all(f"{FORBIDDEN_IN_NAME}|{UNSEEN}", "\ufffd")
    )


def read(table: TableCells, codes_of_games: pl.Series) -> TableEvents:
    """Read the rows of the table of events.

    ``codes_of_games``: every code in the table of games (:func:`code`). An event without a row of its own has its code
    as name.
    """
    rows = table.rows.with_columns(code().alias("code"))
    valid = rows.filter(is_code("code"))
    first = valid.unique("code", keep="first", maintain_order=True)
    broken = table.broken.with_columns(code().alias("code"))
    every = pl.concat([first["code"], broken["code"], codes_of_games]).unique().sort().alias("code").to_frame()
    events = every.with_row_index("file_no", 1).with_columns(pl.col("file_no").cast(pl.Int32))
    events = events.join(first, on="code", how="left", maintain_order="left").with_columns(
        pl.col(pl.String).fill_null("")
    )
    repeated = (
        valid.join(events.select("code", "file_no", first_row="row"), on="code")
        .filter(pl.col("row") != pl.col("first_row"))
        .sort("file_no", "row")
    )
    named, notes = leave_out(events.with_columns(line=pl.col("row")), "name", 1)
    values = named.drop("line").with_columns(_name()).with_columns(*_values())
    found = [
        # Their place is a row of the table of events, and the report is named after that of the games.
        notes.with_columns(pl.lit(None, pl.Int32).alias("line"), pl.lit(None, pl.Int32).alias("column")),
        finding(
            "event_row_missing",
            events.filter(pl.col("row").is_null()).join(broken, on="code", how="anti"),
            value=shown(pl.col("code")),
            detail=pl.lit(table.name),
        ),
        finding(
            "event_row_twice",
            repeated,
            value=pl.col("code"),
            detail=pl.concat_str(pl.lit(f"{table.name}, rows "), "first_row", pl.lit(" and "), "row"),
        ),
        *(_unreadable(table, values, name, allowed) for name, allowed in CELLS.items()),
        *(_date_missing(table, values, name) for name in ("start_date", "end_date")),
        _broken(table, broken.join(events.select("code", "file_no"), on="code")),
    ]
    facts = values.select(
        *("file_no", "code", "row"),
        *(pl.col(f"{name}_value").alias(name) for name in ("name", "event_id", *OPTIONAL)),
    )
    return TableEvents(facts, pl.concat(found), _problems(table, rows.filter(~is_code("code"))))


def _name() -> pl.Expr:
    """Return the name with single blanks; of an event without a row, its code."""
    name = pl.when(pl.col("row").is_null()).then(shown(pl.col("code"))).otherwise("name")
    return name.str.replace_all(r"\s+", " ").alias("name")


def _values() -> list[pl.Expr]:
    """Return the value of every cell, null where it is blank or cannot be understood."""

    def when(name: str, form: str, value: pl.Expr) -> pl.Expr:
        return pl.when(pl.col(name).str.contains(form)).then(value).alias(f"{name}_value")

    whole = r"^[0-9]{1,4}(?:\.0)?$"
    choices = {name: [choice.strip() for choice in ALLOWED[name].split(",")] for name in _CHOICES}
    number = {name: pl.col(name).str.extract(r"^([0-9]+)").cast(pl.Int32, strict=False) for name in _WHOLE}
    flag = pl.col("official").str.to_lowercase().replace({"true": "1", "false": "0", "1.0": "1", "0.0": "0"})
    name = pl.col("name")
    return [
        *(when(day, _DAY, day_first_turned(day).str.to_date("%Y-%m-%d", strict=False)) for day in DAYS),
        *(when(column, whole, pl.when(value > 0).then(value)) for column, value in number.items()),
        *(
            pl.when(pl.col(column).str.to_lowercase().is_in(allowed))
            .then(pl.col(column).str.to_lowercase())
            .alias(f"{column}_value")
            for column, allowed in choices.items()
        ),
        pl.when(flag.is_in(["0", "1"])).then(flag == "1").alias("official_value"),
        when("federation", r"^[A-Za-z]{3}$", pl.col("federation").str.to_uppercase()),
        pl.when(is_code("code")).then("code").alias("event_id_value"),
        pl.when((name.str.len_chars() <= TABLE_NAME_LENGTH) & ~name.str.contains(FORBIDDEN_IN_NAME))
        .then(name)
        .alias("name_value"),
    ]


def _unreadable(table: TableCells, values: pl.DataFrame, name: str, allowed: str) -> pl.DataFrame:
    wrong = values.filter((pl.col(name) != "") & pl.col(f"{name}_value").is_null() & pl.col("row").is_not_null())
    place = pl.concat_str(pl.lit(f"{table.name}, row "), pl.col("row"), pl.lit(f", column {name} (allowed: {allowed})"))
    return finding("event_value", wrong, value=shown(pl.col(name)), detail=place)


def _date_missing(table: TableCells, values: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return a refusal of each event whose row leaves this date blank."""
    blank = values.filter((pl.col(name) == "") & pl.col("row").is_not_null())
    return finding(
        "event_date_missing",
        blank,
        value=pl.lit(name),
        detail=pl.concat_str(pl.lit(f"{table.name}, row "), pl.col("row")),
    )


def _broken(table: TableCells, rows: pl.DataFrame) -> pl.DataFrame:
    """Return a refusal of each event whose row does not fit the header."""
    place = pl.concat_str(pl.lit(f"{table.name}, row "), pl.col("row"))
    cells = pl.col("cells").cast(pl.String).fill_null("a misplaced quotation mark in its")
    return finding(
        "event_row", rows, value=cells, detail=pl.concat_str(place, pl.lit(f"; its header has {table.width}"))
    )


def _problems(table: TableCells, rows: pl.DataFrame) -> tuple[str, ...]:
    """Return a sentence for each of the first rows that name no event, and one for the others."""
    sentences = [
        f"{table.name}, row {row}, column event_id: '{shortened(text, SHOWN_LENGTH)}' is no registration code "
        f"(allowed: {ALLOWED['event_id']}), so the row names no event. Correct it, and deliver the tables again."
        for row, text in rows.head(_PROBLEMS_SHOWN).select("row", "code").iter_rows()
    ]
    if len(rows) > _PROBLEMS_SHOWN:
        sentences.append(f"{table.name}: {len(rows) - _PROBLEMS_SHOWN} more rows name no event.")
    return tuple(sentences)
