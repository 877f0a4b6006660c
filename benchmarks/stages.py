"""The stages of a month, in their order: what each runs, and its floor."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Cost, measure
from benchmarks.month import MONTH, MONTH_BEFORE, Month, World

QUERY = "select rated, count(*) as sides, sum(change_hundredths) as hundredths from {} group by rated order by rated"


@dataclass(frozen=True, slots=True)
class Step:
    """One step inside a stage: its calls, its seconds on the wall and of the processor, the most MB held by its end."""

    name: str
    calls: int
    seconds: float
    cpu: float
    memory: int


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


def opened(home: Path, world: World) -> None:
    """An office with the starting list of ``world`` and nothing else, that does not ask about its lucky players."""
    choices = home / "office.toml"
    if not choices.exists():
        home.mkdir(parents=True, exist_ok=True)
        choices.write_text("[questions]\nchange_deviations = 1000\n", encoding="utf-8")
    measure(program(home, "import-list", str(world.starting_list), "--month", world.before))


def register(home: Path, month: Month) -> None:
    """The players who have to be known before the reports of ``month``, where there are any."""
    if month.players:
        measure(program(home, "import-players", str(month.players)))


def warmed_up(world: World) -> Path:
    """Run the month once, unmeasured; returns its published folder: what the floors write."""
    home = world.work / "before"
    shutil.rmtree(world.work, ignore_errors=True)
    opened(home, world)
    register(home, world.month)
    measure(program(home, "run", MONTH, str(world.month.reports)))
    return home / "published" / MONTH / "r1"


def one_run(world: World, number: int, published: Path, tell: Callable[[str], None]) -> Iterator[Pair]:
    """Every stage once from an empty office, each followed by its floor; ``published`` is of :func:`warmed_up`.

    ``number``: of the run, for its folder. Nothing is deleted between the runs: where thousands of files were, ext4
    looks minutes long for one that was not just deleted before it makes another, and a folder of reports costs five
    times as much as on a disk where that is not so.
    """
    office, whole = world.work / f"office-{number}", world.work / f"whole-{number}"
    for stage in _stages(world, published, office, whole):
        pair = Pair(stage.name, measure(stage.program, touched=True), measure(stage.floor, touched=True))
        if stage.name == "import-list":
            register(office, world.month)
            # the whole run starts where load starts: with the list and nothing else
            shutil.copytree(office, whole)
        tell(f"{stage.name}: {pair.program.seconds:.2f} s, floor {pair.floor.seconds:.2f} s")
        yield pair


def steps_of_stages(world: World, tell: Callable[[str], None]) -> Iterator[tuple[str, list[Step]]]:
    """The steps inside every stage of one profiled run, each stage in a process of its own."""
    office = world.work / "profiled"
    shutil.rmtree(office, ignore_errors=True)
    reports = [str(world.month.reports)]
    read_from = {"import-list": [str(world.starting_list)], "load": reports, "rate": [], "publish": []}
    for stage, paths in read_from.items():
        if stage == "load":
            register(office, world.month)
        cost = measure(["-m", "benchmarks.steps", stage, str(office), *paths])
        tell(f"{stage}: {cost.seconds:.2f} s")
        steps = [Step(*step) for step in json.loads(cost.output)]
        around = cost.seconds - sum(step.seconds for step in steps), cost.cpu - sum(step.cpu for step in steps)
        yield stage, [*steps, Step("start and end of the process", 1, *around, cost.memory)]


def _stages(world: World, published: Path, office: Path, whole: Path) -> list[Stage]:
    starting_list, reports, tables = map(str, (world.starting_list, world.month.reports, published))
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


def program(home: Path, *arguments: str) -> list[str]:
    """The arguments of ``python`` for a command of the program in the office ``home``."""
    return ["-m", "ratinglist", "--home", str(home), *arguments]


def _floor(world: World, stage: str, *read_from: str) -> list[str]:
    return ["-m", "benchmarks.floor", stage, str(world.work / "floor" / stage), *read_from]
