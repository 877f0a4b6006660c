"""Month after month in one office, so that a month slower for the months before it can be seen.

First every month as it comes: its reports loaded, its list rated and published, each a command in a process of its own.
Then all of them again in one process, as a correction far back asks for: ``python -m benchmarks.history HOME FIRST
LAST`` rates and publishes every list again and prints a JSON line for each. No list may come out different, unless a
later month brought registrations: then more is known the second time.

Last a result of the third month is corrected, and ``rerate`` calculates and compares every list from there on and
publishes a revision of each, with its diff: what it costs is next to what rating and publishing one month cost.

Last of all, what the short commands cost that an officer types every day, in a home of so many months.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from benchmarks.measure import RSS_UNIT, Cost, measure
from benchmarks.month import World
from benchmarks.stages import opened, program, register
from benchmarks.table import table

HEADER = (
    *("month", "games", "load s", "rate s", "publish s", "together", "CPU s", "CPU s a million", "× the first"),
    *("peak MB", "again s", "again CPU s", "again × the first", "MB so far"),
)
CORRECTED = 3
"""Which month is corrected, from 1."""
DAILY = (("status",), ("--help",))
"""The commands typed every day."""
DAILY_RUNS = 7
DAILY_HEADER = ("command", "least seconds", "least CPU s", "peak MB")
CORRECTED_HEADER = ("what", "lists", "seconds", "CPU s", "× one month", "CPU s a list", "peak MB")


@dataclass(frozen=True, slots=True)
class Again:
    """A month rated and published once more, in the process of all of them."""

    month: str
    seconds: float
    cpu: float
    memory: int
    new: bool


@dataclass(frozen=True, slots=True)
class Lived:
    """One month as it came, and once more with everything known."""

    month: str
    games: int
    stages: tuple[Cost, ...]
    again: Again

    @property
    def seconds(self) -> float:
        """Seconds of all its stages."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def cpu(self) -> float:
        """CPU seconds of all its stages."""
        return sum(stage.cpu for stage in self.stages)

    @property
    def memory(self) -> int:
        """The most that any of its stages held, in MB."""
        return max(stage.memory for stage in self.stages)


def history(world: World, tell: Callable[[str], None]) -> str:
    """The table of the months of ``world``; ``RuntimeError`` where rating one again gives another list."""
    home = world.work
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "office.toml").write_text(_asking_nothing(), encoding="utf-8")
    opened(home, world)
    came: dict[str, tuple[int, tuple[Cost, ...]]] = {}
    for month in world.months:
        register(home, month)
        load = measure(program(home, "load", str(month.reports), "--json"))
        stages = (load, measure(program(home, "rate", month.name)), measure(program(home, "publish", month.name)))
        came[month.name] = json.loads(load.output)["games"], stages
        tell(f"{month.name}: {sum(stage.seconds for stage in stages):.2f} s")
    names = list(came)
    tell(f"all {len(names)} again")
    lines = measure(["-m", "benchmarks.history", str(home), names[0], names[-1]]).output.splitlines()
    again = {one.month: one for one in (Again(**json.loads(line)) for line in lines)}
    changed = [one.month for one in again.values() if one.new]
    if changed and not any(month.players for month in world.months):
        raise RuntimeError(f"rated again, these lists came out different: {', '.join(changed)}")
    lived = [Lived(month, games, stages, again[month]) for month, (games, stages) in came.items()]
    months = f"{table(HEADER, [*_rows(lived), _together(lived)])}\n\n{_verdict(lived)} {_changed(changed)}"
    parts = [months, *([_corrected(home, lived, tell)] if len(names) >= CORRECTED else []), _daily(home, tell)]
    return "\n\n".join(parts)


def _daily(home: Path, tell: Callable[[str], None]) -> str:
    """The table of the commands typed every day: the least of several runs, which a busy computer disturbs least."""
    rows = []
    for command in DAILY:
        tell(f"{' '.join(command)}, {DAILY_RUNS} times")
        costs = [measure(program(home, *command)) for _ in range(DAILY_RUNS)]
        seconds, cpu = min(cost.seconds for cost in costs), min(cost.cpu for cost in costs)
        rows.append((" ".join(command), f"{seconds:.2f}", f"{cpu:.2f}", f"{max(cost.memory for cost in costs):,}"))
    return table(DAILY_HEADER, rows)


