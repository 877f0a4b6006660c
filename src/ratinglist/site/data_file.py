"""Encode a data file of the site: a script that passes compressed JSON to the page.

A page may load a script from any host, and from a folder on a computer; it may not fetch other files from a folder. So
each data file is a script of one call, ``RL("h/5f","...")``: the name of the file, and its JSON as base64 of raw
deflate, which the browser's ``DecompressionStream`` unpacks.
"""

from __future__ import annotations

import base64
import json
import zlib

from ratinglist.schemas import LISTS

CONTROLS = {name: number for number, name in enumerate(LISTS)}
"""The number of each time control in the data files."""

_LEVEL = 6
_RAW = -15
"""The window of zlib for deflate without a header: ``deflate-raw`` of the browser."""


def encode(name: str, content: str) -> bytes:
    """Return the bytes of the data file ``name`` with the JSON text ``content``; the same text gives the same bytes."""
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    packed = deflate.compress(content.encode()) + deflate.flush()
    return b'RL("' + name.encode("ascii") + b'","' + base64.b64encode(packed) + b'");\n'


def decode(data: bytes) -> tuple[str, str]:
    """Return the name and the JSON text of a data file that :func:`encode` made.

    Raises :class:`ValueError` where the bytes are none.
    """
    if not (data.startswith(b'RL("') and data.endswith(b'");\n')):
        raise ValueError("not a data file of a site")
    name, _, packed = data[4:-4].partition(b'","')
    try:
        return name.decode("ascii"), zlib.decompress(base64.b64decode(packed, validate=True), _RAW).decode()
    except zlib.error as error:
        raise ValueError(str(error)) from None


def as_json(value: object) -> str:
    """Return JSON without blanks, keys in the order they were put in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
