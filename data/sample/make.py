"""Write the sample federation: a small world of ``ratinglist.simulation`` with the scenes of ``scenes.py``.

``python data/sample/make.py [FOLDER] [--seed N]`` rewrites the folder, by default that of this file. The same seed
gives the same bytes. The simulation makes the lists, pairings, results and texts.
"""

from __future__ import annotations

import argparse
import sys
from functools import reduce
from pathlib import Path

import polars as pl
from scenes import TITLES
from staging import cast, staged

from ratinglist.period import Period
from ratinglist.simulation.months import HeldEvents, months_of, number_deliveries
from ratinglist.simulation.opening_lists import LIST_COLUMNS, PLAYER_COLUMNS, starting_list, with_k
from ratinglist.simulation.plan import Plan, World, world_of
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.simulate import write_reports

SEED = 2025
FIRST, MONTHS = Period.parse("2025-09"), 4
PLAYERS, REPORTS, FEDERATIONS = 140, 3, ("ORV", "KEL")
PLAN = Plan(
    rapid=0,
    blitz=0,
    time_controls=(1, 0, 0),
    systems=(600, 150, 50, 50, 150),
    swiss_field=(14, 24),
    newcomers=13,
    change_of_data=10,
    straddling=0,
)
"""So small a federation has standard chess only, and no league but the scripted one."""
INACTIVE_FROM = Period.parse("2024-08").first_day
"""A player whose last rated game was for this list or an earlier one is inactive on the starting list (7.2.2)."""


def main(arguments: list[str] | None = None) -> None:
    """Rewrite the folder named on the command line."""
    parser = argparse.ArgumentParser(description="Write the sample federation.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    for stale in [*folder.glob("players-20??-??.csv"), *folder.glob("reports/20??-??/*.*")]:
        stale.unlink()
    for emptied in folder.glob("reports/20??-??"):
        emptied.rmdir()
    make(folder, world_of(PLAYERS, FIRST, options.seed, REPORTS, FEDERATIONS, PLAN))


def make(folder: Path, world: World) -> None:
    """Write the starting list, and for every month the registrations and the reports."""
    expected = rule_book().expected_score["expected_score"]
    simulated = list(months_of(world, MONTHS, expected))
    played = reduce(HeldEvents.concat, (month.held for month in simulated))
    held = HeldEvents.concat(played, staged(world, played, expected))
    of_cast = _cast_rows(world)
    folder.mkdir(parents=True, exist_ok=True)
    first = of_cast.filter(pl.col("month") == "")
    _write(folder / f"list-{world.period(0)}.csv", first.select(LIST_COLUMNS), starting_list(world))
    for number, month in enumerate(simulated, 1):
        _write(folder / f"players-{month.period}.csv", _registrations(of_cast, str(month.period)), month.registrations)
        arriving = held.restrict(held.deliveries.filter(pl.col("month") == number))
        reports = folder / "reports" / str(month.period)
        write_reports(reports, number_deliveries(arriving), arriving.entrants, arriving.cells, world.seed)


def _write(file: Path, of_cast: pl.DataFrame, of_world: pl.DataFrame) -> None:
    """Write both frames as one table with the columns of the second."""
    typed = of_cast.select(pl.col(name).cast(dtype) for name, dtype in of_world.schema.items())
    pl.concat([typed, of_world]).write_csv(file)


def _cast_rows(world: World) -> pl.DataFrame:
    """Return the cast with the columns of the starting list and the ``month`` of registration."""
    inactive = pl.col("rating").is_not_null() & (pl.col("last_played") <= INACTIVE_FROM)
    rows = cast().with_columns(
        pl.col("birth_date").dt.year().alias("birth_year"),
        pl.lit("standard").alias("time_control"),
        pl.concat_str(
            pl.when(pl.col("sex") == "F").then(pl.lit("w")).otherwise(pl.lit("")),
            pl.when(inactive).then(pl.lit("i")).otherwise(pl.lit("")),
        ).alias("flag"),
    )
    return with_k(rows, world.period(0).first_day.year)


def _registrations(of_cast: pl.DataFrame, month: str) -> pl.DataFrame:
    """Return the players of the cast who are registered for ``month`` or have another title from then on."""
    titles = TITLES.get(month, {})
    surname = pl.col("name").str.split(",").list.first()
    chosen = of_cast.filter((pl.col("month") == month) | surname.is_in(list(titles)))
    title = surname.replace_strict(titles, default=pl.col("title"), return_dtype=pl.String)
    return chosen.with_columns(title.alias("title")).select(PLAYER_COLUMNS)


if __name__ == "__main__":
    main(sys.argv[1:])
