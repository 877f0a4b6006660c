"""Report texts for tests: a small event, whole unless a test says otherwise."""

from __future__ import annotations

import polars as pl

HEAD = (
    "012 Spring Open",
    "022 Riverton",
    "032 ITA",
    "042 2024/04/01",
    "052 2024/04/03",
    "062 4",
    "092 Individual: Swiss-System",
    "102 Arbiter, Anna",
    "122 90 minutes + 30 seconds",
)
ROUND_DATES = "132".ljust(91) + "24/04/01  24/04/02  24/04/03"
#: Four players, three rounds, everybody meets everybody.
CELLS = (
    ("   2 w 1", "   3 b =", "   4 w 1"),
    ("   1 b 0", "   4 w =", "   3 b 0"),
    ("   4 w 1", "   1 w =", "   2 w 1"),
    ("   3 b 0", "   2 b =", "   1 b 0"),
)
NAMES = ("Alder, Jon", "Birch, Kay", "Cedar, Lou", "Dogwood, May")


def player(
    number: object,
    name: str = "Alder, Jon",
    cells: tuple[str, ...] = (),
    *,
    fide_id: object = 0,
    sex: str = "m",
    title: str = "",
    rating: object = 1800,
    federation: str = "ITA",
    birth: str = "1990/05/17",
    points: str = "",
    rank: object = "",
) -> str:
    """One 001 line with every field in its columns."""
    fixed = (
        f"001 {number:>4} {sex:1}{title:>3} {name:<33.33} {rating:>4} {federation:<3} {fide_id:>11} {birth:<10} "
        f"{points:>4} {rank:>4}  "
    )
    return (fixed + "  ".join(f"{cell:<8}" for cell in cells)).rstrip()


def players(cells: tuple[tuple[str, ...], ...] = CELLS) -> list[str]:
    """The player lines of the small event, with these cells."""
    return [
        player(number, NAMES[(number - 1) % 4], own, fide_id=900000 + number)
        for number, own in enumerate(cells, start=1)
    ]


def report(lines: list[str] | None = None, head: tuple[str, ...] = HEAD) -> str:
    """A whole report: the header lines, then ``lines`` (default: the small event's players)."""
    return "\n".join([*head, ROUND_DATES, *(players() if lines is None else lines)]) + "\n"


def delivered(*texts: str) -> pl.DataFrame:
    """The frame that ``trf.parse`` takes, files numbered from 0."""
    return pl.DataFrame(
        {"file_no": range(len(texts)), "text": texts}, schema={"file_no": pl.Int32(), "text": pl.String()}
    )
