"""Pack tables for data files column by column: what is alike stands together, and so deflate makes it smallest.

A file of tables is a line of JSON and then the bytes of its columns. The line has, by table, how many rows there are
and each column: a number is the length of texts in bytes, each ended by a byte 0, a missing one being a byte 1; a sign
is that of whole numbers, and says of how many bytes they are: first the lowest byte of all rows, then the second one.

A number n is written as 2n + 2, one below 0 as 1 - 2n, so that a missing one is 0. Three kinds have signs of their own:
``0`` to ``8`` numbers as they are, ``a`` to ``h`` differences from the row before, ``@`` to ``H`` numbers that are 0
where they are what the browser makes of other columns, and 1 where they are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ratinglist.site.data_file import as_json

PART = "part"
"""The column with the number of the file, by which the rows are sorted."""
_CODES = {1: pl.UInt8, 2: pl.UInt16, 4: pl.UInt32, 8: pl.UInt64}
_PLAIN, _DIFFERENCES, _COMPUTED = "012345678", "`abcdefgh", "@ABCDEFGH"
_END, _MISSING = "\0", "\1"


class Packing(NamedTuple):
    """How the columns of a table are packed: ``differences`` by name; ``computed``: what the browser makes of some."""

    differences: Sequence[str] = ()
    computed: Mapping[str, pl.Expr] = {}


class _Column(NamedTuple):
    """A column of all files. ``ends``: of each row in ``content``, for texts.

    Of numbers ``width`` is the bytes of each in ``content``, ``most`` the greatest by file.
    """

    content: memoryview
    ends: memoryview | None
    width: int = 0
    signs: str = ""
    most: Mapping[int, int] = {}


def packed(tables: Mapping[str, tuple[pl.DataFrame, Packing]]) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the content of each file.

    In: tables by name, each with :data:`PART`, by which it is sorted; a column whose name begins with ``_`` is not
    written. A file without rows of a table does not name it.
    """
    columns: dict[str, list[_Column]] = {}
    places: dict[str, dict[int, tuple[int, int]]] = {}
    for name, (rows, packing) in tables.items():
        counts = rows.group_by(PART, maintain_order=True).len()
        ends = counts["len"].cum_sum()
        places[name] = dict(zip(counts[PART], zip(ends - counts["len"], ends, strict=True), strict=True))
        written = [one for one in rows.columns if one != PART and not one.startswith("_")]
        columns[name] = [_column(rows, one, packing) for one in written]
    for part in sorted(set().union(*places.values())):
        head: dict[str, list[int | list[int | str]]] = {}
        content: list[bytes] = []
        for name, of_table in columns.items():
            if part in places[name]:
                first, end = places[name][part]
                signs: list[int | str] = []
                for column in of_table:
                    sign, packed_column = _cut(column, part, first, end)
                    signs.append(sign)
                    content.append(packed_column)
                head[name] = [end - first, signs]
        yield part, b"\n".join([as_json(head).encode(), b"".join(content)])


def _column(rows: pl.DataFrame, name: str, packing: Packing) -> _Column:
    value = pl.col(name)
    if rows.schema[name] == pl.String():
        ended = value.str.replace_all(_END, "", literal=True).fill_null(_MISSING) + _END
        texts = rows.select(ended).to_series().rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
        _, ends, content = texts.buffers()
        return _Column(memoryview(content or b""), memoryview(ends).cast("q"))
    signs = _PLAIN
    number = value.cast(pl.Int64)
    missing = 0
    if name in packing.differences:
        signs = _DIFFERENCES
        number -= pl.when(pl.col(PART) == pl.col(PART).shift()).then(number.shift()).otherwise(0)
    code = pl.when(number >= 0).then(2 * number + 2).otherwise(1 - 2 * number)
    if name in packing.computed:
        signs, missing = _COMPUTED, 1
        code = pl.when(value.ne_missing(packing.computed[name])).then(code.fill_null(missing)).otherwise(0)
    codes = rows.select(PART, code.fill_null(missing).cast(pl.UInt64).alias("code"))
    most = dict(codes.group_by(PART).agg(pl.col("code").max()).iter_rows())
    width = next(one for one in _CODES if max(most.values(), default=0) < 256**one)
    _, content = codes["code"].cast(_CODES[width]).rechunk().to_arrow().buffers()
    return _Column(memoryview(content or b""), None, width, signs, most)


def _cut(column: _Column, part: int, first: int, end: int) -> tuple[int | str, bytes]:
    """Return what the line of a file says of a column, and its bytes there."""
    if column.ends is not None:
        texts = column.content[column.ends[first] : column.ends[end]].tobytes()
        return len(texts), texts
    width = (column.most[part].bit_length() + 7) // 8
    own = column.content[first * column.width : end * column.width].tobytes()
    return column.signs[width], b"".join(own[byte :: column.width] for byte in range(width))
