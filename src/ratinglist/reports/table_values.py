"""The values of the rows of a table of games: which cells can be understood, and which cannot.

The rows are read some hundred thousand at once, and of each only its values are kept: whole numbers, a day, two result
codes. So a table of millions of rows takes some hundred megabytes, whatever its cells hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import FINDINGS_PER_RULE
from ratinglist.limits import ROUNDS, TABLE_EVENTS, TABLE_WRONG_ROWS
from ratinglist.reports import table_events
from ratinglist.reports.delivered_table import TableCells, UnreadableTableError
from ratinglist.result_codes import POINT_HALVES

REQUIRED: Final = ("event_id", "round", "white_id", "black_id", "white_result", "black_result")
OPTIONAL: Final = ("date",)
SIDES: Final = ("white", "black")
ALLOWED: Final = {
    "round": f"a whole number from 1 to {ROUNDS}",
    "date": "YYYY-MM-DD, from 1970 to 2099, or blank",
    "white_id": "digits of a FIDE ID, or blank for a bye of Black",
    "black_id": "digits of a FIDE ID, or blank for a bye of White",
    "white_result": "1 = 0 + - W D L H F U Z or blank",
    "black_result": "1 = 0 + - W D L H F U Z or blank",
}
"""What the cells of every column but ``event_id`` may hold."""
_DAY: Final = r"^(?:19[7-9][0-9]|20[0-9]{2})-[0-9]{2}-[0-9]{2}$"
_MOST_ID: Final = 10**11 - 1
"""The greatest number that the eleven columns of a FIDE ID hold."""
_RESULT: Final = pl.Enum(["", *(code for code in POINT_HALVES if code)])


@dataclass(frozen=True, slots=True)
class TableValues:
    """The rows of a table of games, before it is known which event each is of.

    ``codes``: the registration codes in it; ``code_no`` is a place in it. ``rows``: ``code_no``, ``row``, ``round``,
    ``date``, ``white_id``, ``black_id`` (null: none), ``white_result``, ``black_result`` of the rows whose cells can be
    understood, in their order. ``wrong``: ``code_no``, ``row`` and the text of every column of the first rows of each
    event with a cell that cannot, and by column ``is_wrong_...``. ``wrong_cells``: ``code_no`` and ``cells``: how many
    there are. ``broken``: ``code_no``, ``row`` and ``cells`` of the lines that do not fit the header.
    ``name``, ``numbers``, ``width``, ``notes``: of :class:`~ratinglist.reports.delivered_table.TableCells`.
    """

    name: str
    numbers: dict[str, int]
    width: int
    notes: tuple[str, ...]
    codes: pl.Series
    rows: pl.DataFrame
    wrong: pl.DataFrame
    wrong_cells: pl.DataFrame
    broken: pl.DataFrame


def read(slices: Iterable[TableCells]) -> TableValues:
    """Read the rows of a table of games.

    Raises :class:`UnreadableTableError` for more than :data:`~ratinglist.limits.TABLE_WRONG_ROWS` rows with a cell that
    cannot be understood, and for more than :data:`~ratinglist.limits.TABLE_EVENTS` events.
    """
    codes = pl.DataFrame(schema={"code": pl.String, "code_no": pl.Int32})
    parts: dict[str, list[pl.DataFrame]] = {"rows": [], "wrong": [], "wrong_cells": [], "broken": []}
    first = ""
    wrong_rows = 0
    for cells in slices:
        rows, broken = (frame.with_columns(table_events.code().alias("code")) for frame in (cells.rows, cells.broken))
        codes = _with_codes(codes, pl.concat([rows["code"], broken["code"]]), cells.name)
        rows, broken = (_numbered(frame, codes) for frame in (rows, broken))
        valued = rows.with_columns(_no_player()).with_columns(_values()).with_columns(_is_wrong())
        is_wrong = pl.any_horizontal(f"is_wrong_{name}" for name in ALLOWED)
        wrong = valued.filter(is_wrong)
        wrong_rows += wrong.height
        first = first or _first_wrong(cells, wrong)
        if wrong_rows > TABLE_WRONG_ROWS:
            raise UnreadableTableError(
                f"{cells.name} has more than {TABLE_WRONG_ROWS:,} rows with a cell that cannot be understood, the "
                f"first in {first}. Correct the table, and deliver it again."
            )
        parts["rows"].append(valued.filter(~is_wrong).select(_kept_values()))
        parts["wrong"].append(_first_rows(wrong))
        parts["wrong_cells"].append(_number_of_cells(wrong))
        parts["broken"].append(broken.select("code_no", "row", "cells"))
    frames = {name: pl.concat(some) for name, some in parts.items()}
    return TableValues(cells.name, cells.numbers, cells.width, cells.notes, codes["code"], **frames)


def _with_codes(codes: pl.DataFrame, found: pl.Series, name: str) -> pl.DataFrame:
    """Return ``code`` and ``code_no`` of the codes of the rows before and of those ``found``."""
    new = (
        found.unique(maintain_order=True)
        .alias("code")
        .to_frame()
        .join(codes, on="code", how="anti", maintain_order="left")
    )
    numbered = new.with_columns(pl.int_range(codes.height, codes.height + pl.len(), dtype=pl.Int32).alias("code_no"))
    if codes.height + new.height > TABLE_EVENTS:
        raise UnreadableTableError(f"{name} has more than {TABLE_EVENTS} events. Deliver the events in several parts.")
    return pl.concat([codes, numbered])


def _numbered(rows: pl.DataFrame, codes: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the number of the code of each."""
    return rows.join(codes, on="code", how="left", maintain_order="left")


