"""The last resort for a round's pairs: one event in plain Python, until as many as possible have a new opponent.

Needed only where exchanges between two boards do not do it: in events with more rounds than half the players, which
are small. With fewer rounds an exchange always exists, see :mod:`~ratinglist.simulation.exchanges`.

Everybody in turn takes the nearest free opponent. For one who finds none a chain is looked for, in which each takes
another's opponent until somebody is reached who is free too (Edmonds' search, which takes an odd ring of players as
one): as long as there is such a chain, two more can be paired; when there is none, nobody else can.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

NOBODY = -1


def paired_anew(opponents: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """As many pairs as can be made of the numbers from 0 on; whoever stands in none is left out.

    ``opponents`` holds for each number those he may meet, the nearest first; it must say the same from both sides.
    """
    partner = [NOBODY] * len(opponents)
    for one, others in enumerate(opponents):
        free = next((other for other in others if partner[other] == NOBODY), NOBODY)
        if partner[one] == NOBODY and free != NOBODY:
            partner[one], partner[free] = free, one
    for one in range(len(opponents)):
        if partner[one] == NOBODY:
            _Search(opponents, partner, one).run()
    return [(one, other) for one, other in enumerate(partner) if one < other]


class _Search:
    """The search for one chain from ``start``; it is carried out in ``partner`` when it is found."""

    def __init__(self, opponents: Sequence[Sequence[int]], partner: list[int], start: int) -> None:
        self.opponents = opponents
        self.partner = partner
        self.start = start
        self.reached_from = [NOBODY] * len(opponents)
        self.ring = list(range(len(opponents)))
        """Who stands for the ring one belongs to; oneself outside of rings."""
        self.asking = {start}
        self.waiting = deque([start])

    def run(self) -> None:
        """Look for the chain until it is found or nobody is left to ask."""
        while self.waiting:
            one = self.waiting.popleft()
            for other in self.opponents[one]:
                if self.ring[one] == self.ring[other] or self.partner[one] == other:
                    continue
                theirs = self.partner[other]
                if other == self.start or (theirs != NOBODY and self.reached_from[theirs] != NOBODY):
                    self._close_ring(one, other)
                elif self.reached_from[other] == NOBODY:
                    self.reached_from[other] = one
                    if theirs == NOBODY:
                        self._carry_out(other)
                        return
                    self._ask(theirs)

    def _ask(self, one: int) -> None:
        if one not in self.asking:
            self.asking.add(one)
            self.waiting.append(one)

    def _close_ring(self, one: int, other: int) -> None:
        """``one`` and ``other`` both ask: all between them and where their ways part become one ring."""
        root = self._where_ways_part(one, other)
        inside: set[int] = set()
        self._mark(one, other, root, inside)
        self._mark(other, one, root, inside)
        for number in range(len(self.ring)):
            if self.ring[number] in inside:
                self.ring[number] = root
                self._ask(number)

    def _mark(self, one: int, came_by: int, root: int, inside: set[int]) -> None:
        while self.ring[one] != root:
            theirs = self.partner[one]
            inside |= {self.ring[one], self.ring[theirs]}
            self.reached_from[one] = came_by
            came_by, one = theirs, self.reached_from[theirs]

    def _where_ways_part(self, one: int, other: int) -> int:
        passed = {self.ring[self.start]}
        while one != self.start:
            one = self.ring[one]
            passed.add(one)
            one = self._further_back(one)
        place = self.ring[other]
        while place not in passed:
            place = self.ring[self._further_back(place)]
        return place

    def _further_back(self, one: int) -> int:
        """Who asked the partner of ``one``; the start for those who stand in its ring."""
        return self.start if self.partner[one] == NOBODY else self.reached_from[self.partner[one]]

    def _carry_out(self, last: int) -> None:
        while last != NOBODY:
            one = self.reached_from[last]
            before = self.partner[one]
            self.partner[last], self.partner[one] = one, last
            last = before
