"""The parser of round cells: opponent, colour and result, ten columns for each round from column 92 on.

Nearly all cells have the same form and are parsed as numbers, all cells of a batch as one buffer. Of the others each
distinct cell is parsed once, as text.

A batch has hundreds of thousands of cells of ten columns each, and cutting them one by one makes as many small strings.
Instead the tails of all player lines are joined to one buffer and reinterpreted as numbers of 16 bits: each pair of
columns is one number, and its meaning is looked up in a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import ROUNDS
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.result_codes import CODES, COLOURS, POINT_HALVES, UNREADABLE
from ratinglist.tables import CELL

_COLOURS: Final = {"": "", "-": "", "w": "w", "b": "b", "s": "b"}  # s: schwarz
_UNREADABLE: Final = CODES.index(UNREADABLE)
#: The results of TRF06 without an opponent, and the letters of the same byes today.
_BYES_OF_TRF06: Final = {"1": "F", "=": "H", "0": "Z"}
_HALVES: Final = pl.Series([POINT_HALVES.get(code, 0) for code in CODES], dtype=pl.Int32)
_PAIRS_IN_CELL: Final = CELL_WIDTH // 2
_DIFFERENT_PAIRS: Final = 2**16
#: Replaces a character beyond ASCII, which has more than one byte; no field of a cell may hold it.
_NOT_ASCII: Final = "?"
#: Flags of an opponent's number: its first two columns are not blank; its last two begin with a blank. A number with
#: both flags has a blank between digits, or digits moved to the left.
_HAS_HUNDREDS: Final = 2**14
_HAS_BLANK_TENS: Final = 2**15
#: A pair of columns that is no part of a number, and one that is no colour or no result.
_NO_NUMBER: Final = 2**16
_UNKNOWN: Final = 255


@dataclass(frozen=True, slots=True)
class RoundCells:
    """Round cells of a batch.

    ``cells``: :data:`~ratinglist.tables.CELL`, sorted by its key. ``sums``: one row for each line given, in their
    order: ``halves`` (the sum of its results in half points by the usual scoring: 1 point for ``+ W F U``, ½ for
    ``D H``, 0 for ``- L Z`` and blank) and ``unreadable`` (at least one of them cannot be read). ``findings``: the
    cells that cannot be read, and the byes in the form of TRF06 or of older programs.
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
    cells = read_usual(texts["text"])
    cells, faults = _with_unusual(cells, texts)
    cells, old_byes = _with_old_byes(cells, texts)
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
        pl.concat([old_byes, _displaced(displaced), _unreadable(singles)]),
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


