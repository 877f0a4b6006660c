"""The parser of round cells: opponent, colour and result, ten columns for each round from column 92 on.

A batch has hundreds of thousands of cells and few different ones: each distinct cell is parsed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import ROUNDS
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.result_codes import CODES, COLOURS, POINT_HALVES, UNREADABLE
from ratinglist.tables import CELL

_COLOURS: Final = {"": "", "-": "", "w": "w", "b": "b", "s": "b"}  # s: schwarz
_BYES_OF_TRF06: Final = {"1": "F", "=": "H", "0": "Z"}
"""The results of TRF06 without an opponent, and the letters of the same byes today."""
_OLD_BYE: Final = r"^[0 ]{4} -|^[0 ]{3}0  |^[0 ]{3}0 . =|^ {7}="
_FIELDS: Final = {
    "opponent": ("opponent_unreadable", 0, 4),
    "colour": ("colour_unreadable", 5, 1),
    "result": ("result_unreadable", 7, 1),
}
"""Of each field that may be unreadable: the rule, its offset in the cell, and its width."""


@dataclass(frozen=True, slots=True)
class RoundCells:
    """Round cells of a batch.

    ``cells``: :data:`~ratinglist.tables.CELL`, sorted by its key. ``sums``: ``file_no``, ``line``, ``halves`` (the sum
    of the results of a line in half points by the usual scoring: 1 point for ``+ W F U``, ½ for ``D H``, 0 for
    ``- L Z`` and blank) and ``unreadable`` (at least one of them cannot be read) of every line with a cell.
    ``findings``: the cells that cannot be read, the byes in the form of TRF06 or of older programs, and the letters of
    unrated results in small type.
    """

    cells: pl.DataFrame
    sums: pl.DataFrame
    findings: pl.DataFrame


def read(texts: pl.DataFrame, round_dates: pl.DataFrame) -> RoundCells:
    """Parse the round cells of player lines.

    ``texts``: ``file_no``, ``line``, ``start_number``, ``text``, ``damaged`` as in
    :class:`trf_players.PlayerLines`; ``round_dates``: ``file_no``, ``round``, ``date``.
    Cells without a start number are left out; those of a damaged line, and those that cannot be read, have the code
    ``?``. Source: TRF16 and TRF26, record 001 columns 92 onward.
    """
    cut = _cut(texts)
    cells = cut.join(_forms(cut["cell"].unique()), on="cell", how="left", maintain_order="left")
    place = ["file_no", "line", "round"]
    faulty = cells.filter(pl.col("fault").is_not_null() & ~pl.col("damaged"))
    displaced = faulty.filter(pl.col("fault") == "place").unique(place[:2], keep="first", maintain_order=True)
    lost = pl.concat([texts.filter("damaged").select(_LINE), displaced.select(_LINE)])
    findings = [
        _old_byes(cells.drop_nulls("bye")),
        _displaced(displaced),
        _unreadable(faulty.join(displaced, on=place[:2], how="anti")),
        _small_letters(cells.filter("small", ~pl.col("damaged"))),
    ]
    cells = _with_lost(cells, lost) if len(lost) else cells
    sums = cells.group_by(place[:2]).agg(
        pl.col("halves").sum(), (pl.col("code") == UNREADABLE).any().alias("unreadable")
    )
    dated = cells.drop_nulls("start_number").join(
        round_dates, on=["file_no", "round"], how="left", maintain_order="left"
    )
    return RoundCells(CELL.conform(dated), sums, pl.concat(findings))


_LINE: Final = ("file_no", "line", "start_number")


def _cut(texts: pl.DataFrame) -> pl.DataFrame:
    """Return ``round``, ``column`` and ``cell`` of every cell that is not blank, with the columns of its line."""
    rounds = (pl.col("text").str.len_chars() - CELLS_START + CELL_WIDTH - 1) // CELL_WIDTH
    cells = (
        texts.filter(pl.col("text").str.len_chars() > CELLS_START)
        .sort("file_no", "line")
        .with_columns(pl.int_ranges(1, rounds.clip(upper_bound=ROUNDS) + 1, dtype=pl.Int32).alias("round"))
        .explode("round")
        .with_columns((CELLS_START + 1 + CELL_WIDTH * (pl.col("round") - 1)).alias("column"))
    )
    cell = pl.col("text").str.slice(pl.col("column") - 1, CELL_WIDTH).alias("cell")
    # White space other than blanks is blank too.
    return cells.select(*_LINE, "damaged", "round", "column", cell).filter(pl.col("cell").str.strip_chars() != "")


def _forms(cells: pl.Series) -> pl.DataFrame:
    """Parse each distinct cell.

    Out: ``opponent_number``, ``colour``, ``code`` and its ``halves``, the letter of a ``bye`` in the form of TRF06, the
    ``fault`` if there is one, and whether the code is a ``small`` letter.
    """
    cell = pl.col("cell")
    opponent = cell.str.slice(0, 4).str.strip_chars()
    number = opponent.cast(pl.Int32, strict=False)
    colour = cell.str.slice(5, 1).str.strip_chars().str.to_lowercase()
    letter = cell.str.slice(7, 1).str.strip_chars()
    code = letter.str.to_uppercase()
    between = pl.concat_str(cell.str.slice(at, width) for at, width in ((4, 1), (6, 1), (8, 2)))
    fault = (
        pl.when(between.str.strip_chars() != "")
        .then(pl.lit("place"))
        .when(~opponent.str.contains(r"^[0-9]*$"))
        .then(pl.lit("opponent"))
        .when(~colour.is_in(list(_COLOURS)))
        .then(pl.lit("colour"))
        .when(~code.is_in(list(POINT_HALVES)))
        .then(pl.lit("result"))
    )
    is_bye = fault.is_null() & ~(number > 0).fill_null(value=False) & cell.str.contains(_OLD_BYE)
    forms = pl.DataFrame({"cell": cells}).with_columns(
        pl.when(fault.is_null() & (number > 0)).then(number).alias("opponent_number"),
        pl.when(is_bye).then(code.replace_strict(_BYES_OF_TRF06, default=None)).alias("bye"),
        colour.replace_strict(_COLOURS, default="").alias("colour"),
        pl.when(fault.is_null()).then(code).otherwise(pl.lit(UNREADABLE)).alias("code"),
        fault.alias("fault"),
        (fault.is_null() & letter.is_in(["w", "d", "l"])).alias("small"),
    )
    read_code = pl.coalesce("bye", "code")
    return forms.with_columns(
        pl.when(pl.col("bye").is_null()).then("colour").otherwise(pl.lit("")).cast(pl.Enum(COLOURS)).alias("colour"),
        read_code.cast(pl.Enum(CODES)).alias("code"),
        read_code.replace_strict(POINT_HALVES, default=0, return_dtype=pl.Int32).alias("halves"),
    )


def _with_lost(cells: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Return ``cells`` with those of the lines ``lost`` replaced by unreadable cells.

    A line gets one for every round in which another line names its start number, and one in the last round of the file,
    so that the line is marked as unreadable. One for every round of every line would let a small file fill the memory.
    """
    sound = cells.join(lost, on=["file_no", "line"], how="anti", maintain_order="left")
    named = sound.select("file_no", "round", pl.col("opponent_number").alias("start_number")).unique()
    # A start number on several lines gets one cell per round, on the first of the lines.
    once = lost.sort("line").unique(["file_no", "start_number"], keep="first", maintain_order=True)
    last = cells.group_by("file_no").agg(pl.col("round").max())
    places = pl.concat(
        some.select(*_LINE, "round")
        for some in (once.join(named, on=["file_no", "start_number"]), lost.join(last, on="file_no"))
    )
    unreadable = places.unique().with_columns(
        (CELLS_START + 1 + CELL_WIDTH * (pl.col("round") - 1)).alias("column"),
        pl.lit(None, pl.Int32).alias("opponent_number"),
        pl.lit("", pl.Enum(COLOURS)).alias("colour"),
        pl.lit(UNREADABLE, pl.Enum(CODES)).alias("code"),
        pl.lit(0, pl.Int32).alias("halves"),
    )
    return pl.concat([sound.select(unreadable.columns), unreadable]).sort("file_no", "line", "round")


