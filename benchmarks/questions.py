"""``python -m benchmarks.questions --players N``: how often each question comes in a year of a made-up federation.

The first six months are not counted: ``unusual_counts`` compares with six lists before. Then a year is: each month's
registrations and reports are received, its list is calculated, the questions that it raises are counted, and it is
published with a reason for each. ``--seeds`` makes several federations, from ``--first-seed`` on.

Below the table of questions is how far the changes of the year lie from what chance gives, which ``large_change`` is
judged by: the standard deviation of a change is half of K by the root of the number of games, or less. Then for each
month the mean change and its standard error, which ``mean_change`` is judged by.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import polars as pl

from benchmarks.table import table
from ratinglist.config import Settings
from ratinglist.config.question_limits import Thresholds
from ratinglist.period import Period
from ratinglist.publication import checks
from ratinglist.simulation import world_of
from ratinglist.workflows import import_files, load, publish, rate
from ratinglist.workflows.simulate import simulate

FIRST = "2024-07"
BEFORE, YEAR = 6, 12
DEVIATIONS = (2, 3, 4, 5, 6)
"""The distances from no change that are counted, in standard deviations."""


@dataclass(slots=True)
class Raised:
    """What the years raised: ``months`` by question, ``rows`` by question, every change of a rating, and its mean."""

    months: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    changes: list[pl.DataFrame] = field(default_factory=list)
    means: list[tuple[str, ...]] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of a year."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=1, help="How many federations; their years are added up.")
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args(arguments)
    found = Raised()
    with TemporaryDirectory() as place:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            live(Path(place), options.players, seed, found)
    print(report(found, options.players, options.seeds))


def live(place: Path, players: int, seed: int, found: Raised) -> None:
    """Let an office live eighteen months in ``place``, and count what it raises in the last twelve."""
    world, home = place / "world", place / "home"
    shutil.rmtree(home, ignore_errors=True)
    first = Period.parse(FIRST)
    simulate(world, world_of(players, first, seed=seed), BEFORE + YEAR)
    months = [first + number for number in range(BEFORE + YEAR)]
    settings = Settings.read(home, today=date(2024, 6, 15))
    start = first + -1
    import_files.import_list(settings, world / f"list-{start}.csv", start)
    for number, month in enumerate(months):
        settings = replace(settings, today=month.first_day)
        registered = world / f"players-{month}.csv"
        import_files.import_players(settings, registered)
        load.load(settings, [world / "reports" / str(month)])
        rate.rate(settings, month)
        questions = publish.preview(settings, month).questions
        if number >= BEFORE:
            for one in questions:
                found.months[str(one["question"])] += 1
                found.rows[str(one["question"])] += cast("dict[str, int]", one["found"])["count"]
        publish.publish(settings, month, {str(one["question"]): "made up" for one in questions})
        if number >= BEFORE:
            changes = pl.read_parquet(settings.published / str(month) / "r1" / "changes.parquet")
            found.changes.append(changes)
            for (time_control,), of_list in changes.sort("time_control").group_by("time_control", maintain_order=True):
                found.means.append((str(seed), str(month), str(time_control), *mean_change(of_list)))
                print(*found.means[-1], file=sys.stderr, flush=True)
            print(*(one["question"] for one in questions), file=sys.stderr, flush=True)


def mean_change(changes: pl.DataFrame) -> tuple[str, str, str]:
    """Return how many changes ``mean_change`` judges, their mean in points, and that in standard errors."""
    played = changes.filter(pl.col("status") != "entered", pl.col("games") >= Thresholds().mean_change_games)
    change = played.get_column("change").cast(pl.Int64).to_list()
    total, squares = sum(change), sum(one * one for one in change)
    return str(len(change)), f"{total / max(len(change), 1):.2f}", f"{total / max(squares, 1) ** 0.5:.2f}"


def report(found: Raised, players: int, years: int) -> str:
    """Return the tables: questions a year, changes by their distance in standard deviations, and means by month."""
    names, count = checks.question_names(), 1 / years
    rows = [(name, f"{count * found.months[name]:.1f}", f"{count * found.rows[name]:.1f}") for name in names]
    questions = table(("question", f"months a year, {players:,} players", "rows a year"), rows)
    changes = pl.concat(found.changes).filter(pl.col("status") == "rated", pl.col("k").is_not_null())
    # Four times the squares, so that all is whole.
    square, variance = 4 * pl.col("change").cast(pl.Int64) ** 2, pl.col("k").cast(pl.Int64) ** 2 * pl.col("games")
    over = [(square > one * one * variance).sum().alias(f"over {one}") for one in DEVIATIONS]
    largest = pl.col("change").abs().max().alias("largest")
    by_k = changes.group_by("k").agg(pl.len().alias("changes"), largest, *over).sort("changes", descending=True).head(4)
    distances = table(by_k.columns, [tuple(map(str, row)) for row in by_k.iter_rows()])
    means = table(("seed", "month", "list", "players", "mean change", "in standard errors"), found.means, words=3)
    return f"{questions}\n\n{distances}\n\n{means}"


if __name__ == "__main__":
    main()
