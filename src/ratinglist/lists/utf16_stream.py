"""Read a text file in UTF-16, such as Excel's "Unicode text", as bytes in UTF-8, without keeping it in memory."""

from __future__ import annotations

import codecs
from typing import IO

MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Byte order mark to encoding. A file without one is not recognised as UTF-16."""


class Utf16Stream:
    """The bytes in UTF-8 of the text in ``stream``, which is in ``encoding`` after a byte order mark.

    It has what the readers of lists use of a file: :meth:`read`, and :meth:`seek` to the beginning.
    """

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._encoding = stream, encoding
        self._rest = b""
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self.seek(0)

    def seek(self, offset: int) -> int:
        """Go to the beginning; raise :class:`ValueError` for any other ``offset``."""
        if offset:
            raise ValueError("a converted stream is read from the beginning only")
        self._stream.seek(0)
        self._stream.read(len(codecs.BOM_UTF16_LE))
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._rest = b""
        return 0

    def read(self, size: int) -> bytes:
        """Return at most ``size`` bytes, none at the end; raise :class:`UnicodeDecodeError` for damaged text."""
        while len(self._rest) < size:
            piece = self._stream.read(size)
            self._rest += self._decoder.decode(piece, final=not piece).encode()
            if not piece:
                break
        data, self._rest = self._rest[:size], self._rest[size:]
        return data