def _no_player() -> list[pl.Expr]:
    """Return the IDs, blank where a cell says that there is no player."""
    return [pl.col(f"{side}_id").replace(["0", "0000", "0.0"], "") for side in SIDES]


def _values() -> list[pl.Expr]:
    """Return the value of every cell; null where it is blank or cannot be understood."""

    def number(name: str, most: int) -> pl.Expr:
        # A whole number in a column with missing values is written as a fraction by many programs.
        value = pl.col(name).str.strip_suffix(".0").cast(pl.Int64, strict=False)
        has_sign = pl.col(name).str.starts_with("+")
        return pl.when(value.is_between(1, most) & ~has_sign).then(value).alias(f"{name}_value")

    results = [pl.col(f"{side}_result").str.to_uppercase() for side in SIDES]
    return [
        number("round", ROUNDS).cast(pl.Int32),
        pl.when(pl.col("date").str.contains(_DAY))
        .then(pl.col("date").str.to_date("%Y-%m-%d", strict=False))
        .alias("date_value"),
        *(number(name, _MOST_ID) for name in ("white_id", "black_id")),
        *(
            pl.when(result.is_in(list(POINT_HALVES))).then(result).alias(f"{side}_result_value")
            for side, result in zip(SIDES, results, strict=True)
        ),
    ]


def _is_wrong() -> list[pl.Expr]:
    """Return of every column whether its cell cannot be understood."""
    return [
        (pl.col(f"{name}_value").is_null() & ((pl.col(name) != "") | (pl.lit(name) == "round"))).alias(
            f"is_wrong_{name}"
        )
        for name in ALLOWED
    ]


def _kept_values() -> list[pl.Expr]:
    return [
        pl.col("code_no"),
        pl.col("row"),
        *(pl.col(f"{name}_value").alias(name) for name in ALLOWED if not name.endswith("result")),
        *(pl.col(f"{side}_result_value").fill_null("").cast(_RESULT).alias(f"{side}_result") for side in SIDES),
    ]


def _first_rows(wrong: pl.DataFrame) -> pl.DataFrame:
    """Return the first wrong rows of each event: more are not shown."""
    first = wrong.filter(pl.int_range(pl.len()).over("code_no") < FINDINGS_PER_RULE)
    return first.select("code_no", "row", *ALLOWED, *(f"is_wrong_{name}" for name in ALLOWED))


def _number_of_cells(wrong: pl.DataFrame) -> pl.DataFrame:
    cells = pl.sum_horizontal(pl.col(f"is_wrong_{name}").sum() for name in ALLOWED).cast(pl.Int64)
    return wrong.group_by("code_no").agg(cells.alias("cells"))


def _first_wrong(table: TableCells, wrong: pl.DataFrame) -> str:
    """Return the place, the text and the rule of the first wrong cell; empty where there is none."""
    if wrong.is_empty():
        return ""
    first = wrong.row(0, named=True)
    name = next(name for name in ALLOWED if first[f"is_wrong_{name}"])
    text = wrong.head(1).select(table_events.shown(pl.col(name))).item()
    return f"row {first['row']}, column {table.numbers.get(name, 0)}: '{text}' as {name} (allowed: {ALLOWED[name]})"
