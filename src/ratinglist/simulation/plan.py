"""The parameters of a made-up world: every share and size, in whole numbers.

Shares are in thousandths. The default is a world like the real one, with enough problems to test an office.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ratinglist.errors import CommandLineError
from ratinglist.period import Period

FEWEST_PLAYERS, MOST_PLAYERS = 60, 2_000_000
MOST_REPORTS = 99_999
"""Events of one month; the number of an event in its month has five digits."""
FIRST_FIDE_ID = 900_000_000
"""Made-up FIDE IDs have nine digits, more than any real one."""
FEDERATIONS = (
    *("ORV", "KEL", "ZYM", "QUA", "WEX", "YST", "OXB", "KRV", "DRU", "VAX", "FJO", "HYL", "ULQ", "ZEB", "GWY", "TOV"),
    *("BQA", "CYX", "EZU", "IXA", "JYR", "LQO", "MZE", "NYX", "PZO", "RQI", "SVY", "UXA", "VEQ", "WUZ", "XAN", "YOL"),
)
"""Codes that no real federation uses."""
_PLAYERS_A_FEDERATION = 20_000
_FEWEST_REPORTS = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """Shares in thousandths, sizes and days of a world."""

    women: int = 120
    juniors: int = 300
    unrated: int = 120
    """Of the first players: unrated at any strength. Players below the floor are unrated too."""
    rapid: int = 450
    blitz: int = 300
    """Of the players with a standard rating."""
    newcomers: int = 4
    """Of the first players, each month."""
    change_of_data: int = 1
    """Of the players, each month: another federation, another name or a title."""
    activity: tuple[int, int, int, int] = (600, 250, 120, 30)
    """Of the players: those who play rarely, sometimes, often and most often."""
    unrated_at_home: int = 750
    """Of the unrated players: no request to play this month."""
    travels: int = 60
    """Of the requests to play: in another federation."""
    class_events: int = 450
    """Of the requests to play: among players of similar strength or age."""
    smallest_class: int = 150
    """Requests to play; a class with fewer joins the open events."""
    systems: tuple[int, int, int, int, int] = (740, 120, 30, 90, 20)
    """Of the events: the pairing systems, in the order of ``SYSTEMS``."""
    time_controls: tuple[int, int, int] = (600, 270, 130)
    """Of the events: standard, rapid, blitz."""
    swiss_field: tuple[int, int] = (24, 320)
    """Fewest and most players of a Swiss event; most events are nearer to the fewest."""
    official: int = 8
    long_leagues: int = 500
    """Of the standard team events: a season with a round a week, reported month by month."""
    straddling: int = 40
    """Of the events: those that begin in the last days of a month."""
    late_entries: int = 25
    withdrawals: int = 30
    """Of the entrants of an event where both are possible."""
    late_reports: int = 60
    repeated_reports: int = 20
    corrected_reports: int = 25
    other_codes: int = 10
    broken_reports: int = 15
    resent: int = 600
    """Of the broken reports: sent again without the damage."""
    unregistered: int = 10
    """Of the events: with a player who is registered a month later."""


SYSTEMS = ("swiss", "round_robin", "double_round_robin", "team", "match")
EVENT_TYPES = {
    "swiss": "swiss",
    "round_robin": "roundrobin",
    "double_round_robin": "double_roundrobin",
    "team": "team",
    "match": "match",
}
"""The event type of ``manifest.csv`` for each system."""
TIME_CONTROLS = ("standard", "rapid", "blitz")


@dataclass(frozen=True, slots=True)
class World:
    """One made-up world. Equal arguments give the same world, however many months of it are written.

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
        """The number of players registered each month."""
        return max(1, self.players * self.plan.newcomers // 1000)

    def registered(self, month: int) -> int:
        """Return the number of players registered before the reports of ``month``; their numbers count from 0."""
        return self.players + self.newcomers * month

    def period(self, month: int) -> Period:
        """Return the period of the list of ``month``, from 1; month 0 is that of the starting list."""
        return self.first + (month - 1)


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
