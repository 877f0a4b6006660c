"""What an office states of an event, in a manifest or in a table of events: the columns, and the values of cells."""

from __future__ import annotations

from typing import Final

import polars as pl

from ratinglist.limits import EVENT_ID_LENGTH, TABLE_NAME_LENGTH
from ratinglist.text import FORBIDDEN_IN_NAME, UNSEEN

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
_FORM_OF_DAY: Final = r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4})$"
_FLAGS: Final = {"true": "1", "false": "0", "1.0": "1", "0.0": "0"}


def values() -> list[pl.Expr]:
    """Return the value of each cell as ``..._value``, null where it is blank or cannot be understood.

    In: the columns of :data:`ALLOWED` and ``name``, as trimmed text with single blanks.
    """
    flag = pl.col("official").str.to_lowercase().replace(_FLAGS)
    name = pl.col("name")
    is_name = (name.str.len_chars() <= TABLE_NAME_LENGTH) & ~name.str.contains(f"{FORBIDDEN_IN_NAME}|{UNSEEN}")
    read = {
        **{column: day(column) for column in DAYS},
        **{column: _whole(column) for column in ("version", "minutes_per_60_moves")},
        **{column: _choice(column) for column in ("event_type", "time_control")},
        "official": pl.when(flag.is_in(["0", "1"])).then(flag == "1"),
        "federation": pl.col("federation").str.extract(r"^([A-Za-z]{3})$").str.to_uppercase(),
        "event_id": pl.when(is_code("event_id")).then("event_id"),
        "name": pl.when(is_name).then(name),
    }
    return [value.alias(f"{column}_value") for column, value in read.items()]


def is_code(column: str) -> pl.Expr:
    """Return whether a text can be a registration code."""
    text = pl.col(column)
    is_written = ~text.str.contains(f"{FORBIDDEN_IN_NAME}|{UNSEEN}")
    return (text != "") & (text.str.len_chars() <= EVENT_ID_LENGTH) & is_written


def day(column: str) -> pl.Expr:
    """Return the day that a cell is, also as spreadsheets save it, ``DD.MM.YYYY``; null for any other text."""
    turned = pl.col(column).str.replace(r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$", "${3}-${2}-${1}")
    return pl.when(pl.col(column).str.contains(_FORM_OF_DAY)).then(turned.str.to_date("%Y-%m-%d", strict=False))


def _choice(column: str) -> pl.Expr:
    text = pl.col(column).str.to_lowercase()
    return pl.when(text.is_in(ALLOWED[column].split(", "))).then(text)


def _whole(column: str) -> pl.Expr:
    number = pl.col(column).str.extract(r"^([0-9]{1,4})(?:\.0)?$").cast(pl.Int32)
    return pl.when(number > 0).then(number)
