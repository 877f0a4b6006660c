"""Put the inputs of a month that are in memory into buckets, as a store does, and read a bucketed month back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist.engines.bucket_folder import BucketFolder
from ratinglist.engines.bucketed_month import rate_bucketed_month
from ratinglist.engines.engine import Engine, LocalEngine
from ratinglist.engines.month_plan import INPUTS_OF_EVENTS, MonthPlan, assign_buckets
from ratinglist.rating.event_verdicts import select_reports
from ratinglist.rating.model import MonthInputs, MonthResult, newest_months
from ratinglist.schemas import CHANGE, ENTRY, LIST_STATE, PLAYER, POOL, SIDE


def rate_in_buckets(inputs: MonthInputs, folder: Path, buckets: int, engine: Engine | None = None) -> MonthResult:
    """The month as :func:`~ratinglist.rating.calculation.rate_month` returns it, calculated in ``buckets``."""
    reports = select_reports(inputs)
    assigned = assign_buckets(reports, buckets)
    plan = planned(inputs, folder, buckets)
    write_inputs(inputs, assigned, plan)
    bare = replace(
        inputs,
        lists=inputs.lists.clear(),
        players=inputs.players.clear(),
        report_players=inputs.report_players.clear(),
        report_games=inputs.report_games.clear(),
        pool=inputs.pool.clear(),
    )
    month = rate_bucketed_month(bare, reports, assigned, plan, engine or LocalEngine(), lambda *_: None)
    return MonthResult(
        events=month.events,
        sides=pl.concat([SIDE.empty(), *month.sides()]),
        changes=pl.concat([CHANGE.empty(), *month.parts("changes")]),
        entries=pl.concat([ENTRY.empty(), *month.parts("entries")]),
        pool=pl.concat([POOL.empty(), *month.parts("pool")]),
        list_state=pl.concat([LIST_STATE.empty(), *month.states()]),
        coincidences=month.coincidences,
    )


def planned(inputs: MonthInputs, folder: Path, buckets: int) -> MonthPlan:
    """A plan with as many buckets of players as of events."""
    ids = inputs.players["fide_id"].unique().sort()
    bounds = [ids[len(ids) * number // buckets] for number in range(1, buckets)] if len(ids) else []
    made = BucketFolder(folder)
    made.make()
    return MonthPlan(made, inputs.period, inputs.family, inputs.rules, inputs.lists_there, buckets, tuple(bounds))


def write_inputs(inputs: MonthInputs, assigned: pl.DataFrame, plan: MonthPlan) -> None:
    """Write every input of every bucket."""
    placed = assigned.rename({"row_in_bucket": "report_row"})

    def of_reports(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(pl.col("report_id").cast(pl.String)).join(placed, on="report_id")

    lines = of_reports(inputs.report_players.select("report_id", "fide_id"))
    games = of_reports(
        inputs.report_games.select(
            "report_id", *[name for name in INPUTS_OF_EVENTS["report_games"].columns if name != "report_row"]
        )
    )
    of_player = lines.select("bucket", "fide_id").unique()
    rows = {
        "report_lines": lines,
        "report_games": games,
        "opening_ratings": inputs.lists.join(of_player, on="fide_id"),
        "persons": inputs.players.join(of_player, on="fide_id"),
    }
    for table, frame in rows.items():
        for (bucket,), part in frame.partition_by("bucket", as_dict=True).items():
            plan.folder.write(table, int(bucket), part.select(INPUTS_OF_EVENTS[table].columns))
    months = newest_months(inputs.lists_there)
    newest = inputs.lists.filter(pl.col("month") == pl.col("time_control").replace_strict(months, default=""))
    for table, frame in {
        "newest_lists": newest,
        "players": PLAYER.conform(inputs.players),
        "waiting": inputs.pool,
    }.items():
        to_bucket = plan.player_bucket(frame["fide_id"])
        for bucket in range(plan.player_buckets):
            plan.folder.write(table, bucket, frame.filter(to_bucket == bucket))
