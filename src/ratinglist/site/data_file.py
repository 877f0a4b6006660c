"""Encode data files of the site: JSON, or tables, in a script that passes them to the page.

A page may load a script from any host, and from a folder on a computer; it may not fetch other files from a folder. So
each data file is a script of one call, ``RL("h/5f","3f2a...",51234,"...")``: the name of the file, its version, the
number of its bytes after compression with raw deflate, which the browser's ``DecompressionStream`` unpacks, and these
bytes as a text. The version is that of the site, or of a month; the browser compares it with that of the page, so that
files of two versions are never mixed.

The script is in UTF-16, little-endian, and its first two bytes say so: a browser believes them more than any header of
a server. Two bytes are one letter of the text. A space stands before a letter that no text may have: half a pair of
letters, the end of a line, a quotation mark, a backslash, a zero, the space itself. It is written with its highest bit
changed. So a file is 3 % larger than its bytes, where it would be a third larger in base64.

The JSON is a text per row, so that millions of rows are written without a loop. It has numbers and texts only; an empty
value is ``null``. The texts of a name or an event are escaped by Polars' JSON writer.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib

import polars as pl

from ratinglist.tables import LISTS

CONTROLS = {name: number for number, name in enumerate(LISTS)}
"""The number of each time control in the data files."""

FOLDER = "data"
"""The folder of the data files in a site."""
_LEVEL = 6
_RAW = -15
"""The window of zlib for deflate without a header: ``deflate-raw`` of the browser."""
_UTF16 = ("utf-16-le", "surrogatepass")
_ESCAPE = " "
_ESCAPED = {chr(code): _ESCAPE + chr(code ^ 0x8000) for code in (*b'\0\n\r"\\', ord(_ESCAPE), *range(0xD800, 0xE000))}
_NOT_IN_TEXT = re.compile(f"[{re.escape(''.join(_ESCAPED))}]")
_OPENING, _CLOSING = '{"v":', "}"


def address(name: str, version: str) -> str:
    """Return the address of a data file in the site. It has the version, so what an address holds never changes."""
    return f"{FOLDER}/{version}/{name}.js"


def encode(name: str, version: str, content: str | bytes) -> bytes:
    """Return the bytes of the data file ``name`` of a version, with ``content``: JSON, or packed tables.

    The same content gives the same bytes.
    """
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    packed = deflate.compress(content.encode() if isinstance(content, str) else content) + deflate.flush()
    return codecs.BOM_UTF16_LE + f'RL("{name}","{version}",{len(packed)},"{_as_text(packed)}");\n'.encode(*_UTF16)


def _as_text(content: bytes) -> str:
    """Return bytes as letters of 16 bits, those that a text of a script may not have escaped."""
    even = content + bytes(len(content) % 2)
    return _NOT_IN_TEXT.sub(lambda found: _ESCAPED[found[0]], even.decode(*_UTF16))


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
