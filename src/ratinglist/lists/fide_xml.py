"""FIDE's list as XML: combined, combined without arena titles, and of one time control.

Reading: the file is read as a stream, so memory does not grow with it. The parser is the standard library's expat,
called directly. It is the only loop over players in the package, because XML has no columns to slice; it is twice as
fast as building and clearing elements. A document type declaration is refused, and with it every entity that a file
could define, so a small file cannot expand into a large one.

Writing: the elements are in FIDE's order, because some readers count them. There is no declaration and no byte order
mark. Names are in ASCII unless the request is for the original ones, which are UTF-8 then: a SAX parser reports a text
with other letters in several pieces, and readers in use keep only the last piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO
from xml.parsers import expat

import polars as pl

from ratinglist.limits import LIST_COLUMNS, SHOWN_LENGTH, XML_DEPTH, XML_TEXT_LENGTH, XML_TOKEN_BYTES
from ratinglist.lists.line_batches import write_lines
from ratinglist.lists.raw_list import Inspection, OfficialListError, RawList, leading_text
from ratinglist.lists.selection import (
    ARENA,
    ExportRequest,
    PreparedExport,
    PublishedLists,
    fide_columns,
    one_row_per_player,
    with_both_titles,
)
from ratinglist.names.folding import to_ascii
from ratinglist.tables import FIGURES, PLAYER_TEXTS
from ratinglist.text import shortened

_ARENA = ARENA.element
"""The arena title, which has no column."""

# ---------------------------------------------------------------------------------------------------------- reading

BATCH_PLAYERS = 100_000
_READ_BYTES = 1024 * 1024


def elements(*, one_list: bool, legacy: bool) -> dict[str, str]:
    """Return element to column, in order; the arena title has no column and is always empty."""
    return {column.element: name for name, column in fide_columns(one_list=one_list, legacy=legacy).items()}


_ONE_LIST, _COMBINED = (elements(one_list=one, legacy=True) for one in (True, False))
_OF_COMBINED_ALONE = _COMBINED.keys() - _ONE_LIST.keys()


class _PlayerParser:
    """The handlers of an expat parser. They collect the children of every ``<player>``."""

    def __init__(self, inspection: Inspection) -> None:
        self.inspection = inspection
        self.players: list[dict[str, str]] = []
        self.lines: list[int] = []
        self.elements: set[str] = set()
        self._player: dict[str, str] | None = None
        self._line = 0
        self._text = ""
        self._children = self._depth = self._fed = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _doctype(self, *_declaration: object) -> None:
        raise self._refused("it has a document type declaration, which no official list has")

    def feed(self, piece: bytes) -> None:
        """Parse the next ``piece`` of the file; an empty one ends it."""
        self.parser.Parse(piece, not piece)
        self._fed += len(piece)
        # Expat parses an unfinished token again with every piece: a long one would take quadratic time.
        if self._fed - max(self.parser.CurrentByteIndex, 0) > XML_TOKEN_BYTES:
            raise self._refused(f"what begins there does not end within {XML_TOKEN_BYTES} bytes")

    def _refused(self, what: str) -> OfficialListError:
        return self.inspection.refused(
            f"line {self.parser.CurrentLineNumber}: {what}", "take the file as FIDE publishes it"
        )

    def _start(self, element: str, _attributes: dict[str, str]) -> None:
        self._text = ""
        if element == "player":
            if self._player is not None:
                raise self._refused("a player is inside another")
            self._player = {}
            self._children = 0
            self._line = self.parser.CurrentLineNumber
        elif self._player is not None:
            self._children += 1
            if self._children > LIST_COLUMNS:
                raise self._refused(f"a player has more than {LIST_COLUMNS} elements")
        else:
            self._depth += 1
            if self._depth > XML_DEPTH:
                raise self._refused(f"elements are nested more than {XML_DEPTH} deep")

    def _characters(self, text: str) -> None:
        if self._player is None:
            return
        self._text += text
        if len(self._text) > XML_TEXT_LENGTH:
            raise self._refused(f"an element has a text of more than {XML_TEXT_LENGTH} characters")

    def _end(self, element: str) -> None:
        if self._player is None:
            self._depth -= 1
            return
        if element != "player":
            if element in self._player:
                raise self._refused(f"a player has two <{shortened(element, SHOWN_LENGTH)}>")
            self._player[element] = self._text
            return
        self.elements.update(self._player)
        if len(self.elements) > LIST_COLUMNS:
            raise self._refused(f"players have more than {LIST_COLUMNS} kinds of element")
        self.players.append(self._player)
        self.lines.append(self._line)
        self._player = None

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
    return leading_text(head).startswith(("<", "\xff\xfe<", "\xfe\xff\x00<"))


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the list in ``stream``, in batches.

    Raises :class:`OfficialListError` if the XML is not well-formed, has a document type declaration or no players.
    """
    parser = _PlayerParser(inspection)
    frames = _frames(stream, parser)
    first = next(frames, None)
    if first is None or "fideid" not in parser.elements:
        raise inspection.refused("it holds no <player> with a <fideid>", "take the XML file as FIDE publishes it")
    combined = bool(parser.elements & _OF_COMBINED_ALONE)
    names = _COMBINED if combined else _ONE_LIST
    return RawList(
        combined=combined,
        has_time_control=False,
        month=None,
        places={name: f"<{element}>" for element, name in names.items()},
        batches=_batches(chain([first], frames), names, parser, inspection),
    )


