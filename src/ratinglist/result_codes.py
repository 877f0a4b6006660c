"""The result codes of a report: what was played, what was not, and what each is worth in the points."""

from __future__ import annotations

from typing import Final

#: A game over the board, the only kind that is rated: half points of the player whose code it is.
PLAYED_HALVES: Final = {"1": 2, "=": 1, "0": 0}
PLAYED: Final = tuple(PLAYED_HALVES)
#: Forfeits, and games of less than one move.
UNPLAYED: Final = ("+", "-", "W", "D", "L")
#: Byes of half a point, a full one, by the pairing, of none; blank is the same as Z.
BYES: Final = ("H", "F", "U", "Z")
#: What every code counts in the points (columns 81-84) by the usual scoring, in half points.
POINT_HALVES: Final = (
    PLAYED_HALVES
    | dict.fromkeys(("+", "W", "F", "U"), 2)
    | dict.fromkeys("DH", 1)
    | dict.fromkeys(("-", "L", "Z", ""), 0)
)
#: Stands for the code of a cell that cannot be read: what the other player says of it is then not judged either.
UNREADABLE: Final = "?"
#: Every code, and every colour, that a cell can come to. A cell holds the number of its code: two numbers are compared
#: and looked up far more cheaply than two texts.
CODES: Final = (*POINT_HALVES, UNREADABLE)
COLOURS: Final = ("", "w", "b")
