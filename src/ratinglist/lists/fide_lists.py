"""Read FIDE's list as fixed-width text and as XML: combined (with and without FOA), and of one time control.

Text: no offset is hard-coded. Nearly every layout, older ones too, names its columns in its header line, each heading
above the first character of its column (in old ones touching: ``TitlFed``, ``GamesBorn``), so the header gives the
columns and the data lines must fit them. Known oddity: a list of other titles longer than its column shifts the rest of
its line to the right.

XML: not every file is read, but the form that FIDE writes and this program too: players whose elements have a text and
nothing else. Anything else is refused, a document type too, and with it every entity that a file could define. The file
is read in pieces, so memory does not grow with it.
"""

from __future__ import annotations

import html
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import IO

import polars as pl

from ratinglist.limits import SHOWN_LENGTH, XML_PLAYER_BYTES
from ratinglist.lists.official_rows import (
    MONTH_NAMES,
    Inspection,
    RawList,
    fide_columns,
    first_line_of_file,
    list_month,
    plain_text,
    text_lines,
    text_pieces,
)
from ratinglist.period import Period
from ratinglist.tables import LISTS
from ratinglist.text import shortened

_HEADINGS = {
    **{column.heading.lower().replace(" ", ""): name for name, column in fide_columns(None).items()},
    "code": "fide_id",
    "country": "federation",
    "title": "title",
    "titl": "title",
    "rating": "rating",
    "rtng": "rating",
    "games": "games",
    "gms": "games",
    "k": "k",
    "birthday": "birth_year",
    "born": "birth_year",
    "club": "club",
}
"""The headings of today, and those of older lists."""
_MONTH = rf"(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)"
# Longest first: `Titl` must not be read as `Tit` and a stray letter, `SK` not as `S` and `K`.
_HEADER = re.compile(
    "|".join(
        [r"ID[ _]?Number", _MONTH, *sorted(map(re.escape, _HEADINGS.keys() - {"idnumber"}), key=len, reverse=True)]
    ),
    # ASCII only: Unicode's case folding takes the long s for an s and the sign for kelvin for a k.
    re.ASCII | re.IGNORECASE,
)
_NUMBERS = ("fide_id", "rating", "games", "k", "birth_year")
"""What the names of columns with a number end in; a number never touches the column to its right."""
_FIRST_HEADING = r"\s*(?:ID[ _]?Number|CODE(?! FIDE))\b(?!\s*[;,])"
_ARENA_TITLE = r"^A[CFGI]M\b"
_TEXTS = ("name", "title", "women_title", "other_titles")
_REMEDY = "take the file as FIDE publishes it"


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column of a file: characters ``start`` to ``end`` (exclusive, from 0) under ``heading``."""

    name: str
    heading: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns that a header line names, its length, and the month in it (lists of one time control)."""

    columns: Sequence[TextColumn]
    width: int
    month: Period | None

    @classmethod
    def parse(cls, header: str) -> Layout:
        """Parse a header line; raise :class:`ValueError` with the problem if it is not one of FIDE's."""
        headings = list(_HEADER.finditer(header))
        if unknown := _HEADER.sub(" ", header).split():
            raise ValueError(f"the heading '{shortened(unknown[0], SHOWN_LENGTH)}' is not known")
        names = [_column_name(heading) for heading in headings]
        if len(set(names)) < len(names):
            raise ValueError("two headings name the same column")
        of_lists = {name: heading for heading, name in _HEADINGS.items() if name.startswith(LISTS)}
        ratings = of_lists if "standard_rating" in names else {"rating": "SRtng, or a month such as OCT26"}
        required = {"fide_id": "ID Number", "name": "Name", **ratings}
        if lacking := [heading for name, heading in required.items() if name not in names]:
            raise ValueError(f"the header line lacks the heading {lacking[0]}, in any case")
        starts = [0, *(heading.start() for heading in headings[1:])]
        # The last column runs to the end of the line; a line that is too long is found by its length.
        ends = [*starts[1:], len(header) + 1000]
        columns = zip(names, (heading[0] for heading in headings), starts, ends, strict=True)
        months = (list_month(heading["month"], heading["year"]) for heading in headings if heading["month"])
        return cls([TextColumn(*column) for column in columns], len(header), next(months, None))


def _column_name(heading: re.Match[str]) -> str:
    return "rating" if heading["month"] else _HEADINGS[heading[0].lower().replace(" ", "").replace("_", "")]


def is_text(head: bytes) -> bool:
    """Return whether a file with these first bytes is the header line of one of FIDE's text lists."""
    return re.match(_FIRST_HEADING, first_line_of_file(head), re.IGNORECASE) is not None