def _corrected(home: Path, lived: list[Lived], tell: Callable[[str], None]) -> str:
    """The table of a result of the third month corrected, and of every list from there on calculated again."""
    month = lived[CORRECTED - 1].month
    file = home / "corrections.toml"
    file.write_text(_a_correction(home / "published" / month / "r1" / "games.parquet"), encoding="utf-8")
    tell(f"a result of {month} corrected, and the lists from there on again")
    corrected = measure(program(home, "correct", str(file)))
    rerated = measure(program(home, "rerate", "--from", month, "--json"))
    months = json.loads(rerated.output)["months"]
    one = (
        [sum(stage.cpu for stage in month.stages[1:]) for month in lived],
        [sum(stage.seconds for stage in month.stages[1:]) for month in lived],
    )
    cpu, seconds = (median(costs) for costs in one)
    rows = [
        ("rate and publish one month", "1", f"{seconds:.2f}", f"{cpu:.2f}", "1.0", f"{cpu:.2f}", ""),
        ("correct", "", f"{corrected.seconds:.2f}", f"{corrected.cpu:.2f}", f"{corrected.cpu / cpu:.1f}", "", ""),
        (
            f"rerate --from {month}",
            str(len(months)),
            f"{rerated.seconds:.2f}",
            f"{rerated.cpu:.2f}",
            f"{rerated.cpu / cpu:.1f}",
            f"{rerated.cpu / len(months):.2f}",
            f"{rerated.memory:,}",
        ),
    ]
    revised = sum(bool(one["revision"]) for one in months)
    return f"{table(CORRECTED_HEADER, rows)}\n\n{revised} of {len(months)} lists got a new revision."


def _a_correction(games: Path) -> str:
    """A corrections file: the first game of the table that White won was lost."""
    import polars as pl

    won = pl.scan_parquet(games).filter("rated", pl.col("colour") == "w", pl.col("score_halves") == 2).head(1)
    game = won.collect().row(0, named=True)
    match = f'event_id = "{game["event_id"]}", round = {game["round"]}'
    return (
        '[[correction]]\naction = "change_result"\n'
        f"match = {{ {match}, white = {game['fide_id']}, black = {game['opponent_id']} }}\n"
        'result = "0-1"\nreason = "measured"\nwho = "nobody"\nreported_on = 2025-11-15\n'
    )


def _asking_nothing() -> str:
    """The choices of an office that asks no questions before it publishes: in a made-up world everything is unusual."""
    from ratinglist.config.question_limits import Thresholds

    return "\n".join(["[questions]", *(f"{one.name} = 10000" for one in fields(Thresholds)), ""])


def again(home: Path, first: str, last: str) -> Iterator[dict[str, object]]:
    """Rate and publish the lists from ``first`` to ``last`` again; what each cost, as :class:`Again` has it."""
    from ratinglist.config import Settings
    from ratinglist.period import Period
    from ratinglist.workflows import publish, rate

    settings = Settings.read(home)
    for index in range(Period.parse(first).index, Period.parse(last).index + 1):
        began = perf_counter(), process_time()
        rate.rate(settings, Period(index))
        published = publish.publish(settings, Period(index))
        yield {
            "month": str(Period(index)),
            "seconds": perf_counter() - began[0],
            "cpu": process_time() - began[1],
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT // 2**20,
            "new": published.is_new,
        }


def _rows(lived: list[Lived]) -> Iterator[tuple[str, ...]]:
    first = lived[0]
    for one in lived:
        yield (
            one.month,
            f"{one.games:,}",
            *(f"{stage.seconds:.2f}" for stage in one.stages),
            f"{one.seconds:.2f}",
            f"{one.cpu:.2f}",
            f"{one.cpu / one.games * 1e6:.2f}",
            f"{_a_game(one) / _a_game(first):.2f}",
            f"{one.memory:,}",
            f"{one.again.seconds:.2f}",
            f"{one.again.cpu:.2f}",
            f"{_again_a_game(one) / _again_a_game(first):.2f}",
            f"{one.again.memory:,}",
        )


def _together(lived: list[Lived]) -> tuple[str, ...]:
    games, cpu = sum(one.games for one in lived), sum(one.cpu for one in lived)
    return (
        "together",
        f"{games:,}",
        *(f"{sum(one.stages[at].seconds for one in lived):.2f}" for at in range(3)),
        f"{sum(one.seconds for one in lived):.2f}",
        f"{cpu:.2f}",
        f"{cpu / games * 1e6:.2f}",
        "",
        f"{max(one.memory for one in lived):,}",
        f"{sum(one.again.seconds for one in lived):.2f}",
        f"{sum(one.again.cpu for one in lived):.2f}",
        "",
        f"{max(one.again.memory for one in lived):,}",
    )


def _verdict(lived: list[Lived]) -> str:
    """The later half by the earlier one, by CPU seconds a game."""
    half = len(lived) // 2
    if not half:
        return "One month has none before it."
    ratios = [
        median(cost(one) for one in lived[-half:]) / median(cost(one) for one in lived[:half])
        for cost in (_a_game, _again_a_game)
    ]
    return (
        f"CPU seconds a game, the later half of the months against the earlier half: × {ratios[0]:.2f} as they came, "
        f"× {ratios[1]:.2f} again."
    )


def _changed(months: list[str]) -> str:
    return f"Lists that say something new the second time: {', '.join(months) or 'none'}."


def _a_game(one: Lived) -> float:
    return one.cpu / one.games


def _again_a_game(one: Lived) -> float:
    return one.again.cpu / one.games


if __name__ == "__main__":
    for line in again(Path(sys.argv[1]), sys.argv[2], sys.argv[3]):
        print(json.dumps(line), flush=True)
