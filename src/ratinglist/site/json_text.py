"""Write JSON with column expressions: a text per row, so that millions of rows are written without a loop.

Numbers and texts only; an empty value is ``null``. The texts of a name or an event are escaped by Polars' JSON writer.
"""

from __future__ import annotations

import polars as pl

_OPENING, _CLOSING = '{"v":', "}"


def number(column: str | pl.Expr) -> pl.Expr:
    """Return a whole number, or true or false as 1 or 0, as JSON."""
    value = pl.col(column) if isinstance(column, str) else column
    return value.cast(pl.Int64).cast(pl.String).fill_null("null")


def text(column: str | pl.Expr) -> pl.Expr:
    """Return a text as JSON, in quotes and escaped; a date as ``YYYY-MM-DD``."""
    value = pl.col(column) if isinstance(column, str) else column
    encoded = pl.struct(value.cast(pl.String).alias("v")).struct.json_encode()
    return encoded.str.strip_prefix(_OPENING).str.strip_suffix(_CLOSING)


def array(*parts: pl.Expr) -> pl.Expr:
    """Return a JSON array of JSON texts: one array per row."""
    return pl.concat_str([pl.lit("["), pl.concat_str(parts, separator=","), pl.lit("]")])


def array_of_rows(part: pl.Expr) -> pl.Expr:
    """Return one JSON array of the JSON texts of a group, in the order of its rows."""
    return pl.concat_str([pl.lit("["), part.str.join(","), pl.lit("]")])


def member(name: str, part: pl.Expr) -> pl.Expr:
    """Return ``"name":part``, to be put between the braces of an object; ``name`` needs no escaping."""
    return pl.concat_str([pl.lit(f'"{name}":'), part])
