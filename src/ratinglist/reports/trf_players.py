"""The parser of player lines (001), columns 1 to 90: the players and their start numbers.

Columns are counted in characters, as the format defines. Programs that count bytes shift everything behind a name with
accents to the left; where that reading fits the file better, it is used and noted.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import ROUNDS, SHOWN_LENGTH
from ratinglist.reports import dates
from ratinglist.reports.encoding import leave_out
from ratinglist.reports.games import CELL_WIDTH, CELLS_START
from ratinglist.tables import FILE_FINDING, PLAYER_LINE

_NAME_START: Final = 14
_NAME_END: Final = 47
#: Columns of a line with the most rounds; a longer line is no player line.
_MAX_COLUMNS: Final = CELLS_START + ROUNDS * CELL_WIDTH
#: First and last column of the fields up to the name, and of those behind it.
_FIELDS: Final = {"start_text": (5, 8), "name": (15, _NAME_END)}
_FIELDS_BEHIND: Final = {
    "rating_text": (49, 52),
    "federation": (54, 56),
    "fide_id_text": (58, 68),
    "birth_text": (70, 79),
    "points_text": (81, 84),
}
#: Offset, from 0, of the sex (column 10).
_SEX: Final = 9
#: Offset of the column behind the FIDE ID.
_BEHIND_ID: Final = 68
#: Offsets, from 0, of the columns between two fields that must be blank: 53, 57, 69, 80, 85, 90 and 91.
_BETWEEN: Final = (52, 56, _BEHIND_ID, 79, 84, 89, 90)
#: The text from column 48 on where every field is in its columns.
_LAYOUT: Final = (
    r"^ [ \d]{4} .{3} [ \d]{11} .{10} [ \d.,]{4} [ \d]{4}  (?:[ \d]{4} [ WBSwbs\-] [ 1=0+\-WDLHFUZwdlhfuz]  )* *$"
)
_SEXES: Final = {"": "", "-": "", "M": "M", "W": "F", "F": "F"}


def read(lines: pl.DataFrame, stated_ids: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Parse 001 lines (``file_no``, ``line``, ``text``, in order). Source: TRF16 and TRF26, record 001.

    ``stated_ids``: ``file_no``, ``start_number`` and ``stated_id`` of the players whose FIDE ID a manifest states.

    Out: :data:`~ratinglist.tables.PLAYER_LINE`, sorted by file and line; ``file_no``, ``line``, ``start_number``,
    ``text`` (with its columns corrected) and ``damaged`` of the same lines in the same order, of a damaged line only
    the start number being used; :data:`~ratinglist.tables.FILE_FINDING`.
    """
    repaired, notes = _with_columns_in_characters(lines)
    # Slicing counts characters from the left, so the fields behind the name are sliced from a shorter text.
    behind = pl.col("behind")
    fields = (
        repaired.with_columns(pl.col("text").str.slice(_NAME_END, CELLS_START - _NAME_END).alias("behind"))
        .with_columns(
            pl.col("text").str.contains("\t", literal=True).alias("tab"),
            (pl.col("text").str.slice(_MAX_COLUMNS).str.strip_chars() != "").alias("endless"),
            pl.any_horizontal(behind.str.slice(at - _NAME_END, 1) > " " for at in _BETWEEN).alias("shifted"),
            *(_field("text", 0, *columns).alias(name) for name, columns in _FIELDS.items()),
            *(_field("behind", _NAME_END, *columns).alias(name) for name, columns in _FIELDS_BEHIND.items()),
            pl.col("text").str.slice(_SEX, 1).str.strip_chars().str.to_uppercase().alias("sex_text"),
        )
        .with_columns(pl.any_horizontal("tab", "endless", "shifted").alias("damaged"), *_values())
    )
    fields, unseen = leave_out(fields, "name", _FIELDS["name"][0])
    fields, stated = _with_stated_ids(fields, stated_ids)
    births = dates.read(fields["birth_text"])
    # A year of two digits leaves the century open, which is not guessed for a birth.
    births = births.with_columns(
        pl.when(pl.col("text").str.contains(r"\d{4}")).then(name).alias(name) for name in ("date", "year")
    ).rename({"text": "birth_text", "date": "birth_date", "year": "birth_year"})
    fields = fields.join(births, on="birth_text", how="left", maintain_order="left")
    sound = fields.filter(~pl.col("damaged"))
    faults = [_damages(fields.filter("damaged")), _faults(sound), _repeated(fields, sound)]
    texts = fields.select("file_no", "line", "start_number", "text", "damaged")
    return PLAYER_LINE.conform(fields), texts, pl.concat([notes, unseen, stated, *faults])


