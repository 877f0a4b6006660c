"""An opened list whose values are still text, its lines, and what is wrong or odd in its file, collected by a reader.

The meaning of the values is decided in one place for all formats: :mod:`~ratinglist.lists.official_rows`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.limits import LIST_LINE_BYTES, SHOWN_LENGTH
from ratinglist.period import Period
from ratinglist.text import counted, on_one_line, shortened

SHOWN = 10
"""How many lines a note names; the others are counted."""
PROBLEMS_SHOWN = 50
"""How many problems a refusal lists; the others are counted."""

_FIRST = "short_ids"
"""The kind of note that an officer has to read before any other: the ratings may be those of other players."""


class OfficialListError(NothingReadError):
    """An official list, or a file of players, is refused. It is refused whole: half a starting point is unusable."""


@dataclass(frozen=True, slots=True)
class Note:
    """An oddity that does not refuse a list: what it is, how many values have it, and the first of them.

    ``lines``: the numbers of the first lines that have it, at most :data:`SHOWN`.
    """

    kind: str
    description: str
    count: int
    example: str
    lines: tuple[int, ...] = ()

    def text(self) -> str:
        """Return the note as a sentence for the summary of an import."""
        others = [str(line) for line in self.lines[1:] if line != self.lines[0]]
        more = f", ... and {self.count - len(self.lines):,} more" if self.count > len(self.lines) else ""
        also = f"; also {'line' if len(others) == 1 else 'lines'} {', '.join(others)}{more}" if others else ""
        return f"{self.count:,} × {self.description} (first: {self.example}{also})"


class Inspection:
    """The problems and notes of one file. Readers add to it batch by batch; :meth:`stop` raises the problems.

    ``places``: the name that each column has in the file, for messages.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.places: dict[str, str] = {}
        self.problems = 0
        self._refused: list[pl.DataFrame] = []
        self._notes: dict[str, Note] = {}

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes so far: those on whose IDs the file has, then the others by kind."""
        return tuple(self._notes[kind] for kind in sorted(self._notes, key=lambda kind: (kind != _FIRST, kind)))

    def refuse(self, rows: pl.DataFrame, place: str, rule: str, remedy: str) -> None:
        """Count each of ``rows`` (``line``, ``value``) as a problem, shown as ``'value' rule; remedy``.

        A value is shown once, with the number of its lines.
        """
        if rows.is_empty():
            return
        self.problems += rows.height
        # As much as is shown: a file may have a long text in every line.
        value = pl.col("value").cast(pl.String).fill_null("").str.head(SHOWN_LENGTH + 1)
        texts = {"place": pl.lit(place), "rule": pl.lit(rule), "remedy": pl.lit(remedy)}
        self._refused.append(rows.select("line", value, **texts))

    def refuse_values(self, raw: pl.DataFrame, bad: pl.Expr, name: str, rule: str, remedy: str) -> None:
        """Refuse the values of the column ``name`` in the rows of ``raw`` that are ``bad``."""
        self.refuse(raw.filter(bad).select("line", value=name), self.places.get(name, f"column {name}"), rule, remedy)

    def note(self, rows: pl.DataFrame, kind: str, description: str) -> None:
        """Count each of ``rows`` (``line``, ``value``) as a note of ``kind``."""
        if rows.is_empty():
            return
        first = rows.sort("line").head(SHOWN)
        example = f"line {first['line'][0]}: '{shortened(str(first['value'][0]), SHOWN_LENGTH)}'"
        known = self._notes.get(kind, Note(kind, description, 0, example))
        lines = (*known.lines, *first["line"])[:SHOWN]
        self._notes[kind] = replace(known, count=known.count + rows.height, lines=lines)

    def note_texts(self, texts: Sequence[str], kind: str, description: str, line: int = 1) -> None:
        """Count each of ``texts``, which stand in one line, as a note of ``kind``."""
        self.note(pl.DataFrame({"line": [line] * len(texts), "value": texts}), kind, description)

    def stop(self) -> None:
        """Raise :class:`OfficialListError` with the first problems, if there are any."""
        if not self.problems:
            return
        kinds = (
            pl.concat(self._refused)
            .group_by("place", "value", "rule", "remedy")
            .agg(pl.col("line").min(), pl.len().alias("count"))
            .sort("line", "place", "value")
        )
        shown = kinds.head(PROBLEMS_SHOWN)
        more = self.problems - int(shown["count"].sum())
        raise OfficialListError(
            "\n  ".join(
                [
                    f"{on_one_line(self.file)}: refused, nothing of it was read. {counted(self.problems, 'problem')}:",
                    *(_problem(**row) for row in shown.iter_rows(named=True)),
                    *([f"and {more} more"] if more else []),
                ]
            )
        )

    def refused(self, what: str, remedy: str) -> OfficialListError:
        """Return the error for a problem of the file as a whole; the caller raises it."""
        return OfficialListError(f"{on_one_line(self.file)}: {what}; {remedy}.")


def _problem(place: str, value: str, rule: str, remedy: str, line: int, count: int) -> str:
    more = f" and {counted(count - 1, 'more line')}" if count > 1 else ""
    where = f"line {line}{more}, {place}" if place else f"line {line}{more}"
    return f"{where}: '{shortened(value, SHOWN_LENGTH)}' {rule}; {remedy}"


MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class RawList:
    """One opened list.

    ``batches`` yields frames with ``line`` (Int64, from 1) and text columns, stripped, blank as ``""``: those of a
    player (``fide_id``, ``name``, ``federation``, ``sex``, ``title``, ``women_title``, ``other_titles``,
    ``birth_date``, ``birth_year``, ``flag``), and either ``rating``, ``games``, ``k`` or, in a ``combined`` list,
    these three for each time control (``rapid_k``). A column that the list does not have is missing; one
    ``time_control`` means that a player may have several rows.

    ``columns``: those that the list has. ``month``: that of its header line, None if it states none. ``partial``: a
    blank cell means that the file does not state the value, not that there is none.
    """

    columns: Collection[str]
    batches: Iterator[pl.DataFrame]
    month: Period | None = None
    partial: bool = False

    @property
    def combined(self) -> bool:
        """Whether a line has the ratings of all three time controls."""
        return "standard_rating" in self.columns


def column_name(heading: str) -> str:
    """Return a heading as a published column is spelled: capital letters, blanks and hyphens make no difference."""
    return re.sub(r"[\s_-]+", "_", heading.strip()).casefold()


def list_month(month: str, year: str) -> Period:
    """Return the period of a month such as ``OCT26``, given as ``"OCT"`` and ``"26"``; from 70 on a year is 19xx."""
    century = 1900 if int(year) >= 70 else 2000
    return Period.parse(f"{century + int(year)}-{MONTH_NAMES.index(month.lower()) + 1:02d}")


# -------------------------------------------------------------------------------------------------- lines of text

CHUNK_BYTES = 4 * 1024 * 1024
"""About 25,000 lines of a FIDE text list, and never more than four million lines or cells, however short they are."""
_BLANKS = " \t\x1a,;"
"""What blank lines are made of: a spreadsheet saves a blank row as separators alone."""


def text_lines(stream: IO[bytes], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Read ``stream`` in batches of ``line`` (Int64, from 1) and ``text``, without blank lines.

    Lines may end in LF, CRLF or CR; a byte order mark and a DOS end-of-file mark are dropped. Raises
    :class:`OfficialListError` if a line is too long to be kept in memory.
    """
    following = 1
    rest = stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
    is_more = True
    while is_more:
        piece = stream.read(CHUNK_BYTES)
        is_more = bool(piece)
        if piece.endswith(b"\r"):
            # A CRLF that is split between two pieces would count as two line ends.
            piece += stream.read(1)
        data = rest + piece
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1 if is_more else len(data)
        rest = data[end:]
        if end:
            lines = pl.Series("text", [plain_text(data[:end]).removesuffix("\n")]).str.split("\n").explode()
            numbers = pl.int_range(following, following + lines.len(), eager=True)
            following += lines.len()
            yield pl.DataFrame({"line": numbers, "text": lines}).filter(pl.col("text").str.strip_chars(_BLANKS) != "")
        if len(rest) > LIST_LINE_BYTES:
            what = f"line {following}: it has more than {LIST_LINE_BYTES} bytes"
            raise inspection.refused(what, "end every line, and close every quotation")


def plain_text(data: bytes) -> str:
    """Return the text of ``data`` with lines ended by LF: in UTF-8 if it is valid, else in Windows-1252.

    Windows-1252 has every letter of Latin-1.
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def first_line(head: bytes) -> str:
    """Return the first line of a file that begins with ``head``, without a byte order mark and leading blanks."""
    beginning = head.removeprefix(codecs.BOM_UTF8).lstrip()
    return plain_text(re.split(rb"[\r\n]", beginning, maxsplit=1)[0])
