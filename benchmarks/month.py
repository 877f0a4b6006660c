"""The months that are measured: made once for each size and kept in a folder that git does not see."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT, measure

DATA = ROOT / "benchmarks" / "data"
MONTH, MONTH_BEFORE = "2025-11", "2025-10"
GAMES_A_REPORT, GAMES_A_PLAYER, LEAST_PLAYERS = 437, 4, 240
"""What an event of the generator holds, what a month of given games holds, and the players an event needs."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much: reports of about 100 players, and players on the starting list."""

    reports: int
    players: int

    @classmethod
    def of_games(cls, games: int) -> Size:
        """A month of about so many games."""
        return cls(max(1, games // GAMES_A_REPORT), max(LEAST_PLAYERS, games // GAMES_A_PLAYER))


SIZES = {
    "S": Size(60, 20_000),
    "M": Size(500, 200_000),
    "L": Size(5_000, 1_900_000),
}
"""A federation's month; a large federation's; the world's."""


@dataclass(frozen=True, slots=True)
class World:
    """A month on the disk: the list it starts from, its reports, and a folder for whatever is made from them."""

    starting_list: Path
    reports: Path
    work: Path


def made(size: Size, data: Path = DATA) -> World:
    """The month of a size, made again where the program that makes it has changed.

    In a process of its own: what the parent ever held is counted to its children's memory.
    """
    data.mkdir(parents=True, exist_ok=True)
    (data / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = data / f"{size.reports}x{size.players}"
    ready = folder / "made-by"
    maker = hashlib.sha256((ROOT / "benchmarks" / "reports.py").read_bytes()).hexdigest()
    if not ready.exists() or ready.read_text(encoding="utf-8") != maker:
        shutil.rmtree(folder, ignore_errors=True)
        counts = ["--reports", str(size.reports), "--players", str(size.players), "--month", MONTH]
        measure(["-m", "benchmarks.reports", str(folder), *counts])
        ready.write_text(maker, encoding="utf-8")
    return World(folder / f"list-{MONTH_BEFORE}.csv", folder / "reports", folder / "work")
