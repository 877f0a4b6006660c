"""What an office knows when it computes a list, and what it publishes: plain objects, no frames."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

TIME_CONTROLS = ("blitz", "rapid", "standard")
Row = dict[str, Any]


@dataclass(frozen=True)
class Player:
    fide_id: int
    sex: str = "M"
    birth_date: date | None = None
    birth_year: int | None = None


@dataclass(frozen=True)
class Standing:
    """A player on a list."""

    month: str
    time_control: str
    fide_id: int
    rating: int | None
    games: int = 0
    k: int | None = None
    games_played: int = 0
    reached_2400: bool = False
    reached_2300: bool = False
    last_played: date | None = None
    inferred: str = ""


@dataclass(frozen=True)
class Game:
    round: int
    white_id: int
    black_id: int
    white_halves: int
    black_halves: int
    played_on: date | None = None


@dataclass(frozen=True)
class Report:
    """One version of an event's report."""

    event_id: str
    version: int
    received_on: date
    start_date: date
    end_date: date
    games: tuple[Game, ...]
    players: tuple[int, ...]
    event_type: str = "swiss"
    time_control: str = "standard"
    official: bool = False
    registered_on: date | None = None
    minutes_per_60_moves: int | None = None
    games_digest: str = ""
    accepted: bool = True
    report_id: str = ""
    sha256: str = ""
    name: str = "Open"
    federation: str = "ITA"
    first_round: int | None = None
    last_round: int | None = None


@dataclass(frozen=True)
class Waiting:
    """Results of an unrated player in one event."""

    time_control: str
    fide_id: int
    event_id: str
    games: int
    score_halves: int
    opponent_rating_sum: int
    counted_month: str
    expires_month: str


@dataclass(frozen=True)
class Settled:
    """A report that an earlier list is done with, and the games of it that count there."""

    report: Report
    status: str
    counted: tuple[Game, ...] = ()


@dataclass(frozen=True)
class Office:
    """Everything known when the list of ``month`` is computed."""

    month: str
    family: str
    lists: tuple[Standing, ...] = ()
    players: tuple[Player, ...] = ()
    reports: tuple[Report, ...] = ()
    pool: tuple[Waiting, ...] = ()
    earlier: tuple[Settled, ...] = ()


@dataclass
class Published:
    """The rows of each table, in the published order."""

    events: list[Row] = field(default_factory=list)
    games: list[Row] = field(default_factory=list)
    changes: list[Row] = field(default_factory=list)
    entries: list[Row] = field(default_factory=list)
    pool: list[Row] = field(default_factory=list)
    list_state: list[Row] = field(default_factory=list)
