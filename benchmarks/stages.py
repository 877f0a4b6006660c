"""The stages of a month, in their order, each next to its floor; and months of more and more games."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import mkdtemp

from benchmarks.measure import Cost, available_memory, measure
from benchmarks.month import MONTH, MONTH_BEFORE, Size, World, made
from benchmarks.table import table

QUERY = "select rated, count(*) as sides, sum(change_hundredths) as hundredths from {} group by rated order by rated"
HEADER = ("stage", "seconds", "min", "max", "floor", "ratio", "CPU s", "CPU ratio", "peak MB", "floor MB")
GAMES_HEADER = ("million games", "reports", "players", "seconds", "CPU s", "CPU s a million", "peak MB")


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: the arguments of ``python`` for the program and for its floor."""

    name: str
    program: list[str]
    floor: list[str]


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
    """One ``run`` of a month of so many million games each; one that the memory does not hold is named."""
    rows, notes = [], []
    most = 0.0
    for games in millions:
        needed = round(most * games)
        if needed > available_memory():
            notes.append(f"{games:g} million games: not measured, they would need about {needed:,} MB")
            continue
        tell(f"{games:g} million games")
        size = Size.of_games(round(games * 1e6))
        world = made(size, data)
        cost = month_cost(world)
        shutil.rmtree(world.work)
        most = cost.memory / games
        counts = (f"{games:g}", f"{size.reports:,}", f"{size.players:,}")
        figures = (f"{cost.seconds:.1f}", f"{cost.cpu:.1f}", f"{cost.cpu / games:.1f}", f"{cost.memory:,}")
        rows.append((*counts, *figures))
    return "\n\n".join([table(GAMES_HEADER, rows), *notes])


def month_cost(world: World) -> Cost:
    """What one ``run`` costs in a new office that has the starting list and nothing else; the office is kept."""
    world.work.mkdir(exist_ok=True)
    home = Path(mkdtemp(dir=world.work)) / "office"
    _opened(home, world)
    return measure(program(home, "run", MONTH, str(world.reports)), touched=True)


def warmed_up(world: World) -> Path:
    """Run the month once, unmeasured; returns its published folder: what the floors write."""
    home = world.work / "before"
    shutil.rmtree(world.work, ignore_errors=True)
    _opened(home, world)
    measure(program(home, "run", MONTH, str(world.reports)))
    return home / "published" / MONTH / "r1"


def program(home: Path, *arguments: str) -> list[str]:
    """The arguments of ``python`` for a command of the program in the office ``home``."""
    return ["-m", "ratinglist", "--home", str(home), *arguments]


def _office(home: Path) -> Path:
    """An office that does not ask about its lucky players."""
    home.mkdir(parents=True)
    (home / "office.toml").write_text("[questions]\nchange_deviations = 1000\n", encoding="utf-8")
    return home


def _opened(home: Path, world: World) -> None:
    """An office with the starting list and nothing else."""
    _office(home)
    measure(program(home, "import-list", str(world.starting_list), "--month", MONTH_BEFORE))


def _one_run(world: World, number: int, published: Path, tell: Callable[[str], None]) -> Iterator[Pair]:
    """Every stage once from an empty office, each followed by its floor.

    Nothing is deleted between the runs: where thousands of files were, ext4 looks minutes long for one that was not
    just deleted before it makes another, and a folder of reports costs five times as much as on a disk where that is
    not so.
    """
    office, whole = _office(world.work / f"office-{number}"), world.work / f"whole-{number}"
    _opened(whole, world)
    for stage in _stages(world, published, office, whole):
        pair = Pair(stage.name, measure(stage.program, touched=True), measure(stage.floor, touched=True))
        tell(f"{stage.name}: {pair.program.seconds:.2f} s, floor {pair.floor.seconds:.2f} s")
        yield pair


def _stages(world: World, published: Path, office: Path, whole: Path) -> list[Stage]:
    starting_list, reports, tables = map(str, (world.starting_list, world.reports, published))
    query, of_files = QUERY.format("games"), QUERY.format("{}")
    return [
        Stage(
            "import-list",
            program(office, "import-list", starting_list, "--month", MONTH_BEFORE),
            _floor(world, "import-list", starting_list),
        ),
        Stage("load", program(office, "load", reports), _floor(world, "load", reports)),
        Stage("rate", program(office, "rate", MONTH), _floor(world, "rate", tables)),
        Stage("publish", program(office, "publish", MONTH), _floor(world, "publish", tables)),
        Stage(
            "export",
            program(office, "export", MONTH, "--format", "fide-txt", "--out", str(world.work / "list.txt")),
            _floor(world, "export", tables),
        ),
        Stage("run", program(whole, "run", MONTH, reports), _floor(world, "run", reports, tables)),
        Stage("--help", ["-m", "ratinglist", "--help"], ["-c", "print('ratinglist')"]),
        Stage("sql", program(office, "sql", query), _floor(world, "sql", of_files, tables)),
    ]


def _floor(world: World, stage: str, *read_from: str) -> list[str]:
    return ["-m", "benchmarks.floor", stage, str(world.work / "floor" / stage), *read_from]


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
