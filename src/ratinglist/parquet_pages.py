"""The header of a page in a Parquet file: how many bytes the page has, packed and unpacked, and how it is encoded.

Libraries unpack a page into a buffer of the size that its header states, and the metadata of the file may state
another. The header is a struct of Thrift's compact protocol: https://github.com/apache/parquet-format, ``PageHeader``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DELTA_BYTE_ARRAY: Final = 7
"""The encoding of texts that repeat the beginning of the text before."""

DICTIONARY: Final = (2, 8)
"""The encodings of values as positions in a dictionary, of version 1 and 2."""

_UNPACKED: Final = 2
_PACKED: Final = 3
"""The numbers of the two fields of a header that state its sizes."""
_ENCODINGS: Final = ((5, 2), (8, 4))
"""The field of a data page's own header, of version 1 and 2, and the field in it that states the encoding."""
_STOP, _TRUE, _FALSE, _BYTE = 0, 1, 2, 3
_WHOLE: Final = (4, 5, 6)
_DOUBLE, _BINARY, _STRUCT = 7, 8, 12
_DEPTH: Final = 4
"""Structs within structs: a header has the header of its kind of page, which has statistics."""


class PageError(ValueError):
    """The bytes are not the header of a page."""


@dataclass(frozen=True, slots=True)
class PageHeader:
    """The bytes of a header, and of its page: packed, and unpacked. ``encoding``: -1 for a page without data."""

    size: int
    packed: int
    unpacked: int
    encoding: int


def page_header(data: bytes) -> PageHeader:
    """Return the header of a page at the beginning of ``data``.

    Raises :class:`PageError` where there is none, or it does not end within ``data``.
    """
    reader = _Reader(data)
    try:
        fields = reader.struct(_DEPTH)
    except IndexError:
        raise PageError("the header of a page is damaged or too long") from None
    packed, unpacked = fields.get((_PACKED,), -1), fields.get((_UNPACKED,), -1)
    if packed < 0 or unpacked < 0:
        raise PageError("the header of a page states no size")
    encoding = next((fields[path] for path in _ENCODINGS if path in fields), -1)
    return PageHeader(reader.place, packed, unpacked, encoding)


class _Reader:
    """Reads a struct; every method moves ``place`` behind what it has read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def struct(self, depth: int) -> dict[tuple[int, ...], int]:
        """Return the whole numbers in a struct and in its structs, by the numbers of the fields that lead to them."""
        if not depth:
            raise PageError("the header of a page is nested too deeply")
        numbers: dict[tuple[int, ...], int] = {}
        field = 0
        while (head := self._byte()) != _STOP:
            step, kind = head >> 4, head & 0x0F
            field = field + step if step else self._whole()
            if kind in _WHOLE:
                numbers[(field,)] = self._whole()
            elif kind == _STRUCT:
                numbers |= {(field, *path): number for path, number in self.struct(depth - 1).items()}
            else:
                self._skip(kind)
        return numbers

    def _skip(self, kind: int) -> None:
        if kind in (_TRUE, _FALSE):
            return
        if kind == _BYTE:
            self._move(1)
        elif kind == _DOUBLE:
            self._move(8)
        elif kind == _BINARY:
            self._move(self._unsigned())
        else:
            # A list, a set or a map: no header of a page has one.
            raise PageError("the header of a page has a field that no page has")

    def _byte(self) -> int:
        self.place += 1
        return self._data[self.place - 1]

    def _move(self, count: int) -> None:
        self.place += count
        if self.place > len(self._data):
            raise IndexError

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number
            if shift > 63:
                raise PageError("the header of a page has a number that is too long")

    def _whole(self) -> int:
        zigzag = self._unsigned()
        return zigzag >> 1 ^ -(zigzag & 1)
