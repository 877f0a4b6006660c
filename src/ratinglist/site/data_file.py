"""Encode data files of the site: JSON made with column expressions, in a script that passes it to the page.

A page may load a script from any host, and from a folder on a computer; it may not fetch other files from a folder. So
each data file is a script of one call, ``RL("h/5f","3f2a...","...")``: the name of the file, its version, and its JSON
as base64 of raw deflate, which the browser's ``DecompressionStream`` unpacks. The version is that of the site, or of a
month; the browser compares it with that of the page, so that files of two versions are never mixed.

The JSON is a text per row, so that millions of rows are written without a loop. It has numbers and texts only; an empty
value is ``null``. The texts of a name or an event are escaped by Polars' JSON writer.
"""

from __future__ import annotations

import base64
import json
import zlib

import polars as pl

from ratinglist.schemas import LISTS

CONTROLS = {name: number for number, name in enumerate(LISTS)}
"""The number of each time control in the data files."""

_LEVEL = 6
_RAW = -15
"""The window of zlib for deflate without a header: ``deflate-raw`` of the browser."""
_OPENING, _CLOSING = '{"v":', "}"


def address(name: str, version: str) -> str:
    """Return the address of a data file in the site. It has the version, so what an address holds never changes."""
    return f"data/{version}/{name}.js"


def encode(name: str, version: str, content: str) -> bytes:
    """Return the bytes of the data file ``name`` of a version, with the JSON text ``content``.

    The same text gives the same bytes.
    """
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    packed = deflate.compress(content.encode()) + deflate.flush()
    return f'RL("{name}","{version}","'.encode("ascii") + base64.b64encode(packed) + b'");\n'


def as_json(value: object) -> str:
    """Return JSON without blanks, keys in the order they were put in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


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
