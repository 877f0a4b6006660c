"""The stages of a month, in their order, each next to its floor; and months of more and more games."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.measure import Cost, measure
from benchmarks.month import MONTH, MONTH_BEFORE, Size, World, world_of
from ratinglist.text import padded

HEADER = ("stage", "seconds", "min", "max", "floor", "ratio", "CPU s", "CPU ratio", "peak MB", "floor MB")
GAMES_HEADER = ("games", "events", "players", "seconds", "CPU s", "CPU s a million", "peak MB")


@dataclass(frozen=True, slots=True)
class Pair:
    """What a stage cost and what its floor cost, one after the other."""

    stage: str
    program: Cost
    floor: Cost


def stages_table(world: World, runs: int, tell: Callable[[str], None]) -> str:
    """Every stage of a month, measured so many times: medians, and the ratios of those measured side by side."""
    tell("one run unmeasured")
    published = warmed_up(world)
    pairs: list[Pair] = []
    for number in range(1, runs + 1):
        tell(f"run {number} of {runs}")
        pairs += _one_run(world, number, published, tell)
    names = dict.fromkeys(pair.stage for pair in pairs)
    return table(HEADER, [_row(name, [pair for pair in pairs if pair.stage == name]) for name in names])


def games_table(millions: Sequence[float], data: Path, tell: Callable[[str], None]) -> str:
    """One ``run`` of a month of about so many million games each."""
    rows = []
    for games in millions:
        tell(f"{games:g} million games")
        size = Size.of_games(round(games * 1e6))
        world = world_of(size, data)
        home = _opened(world, "office")
        cost = measure(program(home, "run", MONTH, str(world.reports)))
        shutil.rmtree(world.work)
        counts = (f"{world.games:,}", f"{size.events:,}", f"{size.players:,}")
        figures = (f"{cost.seconds:.1f}", f"{cost.cpu:.1f}", f"{cost.cpu / world.games * 1e6:.1f}", f"{cost.memory:,}")
        rows.append((*counts, *figures))
    return table(GAMES_HEADER, rows)


def warmed_up(world: World) -> Path:
    """Run the month once, unmeasured; returns its published folder: what the floors write."""
    shutil.rmtree(world.work, ignore_errors=True)
    home = _opened(world, "before")
    measure(program(home, "run", MONTH, str(world.reports)))
    return home / "published" / MONTH / "r1"


def program(home: Path, *arguments: str) -> list[str]:
    """The arguments of ``python`` for a command of the program in the office ``home``."""
    return ["-m", "ratinglist", "--home", str(home), *arguments]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return ``rows`` under ``header`` as Markdown with aligned columns: the first to the left, the others right."""
    to_right = [False, *[True] * (len(header) - 1)]
    head, *lines = padded([header, *rows], to_right)
    rule = [
        "-" * (len(cell) - 1) + ":" if right else "-" * len(cell) for cell, right in zip(head, to_right, strict=True)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *lines])


def _opened(world: World, name: str) -> Path:
    """A new office that has the players of a month and does not ask about the lucky ones."""
    home = world.work / name
    home.mkdir(parents=True)
    (home / "office.toml").write_text(
        "[questions]\nchange_deviations = 1000\nmean_change_points = 1000\n", encoding="utf-8"
    )
    measure(program(home, "import-list", str(world.starting_list), "--month", MONTH_BEFORE))
    measure(program(home, "import-players", str(world.registrations)))
    return home


def _one_run(world: World, number: int, published: Path, tell: Callable[[str], None]) -> Iterator[Pair]:
    """Every stage once, each followed by its floor.

    Nothing is deleted between the runs: where thousands of files were, ext4 looks minutes long for one that was not
    just deleted before it makes another, and a folder of reports costs five times as much as on a disk where that is
    not so.
    """
    new, office, whole = world.work / f"new-{number}", *(_opened(world, f"{name}-{number}") for name in ("by", "whole"))
    starting_list, reports, tables = map(str, (world.starting_list, world.reports, published))
    text = str(world.work / "list.txt")
    stages = {
        "import-list": (program(new, "import-list", starting_list, "--month", MONTH_BEFORE), [starting_list]),
        "load": (program(office, "load", reports), [reports]),
        "rate": (program(office, "rate", MONTH), [tables]),
        "publish": (program(office, "publish", MONTH), [tables]),
        "export": (program(office, "export", MONTH, "--format", "fide-txt", "--out", text), [tables]),
        "run": (program(whole, "run", MONTH, reports), [reports, tables]),
    }
    for stage, (arguments, read_from) in stages.items():
        floor = ["-m", "benchmarks.floor", stage, str(world.work / "floor" / stage), *read_from]
        pair = Pair(stage, measure(arguments), measure(floor))
        tell(f"{stage}: {pair.program.seconds:.2f} s, floor {pair.floor.seconds:.2f} s")
        yield pair


def _row(stage: str, pairs: list[Pair]) -> tuple[str, ...]:
    seconds = [pair.program.seconds for pair in pairs]

    def most(costs: list[Cost]) -> str:
        return f"{max(cost.memory for cost in costs):,}"

    return (
        stage,
        f"{median(seconds):.2f}",
        f"{min(seconds):.2f}",
        f"{max(seconds):.2f}",
        f"{median(pair.floor.seconds for pair in pairs):.2f}",
        f"{median(pair.program.seconds / pair.floor.seconds for pair in pairs):.1f}",
        f"{median(pair.program.cpu for pair in pairs):.2f}",
        f"{median(pair.program.cpu / pair.floor.cpu for pair in pairs):.1f}",
        most([pair.program for pair in pairs]),
        most([pair.floor for pair in pairs]),
    )
