"""Measure every export: a published list of half a million players in each format, each in a process of its own.

Every player is on the standard list, every second one on the rapid and every fourth on the blitz list; nearly all
names have letters that ASCII lacks, so that their transliteration is measured too. The list of the month before
differs for a tenth of the players. Nothing is rated: the lists are generated and published directly.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import polars as pl

from benchmarks.measure import measure
from benchmarks.table import table
from ratinglist.home.history import LATEST
from ratinglist.period import Period
from ratinglist.publication import revision_writer
from ratinglist.schemas import CHANGE, ENTRY, EVENT, GAME, LISTED, POOL
from ratinglist.simulation.people import named

PLAYERS = 500_000
MONTH, BEFORE = "2025-11", "2025-10"
HEADER = ("export", "rows", "file MB", "seconds", "CPU s", "peak MB")
EXPORTS = {
    "nothing but starting": ("csv", "--top", "1"),
    "fide-txt": ("fide-txt",),
    "fide-txt, zipped": ("fide-txt", "--zip"),
    "fide-txt, standard": ("fide-txt", "--time-control", "standard"),
    "fide-xml": ("fide-xml",),
    "fide-xml, standard": ("fide-xml", "--time-control", "standard"),
    "swiss-manager-csv": ("swiss-manager-csv",),
    "vega-csv": ("vega-csv",),
    "csv, standard": ("csv", "--time-control", "standard"),
    "csv, three lists": ("csv",),
    "csv-spreadsheet, three lists": ("csv-spreadsheet",),
    "parquet, three lists": ("parquet",),
    "xlsx, one federation of forty": ("xlsx", "--federation", "FAA"),
    "xlsx, top 1,000": ("xlsx", "--top", "1000"),
}
"""The measured exports: the format and its options."""


def exports(players: int, runs: int, report_progress: Callable[[str], None]) -> str:
    """Return the table: medians of ``runs`` runs, and the highest memory of any run."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        report_progress("publishing two lists")
        # In a process of its own: its peak memory would count as that of every later process.
        measure(["-m", "benchmarks.exports", str(home), str(players)])
        return table(HEADER, [_row(home, name, options, runs, report_progress) for name, options in EXPORTS.items()])


def publish_lists(home: Path, players: int) -> None:
    """Publish two months of generated lists of ``players`` players in ``home``."""
    all_players = _all_players(players)
    for month in (BEFORE, MONTH):
        lists = {
            name: LISTED.conform(_of_list(all_players.gather_every(every), name, month))
            for name, every in (("standard", 1), ("rapid", 2), ("blitz", 4))
        }
        others = {table.name: table.empty() for table in (CHANGE, GAME, ENTRY, POOL, EVENT)}
        content = revision_writer.RevisionContent({**lists, **others})
        published = home / "published"
        draft = revision_writer.write_draft(
            published, home / "drafts", Period.parse(month), content, {"family": "fide"}
        )
        (published / month).mkdir(parents=True)
        draft.folder.rename(published / month / f"r{draft.revision}")
        (published / month / LATEST).write_text(f"r{draft.revision}\n", encoding="utf-8")


def _all_players(players: int) -> pl.DataFrame:
    number = pl.col("number")
    federations = pl.lit(pl.Series([f"F{chr(65 + at // 10)}{chr(65 + at % 10)}" for at in range(40)]))
    return pl.DataFrame({"number": pl.int_range(1, players + 1, eager=True)}).with_columns(
        fide_id=number * 7 + 1_000_000,
        name=named(1, number, number % 5 == 0, pl.lit(0)),
        federation=federations.gather(number % 40),
        sex=pl.when(number % 5 == 0).then(pl.lit("F")).otherwise(pl.lit("M")),
        title=pl.when(number % 200 == 0).then(pl.lit("FM")).otherwise(pl.lit("")),
        women_title=pl.lit(""),
        other_titles=pl.when(number % 150 == 0).then(pl.lit("FA,FI")).otherwise(pl.lit("")),
        birth_year=1940 + number % 75,
        flag=pl.when(number % 5 == 0).then(pl.lit("w")).otherwise(pl.lit("")),
    )


def _of_list(players: pl.DataFrame, time_control: str, month: str) -> pl.DataFrame:
    number = pl.col("number")
    played = (number % 10 == 0).cast(pl.Int32) * int(month == MONTH)
    return players.with_columns(
        list_month=pl.lit(month),
        time_control=pl.lit(time_control),
        rating=1400 + number * 7919 % 1200 + 8 * played,
        games=9 * played,
        k=pl.lit(20),
    )


def _row(
    home: Path, name: str, options: tuple[str, ...], runs: int, report_progress: Callable[[str], None]
) -> tuple[str, str, str, str, str, str]:
    report_progress(name)
    format_name, *more = options
    command = ["-m", "ratinglist", "--home", str(home), "export", MONTH, "--format", format_name, *more, "--json"]
    costs = [measure([*command, "--out", str(home.parent)]) for _ in range(runs)]
    summary = json.loads(costs[0].output)
    return (
        name,
        f"{summary['rows']:,}",
        f"{summary['bytes'] / 2**20:,.1f}",
        f"{median(cost.seconds for cost in costs):.2f}",
        f"{median(cost.cpu for cost in costs):.2f}",
        f"{max(cost.memory for cost in costs):,}",
    )


if __name__ == "__main__":
    publish_lists(Path(sys.argv[1]), int(sys.argv[2]))
