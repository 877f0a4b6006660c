"""The numbers that a seed determines: the same ones on every computer and in every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A sequence of numbers drawn by lot; ``seed`` is any text."""

    def __init__(self, seed: str) -> None:
        # Of Python's generator only the bits are used: they are the same in all versions, and how `sample` or
        # `choice` make numbers of them may change.
        self._bits = Random(seed).getrandbits  # noqa: S311 - a game of chance, and no secret

    def roll(self, sides: int) -> int:
        """Return a whole number from 0 to ``sides`` − 1, each equally likely."""
        return self._bits(32) * sides >> 32

    def chance(self, per_thousand: int) -> bool:
        """Return true with a probability of ``per_thousand`` in a thousand."""
        return self.roll(1000) < per_thousand

    def pick(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.roll(len(values))]

    def by_shares(self, shares: Sequence[int]) -> int:
        """Return the place in ``shares`` of the share that is drawn; a larger share is drawn more often."""
        drawn = self.roll(sum(shares))
        place = 0
        while drawn >= shares[place]:
            drawn -= shares[place]
            place += 1
        return place

    def draw(self, values: Sequence[T], count: int) -> list[T]:
        """Return ``count`` different places' values in the order of the draw."""
        drawn = list(values)
        for place in range(count):
            other = place + self.roll(len(drawn) - place)
            drawn[place], drawn[other] = drawn[other], drawn[place]
        return drawn[:count]
