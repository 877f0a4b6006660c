"""``python -m benchmarks.glicko_agreement [--players N] [--months N]``: the family ``glicko`` and riix, list by list.

A simulated federation publishes monthly lists by ``glicko``. riix, an implementation of the same formulas by somebody
else, computes each list again in doubles, from the list before and the games that count. Printed are the greatest
differences in rating and deviation. The first list starts from one without deviations: it is not compared. riix is for
non-commercial use: `make bench` installs it, apart from the program.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import polars as pl

from benchmarks.compared import PYTHON
from benchmarks.measure import measure
from benchmarks.table import table
from ratinglist.config.question_limits import Thresholds
from ratinglist.period import Period
from ratinglist.store.rule_files import rule_book

FIRST = Period.parse("2025-05")
HEADER = ("list", "games", "players with games", "rating", "deviation")


def main() -> None:
    """Print a row a list: the greatest differences, in points."""
    reader = argparse.ArgumentParser(prog="python -m benchmarks.glicko_agreement", description=__doc__)
    reader.add_argument("--players", type=int, default=1000, help="players of the federation; default: 1,000")
    reader.add_argument("--months", type=int, default=6, help="lists that are published; default: 6")
    reader.add_argument("--peers-python", type=Path, default=PYTHON, help="the Python that has riix")
    options = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "office"
        months = [FIRST + number for number in range(options.months)]
        _publish(Path(folder) / "world", home, options.players, months)
        rows = [
            _compared(home, before, month, Path(folder), options.peers_python) for before, month in pairwise(months)
        ]
    sys.stdout.write(table(HEADER, rows) + "\n")


def _publish(world: Path, home: Path, players: int, months: list[Period]) -> None:
    """Make a federation and publish its lists by the family ``glicko``."""
    span = ["--from", str(months[0]), "--months", str(len(months))]
    measure(["-m", "ratinglist", "simulate", str(world), "--players", str(players), *span])
    home.mkdir()
    # In a made-up federation everything is unusual.
    limits = [f"{one.name} = 10000" for one in fields(Thresholds)]
    (home / "office.toml").write_text("\n".join(["[questions]", *limits, ""]), encoding="utf-8")
    os.environ |= {"RATINGLIST_HOME": str(home), "RATINGLIST_RULES": "glicko"}
    measure(
        ["-m", "ratinglist", "import-list", str(world / f"list-{months[0] - 1}.csv"), "--month", str(months[0] - 1)]
    )
    for month in months:
        if (registered := world / f"players-{month}.csv").is_file():
            measure(["-m", "ratinglist", "import-players", str(registered)])
        measure(["-m", "ratinglist", "load", str(world / "reports" / str(month))])
        measure(["-m", "ratinglist", "rate", str(month)])
        measure(["-m", "ratinglist", "publish", str(month)])


def _compared(home: Path, before: Period, month: Period, folder: Path, python: Path) -> tuple[str, ...]:
    """Compute one list by riix from the one before, and return the greatest differences."""
    listed, published = (_list_of(home, one) for one in (before, month))
    games = pl.read_parquet(home / "published" / str(month) / "r1" / "games.parquet").filter(
        pl.col("reason") == "", pl.col("colour") == "w"
    )
    rules = rule_book().on("glicko", "standard", month.first_day)
    values = rules.values() if rules else {}
    names = pl.concat([games["fide_id"], games["opponent_id"]]).unique().to_frame("fide_id")
    newcomers = names.join(listed, on="fide_id", how="anti").with_columns(
        rating=pl.lit(float(values["entry.rating"])), deviation=pl.lit(float(values["deviation.initial"]))
    )
    start = pl.concat([listed.with_columns(is_listed=True), newcomers.with_columns(is_listed=False)])
    growth = pl.lit(float(values["deviation.variance_per_month"]))
    start.sort("fide_id").with_columns(variance_per_month=growth).write_parquet(folder / "before.parquet")
    games.select(white_id="fide_id", black_id="opponent_id", score=pl.col("score_halves") / 2).write_parquet(
        folder / "games.parquet"
    )
    measure(["-m", "benchmarks.peer", "glicko_riix", str(folder), str(folder / "after.parquet")], python)
    both = pl.read_parquet(folder / "after.parquet").join(published, on="fide_id", suffix="_published")
    rating, deviation = (
        both.select((pl.col(name) - pl.col(f"{name}_published")).abs().max()).item() for name in ("rating", "deviation")
    )
    return str(month), f"{len(games):,}", f"{len(names):,}", f"{rating:.4f}", f"{deviation:.4f}"


def _list_of(home: Path, month: Period) -> pl.DataFrame:
    rows = pl.read_parquet(home / "published" / str(month) / "r1" / "standard.parquet")
    return rows.select(
        "fide_id", rating=pl.col("rating_hundredths") / 100, deviation=pl.col("deviation_hundredths") / 100
    )


if __name__ == "__main__":
    main()
