"""The parser of round cells: opponent, colour and result, ten columns for each round from column 92 on.

Nearly all cells have the same form and are parsed as numbers (:mod:`~ratinglist.reports.cell_columns`). Of the others
each distinct cell is parsed once, as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.reports import cell_columns
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.result_codes import CODES, COLOURS, POINT_HALVES, UNREADABLE
from ratinglist.schemas import CELL

_COLOURS: Final = {"": "", "-": "", "w": "w", "b": "b", "s": "b"}  # s: schwarz
_UNREADABLE: Final = CODES.index(UNREADABLE)
_HALVES: Final = pl.Series([POINT_HALVES.get(code, 0) for code in CODES], dtype=pl.Int32)


@dataclass(frozen=True, slots=True)
class RoundCells:
    """Round cells of a batch.

    ``cells``: :data:`~ratinglist.schemas.CELL`, sorted by its key. ``sums``: one row for each line given, in their
    order: ``halves`` (the sum of its results in half points by the usual scoring: 1 point for ``+ W F U``, ½ for
    ``D H``, 0 for ``- L Z`` and blank) and ``unreadable`` (at least one of them cannot be read). ``findings``: the
    cells that cannot be read.
    """

    cells: pl.DataFrame
    sums: pl.DataFrame
    findings: pl.DataFrame


def read(texts: pl.DataFrame, round_dates: pl.DataFrame) -> RoundCells:
    """Parse the round cells of player lines.

    ``texts``: ``file_no``, ``line``, ``start_number``, ``text``, ``damaged`` as in
    :class:`trf_players.PlayerLines`, in the order of file and line; ``round_dates``: ``file_no``, ``round``, ``date``.
    Cells without a start number are left out; those of a damaged line, and those that cannot be read, have the code
    ``?``. Source: TRF16 and TRF26, record 001 columns 92 onward.
    """
    texts = texts.with_row_index("row")
    cells = cell_columns.read(texts["text"])
    cells, faults = _with_unusual(cells, texts)
    broken = faults.join(texts.filter(~pl.col("damaged")).drop("text"), on="row").with_columns(
        _first_column().alias("column")
    )
    displaced = (
        broken.filter(pl.col("fault") == "place").sort("row", "round").unique("row", keep="first", maintain_order=True)
    )
    singles = broken.join(displaced, on="row", how="anti")
    lines = texts.drop("text")
    lost = pl.concat([lines.filter("damaged"), displaced.select(lines.columns)])
    if not lost.is_empty():
        cells = _with_lost(cells, lines, lost)
    return RoundCells(
        _as_cells(cells, texts, round_dates),
        _sums(cells, len(texts)),
        pl.concat([_displaced(displaced), _unreadable(singles)]),
    )


def _first_column() -> pl.Expr:
    return CELLS_START + 1 + CELL_WIDTH * (pl.col("round") - 1)


def _with_unusual(cells: pl.DataFrame, texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``cells`` with the unusual cells parsed as text, and the faults of those that cannot be read.

    The faults have ``row``, ``round``, ``cell`` and ``fault``.
    """
    places = (~cells["usual"]).arg_true()
    cells = cells.drop("usual")
    unusual = cells[places].select("row", "round")
    unusual = unusual.with_columns(texts["text"].gather(unusual["row"])).select(
        "row", "round", pl.col("text").str.slice(_first_column() - 1, CELL_WIDTH).alias("cell")
    )
    if unusual.is_empty():
        return cells, unusual.with_columns(pl.lit(None, pl.String).alias("fault"))
    read = unusual.join(_forms(unusual["cell"].unique()), on="cell", how="left", maintain_order="left")
    cells = cells.with_columns(
        cells[name].scatter(places, read[name]) for name in ("opponent_number", "colour", "code")
    )
    # A cell of other white space than spaces, such as tabs, is blank too.
    blank = read["cell"].str.strip_chars() == ""
    if blank.any():
        is_blank = pl.zeros(len(cells), pl.Boolean, eager=True).scatter(places.filter(blank), values=True)
        cells = cells.filter(~is_blank)
    return cells, read.filter(pl.col("fault").is_not_null()).select("row", "round", "cell", "fault")


