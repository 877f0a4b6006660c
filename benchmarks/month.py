"""The months that are measured: made once for each size and kept in a folder that git does not see."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT, measure

DATA = ROOT / "benchmarks" / "data"
MONTH, MONTH_BEFORE = "2025-11", "2025-10"


@dataclass(frozen=True, slots=True)
class Size:
    """How much: reports of about 100 players, and players on the starting list.

    ``simulated``: a world of ``ratinglist simulate``, with events of all kinds and time controls, newcomers and
    mistakes, in place of the even Swiss opens of :mod:`benchmarks.reports`.
    """

    reports: int
    players: int
    simulated: bool = False


SIZES = {
    "S": Size(60, 20_000),
    "M": Size(500, 200_000),
    "L": Size(5_000, 500_000),
}
"""A federation's month; a large federation's; the world's. FIDE's whole list is ``--size L --players 1900000``."""


@dataclass(frozen=True, slots=True)
class Month:
    """What arrives in a month: the folder of reports and, where there are any, the players to register before."""

    name: str
    reports: Path
    players: Path | None


@dataclass(frozen=True, slots=True)
class World:
    """Months on the disk, the list they start from, and a folder for whatever is made from them."""

    before: str
    starting_list: Path
    months: tuple[Month, ...]
    work: Path

    @property
    def month(self) -> Month:
        """The last month, which is the one measured."""
        return self.months[-1]


def made(size: Size, months: int = 1, data: Path = DATA) -> World:
    """So many months of a size up to :data:`MONTH`, made again where the program that makes them has changed."""
    data.mkdir(parents=True, exist_ok=True)
    (data / ".gitignore").write_text("*\n", encoding="utf-8")
    kind = "simulated" if size.simulated else "drawn"
    folder = data / f"{kind}-{size.reports}x{size.players}-{months}"
    names = [_earlier(MONTH, back) for back in range(months - 1, -1, -1)]
    ready = folder / "made-by"
    maker = _maker(size)
    if not ready.exists() or ready.read_text(encoding="utf-8") != maker:
        shutil.rmtree(folder, ignore_errors=True)
        _generate(folder, size, names)
        ready.write_text(maker, encoding="utf-8")
    arrived = []
    for name in names:
        players = folder / f"players-{name}.csv"
        arrived.append(Month(name, folder / "reports" / name, players if players.exists() else None))
    before = _earlier(names[0], 1)
    return World(before, folder / f"list-{before}.csv", tuple(arrived), folder / "work")


def _generate(folder: Path, size: Size, names: Sequence[str]) -> None:
    """Write the list before the first month, registrations and reports into ``folder``: the one place that makes chess.

    In processes of their own: what the parent ever held is counted to its children's memory.
    """
    counts = ["--reports", str(size.reports), "--players", str(size.players)]
    if size.simulated:
        span = ["--from", names[0], "--months", str(len(names))]
        measure(["-m", "ratinglist", "simulate", str(folder), *counts, *span])
        return
    for seed, name in enumerate(reversed(names), 1):
        drawn = folder / "drawn"
        measure(["-m", "benchmarks.reports", str(drawn), *counts, "--month", name, "--seed", str(seed)])
        manifest = drawn / "reports" / "manifest.csv"
        # Events of different months are different events.
        rows = manifest.read_text(encoding="utf-8").replace(",BM", f",{name}-BM")
        manifest.write_text(rows, encoding="utf-8")
        (folder / "reports").mkdir(exist_ok=True)
        (drawn / "reports").rename(folder / "reports" / name)
        if name == names[0]:
            (drawn / f"list-{_earlier(name, 1)}.csv").rename(folder / f"list-{_earlier(name, 1)}.csv")
        shutil.rmtree(drawn)


def _maker(size: Size) -> str:
    """A digest of the program that makes the months."""
    simulation = ROOT / "src" / "ratinglist" / "simulation"
    files = sorted(simulation.glob("*.py")) if size.simulated else [ROOT / "benchmarks" / "reports.py"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _earlier(month: str, months: int) -> str:
    index = int(month[:4]) * 12 + int(month[5:]) - 1 - months
    return f"{index // 12:04d}-{index % 12 + 1:02d}"
