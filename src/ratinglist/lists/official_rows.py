"""A list as its readers hand it over, as values, and as the state that K depends on; what is wrong or odd in its file.

A reader of a format opens a list whose values are still text (:class:`RawList`), and collects what is wrong or odd
(:class:`Inspection`). What the values mean is decided here, for all formats. A value that cannot be parsed refuses the
list. An odd value that cannot change a rating (an unknown title, a sex that is neither M nor F) is noted and kept, or
blanked if a later step relies on its form.

The state that K depends on (games played, 2300, 2400, the last game) is inferred for a list without it
(:func:`infer_state`). A value in the list is kept. A missing one is inferred from K and the rating, and its column is
named in ``inferred``. K is the federation's own summary of that state (B.02 article 8.3.3), so it is trusted:

- ``reached_2400``: the rating is 2400 or more, or K is 10, which only a published 2400 gives.
- ``reached_2300``: the rating is 2300 or more, or 2400 was reached, or K is 20 in a junior year: a junior who had never
  been 2300 would have 40.
- ``games_played``: 30, the number that ends the beginner's K, unless K is 40 and neither age nor rating explain it.
  Then 5 to 29 by the games of the period: 5 is what an entry needs, 29 the most that still gives 40. An unrated player
  has 0. Any other K (missing, or of the regulations before 2014-07-01) gives no information.
- ``last_played``: this list if games were counted; twelve lists ago for a player flagged inactive, the latest day that
  makes the player inactive; else the list before, the assumption that keeps the player active longest.

A missing K stays missing: the months after compute theirs from the state.

Ages are counted in calendar years, the junior's last being that of the 18th birthday: a list gives only the year.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import IO

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.limits import LIST_LINE_BYTES, LIST_TEXT_LENGTH, SHOWN_LENGTH
from ratinglist.period import Period
from ratinglist.tables import (
    FIDE_COLUMNS,
    FIGURES,
    LIST_STATE,
    LISTS,
    MEMBERSHIP,
    PLAYER,
    PLAYER_TEXTS,
    Column,
    FideColumn,
    Table,
)
from ratinglist.text import FORBIDDEN_IN_NAME, OTHER_BLANK, UNSEEN, counted, on_one_line, shortened

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

    def refuse(self, cells: pl.DataFrame, place: str, rule: str, remedy: str) -> None:
        """Count each of ``cells`` (``line``, ``value``) as a problem, shown as ``'value' rule; remedy``.

        A value is shown once, with the number of its lines.
        """
        if cells.is_empty():
            return
        self.problems += cells.height
        # As much as is shown: a file may have a long text in every line.
        value = pl.col("value").cast(pl.String).fill_null("").str.head(SHOWN_LENGTH + 1)
        texts = {"place": pl.lit(place), "rule": pl.lit(rule), "remedy": pl.lit(remedy)}
        self._refused.append(cells.select("line", value, **texts))

    def refuse_values(self, raw: pl.DataFrame, bad: pl.Expr, name: str, rule: str, remedy: str) -> None:
        """Refuse the values of the column ``name`` in the rows of ``raw`` that are ``bad``."""
        self.refuse(raw.filter(bad).select("line", value=name), self.places.get(name, f"column {name}"), rule, remedy)

    def note(self, cells: pl.DataFrame, kind: str, description: str) -> None:
        """Count each of ``cells`` (``line``, ``value``) as a note of ``kind``."""
        if cells.is_empty():
            return
        first = cells.sort("line").head(SHOWN)
        example = f"line {first['line'][0]}: '{shortened(str(first['value'][0]), SHOWN_LENGTH)}'"
        known = self._notes.get(kind, Note(kind, description, 0, example))
        lines = (*known.lines, *first["line"])[:SHOWN]
        self._notes[kind] = replace(known, count=known.count + cells.height, lines=lines)

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
BLANKS = " \t\x1a,;"
"""What blank lines are made of: a spreadsheet saves a blank row as separators alone."""


_ASSUMED = (
    "a line is not UTF-8, read as Windows-1252; where a letter is wrong, save the file in UTF-8, and import it again"
)


def text_pieces(stream: IO[bytes], inspection: Inspection) -> Iterator[tuple[int, bytes]]:
    """Read ``stream`` in pieces of whole lines, ended by LF: the number of the first line, from 1, and the bytes.

    Lines may end in LF, CRLF or CR; a byte order mark is dropped. Raises :class:`OfficialListError` if a line is too
    long to be kept in memory.
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
        data = _ended_by_lf(rest + piece)
        end = data.rfind(b"\n") + 1 if is_more else len(data)
        rest = data[end:]
        if end:
            yield following, data[:end]
            following += data.count(b"\n", 0, end)
        if len(rest) > LIST_LINE_BYTES:
            what = f"line {following}: it has more than {LIST_LINE_BYTES} bytes"
            raise inspection.refused(what, "end every line, and close every quotation")