def _with_old_byes(cells: pl.DataFrame, texts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``cells`` with the byes of TRF06 as byes of today, and a note on each.

    TRF06 has no letters for byes: ``0000 - =`` is one of half a point. Older programs leave the colour blank there, or
    write one next to half a point, or write half a point alone. A whole point or none with a colour or alone is a game
    whose opponent is missing, and so is half a point with a colour alone.
    """
    played = [CODES.index(code) for code in _BYES_OF_TRF06]
    code = pl.col("code")
    is_alone = (pl.col("opponent_number") == 0) & code.is_in(played)
    places = cells.select(is_alone.arg_true()).to_series()
    if places.is_empty():
        return cells, finding("old_bye", cells.clear())
    alone = cells[places].with_columns(places.alias("place"))
    alone = alone.with_columns(texts[name].gather(alone["row"]) for name in ("text", "file_no", "line"))
    alone = alone.with_columns(pl.col("text").str.slice(_first_column() - 1, CELL_WIDTH).alias("cell"))
    byes = alone.filter(pl.col("cell").str.contains(r"^[0 ]{4} -|^[0 ]{3}0  |^[0 ]{3}0 . =|^ {7}="))
    of_today = {CODES.index(old): CODES.index(new) for old, new in _BYES_OF_TRF06.items()}
    new = byes["code"].replace_strict(of_today, return_dtype=pl.UInt8)
    letters = {CODES.index(old): new for old, new in _BYES_OF_TRF06.items()}
    note = finding(
        "old_bye",
        byes.with_columns(_first_column().alias("column"), code.replace_strict(letters).alias("letter")),
        line=pl.col("line"),
        column=pl.col("column"),
        value=pl.col("cell").str.strip_chars(),
        detail=pl.format("{} in round {}", "letter", "round"),
    )
    return cells.with_columns(
        cells["code"].scatter(byes["place"], new), cells["colour"].scatter(byes["place"], COLOURS.index(""))
    ), note


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
    """Return the cells as :data:`~ratinglist.tables.CELL`, with the row numbers, colours and codes decoded."""
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
    """Parse each distinct cell as text: the columns of :func:`read_usual`, and its ``fault`` if any."""
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


def read_usual(texts: pl.Series) -> pl.DataFrame:
    """Parse the cells of player lines, in the order of the lines and of their rounds; blank cells are left out.

    Out: ``row`` (index in ``texts``, from 0), ``round``, ``opponent_number`` (0: none), ``colour`` and ``code``
    (indexes in :data:`~ratinglist.result_codes.COLOURS` and ``CODES``), and ``usual``; where that is false the three
    columns before it have no meaning. Source: TRF16 and TRF26, record 001 columns 92 onward.
    """
    tails = texts.str.slice(CELLS_START, CELL_WIDTH * ROUNDS)
    lengths = tails.str.len_chars()
    if (lengths != tails.str.len_bytes()).any():
        tails = tails.str.replace_all(r"[^\x00-\x7f]", _NOT_ASCII)
    rounds = ((lengths + CELL_WIDTH - 1) // CELL_WIDTH).cast(pl.Int32).alias("rounds")
    padded = (
        pl.DataFrame([tails.alias("tail"), rounds])
        .with_row_index("row")
        .filter(pl.col("rounds") > 0)
        .with_columns(pl.col("tail").str.pad_end(pl.col("rounds") * CELL_WIDTH))
    )
    if padded.is_empty():
        return _cells_of_pairs(
            [pl.Series(dtype=pl.UInt16)] * _PAIRS_IN_CELL, padded.select("row", pl.col("rounds").alias("round"))
        )
    places = padded.select("row", pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int32).alias("round"))
    places = places.explode("round")
    pairs = (
        padded.select(pl.col("tail").str.join("").cast(pl.Binary))
        .to_series()
        .bin.reinterpret(dtype=pl.Array(pl.UInt16, len(places) * _PAIRS_IN_CELL), endianness="little")
        .explode()
    )
    return _cells_of_pairs([pairs.gather_every(_PAIRS_IN_CELL, number) for number in range(_PAIRS_IN_CELL)], places)


def _cells_of_pairs(pairs: list[pl.Series], places: pl.DataFrame) -> pl.DataFrame:
    first, last, colour, code, end = pairs
    blank = _pair_number("  ")
    hundreds, units, colours, codes = _pair_tables()
    opponent = hundreds.gather(first) + units.gather(last)
    colour_no, code_no = colours.gather(colour), codes.gather(code)
    cells = places.with_columns(
        (opponent & (_HAS_HUNDREDS - 1)).cast(pl.Int32).alias("opponent_number"),
        colour_no.alias("colour"),
        code_no.alias("code"),
        (
            (opponent < _HAS_HUNDREDS + _HAS_BLANK_TENS)
            & (colour_no != _UNKNOWN)
            & (code_no != _UNKNOWN)
            & (end == blank)
        ).alias("usual"),
    )
    is_blank = (first == blank) & (last == blank) & (colour == blank) & (code == blank) & (end == blank)
    return cells.filter(~is_blank) if is_blank.any() else cells


@cache
def _pair_tables() -> tuple[pl.Series, pl.Series, pl.Series, pl.Series]:
    """Return lookup tables of a pair of columns: first and second half of an opponent's number, colour, result."""
    digits = {f" {digit}": digit for digit in range(10)}
    numbers = {f"{number:02}": number for number in range(100)}
    hundreds = {"  ": 0} | {pair: _HAS_HUNDREDS + 100 * number for pair, number in (digits | numbers).items()}
    units = numbers | {pair: _HAS_BLANK_TENS + number for pair, number in ({"  ": 0} | digits).items()}
    colours = {"  ": "", " -": "", " w": "w", " W": "w"} | dict.fromkeys((" b", " B", " s", " S"), "b")
    codes = {f" {letter}": code for code in POINT_HALVES for letter in (code.upper() or " ", code.lower() or " ")}
    return (
        _pair_table(hundreds, _NO_NUMBER, pl.UInt32()),
        _pair_table(units, _NO_NUMBER, pl.UInt32()),
        _pair_table({pair: COLOURS.index(colour) for pair, colour in colours.items()}, _UNKNOWN, pl.UInt8()),
        _pair_table({pair: CODES.index(code) for pair, code in codes.items()}, _UNKNOWN, pl.UInt8()),
    )


def _pair_table(meanings: dict[str, int], other: int, dtype: pl.DataType) -> pl.Series:
    numbers = [other] * _DIFFERENT_PAIRS
    for pair, number in meanings.items():
        numbers[_pair_number(pair)] = number
    return pl.Series(numbers, dtype=dtype)


def _pair_number(pair: str) -> int:
    return int.from_bytes(pair.encode("ascii"), "little")
