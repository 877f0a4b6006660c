"""The months that are measured: simulated once for each size and kept in a folder that git does not see."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT, measure

DATA = ROOT / "benchmarks" / "data"
MONTH, MONTH_BEFORE = "2025-11", "2025-10"
GAMES_A_REPORT, GAMES_A_PLAYER, FEWEST_PLAYERS, MOST_PLAYERS = 368, 4, 60, 2_000_000
"""What an event of `simulate` has, what a month of given games has, and the players that a federation may have."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much: events held in the month, and players on the starting list."""

    events: int
    players: int

    @classmethod
    def of_games(cls, games: int) -> Size:
        """A month of about so many games."""
        players = min(max(FEWEST_PLAYERS, games // GAMES_A_PLAYER), MOST_PLAYERS)
        return cls(max(1, games // GAMES_A_REPORT), players)


SIZES = {
    "S": Size(60, 20_000),
    "M": Size(500, 200_000),
    "L": Size(5_000, 1_900_000),
}
"""A federation's month; a large federation's; the world's."""


@dataclass(frozen=True, slots=True)
class World:
    """A month on the disk: what an office imports and rates, and a folder for whatever is made from it."""

    folder: Path
    games: int

    @property
    def starting_list(self) -> Path:
        """The list before the month."""
        return self.folder / f"list-{MONTH_BEFORE}.csv"

    @property
    def registrations(self) -> Path:
        """The players who are registered for the month."""
        return self.folder / f"players-{MONTH}.csv"

    @property
    def reports(self) -> Path:
        """The delivery of the month."""
        return self.folder / "reports" / MONTH

    @property
    def work(self) -> Path:
        """The folder for whatever is made."""
        return self.folder / "work"


def world_of(size: Size, data: Path = DATA) -> World:
    """The month of a size; delete its folder where `simulate` has changed."""
    data.mkdir(parents=True, exist_ok=True)
    (data / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = data / f"{size.events}x{size.players}"
    summary = folder / "summary.json"
    if not summary.exists():
        shutil.rmtree(folder, ignore_errors=True)
        options = ["--players", str(size.players), "--reports", str(size.events), "--from", MONTH, "--json"]
        cost = measure(["-m", "ratinglist", "simulate", str(folder), *options])
        summary.write_text(cost.output, encoding="utf-8")
    return World(folder, json.loads(summary.read_text(encoding="utf-8"))["games"])
