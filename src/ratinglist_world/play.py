"""Play an event round by round: who meets whom, and how the games end.

Swiss events are paired by a simplified Dutch system (Handbook C.04.3): within a score group the upper half meets the
lower half, those who find no opponent float down, and nobody meets twice. All others follow the Berger tables (C.05,
annex 1), team events board by board. The lower rated of two players loses more often, as the table of expected scores
says, and White plays 35 points above their strength.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ratinglist.result_codes import POINT_HALVES
from ratinglist_world.dice import Dice

_WHITE_ADVANTAGE = 35
_DRAWS_AT_1000, _POINTS_PER_DRAW, _FEWEST_DRAWS, _MOST_DRAWS = 150, 4, 80, 600
"""Draws in a thousand games of equal players, and how they grow with the strength."""
_FORFEITS, _REQUESTED_BYES = 12, 25
"""Of a thousand games, and of a thousand entrants of a Swiss event."""


class Cell(NamedTuple):
    """A round of an entrant: the opponent's start number (0: none), ``w``, ``b`` or ``-``, and the result's code."""

    opponent: int
    colour: str
    code: str


ABSENT = Cell(0, "-", "Z")
_ALLOCATED, _REQUESTED = Cell(0, "-", "U"), Cell(0, "-", "H")


@dataclass(slots=True, eq=False)
class Seat:
    """An entrant while the event is played.

    ``number``: the start number, from 1. The player attends the rounds from ``enters`` to ``leaves`` and has a
    half-point bye in ``bye_round`` (0: in none). ``balance``: the games with White less those with Black.
    """

    number: int
    strength: int
    enters: int
    leaves: int
    bye_round: int = 0
    cells: list[Cell] = field(default_factory=list)
    halves: int = 0
    balance: int = 0
    met: set[int] = field(default_factory=set)

    def enter(self, cell: Cell) -> None:
        """Add a round."""
        self.cells.append(cell)
        self.halves += POINT_HALVES[cell.code]
        self.balance += {"w": 1, "b": -1, "-": 0}[cell.colour]
        if cell.opponent:
            self.met.add(cell.opponent)

    def attends(self, round_no: int) -> bool:
        """Return whether the player is there in a round."""
        return self.enters <= round_no <= self.leaves


Pair = tuple[Seat, Seat]
"""White and Black."""


class Games:
    """Games that end as the strengths, the dice and the table of expected scores say.

    ``expected``: the higher rated player's expected score in hundredths by rating difference from 0 on (8.1.2).
    """

    def __init__(self, expected: Sequence[int], dice: Dice) -> None:
        self.expected, self.dice = expected, dice

    def play(self, pairs: Iterable[Pair]) -> None:
        """Play the games of a round, and enter them for both players."""
        for white, black in pairs:
            code, answer = self._codes(white.strength + _WHITE_ADVANTAGE - black.strength, white.strength)
            white.enter(Cell(black.number, "w", code))
            black.enter(Cell(white.number, "b", answer))

    def _codes(self, difference: int, strength: int) -> tuple[str, str]:
        if self.dice.chance(_FORFEITS):
            return self.dice.pick((("+", "-"), ("-", "+")))
        higher = self.expected[min(abs(difference), len(self.expected) - 1)]
        white = higher if difference >= 0 else 100 - higher
        equal = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _DRAWS_AT_1000 + (strength - 1000) // _POINTS_PER_DRAW))
        # A draw gives both players half a point, so the weaker player's expected score limits the draws.
        draws = min(equal * white * (100 - white) // 2500, 20 * white, 20 * (100 - white))
        drawn = self.dice.roll(2000)
        if drawn < 20 * white - draws:
            return "1", "0"
        return ("=", "=") if drawn < 20 * white + draws else ("0", "1")


def play_swiss(seats: Sequence[Seat], rounds: int, games: Games) -> None:
    """Play a Swiss event."""
    for seat in seats:
        if games.dice.chance(_REQUESTED_BYES):
            seat.bye_round = 1 + games.dice.roll(max(1, rounds - 1))
    for round_no in range(1, rounds + 1):
        there = (seat for seat in seats if seat.attends(round_no) and seat.bye_round != round_no)
        playing = sorted(there, key=lambda seat: (-seat.halves, seat.number))
        if len(playing) % 2:
            last = next((seat for seat in reversed(playing) if _ALLOCATED not in seat.cells), playing[-1])
            playing.remove(last)
            last.enter(_ALLOCATED if _ALLOCATED not in last.cells else ABSENT)
        games.play(_with_colours(*pair, round_no) for pair in swiss_pairs(playing))
        for seat in seats:
            if len(seat.cells) < round_no:
                seat.enter(_REQUESTED if seat.bye_round == round_no and seat.attends(round_no) else ABSENT)


def swiss_pairs(ranked: Sequence[Seat]) -> list[Pair]:
    """Return the pairs of a round; a player for whom no opponent remains is in none.

    ``ranked``: an even number of players, the highest score first.
    """
    pairs: list[Pair] = []
    floating: list[Seat] = []
    for _, group in groupby(ranked, key=lambda seat: seat.halves):
        bracket = [*floating, *group]
        upper, lower = bracket[: len(bracket) // 2], bracket[len(bracket) // 2 :]
        floating = []
        for seat in upper:
            unmet = [other for other in lower if other.number not in seat.met]
            # Two players who both need the same colour are kept apart where that is possible.
            other = next((other for other in unmet if seat.balance * other.balance < 2), unmet[0] if unmet else None)
            if other is None:
                floating.append(seat)
            else:
                lower.remove(other)
                pairs.append((seat, other))
        floating += lower
    while len(floating) > 1:
        _seat_last(floating.pop(), floating.pop(), pairs)
    return pairs


def _seat_last(one: Seat, other: Seat, pairs: list[Pair]) -> None:
    """Pair two players who are left over, by an exchange with the nearest board above if they have met."""
    if other.number not in one.met:
        pairs.append((other, one))
        return
    for at in range(len(pairs) - 1, -1, -1):
        for first, second in (pairs[at], pairs[at][::-1]):
            if first.number not in one.met and second.number not in other.met:
                pairs[at] = (first, one)
                pairs.append((second, other))
                return


def _with_colours(one: Seat, other: Seat, round_no: int) -> Pair:
    """Return White and Black: White for who has had it less often, else for the one who had Black last."""
    if one.balance != other.balance:
        return (one, other) if one.balance < other.balance else (other, one)
    last = next((cell.colour for cell in reversed(one.cells) if cell.colour != "-"), "wb"[(one.number + round_no) % 2])
    return (one, other) if last == "b" else (other, one)


def play_by_table(teams: Sequence[Sequence[Seat]], games: Games) -> None:
    """Play a round robin of an even number of teams, each with its players by board; alone, a player is a team of one.

    White on the odd boards is Black on the even ones.
    """
    last, half = len(teams) - 1, len(teams) // 2
    for turn in range(last):
        circle = [(at + turn * half) % last for at in range(last)]
        meetings = [(last, circle[0]) if turn % 2 else (circle[0], last)]
        meetings += [(circle[at], circle[-at]) for at in range(1, half)]
        for first, second in meetings:
            boards = zip(teams[first], teams[second], strict=True)
            games.play((two, one) if board % 2 else (one, two) for board, (one, two) in enumerate(boards))
