"""Read FIDE's list as XML: combined, combined without arena titles, and of one time control.

The file is read as a stream, so memory does not grow with it. The parser is the standard library's expat,
called directly. It is the only loop over players in the package, because XML has no columns to slice; it is twice as
fast as building and clearing elements. A document type declaration is refused, and with it every entity that a file
could define, so a small file cannot expand into a large one.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain
from typing import IO
from xml.parsers import expat

import polars as pl

from ratinglist.limits import SHOWN_LENGTH, XML_TEXT_LENGTH, XML_TOKEN_BYTES
from ratinglist.lists.official_rows import Inspection, OfficialListError, RawList, fide_columns
from ratinglist.period import Period
from ratinglist.text import shortened

BATCH_PLAYERS = 100_000
_READ_BYTES = 1024 * 1024


_ONE_LIST, _COMBINED = (
    {column.element: name for name, column in fide_columns(month).items() if name != "foa_title"}
    for month in (Period.parse("2000-01"), None)
)
"""Element to column, of a list of one time control, the same in every month, and of a combined list."""
_REMEDY = "take the file as FIDE publishes it"


class _PlayerParser:
    """The handlers of an expat parser. They collect the children of every ``<player>``."""

    def __init__(self, inspection: Inspection) -> None:
        self.inspection = inspection
        self.players: list[dict[str, str]] = []
        self.lines: list[int] = []
        self.elements: set[str] = set()
        self._player: dict[str, str] | None = None
        self._line = self._fed = 0
        self._text = ""
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, piece: bytes) -> None:
        """Parse the next ``piece`` of the file; an empty one ends it."""
        try:
            self.parser.Parse(piece, not piece)
        except expat.ExpatError as wrong:
            where, reason = f"line {wrong.lineno}, column {wrong.offset + 1}", expat.ErrorString(wrong.code)
            remedy = "the file may be cut off: fetch it again"
            raise self.inspection.refused(f"{where}: not well-formed XML ({reason})", remedy) from None
        except (LookupError, ValueError) as wrong:
            reason = shortened(str(wrong), SHOWN_LENGTH)
            raise self.inspection.refused(f"its encoding is not known ({reason})", "write it as UTF-8") from None
        self._fed += len(piece)
        # Expat parses an unfinished token again with every piece: a long one would take quadratic time.
        if self._fed - max(self.parser.CurrentByteIndex, 0) > XML_TOKEN_BYTES:
            raise self._refused(f"what begins there does not end within {XML_TOKEN_BYTES} bytes")

    def _refused(self, what: str) -> OfficialListError:
        return self.inspection.refused(f"line {self.parser.CurrentLineNumber}: {what}", _REMEDY)

    def _doctype(self, *_declaration: object) -> None:
        raise self._refused("it has a document type declaration, which no official list has")

    def _start(self, element: str, _attributes: dict[str, str]) -> None:
        self._text = ""
        if element == "player":
            self._player = {}
            self._line = self.parser.CurrentLineNumber

    def _characters(self, text: str) -> None:
        if self._player is not None:
            self._text += text
            if len(self._text) > XML_TEXT_LENGTH:
                raise self._refused(f"an element has a text of more than {XML_TEXT_LENGTH} characters")

    def _end(self, element: str) -> None:
        if self._player is None:
            return
        if element == "player":
            self.elements.update(self._player)
            self.players.append(self._player)
            self.lines.append(self._line)
            self._player = None
            return
        if element in _COMBINED:
            self._player[element] = self._text

    def batch(self) -> pl.DataFrame:
        """Return ``line`` and every known element as text of the collected players, and forget these players."""
        frame = pl.DataFrame(
            {"line": self.lines, **{e: [player.get(e, "") for player in self.players] for e in _COMBINED}},
            schema={"line": pl.Int64, **dict.fromkeys(_COMBINED, pl.String)},
        )
        self.players, self.lines = [], []
        return frame.with_columns(pl.col(pl.String).str.strip_chars())


def recognises(head: bytes) -> bool:
    """Return whether a file with these first bytes is XML."""
    # UTF-16, which only XML can declare, has a zero byte per letter; its mark and first letter identify it.
    return head.removeprefix(BOM_UTF8).lstrip().startswith((b"<", b"\xff\xfe<", b"\xfe\xff\x00<"))


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the list in ``stream``, in batches.

    Raises :class:`OfficialListError` if the XML is not well-formed, has a document type declaration or no players.
    """
    parser = _PlayerParser(inspection)
    frames = _frames(stream, parser)
    first = next(frames, None)
    if first is None or "fideid" not in parser.elements:
        raise inspection.refused("it holds no <player> with a <fideid>", "take the XML file as FIDE publishes it")
    names = _COMBINED if parser.elements - _ONE_LIST.keys() else _ONE_LIST
    inspection.places = {name: f"<{element}>" for element, name in names.items()}
    columns = [pl.col(element).alias(name) for element, name in names.items()]
    return RawList(list(names.values()), (frame.select("line", *columns) for frame in chain([first], frames)))


def _frames(stream: IO[bytes], parser: _PlayerParser) -> Iterator[pl.DataFrame]:
    """Yield frames of about :data:`BATCH_PLAYERS` players."""
    piece = b"\n"
    while piece:
        piece = stream.read(_READ_BYTES)
        parser.feed(piece)
        if len(parser.players) >= BATCH_PLAYERS or (parser.players and not piece):
            yield parser.batch()