def _old_byes(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a note on each bye in the form of TRF06.

    TRF06 has no letters for byes: ``0000 - =`` is one of half a point. Older programs leave the colour blank there, or
    write one next to half a point, or write half a point alone. A whole point or none with a colour or alone is a game
    whose opponent is missing, and so is half a point with a colour alone.
    """
    return finding(
        "old_bye",
        rows,
        line=pl.col("line"),
        column=pl.col("column"),
        value=pl.col("cell").str.strip_chars(),
        detail=pl.format("{} in round {}", "bye", "round"),
    )


def _small_letters(rows: pl.DataFrame) -> pl.DataFrame:
    return finding(
        "small_result",
        rows,
        line=pl.col("line"),
        column=pl.col("column") + 7,
        value=pl.col("cell").str.slice(7, 1),
        detail=pl.format("{} in round {}", "code", "round"),
    )


def _displaced(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a finding for each cell with text between its fields: the line is shifted from there on."""
    offset = pl.coalesce(
        pl.when(pl.col("cell").str.slice(at, 1).str.strip_chars() != "").then(at) for at in (4, 6, 8, 9)
    )
    return finding(
        "columns_shifted",
        rows.with_columns(offset.alias("offset")),
        line=pl.col("line"),
        column=pl.col("column") + pl.col("offset"),
        value=pl.col("cell").str.slice(pl.col("offset"), 1),
        detail=pl.format("round {}", "round"),
    )


def _unreadable(rows: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        finding(
            rule,
            rows.filter(pl.col("fault") == fault),
            line=pl.col("line"),
            column=pl.col("column") + start,
            value=pl.col("cell").str.slice(start, width).str.strip_chars(),
            detail=pl.col("round"),
        )
        for fault, (rule, start, width) in _FIELDS.items()
    )
