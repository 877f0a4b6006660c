"""FIDE's lists as XML: combined, legacy, one time control each; read as a stream, so memory does not grow with them.

The parser is the standard library's expat, called directly: the one loop over players in the package, for XML has no
columns to slice, and twice as fast as building and clearing elements. A document type declaration is refused, and
with it every entity a file could define, so a small file cannot unfold into a large one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import IO
from xml.parsers import expat

import polars as pl

from ratinglist.limits import LIST_COLUMNS, SHOWN_LENGTH, XML_DEPTH, XML_TEXT_LENGTH, XML_TOKEN_BYTES
from ratinglist.lists.list_source import Inspection, OfficialListError, OfficialSource
from ratinglist.safe_text import shortened

BATCH_PLAYERS = 100_000
_READ_BYTES = 1024 * 1024
_PLAYER = {
    "fideid": "fide_id",
    "name": "name",
    "country": "federation",
    "sex": "sex",
    "title": "title",
    "w_title": "women_title",
    "o_title": "other_titles",
    "birthday": "birth_year",
    "flag": "flag",
}
_SINGLE = {"rating": "rating", "games": "games", "k": "k"}
_COMBINED = {
    "rating": "standard_rating",
    "games": "standard_games",
    "k": "standard_k",
    **{f"{t}_{part}": f"{t}_{part}" for t in ("rapid", "blitz") for part in ("rating", "games", "k")},
}
_NOT_READ = {"foa_title"}
_ELEMENTS = tuple(dict.fromkeys([*_PLAYER, *_COMBINED]))


class _Players:
    """What expat calls: gathers the children of every ``<player>``."""

    def __init__(self, inspection: Inspection) -> None:
        self.inspection = inspection
        self.waiting: list[dict[str, str]] = []
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
        # What has begun and not ended is looked at anew with every piece.
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
                raise self._refused("a player stands inside another")
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
                raise self._refused(f"elements lie more than {XML_DEPTH} deep in one another")

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
        self.waiting.append(self._player)
        self.lines.append(self._line)
        self._player = None

    def batch(self) -> pl.DataFrame:
        """``line`` and every known element as text, of the players gathered; they are let go."""
        frame = pl.DataFrame(
            {"line": self.lines, **{e: [player.get(e, "") for player in self.waiting] for e in _ELEMENTS}},
            schema={"line": pl.Int64, **dict.fromkeys(_ELEMENTS, pl.String)},
        )
        self.waiting, self.lines = [], []
        return frame.with_columns(pl.col(pl.String).str.strip_chars())


def read_fide_xml(stream: IO[bytes], inspection: Inspection) -> OfficialSource:
    """The list in ``stream``, in batches.

    Raises :class:`OfficialListError` where the XML is not well-formed, has a document type declaration or no players.
    """
    players = _Players(inspection)
    frames = _frames(stream, players)
    first = next(frames, None)
    if first is None or "fideid" not in players.elements:
        raise inspection.refused("it holds no <player> with a <fideid>", "take the XML file as FIDE publishes it")
    combined = bool(players.elements & (_COMBINED.keys() - _SINGLE.keys()))
    names = _PLAYER | (_COMBINED if combined else _SINGLE)
    return OfficialSource(
        combined=combined,
        has_time_control=False,
        month=None,
        places={name: f"<{element}>" for element, name in names.items()},
        batches=_batches(chain([first], frames), names, players, inspection),
    )


def _batches(
    frames: Iterator[pl.DataFrame], names: dict[str, str], players: _Players, inspection: Inspection
) -> Iterator[pl.DataFrame]:
    noted: set[str] = set()
    for frame in frames:
        if "rapid_rating" not in names and players.elements & (_COMBINED.keys() - _SINGLE.keys()):
            raise inspection.refused(
                "the first players have one rating and later ones three", "take the file as FIDE publishes it"
            )
        unknown = sorted(players.elements - set(_ELEMENTS) - _NOT_READ - noted)
        noted.update(unknown)
        inspection.note(
            pl.DataFrame({"line": [frame["line"][0]] * len(unknown), "value": unknown}),
            "unknown_column",
            "an element that is not read",
        )
        yield frame.select("line", *(pl.col(element).alias(name) for element, name in names.items()))


def _frames(stream: IO[bytes], players: _Players) -> Iterator[pl.DataFrame]:
    """Frames of about :data:`BATCH_PLAYERS` players."""
    more = True
    while more:
        piece = stream.read(_READ_BYTES)
        more = bool(piece)
        _parse(players, piece)
        if len(players.waiting) >= BATCH_PLAYERS or (players.waiting and not more):
            yield players.batch()


def _parse(players: _Players, piece: bytes) -> None:
    try:
        players.feed(piece)
    except expat.ExpatError as wrong:
        raise _malformed(players.inspection, wrong) from None
    except (LookupError, ValueError) as wrong:
        told = shortened(str(wrong), SHOWN_LENGTH)
        raise players.inspection.refused(f"its encoding is not known ({told})", "write it as UTF-8") from None


def _malformed(inspection: Inspection, wrong: expat.ExpatError) -> OfficialListError:
    return inspection.refused(
        f"line {wrong.lineno}, column {wrong.offset + 1}: not well-formed XML ({expat.ErrorString(wrong.code)})",
        "the file may be cut off: fetch it again",
    )
