"""Write the inputs of a month into buckets: DuckDB reads the store once, and holds no more of it than it may.

The driver alone opens the store. What a worker needs is a Parquet file of its bucket: the reports, games and opening
ratings of a bucket of events; the newest lists, the players and the pool of a bucket of players.
"""

# ruff: noqa: S608 - statements are made of names, months and whole numbers of our own
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import polars as pl

from ratinglist import schemas
from ratinglist.config.office import ContinueFrom
from ratinglist.engine import INPUTS_OF_EVENTS, BucketFolder, MonthPlan, PlannedMonth, assign_buckets, newest_of
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, newest_months
from ratinglist.rating.rules import RuleBook
from ratinglist.schemas import Table
from ratinglist.store import birth_dates
from ratinglist.store.calculated_views import quoted
from ratinglist.store.database import Store
from ratinglist.store.month_inputs import (
    POOL_BEFORE,
    WITHDRAWN,
    games_of_reports,
    needed_lists,
    read_earlier_games,
    read_reports,
    to_judge_of,
)
from ratinglist.store.player_history import PLAYERS_OF


def read_bare_inputs(store: Store, period: Period, family: str, rules: RuleBook, readings_of_list: int) -> MonthInputs:
    """Read the inputs of a month without those that are written into buckets.

    Out: lists, players, players of reports and the pool are empty. The games are those of reports that share their code
    with another one, which are compared before the reports are put into buckets.
    """
    earlier, reports = read_reports(store, period, readings_of_list)
    coded = ["event_id", "report_id", "report_no"]
    every = pl.concat([reports.select(coded), earlier.select(coded)]).unique("report_id")
    to_judge = to_judge_of(reports)
    with store.seeing(wanted=to_judge):
        lists_there = needed_lists(store, str(period))
        earlier_games = read_earlier_games(store, str(period), to_judge)
    return MonthInputs(
        period=period,
        family=family,
        rules=rules,
        lists=schemas.LIST_STATE.empty(),
        players=schemas.PLAYER.empty(),
        reports=schemas.REPORT.conform(reports),
        report_players=schemas.REPORT_PLAYER.empty(),
        report_games=games_of_reports(store, every.filter(pl.col("event_id").is_duplicated())),
        pool=schemas.POOL.empty(),
        earlier_events=schemas.EARLIER_EVENT.conform(earlier),
        earlier_games=earlier_games,
        readings=readings_of_list,
        withdrawn=store.read(WITHDRAWN)["report_id"],
        without_name=birth_dates.reports_with(store, reports.select("report_id", "start_date", text="name")),
        lists_there=lists_there,
    )


@contextmanager
def in_buckets(
    store: Store,
    inputs: MonthInputs,
    reports: pl.DataFrame,
    buckets: int,
    continue_from: ContinueFrom,
    folder: BucketFolder,
) -> Iterator[PlannedMonth]:
    """Write the inputs into ``folder`` and give the plan of the month.

    In: ``inputs``: :func:`read_bare_inputs`; ``reports``: :func:`~ratinglist.rating.event_verdicts.select_reports`;
    ``buckets``: of events, and of players. In the block queries see ``used_players``, the ``fide_id`` of the players on
    the lists and in the reports (:func:`~ratinglist.store.calculations.digests_of`).
    """
    assigned, months = assign_buckets(reports, buckets), newest_months(inputs.lists_there)
    lists = {
        (time_control, month): f"basis = '{continue_from}' and month = '{month}' and time_control = '{time_control}'"
        for time_control, month in inputs.lists_there.iter_rows()
    }
    with store.seeing(assigned=assigned):
        _write_reports(store, folder)
    _make_table(
        store,
        "player_of_list",
        f"from ({PLAYERS_OF}) anti join current_identity using (fide_id)",
        month=str(inputs.period),
    )
    bounds = _bounds(store, buckets)
    _write_ranges(store, "player_of_list", schemas.PLAYER, bounds, folder.folder_of("players"))
    _make_table(store, "pool_before", POOL_BEFORE, month=str(inputs.period))
    _copy_to_buckets(store, _of_players("pool_before", schemas.POOL, bounds), folder.folder_of("waiting"))
    for number, ((time_control, month), condition) in enumerate(lists.items()):
        query = f"(select * exclude (basis, source_no) from list_to_stand_on where {condition})"
        of_reports = ", ".join(INPUTS_OF_EVENTS["opening_ratings"].columns)
        _copy_to_buckets(
            store,
            f"select bucket, {of_reports} from {query} as list join player_of_bucket using (fide_id)",
            folder.folder_of("opening_ratings"),
            number,
        )
        if months[time_control] == month:
            _write_ranges(store, query, schemas.LIST_STATE, bounds, folder.folder_of(newest_of(time_control)))
    persons = ", ".join(INPUTS_OF_EVENTS["persons"].columns)
    _copy_to_buckets(
        store,
        f"select bucket, {persons} from player_of_list join player_of_bucket using (fide_id)",
        folder.folder_of("persons"),
    )
    on_lists = [f"select fide_id from list_to_stand_on where {condition}" for condition in lists.values()]
    text = " union all ".join(["select fide_id from player_of_bucket", *on_lists])
    store.execute(f"create or replace temp view used_players as {text}")
    plan = MonthPlan(folder, inputs.period, inputs.family, inputs.rules, inputs.lists_there, buckets, bounds)
    yield PlannedMonth(inputs, reports, assigned, plan)
    store.execute("drop view used_players")
    for table in ("player_of_bucket", "player_of_list", "pool_before"):
        store.execute(f"drop table {table}")


