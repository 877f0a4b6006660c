"""The stages of a month, in their order: what each runs, and the floor beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Cost, measure
from benchmarks.month import MONTH, MONTH_BEFORE, Month

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


def warmed_up(month: Month) -> Path:
    """Run the month once, unmeasured; returns its published folder: what the floors write."""
    home = month.work / "before"
    shutil.rmtree(month.work, ignore_errors=True)
    measure(_program(home, "import-list", str(month.starting_list), "--month", MONTH_BEFORE))
    measure(_program(home, "run", MONTH, str(month.reports)))
    return home / "published" / MONTH / "r1"


def one_run(month: Month, published: Path, tell: Callable[[str], None]) -> Iterator[Pair]:
    """Every stage once from an empty office, each followed by its floor; ``published`` is of :func:`warmed_up`."""
    office, whole = month.work / "office", month.work / "whole"
    for folder in (office, whole):
        shutil.rmtree(folder, ignore_errors=True)
    for stage in _stages(month, published, office, whole):
        pair = Pair(stage.name, measure(stage.program), measure(stage.floor))
        if stage.name == "import-list":
            # the whole run starts where load starts: with the list and nothing else
            shutil.copytree(office, whole)
        tell(f"{stage.name}: {pair.program.seconds:.2f} s, floor {pair.floor.seconds:.2f} s")
        yield pair


def steps_of_stages(month: Month, tell: Callable[[str], None]) -> Iterator[tuple[str, list[Step]]]:
    """The steps inside every stage of one profiled run, each stage in a process of its own."""
    office = month.work / "profiled"
    shutil.rmtree(office, ignore_errors=True)
    read_from = {"import-list": [str(month.starting_list)], "load": [str(month.reports)], "rate": [], "publish": []}
    for stage, paths in read_from.items():
        cost = measure(["-m", "benchmarks.steps", stage, str(office), *paths])
        tell(f"{stage}: {cost.seconds:.2f} s")
        steps = [Step(*step) for step in json.loads(cost.output)]
        around = cost.seconds - sum(step.seconds for step in steps), cost.cpu - sum(step.cpu for step in steps)
        yield stage, [*steps, Step("start and end of the process", 1, *around, cost.memory)]


def _stages(month: Month, published: Path, office: Path, whole: Path) -> list[Stage]:
    starting_list, reports, tables = map(str, (month.starting_list, month.reports, published))
    query, of_files = QUERY.format("games"), QUERY.format("{}")
    return [
        Stage(
            "import-list",
            _program(office, "import-list", starting_list, "--month", MONTH_BEFORE),
            _floor(month, "import-list", starting_list),
        ),
        Stage("load", _program(office, "load", reports), _floor(month, "load", reports)),
        Stage("rate", _program(office, "rate", MONTH), _floor(month, "rate", tables)),
        Stage("publish", _program(office, "publish", MONTH), _floor(month, "publish", tables)),
        Stage("run", _program(whole, "run", MONTH, reports), _floor(month, "run", reports, tables)),
        Stage("--help", ["-m", "ratinglist", "--help"], ["-c", "print('ratinglist')"]),
        Stage("sql", _program(office, "sql", query), _floor(month, "sql", of_files, tables)),
    ]


def _program(home: Path, *arguments: str) -> list[str]:
    return ["-m", "ratinglist", "--home", str(home), *arguments]


def _floor(month: Month, stage: str, *read_from: str) -> list[str]:
    return ["-m", "benchmarks.floor", stage, str(month.work / "floor" / stage), *read_from]
