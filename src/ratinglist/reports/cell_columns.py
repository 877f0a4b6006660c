"""The fast parser of round cells: all cells of a batch as one buffer of 16-bit numbers.

A batch has hundreds of thousands of cells of ten columns each, and cutting them one by one makes as many small strings.
Instead the tails of all player lines are joined to one buffer and reinterpreted as numbers of 16 bits: each pair of
columns is one number, and its meaning is looked up in a table. This parses the forms that nearly all programs write;
any other cell is marked, and the caller parses it as text.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import polars as pl

from ratinglist.limits import ROUNDS
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.result_codes import CODES, COLOURS, POINT_HALVES

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


def read(texts: pl.Series) -> pl.DataFrame:
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
        return _read(
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
    return _read([pairs.gather_every(_PAIRS_IN_CELL, number) for number in range(_PAIRS_IN_CELL)], places)


def _read(pairs: list[pl.Series], places: pl.DataFrame) -> pl.DataFrame:
    first, last, colour, code, end = pairs
    blank = _number("  ")
    hundreds, units, colours, codes = _tables()
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
def _tables() -> tuple[pl.Series, pl.Series, pl.Series, pl.Series]:
    """Return lookup tables of a pair of columns: first and second half of an opponent's number, colour, result."""
    digits = {f" {digit}": digit for digit in range(10)}
    numbers = {f"{number:02}": number for number in range(100)}
    hundreds = {"  ": 0} | {pair: _HAS_HUNDREDS + 100 * number for pair, number in (digits | numbers).items()}
    units = numbers | {pair: _HAS_BLANK_TENS + number for pair, number in ({"  ": 0} | digits).items()}
    colours = {"  ": "", " -": "", " w": "w", " W": "w"} | dict.fromkeys((" b", " B", " s", " S"), "b")
    codes = {f" {letter}": code for code in POINT_HALVES for letter in (code.upper() or " ", code.lower() or " ")}
    return (
        _table(hundreds, _NO_NUMBER, pl.UInt32()),
        _table(units, _NO_NUMBER, pl.UInt32()),
        _table({pair: COLOURS.index(colour) for pair, colour in colours.items()}, _UNKNOWN, pl.UInt8()),
        _table({pair: CODES.index(code) for pair, code in codes.items()}, _UNKNOWN, pl.UInt8()),
    )


def _table(meanings: dict[str, int], other: int, dtype: pl.DataType) -> pl.Series:
    numbers = [other] * _DIFFERENT_PAIRS
    for pair, number in meanings.items():
        numbers[_number(pair)] = number
    return pl.Series(numbers, dtype=dtype)


def _number(pair: str) -> int:
    return int.from_bytes(pair.encode("ascii"), "little")