def _batches(
    frames: Iterator[pl.DataFrame], names: dict[str, str], parser: _PlayerParser, inspection: Inspection
) -> Iterator[pl.DataFrame]:
    noted: set[str] = set()
    for frame in frames:
        if "rapid_rating" not in names and parser.elements & _OF_COMBINED_ALONE:
            raise inspection.refused(
                "the first players have one rating and later ones three", "take the file as FIDE publishes it"
            )
        unknown = sorted(parser.elements - set(_COMBINED) - {_ARENA} - noted)
        noted.update(unknown)
        inspection.note(
            pl.DataFrame({"line": [frame["line"][0]] * len(unknown), "value": unknown}),
            "unknown_column",
            "an element that is not read",
        )
        yield frame.select("line", *(pl.col(element).alias(name) for element, name in names.items()))


def _frames(stream: IO[bytes], parser: _PlayerParser) -> Iterator[pl.DataFrame]:
    """Yield frames of about :data:`BATCH_PLAYERS` players."""
    more = True
    while more:
        piece = stream.read(_READ_BYTES)
        more = bool(piece)
        _parse(parser, piece)
        if len(parser.players) >= BATCH_PLAYERS or (parser.players and not more):
            yield parser.batch()


def _parse(parser: _PlayerParser, piece: bytes) -> None:
    try:
        parser.feed(piece)
    except expat.ExpatError as wrong:
        raise parser.inspection.refused(
            f"line {wrong.lineno}, column {wrong.offset + 1}: not well-formed XML ({expat.ErrorString(wrong.code)})",
            "the file may be cut off: fetch it again",
        ) from None
    except (LookupError, ValueError) as wrong:
        reason = shortened(str(wrong), SHOWN_LENGTH)
        raise parser.inspection.refused(f"its encoding is not known ({reason})", "write it as UTF-8") from None


# ---------------------------------------------------------------------------------------------------------- writing

LINE_END = "\r\n"
HEADER = "<playerslist>"
FOOTER = "</playerslist>"
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
"""A bare CR would be read as LF."""


def prepare(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the players by name, and the counts of changed letters; with the original names there are none."""
    players = with_both_titles(one_row_per_player(published, request))
    counts: dict[str, int] = {}
    if not request.original_names:
        players, counts = to_ascii(players)
    return PreparedExport(players.sort("name", "fide_id"), counts)


def write(path: Path, prepared: PreparedExport, request: ExportRequest) -> None:
    """Write ``<playerslist>`` with a ``<player>`` for each player, a line for each element."""
    columns = elements(one_list=request.time_control is not None, legacy=request.legacy)
    with path.open("wb") as stream:
        stream.write(f"{HEADER}{LINE_END}".encode())
        write_lines(stream, prepared.rows, _line(columns), LINE_END)
        stream.write(f"{FOOTER}{LINE_END}".encode())


def _line(columns: dict[str, str]) -> pl.Expr:
    """Return the element ``<player>`` of a player: a line for each child, the last line without its end.

    ``columns``: from :func:`elements`. No player is registered with a control character, which XML cannot hold. An
    absent rating, number of games or K is 0, as in FIDE's lists; an unknown year of birth is empty.
    """
    parts: list[pl.Expr] = []
    before = f"<player>{LINE_END}"
    for element, column in columns.items():
        parts += [pl.lit(f"{before}<{element}>"), *([_text(column)] if column else [])]
        before = f"</{element}>{LINE_END}"
    return pl.concat_str([*parts, pl.lit(f"{before}</player>")])


def _text(column: str) -> pl.Expr:
    if column in PLAYER_TEXTS:
        return pl.col(column).str.replace_many(list(_ESCAPED), list(_ESCAPED.values()))
    return pl.col(column).cast(pl.String).fill_null("0" if column.endswith(FIGURES) else "")