def text_lines(first: int, data: bytes, inspection: Inspection) -> pl.DataFrame:
    """Return ``line`` (Int64) and ``text`` of a piece whose first line has the number ``first``, without blank lines.

    A DOS end-of-file mark is a blank.
    """
    lines = pl.Series("text", [plain_text(data, inspection, first).removesuffix("\n")]).str.split("\n").explode()
    numbers = pl.int_range(first, first + lines.len(), eager=True)
    return pl.DataFrame({"line": numbers, "text": lines}).filter(pl.col("text").str.strip_chars(BLANKS) != "")


def plain_text(data: bytes, inspection: Inspection | None = None, first: int = 1) -> str:
    """Return the text of ``data`` with lines ended by LF: in UTF-8 if it is valid, else in Windows-1252.

    Windows-1252 has every letter of Latin-1. It is noted in ``inspection`` with each line that has other letters than
    ASCII, and the first of its words that has one; ``first``: the number of the first line.
    """
    data = _ended_by_lf(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if inspection:
        lines = pl.DataFrame({"value": text.split("\n")}).with_row_index("line", first)
        words = lines.with_columns(pl.col("value").str.extract(r"(\w*[^\x00-\x7f]\w*)")).drop_nulls()
        inspection.note(words, "encoding_assumed", _ASSUMED)
    return text


def _ended_by_lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def first_line_of_file(head: bytes) -> str:
    """Return the first line of a file that begins with ``head``, without a byte order mark and leading blanks."""
    beginning = head.removeprefix(codecs.BOM_UTF8).lstrip()
    return plain_text(re.split(rb"[\r\n]", beginning, maxsplit=1)[0])


# ------------------------------------------------------------------------------------------------------ FIDE's columns

_ARENA = FideColumn("FOA", 4, "foa_title")
"""The titles of FIDE's arena, which FIDE's lists have since the end of 2016 and the office does not know."""


def fide_columns(one_list: Period | None) -> dict[str, FideColumn]:
    """Return the columns of FIDE's lists in their order, by name; the arena titles are ``foa_title``.

    ``one_list``: the list of one time control, headed by its month; None: there are columns such as ``rapid_rating`` in
    the place of the figures.
    """
    columns: dict[str, FideColumn] = {}
    for name, column in FIDE_COLUMNS.items():
        if name == FIGURES[0]:
            columns[_ARENA.element] = _ARENA
            columns |= {} if one_list else _FIGURES_OF_LISTS
        if name not in FIGURES or one_list:
            columns[name] = column
    if one_list:
        month = f"{MONTH_NAMES[one_list.first_day.month - 1].upper()}{one_list.first_day.year % 100:02d}"
        columns["rating"] = replace(columns["rating"], heading=month)
        columns["games"] = replace(columns["games"], heading="Gms")
    return columns


def _figure_of_list(time_control: str, column: FideColumn) -> FideColumn:
    """Return the column of a figure in a combined list; the standard list is the one whose elements have no prefix."""
    heading = "Rk" if (time_control, column.heading) == ("rapid", "K") else time_control[0].upper() + column.heading
    element = column.element if time_control == "standard" else f"{time_control}_{column.element}"
    return FideColumn(heading, column.width, element)


_FIGURES_OF_LISTS = {
    f"{time_control}_{name}": _figure_of_list(time_control, FIDE_COLUMNS[name])
    for time_control in LISTS
    for name in FIGURES
}


# -------------------------------------------------------------------------------------------------------------- values

OFFICIAL_ROW = Table(
    "official_row",
    "player and time control of an official list; unrated players of a combined list once, without time control",
    {
        **PLAYER.columns,
        "time_control": Column(pl.String(), "standard, rapid, blitz; null: no rating in any", null=True),
        "rating": Column(pl.Int32(), "null: unrated", null=True),
        "k": Column(pl.Int32(), "as in the list; null where it is 0, or the player unrated", null=True),
        "games": Column(pl.Int32(), "rated in the period of the list", null=True),
        "games_played": Column(pl.Int32(), "games counted towards the first 30", null=True),
        "reached_2400": Column(pl.Boolean(), "a published rating ever was 2400 or more", null=True),
        "reached_2300": Column(pl.Boolean(), "a published rating ever was 2300 or more", null=True),
        "last_played": Column(pl.Date(), "day of the last rated game, or first day of the list that has it", null=True),
        "flag": Column(pl.String(), "empty, i (inactive), w (woman), wi (both)"),
    },
    key=("fide_id", "time_control"),
)

TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
_OTHER_TITLES = "IA|FA|NA|IO|NO|FST|FT|FI|NI|DI|SI|LSI|SLI|AO"
MEMBERSHIP_COLUMNS = tuple(name for name in MEMBERSHIP.columns if name != "fide_id")
"""The columns that a file of players alone may have."""
_TEXTS = (*PLAYER_TEXTS, "flag")
_WOMAN, _MAN = ("F", "W", "K", "Ж", "FEMALE", "WEIBLICH"), ("M", "М", "MALE", "MÄNNLICH")
_SEXES = dict.fromkeys(_WOMAN, "F") | dict.fromkeys(_MAN, "M")
_ODD_BLANK = rf"[\t\r\n]|{OTHER_BLANK}"
STATE = ("games_played", "reached_2400", "reached_2300", "last_played")
"""If one of these is given, an unrated player has a state too, such as a delisted player."""
_YEAR_ALONE = r"^(?:0{4}|0?0\.0?0\.)?([0-9]{4})(?:[./-]0?0[./-]0?0)?$"
"""A year of birth without a day: alone, or with zeros for the day and the month."""
_DAY_ZERO = date(1899, 12, 30)
_SERIAL_DAYS = (3_000, 60_000)
"""The numbers that are a date in a workbook: from 1908 to 2064. A year is below."""
FIRST_BIRTH_YEAR = 1850
_YOUNGEST_NOTED, _OLDEST_NOTED = 3, 104
"""Years before the last one that is possible between which a birth is not noted."""


def parse_values(raw: pl.DataFrame, inspection: Inspection, month: Period | None, until: date) -> pl.DataFrame:
    """Parse the text columns of ``raw`` (see :class:`RawList`); the result has every column of a player.

    Only a file of players has those of a membership. Numbers are Int64, blanks null; titles, federation and sex in
    upper case; ``flag`` is ``""``, ``w``, ``i`` or ``wi``. ``month`` is the list's, None for a file of players: then
    rating columns are left out. ``until``: the last day on which a player can be born. Values that cannot be parsed are
    added to ``inspection`` as problems.
    """
    texts = [*_TEXTS, "birth_year", "birth_date"]
    if month is None:
        texts += MEMBERSHIP_COLUMNS
        raw = raw.select("line", *(name for name in ("fide_id", *texts) if name in raw.columns))
    elif "list_month" in raw.columns:
        rule, remedy = f"is not {month}", f"import it with --month and its own month, or give the list of {month}"
        inspection.refuse_values(raw, pl.col("list_month") != str(month), "list_month", rule, remedy)
    if "flag" in raw.columns and "sex" not in raw.columns:
        raw = _with_sex_of_flag(raw, inspection)
    raw = raw.with_columns(pl.lit("").alias(name) for name in texts if name not in raw.columns)
    raw = _with_plain_texts(raw, inspection)
    if month is None:
        rule = "is the last day of a membership, and the club is blank or has no column"
        is_of_none = (pl.col("member_until") != "") & (pl.col("club") == "")
        inspection.refuse_values(raw, is_of_none, "member_until", rule, "write the club, or leave the day blank")
    values = _values(raw, inspection)
    return _births(_texts(raw, inspection).with_columns(values), inspection, until)


def _whole(low: int, high: int, what: str) -> _Value:
    def parse(text: pl.Expr) -> pl.Expr:
        number = text.cast(pl.Int64, strict=False)
        # A number out of bounds may not fit the column's type.
        return pl.when(number.is_between(low, high)).then(number)

    return parse, f"is not {what}", "write a whole number, or leave it blank"


def _yes_or_no(text: pl.Expr) -> pl.Expr:
    answers = {"1": True, "true": True, "0": False, "false": False}
    return text.str.to_lowercase().replace_strict(answers, default=None, return_dtype=pl.Boolean)


def _list_name(text: pl.Expr) -> pl.Expr:
    return pl.when(text.is_in(LISTS)).then(text)


def _day(text: pl.Expr) -> pl.Expr:
    """Return the day that a text names in an order that is certain, or by a workbook's number; else null."""
    return text.map_batches(_days, pl.Date())


def _days(texts: pl.Series) -> pl.Series:
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    # Nearly all files write all dates so; a year of less than four digits, or with a sign, is none.
    is_other = (days.is_null() & (texts != "")) | (days.dt.year() < 1000) | (texts.str.len_bytes() > len("YYYY-MM-DD"))
    return pl.select(_day_in_any_form(pl.lit(texts))).to_series() if is_other.any() else days


def _day_in_any_form(text: pl.Expr) -> pl.Expr:
    plain = text.str.replace_all("[./]", "-")
    number = pl.when(text.str.contains("^[0-9]{4,5}$")).then(text).cast(pl.Int64)
    serial = pl.when(number.is_between(*_SERIAL_DAYS)).then(pl.lit(_DAY_ZERO) + pl.duration(days=number))
    year_first = pl.when(plain.str.contains("^[0-9]{4}-")).then(plain.str.to_date("%Y-%m-%d", strict=False))
    is_dotted = text.str.contains(r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$")
    return pl.coalesce(year_first, pl.when(is_dotted).then(plain.str.to_date("%d-%m-%Y", strict=False)), serial)


_Value = tuple[Callable[[pl.Expr], pl.Expr], str, str]
_YES_OR_NO: _Value = (_yes_or_no, "is not yes or no", "write 1 or 0, or leave it blank")
_DATE: _Value = (_day, "is not a date", "write YYYY-MM-DD or DD.MM.YYYY, or leave it blank")
_VALUES: dict[str, _Value] = {
    "fide_id": (*_whole(1, 99_999_999_999, "a FIDE ID")[:2], "write the number that FIDE gave, digits alone"),
    "birth_year": _whole(0, 9999, "a year"),
    "rating": _whole(0, 4000, "a rating from 0 to 4000"),
    "games": _whole(0, 9999, "a number of games"),
    "k": _whole(0, 100, "a K"),
    "games_played": _whole(0, 99_999, "a number of games"),
    "reached_2400": _YES_OR_NO,
    "reached_2300": _YES_OR_NO,
    "time_control": (_list_name, "is no time control", f"write {', '.join(LISTS)}"),
    "last_played": _DATE,
    "member_until": _DATE,
}
"""How the values of a column that is no text are parsed, the rule that a refused one breaks, and the remedy."""


def _values(raw: pl.DataFrame, inspection: Inspection) -> list[pl.Series]:
    """Parse the columns of ``raw`` that are no texts, null for a blank; refuse other values, and a blank FIDE ID."""
    parsed = []
    for name in raw.columns:
        if (part := _part(name)) in _VALUES:
            parse, rule, remedy = _VALUES[part]
            parsed.append(raw.select(parse(pl.col(name)).alias(name)).to_series())
            is_filled = (pl.col(name) != "") | (name == "fide_id")
            inspection.refuse_values(raw, is_filled & parsed[-1].is_null(), name, rule, remedy)
    return parsed


def _with_sex_of_flag(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with the sex of the players whose flag has a w, as in FIDE's lists before 2012; note them."""
    is_woman = _flag(pl.col("flag")).str.contains("w")
    inspection.note(
        raw.filter(is_woman).select("line", value="flag"),
        "sex_of_flag",
        "the list has no column for the sex; a player with the flag w is a woman",
    )
    return raw.with_columns(pl.when(is_woman).then(pl.lit("F")).otherwise(pl.lit("")).alias("sex"))


def official_rows(parsed: pl.DataFrame, source: RawList, time_control: str | None) -> pl.DataFrame:
    """Return ``parsed`` (from :func:`parse_values`) as rows of :data:`OFFICIAL_ROW` with ``line``.

    ``time_control`` is that of a single list. A combined list gives a player one row for each rating, or one row
    without time control if the player has no rating. A rating of 0 becomes null: lists write unrated so; its K
    too, and a K of 0, which is none.
    """
    listed = parsed
    if source.combined:
        player = ["line", *PLAYER.columns, "flag"]
        rated = {name: pl.col(f"{name}_rating").fill_null(0) > 0 for name in LISTS}
        parts = [
            parsed.filter(rated[name]).select(
                *player, *(pl.col(f"{name}_{figure}").alias(figure) for figure in FIGURES), time_control=pl.lit(name)
            )
            for name in LISTS
        ]
        listed = pl.concat([*parts, parsed.filter(~pl.any_horizontal(*rated.values())).select(player)], how="diagonal")
    elif "time_control" not in parsed.columns:
        listed = parsed.with_columns(time_control=pl.lit(time_control, dtype=pl.String))
    is_rated, has_k = pl.col("rating") > 0, pl.col("k") > 0
    return OFFICIAL_ROW.completed(listed).with_columns(
        listed["line"], pl.when(is_rated).then("rating"), pl.when(is_rated, has_k).then("k")
    )


def check_state(parsed: pl.DataFrame, inspection: Inspection, month: Period) -> None:
    """Refuse rows (:data:`OFFICIAL_ROW`, ``line``) whose time control, rating and state contradict each other."""
    never_2400, never_2300 = ~pl.col("reached_2400"), ~pl.col("reached_2300")
    of_a_list = ("rating", *STATE)
    has_some = pl.any_horizontal(pl.col(of_a_list).is_not_null())
    no_list = f"is blank although the row has a value under {' or '.join(of_a_list)}"
    of_month, either = "correct it, or give the month of the list with --month", "correct it or the other value"
    contradictions = [
        ("time_control", pl.col("time_control").is_null() & has_some, no_list, "write which list the row is of"),
        ("last_played", pl.col("last_played") > month.first_day, f"is after the list of {month}", of_month),
        ("reached_2400", never_2400 & (pl.col("rating") >= 2400), "contradicts a rating of 2400 or more", either),
        ("reached_2300", never_2300 & (pl.col("rating") >= 2300), "contradicts a rating of 2300 or more", either),
        ("reached_2300", never_2300 & pl.col("reached_2400"), "contradicts a 2400 reached", either),
    ]
    for name, wrong, rule, remedy in contradictions:
        inspection.refuse_values(parsed, wrong, name, rule, remedy)


def _part(name: str) -> str:
    """Return ``rating``, ``games`` or ``k`` for a combined list's column; any other name unchanged."""
    head, _, part = name.partition("_")
    return part if head in LISTS else name


def _with_plain_texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with a blank for each tab, line end and blank of another width in a text; note the lines.

    What is not seen is left out. A text that is too long is refused, and one with a character that no name may have.
    """
    for name in (*_TEXTS, "club"):
        # A column of millions has few different texts, and nearly none that is odd; names are nearly all different.
        if name not in raw.columns or not _has_odd(raw[name] if name == "name" else raw[name].unique()):
            continue
        text, plain = pl.col(name), pl.col("plain")
        blanks = text.str.replace_all(r"\r\n", " ").str.replace_all(_ODD_BLANK, " ")
        raw = raw.with_columns(plain=blanks.str.replace_all(UNSEEN, ""))
        rule = "holds a character that moves the cursor, turns the direction of writing, or says what no reader sees"
        remedy = "take it out; a name needs letters only"
        inspection.refuse_values(raw, plain.str.contains(FORBIDDEN_IN_NAME), name, rule, remedy)
        rule, remedy = f"has more than {LIST_TEXT_LENGTH} characters", "write what it is, and nothing more"
        inspection.refuse_values(raw, text.str.len_chars() > LIST_TEXT_LENGTH, name, rule, remedy)
        what = (
            "a text has a tab, a line end or an odd blank, read as a blank, or a character that is not seen, left out"
        )
        inspection.note(raw.filter(text != plain).select("line", value=name), "odd_character", what)
        raw = raw.with_columns(plain.str.strip_chars().alias(name)).drop("plain")
    return raw


def _has_odd(texts: pl.Series) -> bool:
    """Return whether a text has more than letters, marks and blanks, or is too long."""
    odd = f"{_ODD_BLANK}|{FORBIDDEN_IN_NAME}|{UNSEEN}"
    return bool((texts.str.contains(odd) | (texts.str.len_bytes() > LIST_TEXT_LENGTH)).any())


def _texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with its text columns in the spelling of published lists; note the odd ones."""
    own = pl.col("own")
    capitals, of_player = own.str.to_uppercase(), own.str.to_lowercase().replace(TITLES).str.to_uppercase()
    title, other = "|".join([*TITLES, *TITLES.values()]), f"(?:{_OTHER_TITLES})"
    inspection.note(raw.filter(pl.col("name") == "").select("line", value="name"), "no_name", "a player has no name")
    what = "a title is not known; it is kept"
    columns = {
        "federation": (
            capitals,
            "([A-Z]{3})?",
            "unknown_federation",
            "a federation is not three letters; it is kept",
        ),
        "sex": (
            capitals.replace_strict(_SEXES, default=""),
            f"({'|'.join(_SEXES)})?",
            "unknown_sex",
            "a sex is neither that of a woman nor that of a man; it is left blank",
        ),
        "title": (of_player, f"({title})?", "unknown_title", what),
        "women_title": (of_player, f"({title})?", "unknown_title", what),
        "other_titles": (
            capitals,
            rf"({other}(,\s*{other})*)?",
            "unknown_other_title",
            "an arbiter's, organiser's or trainer's title is not known; it is kept",
        ),
        "flag": (
            _flag(own),
            "[iw]*",
            "unknown_flag",
            "a flag holds more than i and w; only these letters where it begins are kept",
        ),
    }
    for name, (spelling, usual, kind, description) in columns.items():
        # A column of millions has few different texts, and nearly none that is odd or spelled in another way.
        texts = raw.select(own=name).unique().with_columns(spelled=spelling)
        odd = texts.filter(~own.str.contains(f"(?i)^{usual}$"))["own"].implode()
        inspection.note(raw.filter(pl.col(name).is_in(odd)).select("line", value=name), kind, description)
        respelled = texts.filter(own != pl.col("spelled"))
        raw = raw.with_columns(pl.col(name).replace(respelled["own"], respelled["spelled"]))
    return raw


def _flag(flags: pl.Expr) -> pl.Expr:
    first = flags.str.extract(r"^([iwIW]{1,2})(?:\s|.?$)").fill_null("").str.to_lowercase()
    letters = [pl.when(first.str.contains(letter)).then(pl.lit(letter)).otherwise(pl.lit("")) for letter in "wi"]
    return pl.concat_str(letters)


def _births(frame: pl.DataFrame, inspection: Inspection, until: date) -> pl.DataFrame:
    """Return ``frame`` with ``birth_date`` as a day, and ``birth_year``: that of the day where the file has none.

    In: ``birth_date`` as text, a year alone or a day, and ``birth_year`` as a number, 0 where it is unknown. A birth
    before 1850 or after ``until`` is noted and left blank, the year and the date; one that is odd is noted.
    """
    text, day, year = pl.col("birth_date"), pl.col("born_on"), pl.col("year")
    frame = frame.with_columns(born_on=_day(text))
    other = pl.when(day.is_null()).then(text)
    frame = frame.with_columns(year=other.str.extract(_YEAR_ALONE).cast(pl.Int64))
    is_none = year.is_null() & ~other.str.contains("^0*$")
    inspection.refuse_values(frame, is_none, "birth_date", *_DATE[1:])
    stated = pl.coalesce(day.dt.year().cast(pl.Int64), pl.when(year != 0).then("year"))
    frame = frame.with_columns(pl.when(pl.col("birth_year") != 0).then("birth_year"), birth_date=day, year=stated)
    differs = pl.col("birth_year") != year
    inspection.refuse_values(frame, differs, "birth_year", "is not the year of the birth date", "correct one of them")
    frame = frame.with_columns(birth_year=pl.coalesce("birth_year", "year"))
    is_later = (pl.col("birth_date") > until).fill_null(value=False)
    is_possible = pl.col("birth_year").is_between(FIRST_BIRTH_YEAR, until.year) & ~is_later
    is_usual = pl.col("birth_year").is_between(until.year - _OLDEST_NOTED, until.year - _YOUNGEST_NOTED)
    what = "a birth is before 1850, of this year or still to come; it is left blank"
    inspection.note(frame.filter(~is_possible).select("line", value="birth_year"), "impossible_birth_year", what)
    what = "a player is younger than 4 or older than 105; it is kept, is the birth right?"
    inspection.note(frame.filter(is_possible & ~is_usual).select("line", value="birth_year"), "odd_age", what)
    births = (pl.when(is_possible).then(name).alias(name) for name in ("birth_year", "birth_date"))
    return frame.with_columns(births).drop("born_on", "year")


# ----------------------------------------------------------------------------------------- the state that K depends on

GAMES_TO_SETTLE = 30
GAMES_TO_ENTER = 5
LISTS_TO_INACTIVE = 12
LAST_JUNIOR_AGE = 18


def infer_state(listed: pl.DataFrame, month: Period, *, uniform_k: Collection[str] = ()) -> pl.DataFrame:
    """Return the list state of ``month`` for the rows of a list.

    ``listed``: ``fide_id``, ``time_control``, ``rating``, ``k``, ``games`` (of the period), ``games_played``,
    ``reached_2400``, ``reached_2300``, ``last_played``, ``flag``, ``birth_year``, ``birth_date``; everything but the
    first two may be null. ``uniform_k``: time controls in which every player of that list had the same K in any state
    (rapid and blitz up to the list of 2022-12), so that K gives no information there.

    Out: ``LIST_STATE``, in the order of the rows: every rated row, and every unrated one with a value in a
    column of :data:`STATE`. ``inferred`` holds the names of the inferred columns, alphabetical, joined by
    commas. ``last_played`` is the first day of a list: a day inside a month counts for the list after it; an unrated
    player without one keeps null.
    """
    rated = pl.col("rating").is_not_null()
    is_uniform = pl.col("time_control").is_in(pl.Series(list(uniform_k), dtype=pl.String).implode())
    is_grown_junior = (pl.col("informative_k") == 20) & pl.col("junior")
    missing = {
        "games": pl.col("games").is_null(),
        "games_played": pl.col("games_played").is_null(),
        "last_played": pl.col("last_played").is_null() & (rated | (pl.col("games") > 0)),
        "reached_2300": pl.col("reached_2300").is_null(),
        "reached_2400": pl.col("reached_2400").is_null(),
    }
    state = (
        listed.filter(pl.col("time_control").is_not_null() & (rated | pl.any_horizontal(pl.col(STATE).is_not_null())))
        .with_columns(
            inferred=pl.concat_str(
                [pl.when(absent).then(pl.lit(name)) for name, absent in missing.items()],
                separator=",",
                ignore_nulls=True,
            ),
            informative_k=pl.when(~is_uniform).then("k"),
            games=pl.col("games").fill_null(0),
            junior=_junior(month),
            last_played=_first_day_after(pl.col("last_played")),
        )
        .with_columns(
            reached_2400=pl.coalesce(
                "reached_2400", _true((pl.col("rating") >= 2400) | (pl.col("informative_k") == 10))
            )
        )
        .with_columns(
            reached_2300=pl.coalesce(
                "reached_2300",
                _true(pl.col("reached_2400") | (pl.col("rating") >= 2300) | is_grown_junior),
            )
        )
        .with_columns(
            games_played=pl.coalesce("games_played", _games_played(rated)),
            last_played=pl.coalesce("last_played", _last_played(rated, month)),
        )
        .with_columns(month=pl.lit(str(month)))
    )
    return LIST_STATE.conform(state)


def _junior(month: Period) -> pl.Expr:
    born = pl.coalesce(pl.col("birth_year"), pl.col("birth_date").dt.year().cast(pl.Int32))
    return _true(born >= month.first_day.year - LAST_JUNIOR_AGE)


def _true(condition: pl.Expr) -> pl.Expr:
    """Return ``condition`` with null as false."""
    return condition.fill_null(value=False)


def _games_played(rated: pl.Expr) -> pl.Expr:
    explained = pl.col("junior") & ~pl.col("reached_2300")
    beginner = _true(pl.col("informative_k") == 40) & ~explained
    return (
        pl.when(~rated)
        .then(0)
        .when(beginner)
        .then(pl.col("games").clip(GAMES_TO_ENTER, GAMES_TO_SETTLE - 1))
        .otherwise(GAMES_TO_SETTLE)
    )


def _last_played(rated: pl.Expr, month: Period) -> pl.Expr:
    inactive = _true(pl.col("flag").str.contains("i", literal=True))
    return (
        pl.when(pl.col("games") > 0)
        .then(pl.lit(month.first_day))
        .when(rated & inactive)
        .then(pl.lit((month - LISTS_TO_INACTIVE).first_day))
        .when(rated)
        .then(pl.lit((month - 1).first_day))
    )


def _first_day_after(day: pl.Expr) -> pl.Expr:
    """Return the first day of the list that counted a game of this day; the first of a month means its own list."""
    return pl.when(day.dt.day() == 1).then(day).otherwise(day.dt.month_start().dt.offset_by("1mo"))
