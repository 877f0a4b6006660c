"""The parameters of a made-up world: every share and size, in whole numbers.

Shares are in thousandths. The default is a world like the real one, with enough problems to test an office.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from ratinglist.errors import CommandLineError
from ratinglist.period import Period

FEWEST_PLAYERS, MOST_PLAYERS = 60, 2_000_000
MOST_REPORTS = 99_999
"""Events of one month; the number of an event in its month has five digits."""
FEDERATIONS = (
    *("ORV", "KEL", "ZYM", "QUA", "WEX", "YST", "OXB", "KRV", "DRU", "VAX", "FJO", "HYL", "ULQ", "ZEB", "GWY", "TOV"),
    *("BQA", "CYX", "EZU", "IXA", "JYR", "LQO", "MZE", "NYX", "PZO", "RQI", "SVY", "UXA", "VEQ", "WUZ", "XAN", "YOL"),
)
"""Codes that no real federation uses."""
_PLAYERS_A_FEDERATION = 20_000
_FEWEST_REPORTS = 4

SYSTEMS = ("swiss", "roundrobin", "team")
"""The event types of ``manifest.csv``."""
TIME_CONTROLS = ("standard", "rapid", "blitz")
PROBLEMS = ("late", "repeated", "corrected", "other code", "broken", "unregistered")
"""What may be wrong with the report of an event.

It arrives late, twice, or under another code too; a second version corrects a result; it cannot be accepted; or it
names a player who is registered a month later.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """Shares in thousandths, and sizes, of a world."""

    unrated: int = 120
    """Of the first players: unrated at any strength. Players below the floor are unrated too."""
    rapid: int = 450
    blitz: int = 300
    """Of the players with a standard rating."""
    newcomers: int = 4
    """Of the first players, each month."""
    changes: int = 1
    """Of the players, each month: another federation or another surname."""
    systems: tuple[int, int, int] = (750, 150, 100)
    """Of the events, in the order of ``SYSTEMS``."""
    time_controls: tuple[int, int, int] = (600, 270, 130)
    """Of the events, in the order of ``TIME_CONTROLS``."""
    swiss_field: tuple[int, int] = (24, 320)
    """Fewest and most players of a Swiss event; most events are nearer to the fewest."""
    long_leagues: int = 500
    """Of the standard team events: a season with a round a week, reported month by month."""
    problems: dict[str, int] = field(default_factory=lambda: dict(zip(PROBLEMS, (60, 20, 25, 10, 15, 10), strict=True)))
    """Of the events: the problems that are planted, each of ``PROBLEMS``."""


@dataclass(frozen=True, slots=True)
class World:
    """One made-up world. Equal arguments give the same world, however many months of it are written.

    ``first`` is the first list to be rated; the starting list is that of the month before. ``reports``: events a month.
    """

    players: int
    first: Period
    seed: int
    reports: int
    federations: tuple[str, ...]
    plan: Plan

    @property
    def newcomers(self) -> int:
        """The number of players registered each month."""
        return max(1, self.players * self.plan.newcomers // 1000)


def world_of(
    players: int,
    first: Period,
    seed: int = 1,
    reports: int | None = None,
    federations: tuple[str, ...] = (),
    plan: Plan | None = None,
) -> World:
    """Return the world with these parameters.

    By default the events a month and the number of federations follow from ``players``: 60 events for 20,000 players
    and 5,010 for 2,000,000; one federation for every 20,000 players. Raises :class:`CommandLineError` for too few or
    too many players or events, and for a wrong or repeated federation code.
    """
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise CommandLineError(f"--players is {players:,}: from {FEWEST_PLAYERS} to {MOST_PLAYERS:,} can be made.")
    a_month = _reports_a_month(players) if reports is None else reports
    if not 1 <= a_month <= MOST_REPORTS:
        raise CommandLineError(f"--reports is {a_month:,}: from 1 to {MOST_REPORTS:,} events a month can be held.")
    wrong = next((code for code in federations if not re.fullmatch("[A-Z]{3}", code)), None)
    if wrong is not None:
        raise CommandLineError(f"--federation is '{wrong}': write three capital letters, such as ORV.")
    if len(set(federations)) < len(federations):
        raise CommandLineError("--federation names one federation twice.")
    codes = federations or FEDERATIONS[: 1 + (players - 1) // _PLAYERS_A_FEDERATION]
    return World(players, first, seed, a_month, codes, plan or Plan())


def _reports_a_month(players: int) -> int:
    if players <= _PLAYERS_A_FEDERATION:
        return max(_FEWEST_REPORTS, players * 3 // 1000)
    return 60 + (players - _PLAYERS_A_FEDERATION) // 400


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
