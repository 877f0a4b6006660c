"""How a made-up world is meant to be: every share and size once, in whole numbers.

Shares are in thousandths. The default is a world like the real one, with enough bad days to try an office.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ratinglist.errors import CommandLineError
from ratinglist.period import Period

FEWEST_PLAYERS, MOST_PLAYERS = 60, 2_000_000
MOST_REPORTS = 99_999
"""Events of one month; their numbers have five digits behind the month's."""
FIRST_FIDE_ID = 900_000_000
"""Made-up numbers have nine digits, more than any that was ever given."""
FEDERATIONS = (
    *("ORV", "KEL", "ZYM", "QUA", "WEX", "YST", "OXB", "KRV", "DRU", "VAX", "FJO", "HYL", "ULQ", "ZEB", "GWY", "TOV"),
    *("BQA", "CYX", "EZU", "IXA", "JYR", "LQO", "MZE", "NYX", "PZO", "RQI", "SVY", "UXA", "VEQ", "WUZ", "XAN", "YOL"),
)
"""Codes that no federation uses."""
_PLAYERS_A_FEDERATION = 20_000
_FEWEST_REPORTS = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """Shares in thousandths, sizes and days of a world."""

    women: int = 120
    juniors: int = 300
    unrated: int = 120
    """Of the first players: known and unrated, whatever their strength. The floor adds its own."""
    rapid: int = 450
    blitz: int = 300
    """Of the players with a standard rating."""
    newcomers: int = 4
    """Of the first players, each month."""
    change_of_data: int = 1
    """A player's chance in a month to get another federation, another name or a title."""
    activity: tuple[int, int, int, int] = (600, 250, 120, 30)
    """How many players play hardly ever, now and then, often and whenever they can."""
    unrated_at_home: int = 750
    """Of the unrated players: do not want to play this month."""
    travels: int = 60
    """Of the wishes to play: in another federation."""
    class_events: int = 450
    """Of the wishes to play: among players of a like strength, or of a like age."""
    smallest_class: int = 150
    """Wishes to play; where there are fewer, the events are open to all."""
    systems: tuple[int, int, int, int, int, int] = (660, 120, 30, 90, 80, 20)
    """How events are paired, in the order of ``SYSTEMS``."""
    time_controls: tuple[int, int, int] = (600, 270, 130)
    """Of the events: standard, rapid, blitz."""
    swiss_field: tuple[int, int] = (24, 320)
    """Smallest and largest field; most are nearer to the smallest."""
    official: int = 8
    long_leagues: int = 500
    """Of the team events: a season with a round a week, reported month by month."""
    straddling: int = 40
    """Of the events: begun in the last days of a month."""
    late_entries: int = 25
    withdrawals: int = 30
    """Of the entrants of an event where both are possible."""
    late_reports: int = 60
    repeated_reports: int = 20
    corrected_reports: int = 25
    other_codes: int = 10
    broken_reports: int = 15
    mended: int = 600
    """Of the broken reports: sent again, in order."""
    unregistered: int = 10
    """Of the events: with a player who is registered a month later."""


SYSTEMS = ("swiss", "round_robin", "double_round_robin", "team", "italian_swiss", "match")
EVENT_TYPES = {
    "swiss": "swiss",
    "italian_swiss": "swiss",
    "round_robin": "roundrobin",
    "double_round_robin": "double_roundrobin",
    "team": "team",
    "match": "match",
}
"""The event type of ``manifest.csv`` for each system."""
TIME_CONTROLS = ("standard", "rapid", "blitz")


@dataclass(frozen=True, slots=True)
class World:
    """One made-up world: the same arguments are the same world, however many months of it are written.

    ``first`` is the first list to be rated; month 1 of the world. The starting list is that of the month before.
    """

    players: int
    first: Period
    seed: int
    reports: int
    federations: tuple[str, ...]
    plan: Plan = Plan()

    @property
    def newcomers(self) -> int:
        """How many players are registered each month."""
        return max(1, self.players * self.plan.newcomers // 1000)

    def known(self, month: int) -> int:
        """How many players are registered before the reports of ``month``; theirs are the numbers from 0 on."""
        return self.players + self.newcomers * month

    def period(self, month: int) -> Period:
        """The list of ``month``, from 1; 0 is the starting list's."""
        return self.first + (month - 1)


def world_of(
    players: int,
    first: Period,
    seed: int = 1,
    reports: int | None = None,
    federations: tuple[str, ...] = (),
    plan: Plan | None = None,
) -> World:
    """The world that is asked for; what is not said goes by the number of ``players``.

    60 reports a month for a federation of 20,000, 5,000 for the whole world; one federation for every 20,000 players.
    Raises :class:`CommandLineError` for a world that is too small or too large, and for a code that is none.
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
    known = federations or FEDERATIONS[: 1 + (players - 1) // _PLAYERS_A_FEDERATION]
    return World(players, first, seed, a_month, known, plan or Plan())


def _reports_a_month(players: int) -> int:
    if players <= _PLAYERS_A_FEDERATION:
        return max(_FEWEST_REPORTS, players * 3 // 1000)
    return 60 + (players - _PLAYERS_A_FEDERATION) // 400