def _with_lost(cells: pl.DataFrame, lines: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Return ``cells`` with those of the lines ``lost`` replaced by unreadable cells.

    A line gets one for every round in which another line names its start number, and one in the last round of the file,
    so that the line is marked as unreadable. One for every round of every line would let a small file fill the memory.
    """
    in_file = cells.with_columns(lines["file_no"].gather(cells["row"]))
    sound = in_file.join(lost, on="row", how="anti", maintain_order="left")
    named = sound.select("file_no", "round", pl.col("opponent_number").alias("start_number")).unique()
    # A start number on several lines gets one cell per round, on the first of the lines.
    once = lost.sort("row").unique(["file_no", "start_number"], keep="first", maintain_order=True)
    named_lines = once.join(named, on=["file_no", "start_number"])
    last = lost.join(in_file.group_by("file_no").agg(pl.col("round").max()), on="file_no")
    replacements = pl.concat(frame.select("row", "round") for frame in (named_lines, last)).unique()
    unreadable = replacements.with_columns(
        pl.lit(0, pl.Int32).alias("opponent_number"),
        pl.lit(COLOURS.index(""), pl.UInt8).alias("colour"),
        pl.lit(_UNREADABLE, pl.UInt8).alias("code"),
    )
    return pl.concat([sound.select(unreadable.columns), unreadable]).sort("row", "round")


def _as_cells(cells: pl.DataFrame, texts: pl.DataFrame, round_dates: pl.DataFrame) -> pl.DataFrame:
    """Return the cells as :data:`~ratinglist.schemas.CELL`, with the row numbers, colours and codes decoded."""
    row = cells["row"]
    opponent, code = pl.col("opponent_number"), pl.col("code")
    whole = cells.with_columns(
        # The lines are sorted by file; the flag saves searching for the largest file_no.
        texts["file_no"].gather(row).set_sorted(),
        *(texts[name].gather(row) for name in ("line", "start_number")),
        _first_column().alias("column"),
        pl.when((opponent > 0) & (code != _UNREADABLE)).then(opponent).alias("opponent_number"),
        *(pl.col(name).cat.to(CELL.columns[name].dtype) for name in ("colour", "code")),
    )
    whole = whole.with_columns(_dates(whole, round_dates))
    if texts["start_number"].has_nulls():
        whole = whole.filter(pl.col("start_number").is_not_null())
    return CELL.conform(whole)


def _dates(cells: pl.DataFrame, round_dates: pl.DataFrame) -> pl.Series:
    """Return the date of every cell's round, looked up in a table of files and rounds, which is cheaper than a join."""
    if round_dates.is_empty():
        return pl.Series("date", [None], dtype=pl.Date).new_from_index(0, len(cells))
    files, rounds = round_dates.select(pl.max("file_no", "round") + 1).row(0)
    table = pl.Series("date", [None], dtype=pl.Date).new_from_index(0, files * rounds)
    table = table.scatter(round_dates["file_no"] * rounds + round_dates["round"], round_dates["date"])
    file_no, number = pl.col("file_no"), pl.col("round")
    place = pl.when((file_no < files) & (number < rounds)).then(file_no * rounds + number)
    return table.gather(cells.select(place.cast(pl.UInt32)).to_series())


def _sums(cells: pl.DataFrame, lines: int) -> pl.DataFrame:
    halves, unreadable = (pl.zeros(lines, dtype, eager=True) for dtype in (pl.Int32, pl.Boolean))
    row, code = cells["row"], cells["code"]
    # The cells of a line are consecutive: its sum is the running total at its last cell less that of the line before.
    last = (row != row.shift(-1)).fill_null(value=True).arg_true()
    total = _HALVES.gather(code).cum_sum().gather(last)
    return pl.DataFrame(
        {
            "halves": halves.scatter(row.gather(last), total - total.shift(1, fill_value=0)),
            "unreadable": unreadable.scatter(row.filter(code == _UNREADABLE), values=True),
        }
    )


def _forms(cells: pl.Series) -> pl.DataFrame:
    """Parse each distinct cell as text: the columns of :func:`cell_columns.read`, and its ``fault`` if any."""
    opponent = pl.col("cell").str.slice(0, 4).str.strip_chars()
    number = opponent.cast(pl.Int32, strict=False)
    colour = pl.col("cell").str.slice(5, 1).str.strip_chars().str.to_lowercase()
    code = pl.col("cell").str.slice(7, 1).str.strip_chars().str.to_uppercase()
    between = pl.concat_str(pl.col("cell").str.slice(at, width) for at, width in ((4, 1), (6, 1), (8, 2)))
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
    numbers = {code: number for number, code in enumerate(CODES)}
    return pl.DataFrame({"cell": cells}).select(
        "cell",
        pl.when(number > 0).then(number).otherwise(0).alias("opponent_number"),
        colour.replace_strict(
            {form: COLOURS.index(colour) for form, colour in _COLOURS.items()}, default=0, return_dtype=pl.UInt8
        ).alias("colour"),
        pl.when(fault.is_null())
        .then(code.replace_strict(numbers, default=_UNREADABLE, return_dtype=pl.UInt8))
        .otherwise(pl.lit(_UNREADABLE, pl.UInt8))
        .alias("code"),
        fault.alias("fault"),
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