def _write_reports(store: Store, folder: BucketFolder) -> None:
    """Write the players and the games of the reports ``assigned``, and note the players of each bucket."""
    _make_table(
        store,
        "numbered_report",
        "select bucket, row_in_bucket as report_row, report_no from assigned join report using (report_id)",
    )
    lines = "select bucket, report_row, fide_id from current_report_player join numbered_report using (report_no)"
    _copy_to_buckets(store, lines, folder.folder_of("report_lines"))
    columns = ", ".join(INPUTS_OF_EVENTS["report_games"].columns)
    numbers = "select coalesce(min(report_no), 0), coalesce(max(report_no), -1) from numbered_report"
    first, last = store.read(numbers).row(0)
    # The bounds are literals, so that the store skips the row groups of other reports.
    _copy_to_buckets(
        store,
        f"select bucket, {columns} from current_report_game join numbered_report using (report_no) "
        f"where report_no between {int(first)} and {int(last)}",
        folder.folder_of("report_games"),
    )
    _make_table(store, "player_of_bucket", f"select distinct bucket, fide_id from ({lines})")
    store.execute("drop table numbered_report")


def _write_ranges(store: Store, source: str, table: Table, bounds: Sequence[int], into: Path) -> None:
    """Write the rows of each bucket of players from ``source``, a statement a bucket.

    One statement for all buckets would gather
    whole rows by their bucket first, which costs more: here DuckDB skips the rows of other ranges.
    """
    columns = ", ".join(table.columns)
    for bucket, (first, last) in enumerate(pairwise([None, *bounds, None])):
        within = [f"fide_id {sign} {int(bound)}" for sign, bound in ((">=", first), ("<", last)) if bound is not None]
        where = f"where {' and '.join(within)}" if within else ""
        of_bucket = into / f"bucket={bucket}"
        of_bucket.mkdir(exist_ok=True)
        path = of_bucket / "query.parquet"
        store.copy_to_parquet(f"select {columns} from {source} {where}", path, compression="snappy")


def _bounds(store: Store, buckets: int) -> tuple[int, ...]:
    """Return FIDE IDs that cut the players into ``buckets`` of about as many; fewer where there are few players."""
    shares = [f"{number}::float / {buckets}" for number in range(1, buckets)]
    if not shares:
        return ()
    values = ", ".join(shares)
    found = store.read(f"select unnest(approx_quantile(fide_id, [{values}])) as bound from player_of_list")
    return tuple(found["bound"].drop_nulls().cast(pl.Int64).unique().sort())


def _of_players(source: str, table: Table, bounds: Sequence[int]) -> str:
    """Return the query of the rows of ``source``, each with the bucket of its player."""
    return f"select {_bucket_of(bounds, 0)}::integer as bucket, {', '.join(table.columns)} from {source}"


def _bucket_of(bounds: Sequence[int], first: int) -> str:
    """Return the expression of a player's bucket, found by halves: a join by ranges would sort all players."""
    if not bounds:
        return str(first)
    middle = len(bounds) // 2
    below, above = _bucket_of(bounds[:middle], first), _bucket_of(bounds[middle + 1 :], first + middle + 1)
    return f"(case when fide_id < {bounds[middle]} then {below} else {above} end)"


def _make_table(store: Store, name: str, query: str, **parameters: object) -> None:
    store.execute(f"create or replace temp table {name} as {query}", **parameters)


def _copy_to_buckets(store: Store, query: str, folder: Path, number: int = 0) -> None:
    """Write the rows of a query to Parquet files below ``folder``: one folder for each value of ``bucket``.

    ``number``: of the query, where several write to one folder.
    """
    # To keep the order of the rows, DuckDB would hold all of them.
    store.execute("set preserve_insertion_order = false")
    try:
        store.execute(
            f"copy ({query}) to {quoted(str(folder))} (format parquet, partition_by (bucket), "
            f"overwrite_or_ignore, filename_pattern 'query{int(number)}_{{i}}')"
        )
    finally:
        store.execute("set preserve_insertion_order = true")
