"""The round cells of the player lines: opponent, colour, result, ten columns a round from column 92.

A batch holds hundreds of thousands of cells but only some thousand different ones, so each different cell is read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import ROUNDS
from ratinglist.reports.results import POINT_HALVES, UNREADABLE
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.schemas import CELL

_COLOURS: Final = {"": "", "-": "", "w": "w", "b": "b", "s": "b"}  # s: schwarz


@dataclass(frozen=True, slots=True)
class RoundCells:
    """Round cells of a batch.

    ``cells``: :data:`~ratinglist.schemas.CELL`. ``sums``: ``file_no``, ``line``, ``halves`` (what the results of a line
    add up to in half points, forfeits and byes as usual: 1 for ``+ W F U``, ½ for ``D H``, 0 for ``- L Z`` and blank)
    and ``unreadable`` (not all of them could be read). ``findings``: what cannot be read in them.
    """

    cells: pl.DataFrame
    sums: pl.DataFrame
    findings: pl.DataFrame


def read(texts: pl.DataFrame, round_dates: pl.DataFrame) -> RoundCells:
    """Cut the cells out of player lines and read them.

    ``texts``: ``file_no``, ``line``, ``start_number``, ``text``, ``damaged`` as in
    :class:`trf_players.PlayerLines`; ``round_dates``: ``file_no``, ``round``, ``date``. Cells without a
    start number are left out; those of a damaged line, and those that cannot be read, have the code ``?``.
    Source: TRF16 and TRF26, record 001 columns 92 onward.
    """
    cells = _with_forms(_cut(texts))
    column = CELLS_START + 1 + CELL_WIDTH * (pl.col("round") - 1)
    broken = cells.filter(pl.col("fault").is_not_null() & ~pl.col("damaged")).with_columns(column.alias("column"))
    displaced = (
        broken.filter(pl.col("fault") == "place")
        .sort("file_no", "line", "round")
        .unique(["file_no", "line"], keep="first", maintain_order=True)
    )
    singles = broken.join(displaced, on=["file_no", "line"], how="anti")
    lost = pl.concat(frame.select("file_no", "line", "start_number") for frame in (texts.filter("damaged"), displaced))
    if not lost.is_empty():
        cells = _with_lost(cells, lost)
    if round_dates.is_empty():
        cells = cells.with_columns(pl.lit(None, pl.Date).alias("date"))
    else:
        days = round_dates.select(_key("file_no", "round"), "date")
        cells = cells.with_columns(_key("file_no", "round")).join(days, on="key", how="left", maintain_order="left")
    unread = pl.col("fault").is_not_null()
    sums = cells.group_by(_key("file_no", "line")).agg(
        pl.col("file_no", "line").min(), pl.col("halves").sum(), unread.any().alias("unreadable")
    )
    return RoundCells(
        CELL.conform(
            cells.filter(pl.col("start_number").is_not_null()).with_columns(
                column.alias("column"),
                pl.when(~unread).then("opponent_number").alias("opponent_number"),
                pl.when(unread).then(pl.lit(UNREADABLE)).otherwise("code").alias("code"),
            )
        ),
        sums.select("file_no", "line", "halves", "unreadable"),
        pl.concat([_displaced(displaced), _unreadable(singles)]),
    )


def _with_lost(cells: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """``cells`` with those of the lines ``lost`` replaced by unreadable ones, where another line speaks of them.

    That is one for every round in which somebody names the line's start number, and one in the last round of the file,
    so that the line is known to be unreadable. One for every line and round would let a small file fill the memory.
    """
    sound = cells.join(lost, on=["file_no", "line"], how="anti")
    named = sound.select("file_no", "round", pl.col("opponent_number").alias("start_number")).unique()
    # A start number that stands twice is nobody's, whatever is said of it.
    once = lost.sort("file_no", "line").unique(["file_no", "start_number"], keep="first", maintain_order=True)
    spoken_of = once.join(named, on=["file_no", "start_number"])
    last = lost.join(cells.group_by("file_no").agg(pl.col("round").max()), on="file_no")
    instead = pl.concat([spoken_of, last.select(spoken_of.columns)]).unique()
    unreadable = instead.with_columns(pl.lit("line").alias("fault"), pl.lit("").alias("colour"))
    return pl.concat([sound, unreadable], how="diagonal").sort("file_no", "line", "round")


def _key(file_no: str, number: str) -> pl.Expr:
    """One integer for file and line or round: cheaper to join and to group by than two."""
    return (pl.col(file_no).cast(pl.Int64) * 2**32 + pl.col(number)).alias("key")


def _cut(texts: pl.DataFrame) -> pl.DataFrame:
    """One row per line and round, in the order of the rounds: the ten columns of the cell."""
    widths = texts["text"].str.len_chars().cast(pl.Int64)
    rounds = min(ROUNDS, (int(widths.max() or 0) - CELLS_START + CELL_WIDTH - 1) // CELL_WIDTH)  # type: ignore[arg-type]
    narrowest = int(widths.min() or 0)  # type: ignore[arg-type]
    reaching = texts.select("file_no", "line", "start_number", "damaged", "text", widths.alias("width"))
    parts = []
    for number in range(1, rounds + 1):
        start = CELLS_START + CELL_WIDTH * (number - 1)
        if narrowest <= start:
            reaching = reaching.filter(pl.col("width") > start)
        parts.append(
            reaching.select(
                "file_no",
                "line",
                "start_number",
                "damaged",
                pl.lit(number, pl.Int32).alias("round"),
                pl.col("text").str.slice(start, CELL_WIDTH).alias("cell"),
            )
        )
    if not parts:
        return reaching.select(
            "file_no",
            "line",
            "start_number",
            "damaged",
            pl.lit(0, pl.Int32).alias("round"),
            pl.col("text").alias("cell"),
        ).clear()
    return pl.concat(parts)


def _with_forms(cut: pl.DataFrame) -> pl.DataFrame:
    """``cut`` without the blank cells, and beside every other one what its form says."""
    different = cut["cell"].unique()
    forms = _forms(different)
    # The place of each cell among the different ones: what is said of those is then fetched, not joined.
    place = cut["cell"].cast(pl.Enum(different)).to_physical()
    is_blank = different.str.strip_chars() == ""
    if is_blank.any():
        written = ~is_blank.gather(place)
        cut, place = cut.filter(written), place.filter(written)
    return cut.with_columns(forms[name].gather(place) for name in forms.columns)


def _forms(cells: pl.Series) -> pl.DataFrame:
    """Every different cell read: ``opponent_number``, ``colour``, ``code``, ``halves``, and its ``fault`` if any."""
    opponent = pl.col("cell").str.slice(0, 4).str.strip_chars()
    number = opponent.cast(pl.Int32, strict=False)
    colour = pl.col("cell").str.slice(5, 1).str.strip_chars().str.to_lowercase()
    code = pl.col("cell").str.slice(7, 1).str.strip_chars().str.to_uppercase()
    between = pl.concat_str(pl.col("cell").str.slice(at, width) for at, width in ((4, 1), (6, 1), (8, 2)))
    return pl.DataFrame({"cell": cells}).select(
        pl.when(number > 0).then(number).alias("opponent_number"),
        colour.replace_strict(_COLOURS, default="").alias("colour"),
        code.alias("code"),
        code.replace_strict(POINT_HALVES, default=0, return_dtype=pl.Int32).alias("halves"),
        pl.when(between.str.strip_chars() != "")
        .then(pl.lit("place"))
        .when(~opponent.str.contains(r"^[0-9]*$"))
        .then(pl.lit("opponent"))
        .when(~colour.is_in(list(_COLOURS)))
        .then(pl.lit("colour"))
        .when(~code.is_in(list(POINT_HALVES)))
        .then(pl.lit("result"))
        .alias("fault"),
    )


def _displaced(rows: pl.DataFrame) -> pl.DataFrame:
    """A column between two fields of a cell is not blank: the line is shifted from there on."""
    offset = pl.coalesce(
        pl.when(pl.col("cell").str.slice(at, 1).str.strip_chars() != "").then(at) for at in (4, 6, 8, 9)
    )
    return finding(
        "columns_shifted",
        rows.with_columns(offset.alias("offset")),
        line=pl.col("line"),
        column=pl.col("column") + pl.col("offset"),
        value=pl.col("cell").str.slice(pl.col("offset"), 1),
        detail=pl.format("round {}: '{}'", "round", pl.col("cell").str.strip_chars()),
    )


def _unreadable(rows: pl.DataFrame) -> pl.DataFrame:
    places = {
        "opponent": ("opponent_unreadable", 0, 4),
        "colour": ("colour_unreadable", 5, 1),
        "result": ("result_unreadable", 7, 1),
    }
    return pl.concat(
        finding(
            rule,
            rows.filter(pl.col("fault") == fault),
            line=pl.col("line"),
            column=pl.col("column") + start,
            value=pl.col("cell").str.slice(start, width).str.strip_chars(),
            detail=pl.col("round"),
        )
        for fault, (rule, start, width) in places.items()
    )
