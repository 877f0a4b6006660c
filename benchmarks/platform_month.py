"""A platform's month out of core: drawn games, as Parquet tables of the buckets, up to the tables of the new list.

``python -m benchmarks.platform_month --games 1000000 10000000 100000000``: ten games a player, a million games a
bucket, and the same steps as ``ratinglist run --buckets``. The store is left out: no report is archived, and DuckDB
does not check the list. Each size is drawn and calculated in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import polars as pl

from benchmarks.measure import RSS_UNIT
from benchmarks.month import DATA
from benchmarks.table import table
from ratinglist.config.field_policy import FieldPolicy
from ratinglist.engine import (
    INPUTS_OF_EVENTS,
    BucketFolder,
    MonthPlan,
    PlannedMonth,
    assign_buckets,
    calculate_month,
    newest_of,
)
from ratinglist.period import Period
from ratinglist.rating.event_verdicts import select_reports
from ratinglist.rating.model import MonthInputs
from ratinglist.schemas import EARLIER_EVENT, EARLIER_GAME, LIST_STATE, PLAYER, POOL, REPORT, REPORT_GAME
from ratinglist.store.calculation_folder import INPUT, CalculationFolder
from ratinglist.store.month_tables import tables_of
from ratinglist.store.rule_files import rule_book

PLAYERS_OF_EVENT, ROUNDS, GAMES_A_PLAYER = 100, 9, 10
GAMES_OF_EVENT = PLAYERS_OF_EVENT // 2 * ROUNDS
PERIOD, LIST_BEFORE = Period.parse("2025-11"), "2025-10"
HEADER = ("games", "players", "buckets", "step", "seconds", "s a million", "CPU s", "CPU s a million", "peak MB")


def drawn_events(events: int) -> pl.DataFrame:
    """Reports of ``events`` Swiss opens without any defect."""
    number = pl.int_range(events, eager=True)
    code = pl.select(pl.format("P{}", number + 1_000_000_000)).to_series()
    values: dict[str, object] = {
        "received_on": date(2025, 10, 20),
        "version": 1,
        "name": "Open",
        "federation": "FRA",
        "start_date": date(2025, 10, 2),
        "end_date": date(2025, 10, 10),
        "event_type": "swiss",
        "time_control": "standard",
        "official": False,
        "registered_on": date(2025, 1, 1),
        "minutes_per_60_moves": 150,
        "report_format": "table",
        "rounds": ROUNDS,
        "first_round": 1,
        "last_round": ROUNDS,
        "players": PLAYERS_OF_EVENT,
        "games": GAMES_OF_EVENT,
        "forfeits": 0,
        "byes": 0,
        "accepted": True,
    }
    texts = dict.fromkeys(("report_id", "sha256", "file_name", "event_id", "games_digest"), code)
    return REPORT.conform(pl.DataFrame(texts).with_columns(pl.lit(value).alias(name) for name, value in values.items()))


def rating_of(fide_id: pl.Expr) -> pl.Expr:
    """The rating of a player before the month: drawn from the FIDE ID, so that no table of it is needed."""
    return (1400 + fide_id * 7_919 % 65_537 % 1_200).cast(pl.Int32)


def write_event_inputs(plan: MonthPlan, assigned: pl.DataFrame, players: int) -> None:
    """Draw the players and games of each bucket of events."""
    for bucket in range(plan.event_buckets):
        events = assigned.filter(pl.col("bucket") == bucket).select("row_in_bucket", "number")
        step = 1 + pl.col("number") * 6_113 % (players // PLAYERS_OF_EVENT - 1)
        lines = (
            events.lazy()
            .join(pl.LazyFrame({"place": range(PLAYERS_OF_EVENT)}), how="cross")
            .select(
                pl.col("row_in_bucket").alias("report_row"),
                "place",
                (1 + (pl.col("number") * 104_729 + pl.col("place") * step) % players).alias("fide_id"),
            )
            .collect()
        )
        place = pl.int_range(PLAYERS_OF_EVENT // 2, dtype=pl.Int64, eager=True).alias("white")
        pairings = place.to_frame().join(pl.DataFrame({"round": range(1, ROUNDS + 1)}), how="cross")
        half = PLAYERS_OF_EVENT // 2
        of_event = pairings.with_columns((half + (pl.col("white") + pl.col("round")) % half).alias("black"))
        first = pl.col("report_row").cast(pl.Int64) * PLAYERS_OF_EVENT
        ids = lines["fide_id"]
        games = (
            events.lazy()
            .select(pl.col("row_in_bucket").alias("report_row"), "number")
            .join(of_event.lazy(), how="cross")
            .with_columns(
                pl.lit(ids).gather(first + pl.col("white")).alias("white_id"),
                pl.lit(ids).gather(first + pl.col("black")).alias("black_id"),
                (pl.col("number") * 31 + pl.col("white") * 17 + pl.col("round") * 7).mod(3).alias("white_halves"),
                (pl.lit(date(2025, 10, 1)) + pl.duration(days="round")).cast(pl.Date).alias("date"),
            )
            .with_columns((2 - pl.col("white_halves")).alias("black_halves"))
            .collect()
        )
        persons = lines.select("fide_id").unique()
        rows = {
            "report_lines": lines,
            "report_games": games,
            "opening_ratings": listed(persons),
            "persons": registered(persons),
        }
        for name, frame in rows.items():
            empty = INPUTS_OF_EVENTS[name]
            plan.tables.write(name, bucket, frame.select(pl.col(one).cast(kind) for one, kind in empty.schema.items()))


def write_player_inputs(plan: MonthPlan, players: int) -> None:
    """Draw the list before and the players of each bucket of players."""
    bounds = [1, *plan.player_bounds, players + 1]
    for bucket in range(plan.player_buckets):
        ids = pl.DataFrame({"fide_id": pl.int_range(bounds[bucket], bounds[bucket + 1], eager=True)})
        plan.tables.write(newest_of("standard"), bucket, listed(ids))
        plan.tables.write("players", bucket, registered(ids))


def listed(ids: pl.DataFrame) -> pl.DataFrame:
    """The rows of the list before (``LIST_STATE``) of some players."""
    fide_id = pl.col("fide_id")
    return LIST_STATE.conform(
        ids.with_columns(
            pl.lit(LIST_BEFORE).alias("month"),
            pl.lit("standard").alias("time_control"),
            rating_of(fide_id).alias("rating"),
            pl.lit(0).alias("games"),
            pl.lit(20).alias("k"),
            pl.lit(100).alias("games_played"),
            (rating_of(fide_id) >= 2400).alias("reached_2400"),
            (rating_of(fide_id) >= 2300).alias("reached_2300"),
            pl.lit(date(2025, 9, 1)).alias("last_played"),
            pl.lit("").alias("inferred"),
        )
    )


def registered(ids: pl.DataFrame) -> pl.DataFrame:
    """The players (``PLAYER``) with some FIDE IDs."""
    fide_id = pl.col("fide_id")
    federations = pl.Series(["FRA", "GER", "ITA", "IND", "USA", "ESP", "POL", "BRA"])
    return PLAYER.conform(
        ids.with_columns(
            pl.format("Player, Number {}", fide_id).alias("name"),
            pl.lit(federations).gather(fide_id % 8).alias("federation"),
            pl.when(fide_id % 10 == 0).then(pl.lit("F")).otherwise(pl.lit("M")).alias("sex"),
            *(pl.lit("").alias(name) for name in ("title", "women_title", "other_titles")),
            pl.lit(None, dtype=pl.Date).alias("birth_date"),
            (1950 + fide_id % 65).alias("birth_year"),
        )
    )


def one_size(games: int, work: Path, games_a_bucket: int) -> list[dict[str, object]]:
    """Draw and calculate one month; return what each step cost."""
    players, events = games // GAMES_A_PLAYER, games // GAMES_OF_EVENT
    buckets = max(1, games // games_a_bucket)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    folder = BucketFolder(work / "buckets")
    folder.make()
    there = pl.DataFrame({"time_control": ["standard"], "month": [LIST_BEFORE]})
    costs: list[dict[str, object]] = []

    def timed(step: str, work_of: Callable[[], Any]) -> Any:
        wall, cpu = perf_counter(), process_time()
        value = work_of()
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT // 2**20
        costs.append({"step": step, "seconds": perf_counter() - wall, "cpu": process_time() - cpu, "memory": most})
        return value

    inputs = MonthInputs(
        period=PERIOD,
        family="fide",
        rules=rule_book(),
        lists=LIST_STATE.empty(),
        players=PLAYER.empty(),
        reports=drawn_events(events),
        report_players=pl.DataFrame(schema={"report_id": pl.String(), "fide_id": pl.Int64()}),
        report_games=REPORT_GAME.empty(),
        pool=POOL.empty(),
        earlier_events=EARLIER_EVENT.empty(),
        earlier_games=EARLIER_GAME.empty(),
        lists_there=there,
    )
    reports = timed("choose the reports", lambda: select_reports(inputs))
    assigned = assign_buckets(reports, buckets)
    bounds = tuple(1 + players * number // buckets for number in range(1, buckets))
    plan = MonthPlan(folder, PERIOD, "fide", inputs.rules, there, buckets, bounds)

    def draw() -> None:
        write_event_inputs(plan, assigned.with_row_index("number").cast({"number": pl.Int64}), players)
        write_player_inputs(plan, players)

    timed("draw the inputs", draw)
    planned = PlannedMonth(inputs, reports, assigned, plan)
    month = timed("steps over buckets", lambda: calculate_month(planned))
    tables = tables_of(month, inputs.readings)
    made = CalculationFolder(work / "calculations", PERIOD, 1)
    written = (tables.tables, tables.state, tables.events, INPUT.empty(), FieldPolicy())
    timed("write the tables", lambda: made.write(*written))
    sizes = {
        "games": month.counts.sides // 2,
        "players": players,
        "buckets": buckets,
        "bucket_bytes": sum(path.stat().st_size for path in folder.root.rglob("*.parquet")),
        "table_bytes": sum(path.stat().st_size for path in made.path.rglob("*.*")),
    }
    shutil.rmtree(work)
    return [{**sizes, **cost} for cost in costs]


def lines_of(costs: list[dict[str, object]]) -> list[tuple[str, ...]]:
    """The lines of the table of one size."""
    found: list[tuple[str, ...]] = []
    for cost in costs:
        games, seconds, cpu = (float(str(cost[name])) for name in ("games", "seconds", "cpu"))
        found.append(
            (
                f"{cost['games']:,}",
                f"{cost['players']:,}",
                f"{cost['buckets']:,}",
                str(cost["step"]),
                f"{seconds:.1f}",
                f"{seconds / games * 1e6:.2f}",
                f"{cpu:.1f}",
                f"{cpu / games * 1e6:.2f}",
                f"{cost['memory']:,}",
            )
        )
    return found


def main() -> None:
    """Print the table; with ``--one``, the costs of one size as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.platform_month")
    parser.add_argument("--games", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--games-a-bucket", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--one", action="store_true")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one_size(given.games[0], given.data / "platform", given.games_a_bucket)))
        return
    lines = []
    for games in given.games:
        options = ["--one", "--games", str(games), "--data", str(given.data), "--games-a-bucket"]
        arguments = [sys.executable, "-m", "benchmarks.platform_month", *options, str(given.games_a_bucket)]
        output = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(output, file=sys.stderr, flush=True)
        lines += lines_of(json.loads(output))
    print(table(HEADER, lines))


if __name__ == "__main__":
    main()
