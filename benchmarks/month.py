"""The month that is measured: made once for each size and kept in a folder that git does not see."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from benchmarks import reports
from benchmarks.measure import ROOT, measure

DATA = ROOT / "benchmarks" / "data"
MONTH, MONTH_BEFORE = "2025-11", "2025-10"


@dataclass(frozen=True, slots=True)
class Size:
    """How much: reports of about 100 players, and players on the starting list."""

    reports: int
    players: int


SIZES = {
    "S": Size(60, 20_000),
    "M": Size(500, 200_000),
    "L": Size(5_000, 500_000),
}
"""A federation's month; a large federation's; the world's. FIDE's whole list is ``--size L --players 1900000``."""


@dataclass(frozen=True, slots=True)
class Month:
    """A month on the disk: the starting list, the folder of reports, and a folder for whatever is made from them."""

    starting_list: Path
    reports: Path
    work: Path


def made(size: Size, data: Path = DATA) -> Month:
    """The month of a size, made anew where the program that makes it has changed."""
    data.mkdir(parents=True, exist_ok=True)
    (data / ".gitignore").write_text("*\n", encoding="utf-8")
    folder = data / f"{size.reports}x{size.players}"
    month = Month(folder / f"list-{MONTH_BEFORE}.csv", folder / "reports", folder / "work")
    ready = folder / "made-by"
    maker = hashlib.sha256(Path(reports.__file__).read_bytes()).hexdigest()
    if not ready.exists() or ready.read_text(encoding="utf-8") != maker:
        # In a process of its own: what the parent ever held is counted to its children's memory.
        counts = ["--reports", str(size.reports), "--players", str(size.players), "--month", MONTH]
        measure(["-m", "benchmarks.reports", str(folder), *counts])
        ready.write_text(maker, encoding="utf-8")
    return month