def _with_columns_in_characters(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``lines`` with the columns behind the name corrected, and a note for every file that counted bytes.

    Both readings are tried on the lines that have more bytes than characters. The reading that fits more lines of a
    file is used; where both fit the same number, that of the format.
    """
    extra = (pl.col("text").str.len_bytes() - pl.col("text").str.len_chars()).cast(pl.Int32).alias("extra")
    wide = lines.with_columns(extra).filter(pl.col("extra") > 0)
    # A line may have more such bytes than a name can have; then the name is not what shifted it.
    behind = (_NAME_END - pl.col("extra")).clip(_NAME_START)
    # A shifted line can only fit where the column behind the FIDE ID is then blank: in most files none is.
    may_fit = pl.col("text").str.slice(behind + (_BEHIND_ID - _NAME_END), 1).is_in(["", " "])
    wide = wide.join(wide.filter(may_fit), on="file_no", how="semi", maintain_order="left")
    wide = wide.with_columns(_fits("text").alias("text_fits"))
    # Where every line fits as it is, the other reading cannot fit more of them.
    wide = wide.join(wide.filter(~pl.col("text_fits")), on="file_no", how="semi")
    if wide.is_empty():
        return lines, finding("padded_by_bytes", lines.clear())
    moved = pl.col("text").str.slice(0, behind).str.pad_end(_NAME_END) + pl.col("text").str.slice(behind)
    wide = wide.with_columns(moved.alias("moved")).with_columns(_fits("moved").alias("moved_fits"))
    by_bytes = (
        wide.group_by("file_no")
        .agg(
            pl.len().alias("lines"),
            (pl.col("moved_fits").sum() > pl.col("text_fits").sum()).alias("by_bytes"),
            pl.col("line").min(),
        )
        .filter("by_bytes")
    )
    shifted = wide.join(by_bytes.select("file_no"), on="file_no", how="semi").select("file_no", "line", "moved")
    repaired = lines.join(shifted, on=["file_no", "line"], how="left", maintain_order="left").select(
        "file_no", "line", pl.coalesce("moved", "text").alias("text")
    )
    return repaired, finding("padded_by_bytes", by_bytes, line=pl.col("line"), column=15, detail=pl.col("lines"))


def _fits(text: str) -> pl.Expr:
    """Return whether the text behind the name has the layout; blanks trimmed from the end of a line are restored."""
    behind = pl.col(text).str.slice(_NAME_END).str.pad_end(CELLS_START - _NAME_END)
    return (behind + " " * CELL_WIDTH).str.contains(_LAYOUT)


def _field(text: str, before: int, first: int, last: int) -> pl.Expr:
    """Return columns ``first`` to ``last`` of a line, trimmed; ``text`` lacks its first ``before`` columns."""
    return pl.col(text).str.slice(first - 1 - before, last - first + 1).str.strip_chars()


def _values() -> list[pl.Expr]:
    """Return the values of the texts of :data:`_FIELDS`; null, or empty, where a text is not valid."""

    def positive(text: str, dtype: type[pl.DataType]) -> pl.Expr:
        number = pl.col(text).cast(dtype, strict=False)
        return pl.when(number > 0).then(number)

    points = pl.col("points_text").str.replace(",", ".", literal=True).cast(pl.Decimal(6, 1), strict=False)
    return [
        positive("start_text", pl.Int32).alias("start_number"),
        pl.col("rating_text").cast(pl.Int32, strict=False).alias("rating"),
        pl.col("federation").str.to_uppercase(),
        positive("fide_id_text", pl.Int64).alias("fide_id"),
        (points * 10).cast(pl.Int32, strict=False).alias("points_tenths"),
        pl.col("sex_text").replace_strict(_SEXES, default="").alias("sex"),
    ]


def _with_stated_ids(fields: pl.DataFrame, stated: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``fields`` with the FIDE IDs that a manifest states, a note for each file, and a refusal for nobody's."""
    if stated.is_empty():
        return fields, FILE_FINDING.empty()
    keys = ["file_no", "start_number"]
    joined = fields.join(stated, on=keys, how="left", maintain_order="left")
    there = pl.when(pl.col("fide_id_text").str.contains("^0*$")).then(pl.lit("none")).otherwise("fide_id_text")
    taken = (
        joined.filter(pl.col("stated_id").is_not_null() & pl.col("stated_id").ne_missing(pl.col("fide_id")))
        .with_columns(there.alias("there"))
        .group_by("file_no")
        .agg(pl.len(), pl.col("line", "name", "stated_id", "there").sort_by("line").first())
    )
    nobody = stated.join(fields, on=keys, how="anti").sort(keys)
    found = [
        finding(
            "fide_ids_stated",
            taken,
            line=pl.col("line"),
            column=58,
            value=pl.col("len"),
            detail=pl.format("{}, {} (the report has {})", "name", "stated_id", "there"),
        ),
        finding("fide_id_of_nobody", nobody, value=pl.col("start_number"), detail=pl.col("stated_id")),
    ]
    text = pl.coalesce(pl.col("stated_id").cast(pl.String), "fide_id_text").alias("fide_id_text")
    fields = joined.with_columns(text, pl.coalesce("stated_id", "fide_id").alias("fide_id")).drop("stated_id")
    return fields, pl.concat(found)


def _damages(lines: pl.DataFrame) -> pl.DataFrame:
    """Return one finding for each line whose columns cannot be trusted; such a line gets no other finding."""
    text = pl.col("text")
    tabbed = lines.filter("tab").with_columns(text.str.find("\t", literal=True).cast(pl.Int32).alias("first_tab"))
    tabs = [", ".join(str(at) for at, letter in enumerate(line, 1) if letter == "\t") for line in tabbed["text"]]
    first_wrong = pl.coalesce(pl.when(text.str.slice(at, 1) > " ").then(pl.lit(at + 1)) for at in _BETWEEN)
    shifted = lines.filter(pl.col("shifted") & ~pl.col("tab") & ~pl.col("endless")).with_columns(
        first_wrong.alias("column")
    )
    return pl.concat(
        [
            finding(
                "tab_in_line",
                tabbed.with_columns(pl.Series("tabs", tabs, dtype=pl.String).str.slice(0, SHOWN_LENGTH)),
                line=pl.col("line"),
                column=pl.col("first_tab") + 1,
                # The text behind a tab may be a birth.
                value=text.str.slice(0, pl.min_horizontal("first_tab", _NAME_END)).str.strip_chars(),
                detail=pl.col("tabs"),
            ),
            finding(
                "line_too_long",
                lines.filter(pl.col("endless") & ~pl.col("tab")),
                line=pl.col("line"),
                column=_MAX_COLUMNS + 1,
                value=text.str.strip_chars_end().str.len_chars(),
            ),
            finding(
                "columns_shifted",
                shifted,
                line=pl.col("line"),
                column=pl.col("column"),
                value=text.str.slice(pl.col("column") - 1, 1),
                # Digits in the place of a name may be a birth.
                detail=text.str.slice(14, 33).str.replace(r"[0-9].*", "").str.strip_chars(),
            ),
        ]
    )


def _faults(fields: pl.DataFrame) -> pl.DataFrame:
    """Return the findings of sound lines: wrong numbers refuse the file, fields that no rating needs are noted."""
    name, line = pl.col("name"), pl.col("line")
    blank_id = pl.col("fide_id_text").str.contains(r"^0*$")
    is_cut = (pl.col("start_text") == "") & (name == "")
    cut, whole = fields.filter(is_cut), fields.filter(~is_cut)
    no_id = whole.filter(pl.col("fide_id").is_null())
    return pl.concat(
        [
            finding("player_line_cut", cut, line=line),
            finding(
                "start_number_unreadable",
                whole.filter(pl.col("start_number").is_null()),
                line=line,
                column=5,
                value=pl.col("start_text"),
                detail=name,
            ),
            finding(
                "fide_id_missing",
                no_id.filter(blank_id),
                line=line,
                column=58,
                value=name,
                detail=pl.col("start_text"),
            ),
            finding(
                "fide_id_unreadable",
                no_id.filter(~blank_id),
                line=line,
                column=58,
                value=pl.col("fide_id_text"),
                detail=pl.col("start_text"),
            ),
            finding(
                "sex_unknown",
                fields.filter(~pl.col("sex_text").is_in(list(_SEXES))),
                line=line,
                column=10,
                value=pl.col("text").str.slice(9, 1),
            ),
            finding(
                "birth_unreadable",
                fields.filter(pl.col("birth_year").is_null() & ~pl.col("blank")),
                line=line,
                column=70,
                value=pl.col("birth_text"),
            ),
            finding(
                "points_unreadable",
                fields.filter(pl.col("points_tenths").is_null() & (pl.col("points_text") != "")),
                line=line,
                column=81,
                value=pl.col("points_text"),
            ),
        ]
    )


def _repeated(fields: pl.DataFrame, sound: pl.DataFrame) -> pl.DataFrame:
    """Return a finding for each further line of a start number or of a FIDE ID."""

    def again(number: str, rows: pl.DataFrame) -> pl.DataFrame:
        first = rows.drop_nulls(number).group_by("file_no", number).agg(pl.col("line").min().alias("earlier"), pl.len())
        repeated = rows.join(first.filter(pl.col("len") > 1), on=["file_no", number])
        return repeated.filter(pl.col("line") > pl.col("earlier"))

    return pl.concat(
        finding(
            rule,
            again(number, rows),
            line=pl.col("line"),
            column=column,
            value=pl.col(number),
            detail=pl.col("earlier"),
        )
        for rule, number, column, rows in (
            ("start_number_repeated", "start_number", 5, fields),
            ("fide_id_repeated", "fide_id", 58, sound),
        )
    )
