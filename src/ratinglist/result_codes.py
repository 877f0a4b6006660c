"""The result codes of a report: games, forfeits and byes, and the half points of each."""

from __future__ import annotations

from typing import Final

#: Games over the board, the only results that are rated: half points of the player whose code it is.
PLAYED_HALVES: Final = {"1": 2, "=": 1, "0": 0}
PLAYED: Final = tuple(PLAYED_HALVES)
#: Half points of a result that a person types.
TYPED_HALVES: Final = {"0": 0, "½": 1, "0.5": 1, ".5": 1, "1/2": 1, "=": 1, "1": 2}
#: Forfeits, and games of less than one move.
UNPLAYED: Final = ("+", "-", "W", "D", "L")
#: Byes: half-point, full-point, pairing-allocated and zero-point. A blank result means the same as Z.
BYES: Final = ("H", "F", "U", "Z")
#: Half points of every code in the points of a player (columns 81-84), by the usual scoring.
POINT_HALVES: Final = (
    PLAYED_HALVES
    | dict.fromkeys(("+", "W", "F", "U"), 2)
    | dict.fromkeys("DH", 1)
    | dict.fromkeys(("-", "L", "Z", ""), 0)
)
#: The code of a cell that cannot be read. The opponent's cell of that game is then not judged either.
UNREADABLE: Final = "?"
#: All codes and all colours of a cell. Cells are dictionary-encoded by the positions in these tuples: numbers are
#: compared and looked up far faster than texts.
CODES: Final = (*POINT_HALVES, UNREADABLE)
COLOURS: Final = ("", "w", "b")
