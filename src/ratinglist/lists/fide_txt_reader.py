"""FIDE's lists as fixed-width text: combined (with and without FOA), one time control each, and the older layouts.

No offset is written here. Every layout names its columns in its header line, each word above the first character of
its column (in old ones touching: ``TitlFed``, ``GamesBorn``), so the header gives the columns and the data lines
must fit them. Known oddity: a list of other titles longer than its column shifts the rest of its line to the right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import polars as pl

from ratinglist.limits import HEADER_LENGTH, SHOWN_LENGTH
from ratinglist.lists.line_batches import line_batches
from ratinglist.lists.list_source import (
    MONTH_NAMES,
    TIME_CONTROLS,
    Inspection,
    OfficialListError,
    OfficialSource,
    list_month,
)
from ratinglist.period import Period
from ratinglist.safe_text import shortened

_WORDS = {
    "idnumber": "fide_id",
    "name": "name",
    "fed": "federation",
    "country": "federation",
    "sex": "sex",
    "title": "title",
    "titl": "title",
    "tit": "title",
    "wtit": "women_title",
    "otit": "other_titles",
    "foa": "foa_title",
    "srtng": "standard_rating",
    "sgm": "standard_games",
    "sk": "standard_k",
    "rrtng": "rapid_rating",
    "rgm": "rapid_games",
    "rk": "rapid_k",
    "brtng": "blitz_rating",
    "bgm": "blitz_games",
    "bk": "blitz_k",
    "games": "games",
    "gms": "games",
    "k": "k",
    "b-day": "birth_year",
    "birthday": "birth_year",
    "born": "birth_year",
    "flag": "flag",
}
_MONTH = rf"(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)"
# Longest first, so that `Titl` is not read as `Tit` and a stray letter, and `SK` not as `S` and `K`.
_HEADER = re.compile(
    "|".join([r"ID[ _]?Number", _MONTH, *sorted(map(re.escape, _WORDS.keys() - {"idnumber"}), key=len, reverse=True)]),
    # Of ASCII alone: the long s and the sign for kelvin are an s and a k to nobody but Unicode.
    re.ASCII | re.IGNORECASE,
)
_TEXTS = ("name", "title", "women_title", "other_titles")
_NUMBERS = ("fide_id", "rating", "games", "k", "birth_year")


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column: characters ``start`` to ``end`` (exclusive, from 0) under ``word``."""

    name: str
    word: str
    start: int
    end: int

    @property
    def numeric(self) -> bool:
        """Whether it holds a number, which never touches its right neighbour."""
        return self.name.endswith(_NUMBERS)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns a header line names, its length, and the month in it (lists of one time control)."""

    columns: tuple[TextColumn, ...]
    width: int
    month: Period | None

    @classmethod
    def of(cls, header: str) -> Layout:
        """Read the header line; raises :class:`ValueError`, saying what is wrong, where it is not one of FIDE's."""
        found = list(_HEADER.finditer(header))
        unknown = _HEADER.sub(" ", header).split()
        if unknown:
            raise ValueError(f"the heading '{shortened(unknown[0], SHOWN_LENGTH)}' is not known")
        names = [_column_name(word) for word in found]
        missing = [name for name in ("fide_id", "name", "birth_year") if name not in names]
        if missing:
            raise ValueError(f"the header line has no column for {missing[0]}")
        if len(set(names)) < len(names):
            raise ValueError("two headings name the same column")
        if not {"rating", "standard_rating"} & set(names):
            raise ValueError("the header line has no column for a rating: SRtng, or a month such as OCT26")
        lacking = [word for word, name in _WORDS.items() if name.startswith(TIME_CONTROLS) and name not in names]
        if "standard_rating" in names and lacking:
            raise ValueError(f"a list of three time controls needs the heading {lacking[0]}, in any case")
        starts = [0, *(word.start() for word in found[1:])]
        # The last column runs to the end of the line; what is too long is found by the length of the line.
        ends = [*starts[1:], len(header) + 1000]
        columns = zip(names, (word[0] for word in found), starts, ends, strict=True)
        month = next((list_month(word["month"], word["year"]) for word in found if word["month"]), None)
        return cls(tuple(TextColumn(*column) for column in columns), len(header), month)


def _column_name(word: re.Match[str]) -> str:
    return "rating" if word["month"] else _WORDS[word[0].lower().replace(" ", "").replace("_", "")]


def is_fide_text(first_line: str) -> bool:
    """Whether a file with this first line is one of FIDE's text lists."""
    return re.match(r"\s*ID[ _]?Number\b", first_line, re.IGNORECASE) is not None


def read_fide_text(stream: IO[bytes], inspection: Inspection) -> OfficialSource:
    """The list in ``stream``, in batches; raises :class:`OfficialListError` where header or lines do not fit."""
    batches = line_batches(stream, inspection)
    first = next((batch for batch in batches if batch.height), None)
    if first is None:
        raise inspection.refused("it holds no players", "send a list with at least one player")
    header = first["text"][0].rstrip("\r\n")
    if len(header) > HEADER_LENGTH:
        raise inspection.refused(
            f"line {first['line'][0]}: it has {len(header)} characters, and the header at most {HEADER_LENGTH}",
            "take the file as FIDE publishes it",
        )
    try:
        layout = Layout.of(header)
    except ValueError as wrong:
        raise inspection.refused(
            f"line {first['line'][0]}: {wrong}, so the columns are not known", "take the file as FIDE publishes it"
        ) from None
    places = {column.name: f"column {column.start + 1} ({column.word})" for column in layout.columns}
    return OfficialSource(
        combined="standard_rating" in places,
        has_time_control=False,
        month=layout.month,
        places=places,
        batches=_batches(first.slice(1), batches, layout, inspection),
    )


