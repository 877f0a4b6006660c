"""Read FIDE's list as XML: combined, combined without arena titles, and of one time control.

Not every XML file is read, but the form that FIDE writes and this program too: players whose elements have a text and
nothing else. Anything else is refused, a document type too, and with it every entity that a file could define. The file
is read in pieces, so memory does not grow with it.
"""

from __future__ import annotations

import html
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain
from typing import IO

import polars as pl

from ratinglist.limits import SHOWN_LENGTH, XML_PLAYER_BYTES
from ratinglist.lists.official_rows import Inspection, RawList, fide_columns, plain_text
from ratinglist.period import Period
from ratinglist.text import shortened

READ_BYTES = 4 * 1024 * 1024
"""Some 8,000 players."""
_END = b"</player>"
_FIRST = re.compile(rb"\s*(?:<\?xml[^<>]*\?>)?\s*<(?:playerslist)>")
_LAST = re.compile(rb"\s*</playerslist>\s*")
_PLAYER = r"^\s*<player>(?:\s*(?:<[a-z_]+>[^<]*</[a-z_]+>|<[a-z_]+ ?/>))*\s*$"
_ONE_LIST, _COMBINED = (
    {column.element: name for name, column in fide_columns(month).items() if name != "foa_title"}
    for month in (Period.parse("2000-01"), None)
)
"""Element to column, of a list of one time control, the same in every month, and of a combined list."""
_REMEDY = "take the file as FIDE publishes it"


def recognises(head: bytes) -> bool:
    """Return whether a file with these first bytes is XML."""
    return head.removeprefix(BOM_UTF8).lstrip().startswith(b"<")


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the list in ``stream``, in batches.

    Raises :class:`OfficialListError` if a player, or what is around them, is not as FIDE writes it.
    """
    frames = _players(stream, inspection)
    first = next(frames, None)
    if first is None or not first["text"].str.contains("<fideid>", literal=True).any():
        raise inspection.refused("it holds no <player> with a <fideid>", _REMEDY)
    is_combined = first["text"].str.contains_any([f"<{element}>" for element in _COMBINED.keys() - _ONE_LIST]).any()
    names = _COMBINED if is_combined else _ONE_LIST
    inspection.places = {name: f"<{element}>" for element, name in names.items()}
    frames = chain([first], frames)
    return RawList(list(names.values()), (_cells(players, names, inspection) for players in frames))


def _players(stream: IO[bytes], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Yield ``line`` and ``text`` of the players in a file: what is between ``<player>`` and its end."""
    rest = stream.read(READ_BYTES).removeprefix(BOM_UTF8)
    begin = _FIRST.match(rest)
    if begin is None:
        shown = shortened(plain_text(rest[:SHOWN_LENGTH]), SHOWN_LENGTH)
        raise inspection.refused(f"its XML begins with '{shown}', and FIDE's with <playerslist>", _REMEDY)
    line, rest = 1 + begin[0].count(b"\n"), rest[begin.end() :]
    is_more = True
    while is_more:
        piece = stream.read(READ_BYTES)
        is_more = bool(piece)
        whole, end, rest = (rest + piece).rpartition(_END)
        if end:
            texts = pl.Series("text", [plain_text(whole)]).str.split(_END.decode()).explode()
            before = texts.str.count_matches("\n").cum_sum().shift(1, fill_value=0)
            blank = texts.str.extract(r"^(\s*)").str.count_matches("\n")
            yield pl.DataFrame({"line": line + before.cast(pl.Int64) + blank, "text": texts})
            line += whole.count(b"\n")
        if len(rest) > XML_PLAYER_BYTES:
            raise inspection.refused(f"line {line}: a player has more than {XML_PLAYER_BYTES} bytes", _REMEDY)
    if not _LAST.fullmatch(rest):
        raise inspection.refused(
            f"line {line}: the list does not end with </playerslist>", "the file may be cut off: fetch it again"
        )


def _cells(players: pl.DataFrame, names: dict[str, str], inspection: Inspection) -> pl.DataFrame:
    """Return ``line`` and the text of every known element of the players; refuse a player in another form."""
    is_player = pl.col("text").str.contains(_PLAYER) & (pl.col("text").str.len_bytes() <= XML_PLAYER_BYTES)
    value = pl.col("text").str.strip_chars().str.slice(0, SHOWN_LENGTH)
    rule = "is not a <player> of elements that have a text alone"
    inspection.refuse(players.filter(~is_player).select("line", value=value), "", rule, _REMEDY)
    cells = players.filter(is_player).select(
        "line",
        *(
            pl.col("text").str.extract(f"<{element}>([^<]*)</{element}>").fill_null("").alias(name)
            for element, name in names.items()
        ),
    )
    for column in cells.select(pl.exclude("line")):
        escaped = column.filter(column.str.contains("&", literal=True)).unique()
        if len(escaped):
            cells = cells.with_columns(column.replace(escaped, [html.unescape(text) for text in escaped]))
    return cells.with_columns(pl.exclude("line").str.strip_chars())