def read_text(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the list in ``stream``, in batches.

    Raises :class:`OfficialListError` if the header line is unknown or the data lines do not fit it.
    """
    batches = (lines for piece in text_pieces(stream, inspection) if (lines := text_lines(*piece, inspection)).height)
    first = next(batches)
    line, header = first.row(0)
    try:
        layout = Layout.parse(header)
    except ValueError as wrong:
        raise inspection.refused(f"line {line}: {wrong}, so the columns are not known", _REMEDY) from None
    inspection.places = {column.name: f"column {column.start + 1} ({column.heading})" for column in layout.columns}
    first = first.slice(1)
    _check_fit(first, layout, inspection)
    frames = (_columns(lines, layout, inspection) for lines in chain([first], batches))
    return RawList(inspection.places.keys() - {"foa_title"}, frames, layout.month)


def _columns(lines: pl.DataFrame, layout: Layout, inspection: Inspection) -> pl.DataFrame:
    """Split ``lines`` (``line``, ``text``) into ``line`` and the stripped text of every column."""
    is_too_long = pl.col("text").str.len_chars() > layout.width
    raw = lines.filter(~is_too_long).select("line", *(_cell(column) for column in layout.columns))
    shifted = _with_shift(lines.filter(is_too_long), layout)
    if shifted.height:
        beyond = pl.col("text").str.strip_chars_end().str.slice(layout.width)
        overflows = pl.col("overflow_end").is_not_null()
        inspection.refuse(
            shifted.filter(~overflows, beyond != "").select("line", value=beyond),
            f"column {layout.width + 1}",
            "is beyond the end of the header line",
            "restore the line as FIDE published it, or put a heading such as Club above it in the header line",
        )
        inspection.note(
            shifted.filter(overflows).select("line", value=pl.col("text").str.strip_chars_end()),
            "line_overflows",
            "a text is longer than its column and shifts the rest of its line; the line was read from the right",
        )
        cells = shifted.select("line", *(_shifted_cell(column) for column in layout.columns))
        raw = pl.concat([raw, cells]).sort("line")
    for left, right in pairwise(layout.columns):
        # A full text may touch the number after it; digits on both sides of a border are one number cut in two.
        cut = pl.lit(value=True) if left.name.endswith(_NUMBERS) else pl.col(left.name).str.contains("[0-9]$")
        if left.name.endswith(_NUMBERS) or right.name.endswith(_NUMBERS):
            inspection.refuse(
                raw.filter(cut, _touch(left.name, right.name)).select(
                    "line", value=pl.col(left.name) + pl.col(right.name)
                ),
                inspection.places[left.name],
                f"runs into the next column ({right.heading})",
                "restore the line as FIDE published it",
            )
    if {"foa_title", "other_titles"} <= {*raw.columns}:
        # Other titles that are too long, in a line that is not: the column after them has what is left of them.
        is_left_over = _touch("other_titles", "foa_title") & ~pl.col("foa_title").str.contains(_ARENA_TITLE)
        whole = pl.col("other_titles") + pl.col("foa_title").str.extract(r"^(\S*)")
        raw = raw.with_columns(other_titles=pl.when(is_left_over).then(whole).otherwise("other_titles"))
    with_tab = lines.filter(pl.col("text").str.contains("\t", literal=True))
    if with_tab.height and "federation" in raw.columns:
        # It may stand for several blanks; then it moves the columns after it.
        has_moved = ~pl.col("federation").str.contains(r"^[A-Za-z]{3}\s*$") | ~pl.col("name").str.contains("\t")
        rule = "is not in its place, because the line has a tab"
        remedy = "replace the tab by as many blanks as it stands for"
        inspection.refuse_values(raw.join(with_tab, on="line", how="semi"), has_moved, "federation", rule, remedy)
    return raw.select("line", pl.exclude("line", "foa_title").str.strip_chars())


def _cell(column: TextColumn) -> pl.Expr:
    return pl.col("text").str.slice(column.start, column.end - column.start).alias(column.name)


def _shifted_cell(column: TextColumn) -> pl.Expr:
    """Return the text of a column, which starts ``shift`` characters later from ``overflow_end`` on."""
    start, end = (
        at + pl.when(pl.col("overflow_end") <= at).then(pl.col("shift")).otherwise(0)
        for at in (column.start, column.end)
    )
    return pl.col("text").str.slice(start, end - start).alias(column.name)


def _with_shift(lines: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Add ``shift`` and ``overflow_end`` to ``lines``, which are longer than the header.

    FIDE pads every line to the length of the header, so the extra characters (``shift``) are those by which an
    overflowing text moved the rest of its line. ``overflow_end`` is the end of its column, null if no text overflows.
    """
    ends = [column.end for column in layout.columns if column.name in _TEXTS]
    return lines.with_columns(
        overflow_end=pl.coalesce(pl.when(_border_is_crossed(end)).then(end) for end in ends),
        shift=pl.col("text").str.len_chars().cast(pl.Int64) - layout.width,
    )


def _check_fit(lines: pl.DataFrame, layout: Layout, inspection: Inspection) -> None:
    """Refuse the list where most of the first lines do not fit the layout of the header line."""
    # A line shifted by an overflow fits no column and proves nothing, unless all lines are too long.
    regular = lines.filter(pl.col("text").str.len_chars() <= layout.width)
    checked = regular if regular.height else _with_shift(lines, layout).filter(pl.col("overflow_end").is_null())
    borders = [_border_is_crossed(column.end) for column in layout.columns[:-1]]
    federation = [
        ~_cell(column).str.strip_chars().str.contains("^[A-Za-z]{0,3}$")
        for column in layout.columns
        if column.name == "federation"
    ]
    misfits = checked.filter(pl.any_horizontal(*borders, *federation))
    if misfits.height and 2 * misfits.height > checked.height:
        line, text = misfits.select("line", "text").row(0)
        heads = ", ".join(f"{column.heading} from {column.start + 1}" for column in layout.columns)
        raise inspection.refused(
            f"line {line}: the data lines do not fit the headings of the header line ({heads}): "
            f"'{shortened(text.rstrip(), 2 * SHOWN_LENGTH)}'",
            f"{_REMEDY}, with blanks and not tabs between the columns",
        )


def _border_is_crossed(border: int) -> pl.Expr:
    around = pl.col("text").str.slice(border - 1, 2)
    return ~(around.str.contains(" ", literal=True)) & (around.str.len_chars() == 2)


def _touch(left: str, right: str) -> pl.Expr:
    return pl.col(left).str.contains(r"[^ ]$") & pl.col(right).str.contains("^[^ ]")


# ---------------------------------------------------------------------------------------------------------------- XML

READ_BYTES = 4 * 1024 * 1024
"""Some 8,000 players."""
_PLAYER_END = b"</player>"
_XML_BEGIN = re.compile(rb"\s*(?:<\?xml[^<>]*\?>)?\s*<(?:playerslist)>")
_XML_END = re.compile(rb"\s*</playerslist>\s*")
_PLAYER = r"^\s*<player>(?:\s*(?:<[a-z_]+>[^<]*</[a-z_]+>|<[a-z_]+ ?/>))*\s*$"
_ONE_LIST, _COMBINED = (
    {column.element: name for name, column in fide_columns(month).items() if name != "foa_title"}
    for month in (Period.parse("2000-01"), None)
)
"""Element to column, of a list of one time control, the same in every month, and of a combined list."""


def is_xml(head: bytes) -> bool:
    """Return whether a file with these first bytes is XML."""
    return head.removeprefix(BOM_UTF8).lstrip().startswith(b"<")


def read_xml(stream: IO[bytes], inspection: Inspection) -> RawList:
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
    return RawList(list(names.values()), (_elements(players, names, inspection) for players in frames))


def _players(stream: IO[bytes], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Yield ``line`` and ``text`` of the players in a file: what is between ``<player>`` and its end."""
    rest = stream.read(READ_BYTES).removeprefix(BOM_UTF8)
    begin = _XML_BEGIN.match(rest)
    if begin is None:
        shown = shortened(plain_text(rest[:SHOWN_LENGTH]), SHOWN_LENGTH)
        raise inspection.refused(f"its XML begins with '{shown}', and FIDE's with <playerslist>", _REMEDY)
    line, rest = 1 + begin[0].count(b"\n"), rest[begin.end() :]
    is_more = True
    while is_more:
        piece = stream.read(READ_BYTES)
        is_more = bool(piece)
        whole, end, rest = (rest + piece).rpartition(_PLAYER_END)
        if end:
            texts = pl.Series("text", [plain_text(whole, inspection, line)]).str.split(_PLAYER_END.decode()).explode()
            before = texts.str.count_matches("\n").cum_sum().shift(1, fill_value=0)
            blank = texts.str.extract(r"^(\s*)").str.count_matches("\n")
            yield pl.DataFrame({"line": line + before.cast(pl.Int64) + blank, "text": texts})
            line += whole.count(b"\n")
        if len(rest) > XML_PLAYER_BYTES:
            raise inspection.refused(f"line {line}: a player has more than {XML_PLAYER_BYTES} bytes", _REMEDY)
    if not _XML_END.fullmatch(rest):
        raise inspection.refused(
            f"line {line}: the list does not end with </playerslist>", "the file may be cut off: fetch it again"
        )


def _elements(players: pl.DataFrame, names: dict[str, str], inspection: Inspection) -> pl.DataFrame:
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