def _batches(
    first: pl.DataFrame, others: Iterator[pl.DataFrame], layout: Layout, inspection: Inspection
) -> Iterator[pl.DataFrame]:
    _check_fit(first, layout, inspection)
    yield _columns(first, layout, inspection)
    for lines in others:
        yield _columns(lines, layout, inspection)


def _columns(lines: pl.DataFrame, layout: Layout, inspection: Inspection) -> pl.DataFrame:
    """``line`` and the stripped text of every column, of ``lines`` (``line``, ``text``)."""
    too_long = pl.col("text").str.len_chars() > layout.width
    raw = _sliced(lines.filter(~too_long), layout)
    shifted = lines.filter(too_long)
    if shifted.height:
        shifted = _with_shift(shifted, layout)
        _judge_shift(shifted, layout, inspection)
        raw = pl.concat([raw, _sliced(shifted, layout)]).sort("line")
    for left, right in zip(layout.columns, layout.columns[1:], strict=False):
        if left.numeric or right.numeric:
            # A full text may touch the number after it; digits on both sides of a border are one number, cut.
            cut = pl.lit(value=True) if left.numeric else pl.col(left.name).str.contains("[0-9]$")
            inspection.refuse(
                raw.filter(cut & _touch(pl.col(left.name), pl.col(right.name))).select(
                    "line", value=pl.col(left.name) + pl.col(right.name)
                ),
                f"column {left.start + 1} ({left.word})",
                f"runs into the next column ({right.word})",
                "restore the line as FIDE published it",
            )
    return raw.select("line", pl.exclude("line", "foa_title").str.strip_chars())


def _sliced(lines: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """The columns, not stripped. Where ``lines`` has ``shift`` and ``overflow_end``, columns from there on move."""
    if "shift" not in lines.columns:
        cut = [pl.col("text").str.slice(c.start, c.end - c.start).alias(c.name) for c in layout.columns]
        return lines.select("line", *cut)

    def moved(at: int) -> pl.Expr:
        return at + pl.when(pl.col("overflow_end") <= at).then(pl.col("shift")).otherwise(0)

    return lines.select(
        "line",
        *(
            pl.col("text").str.slice(moved(c.start), moved(c.end) - moved(c.start)).alias(c.name)
            for c in layout.columns
        ),
    )


def _with_shift(lines: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """``lines`` longer than the header, with ``shift`` (characters) and ``overflow_end``: the column that overflows.

    Records are padded to the length of the header, so what a line has too much is what its overflowing text pushed
    to the right. Blanks at the end of a line in which nothing overflows mean nothing.
    """
    overflows = [c for c in layout.columns if c.name in _TEXTS]
    return lines.with_columns(
        overflow_end=pl.coalesce(
            pl.when(_border_is_crossed(column.end)).then(column.end).otherwise(None) for column in overflows
        ),
        shift=pl.col("text").str.len_chars().cast(pl.Int64) - layout.width,
    )


def _judge_shift(found: pl.DataFrame, layout: Layout, inspection: Inspection) -> None:
    """Note the lines in which a text overflows; refuse those that are too long for no visible reason."""
    unclear = pl.col("overflow_end").is_null() & (pl.col("text").str.strip_chars_end().str.len_chars() > layout.width)
    inspection.refuse(
        found.filter(unclear).select("line", value=pl.col("text").str.strip_chars_end().str.slice(layout.width)),
        f"column {layout.width + 1}",
        "stands beyond the end of the header line",
        "restore the line as FIDE published it",
    )
    inspection.note(
        found.filter(pl.col("overflow_end").is_not_null()).select("line", value=pl.col("text").str.strip_chars_end()),
        "line_overflows",
        "a text is longer than its column and shifts the rest of its line; the line was read from the right",
    )


def _check_fit(lines: pl.DataFrame, layout: Layout, inspection: Inspection) -> None:
    """Refuse the list where most of its first lines do not fit the columns of its header."""
    # A line shifted by an overflow fits no column and says nothing, unless all are too long.
    regular = lines.filter(pl.col("text").str.len_chars() <= layout.width)
    lines = regular if regular.height else _with_shift(lines, layout).filter(pl.col("overflow_end").is_null())
    borders = [_border_is_crossed(c.end) for c in layout.columns[:-1]]
    federation = [
        ~pl.col("text").str.slice(c.start, c.end - c.start).str.strip_chars().str.contains("^[A-Za-z]{0,3}$")
        for c in layout.columns
        if c.name == "federation"
    ]
    misfits = lines.filter(pl.any_horizontal(*borders, *federation))
    if 2 * misfits.height > lines.height:
        raise _misfit(misfits, layout, inspection)


def _misfit(misfits: pl.DataFrame, layout: Layout, inspection: Inspection) -> OfficialListError:
    line, text = misfits.select("line", "text").row(0)
    heads = ", ".join(f"{column.word} from {column.start + 1}" for column in layout.columns)
    return inspection.refused(
        f"line {line}: the data lines do not stand under the words of the header ({heads}): "
        f"'{shortened(text.rstrip(), 2 * SHOWN_LENGTH)}'",
        "take the file as FIDE publishes it, with blanks and not tabs between the columns",
    )


def _border_is_crossed(border: int) -> pl.Expr:
    around = pl.col("text").str.slice(border - 1, 2)
    return ~(around.str.contains(" ", literal=True)) & (around.str.len_chars() == 2)


def _touch(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return (left != "") & ~left.str.ends_with(" ") & (right != "") & ~right.str.starts_with(" ")
