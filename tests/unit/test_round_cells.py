"""Every round cell is parsed as a parser of single characters does."""

from __future__ import annotations

from itertools import product
from string import printable

import polars as pl
import pytest

from ratinglist.reports import games
from ratinglist.result_codes import POINT_HALVES

NO_DATES = pl.DataFrame(schema={"file_no": pl.Int32(), "round": pl.Int32(), "date": pl.Date()})
COLOURS = {"": "", "-": "", "w": "w", "b": "b", "s": "b"}
BYES_OF_OLD_PROGRAMS = {"1": "F", "=": "H", "0": "Z"}
LETTERS = [*(letter for letter in printable if letter not in "\r\n\x0b\x0c"), "é", "٢", "\xa0"]


def cells_of(texts: list[str]) -> pl.DataFrame:
    """Return the cells of lines that have these texts behind their first 91 columns."""
    lines = pl.DataFrame(
        {
            "file_no": 1,
            "line": range(len(texts)),
            "start_number": range(1, len(texts) + 1),
            "text": [" " * 91 + text for text in texts],
            "damaged": False,
        },
        schema_overrides={name: pl.Int32() for name in ("file_no", "line", "start_number")},
    )
    return games.read_cells(lines, NO_DATES)[0]


def parsed(cells: list[str]) -> list[tuple[int | None, str, str] | None]:
    """Return opponent, colour and code of each cell, each in a line of its own; None for a blank cell."""
    rows = cells_of(cells).select("line", "opponent_number", "colour", "code").rows()
    of_line = {line: (opponent, colour, code) for line, opponent, colour, code in rows}
    return [of_line.get(line) for line in range(len(cells))]


def expected(cell: str) -> tuple[int | None, str, str] | None:
    """Return the same by the columns of the format, character by character."""
    if not cell.strip():
        return None
    opponent, colour, code = cell[:4].strip(), cell[5:6].strip().lower(), cell[7:8].strip().upper()
    blank = not (cell[4:5] + cell[6:7] + cell[8:10]).strip()
    digits = opponent.isascii() and (opponent.isdigit() or not opponent)
    if not (blank and digits and colour in COLOURS and code in POINT_HALVES):
        # A line with a column out of place is unreadable as a whole; its colours are not compared.
        return None, COLOURS.get(colour, "") if blank else "", "?"
    if cell.rstrip() == "       =":
        return None, "", "H"
    if cell[3] == "0" and int(opponent) == 0 and code in BYES_OF_OLD_PROGRAMS and not colour:
        return None, "", BYES_OF_OLD_PROGRAMS[code]
    return int(opponent or 0) or None, COLOURS[colour], code


@pytest.mark.parametrize("rest", [" w 1", " - -  ", "   =  ", "", "xb 0  ", " b 0 x"])
def test_every_form_of_an_opponent_is_read(rest):
    cells = ["".join(four) + rest for four in product(" 019x", repeat=4)]
    assert parsed(cells) == [expected(cell) for cell in cells]


@pytest.mark.parametrize("place", range(10))
def test_every_letter_in_every_column_of_a_cell_is_read(place):
    sound = "  12 w 1  "
    cells = [sound[:place] + letter + sound[place + 1 :] for letter in LETTERS]
    assert parsed(cells) == [expected(cell) for cell in cells]


def test_cells_of_lines_of_any_length_are_sorted_by_line_and_round():
    cells = cells_of(["   2 w 1  " * number for number in (2, 0, 3, 1)])
    assert cells.select("line", "round").rows() == [(0, 1), (0, 2), (2, 1), (2, 2), (2, 3), (3, 1)]
