"""How a month is cut into buckets, and what each step over a bucket has: an ordinary month is one bucket.

A plan has some buckets of events, in which games are judged and rated, and some of players, in which lists are made.
The steps are the same for any plan. Their tables are in this process where there is one bucket, else in files.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from ratinglist.engine.bucket_tables import BucketTables, MemoryTables
from ratinglist.period import Period
from ratinglist.rating.event_verdicts import select_reports
from ratinglist.rating.model import JudgedMonth, MonthInputs, newest_list, newest_months, rules_of_time_controls
from ratinglist.rating.participants import with_report_row
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.month import SystemResult
from ratinglist.schemas import LIST_STATE, PLAYER, POOL, REPORT_GAME

_ROW = pl.UInt32()
_OF_REPORT = ("round", "date", "white_id", "black_id", "white_halves", "black_halves")
_OF_LIST = ("time_control", "month", "fide_id", "rating", "games_played", "reached_2400", "reached_2300")

REPORT_LINES = pl.DataFrame(schema={"report_row": _ROW, "fide_id": pl.Int64()})
"""By bucket of events: the players of the selected reports. ``report_row`` is the row among the bucket's reports."""

REPORT_GAMES = pl.DataFrame(
    schema={"report_row": _ROW, **{name: REPORT_GAME.columns[name].dtype for name in _OF_REPORT}}
)
"""By bucket of events: the games of the selected reports."""

OPENING_RATINGS = pl.DataFrame(schema={name: LIST_STATE.columns[name].dtype for name in _OF_LIST})
"""By bucket of events: the rows of the lists that the month needs, at least of the players of the bucket's reports."""

PERSONS = pl.DataFrame(
    schema={name: PLAYER.columns[name].dtype for name in ("fide_id", "sex", "birth_date", "birth_year")}
)
"""By bucket of events: the registered players, at least of the bucket's reports."""

INPUTS_OF_EVENTS = {
    "report_lines": REPORT_LINES,
    "report_games": REPORT_GAMES,
    "opening_ratings": OPENING_RATINGS,
    "persons": PERSONS,
}
"""The inputs by bucket of events, by the name of their table."""

INPUTS_OF_PLAYERS = {"players": PLAYER.empty(), "waiting": POOL.empty()}
"""The inputs by bucket of players, besides the newest lists (:func:`newest_of`): all players, the pool before."""


def newest_of(time_control: str) -> str:
    """Return the name of the table with the newest list of a time control (``LIST_STATE``), by bucket of players."""
    return f"newest-{time_control}"


@dataclass(frozen=True, slots=True)
class Study:
    """What the laboratory does in a month. Then the list alone is wanted, with the sides that have a reason.

    ``seen``: called with the judged events and games of each bucket, before they are rated. ``share``: returns what a
    function computes, or what it computed before for an equal key, which states everything that this depends on.
    ``learn``: rates the games in place of the system of the family; None: that system does.
    """

    seen: Callable[[JudgedMonth], None]
    share: Callable[[Hashable, Callable[[], Any]], Any]
    learn: Callable[[JudgedMonth], SystemResult] | None = None


@dataclass(frozen=True, slots=True)
class MonthPlan:
    """A month cut into buckets; every worker gets it with each step.

    ``event_buckets``: how many buckets of events there are: ranges of the published order, by time control and event.
    ``player_bounds``: the first FIDE ID of each bucket of players but the first. ``lists_there``:
    :func:`~ratinglist.rating.model.distinct_lists`. ``study``: None where the month is to be published.
    """

    tables: BucketTables
    period: Period
    family: str
    rules: RuleBook
    lists_there: pl.DataFrame
    event_buckets: int = 1
    player_bounds: tuple[int, ...] = ()
    study: Study | None = None

    @property
    def player_buckets(self) -> int:
        """How many buckets of players there are: ranges of FIDE IDs."""
        return len(self.player_bounds) + 1

    @property
    def rules_of_list(self) -> dict[str, RuleSet]:
        """The new list's rule set by time control, for those with an earlier list and a rule set in force."""
        return rules_of_time_controls(self.rules, self.family, self.period, self.lists_there)

    @property
    def system(self) -> SystemRuleSet | None:
        """The rule set of a family of another system than FIDE's, which has one time control; else None."""
        return next((one for one in self.rules_of_list.values() if isinstance(one, SystemRuleSet)), None)

    def player_bucket(self, fide_id: pl.Series) -> pl.Series:
        """Return the bucket of each player."""
        bounds = pl.Series(self.player_bounds, dtype=pl.Int64)
        return bounds.search_sorted(fide_id, side="right").cast(pl.Int32).alias("to_bucket")

    def newest_lists(self, bucket: int) -> dict[str, pl.DataFrame]:
        """Return the newest list of each time control that is calculated, of the players of a bucket."""
        return {name: self.tables.read(newest_of(name), bucket, LIST_STATE.empty()) for name in self.rules_of_list}

    def newest_ratings(self, bucket: int) -> Mapping[str, pl.DataFrame]:
        """Return the newest lists, at least the rows of the players of a bucket of events."""
        if self.event_buckets == 1:
            return self.newest_lists(0)
        ratings, months = self.input_of_events("opening_ratings", bucket), newest_months(self.lists_there)
        return {
            name: ratings.filter(pl.col("time_control") == name, pl.col("month") == months[name])
            for name in self.rules_of_list
        }

    def input_of_events(self, table: str, bucket: int) -> pl.DataFrame:
        """Return one of :data:`INPUTS_OF_EVENTS`."""
        return self.tables.read(table, bucket, INPUTS_OF_EVENTS[table])

    def take_input(self, table: str, bucket: int) -> pl.DataFrame:
        """Return one of :data:`INPUTS_OF_EVENTS` that no later step reads."""
        return self.tables.take(table, bucket, INPUTS_OF_EVENTS[table])

    def input_of_players(self, table: str, bucket: int) -> pl.DataFrame:
        """Return one of :data:`INPUTS_OF_PLAYERS`."""
        return self.tables.read(table, bucket, INPUTS_OF_PLAYERS[table])

    def shared(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return what ``compute`` returns; where systems are studied together, computed once for equal keys."""
        return compute() if self.study is None else self.study.share(key, compute)

    def show(self, judged: JudgedMonth) -> None:
        """Call what studies the month with the judged games of a bucket."""
        if self.study is not None:
            self.study.seen(judged)


@dataclass(frozen=True, slots=True)
class PlannedMonth:
    """A month ready to be calculated.

    ``inputs``: of them the rows of lists, players and reports that are in the tables of the ``plan`` need not be there.
    ``reports``: :func:`~ratinglist.rating.event_verdicts.select_reports`. ``assigned``: :func:`assign_buckets`.
    """

    inputs: MonthInputs
    reports: pl.DataFrame
    assigned: pl.DataFrame
    plan: MonthPlan


ReadRows = Callable[[str, pl.Series], pl.DataFrame]
"""Returns the rows of ``report_players`` or ``report_games`` of some reports, or of more."""


def plan_month(
    inputs: MonthInputs,
    buckets: int = 1,
    tables: BucketTables | None = None,
    *,
    study: Study | None = None,
    read: ReadRows | None = None,
    reports: pl.DataFrame | None = None,
) -> PlannedMonth:
    """Return the plan of a month whose lists and players are in memory, with its tables filled.

    ``tables``: where they are written; default: memory. ``read``: reads rows of reports; default:
    those of ``inputs``. ``reports``: some of those that :func:`select_reports` selects;
    default: all. A family of another system has one bucket of players.
    """
    reports = select_reports(inputs) if reports is None else reports
    assigned = assign_buckets(reports, buckets)
    plan = MonthPlan(
        tables or MemoryTables(), inputs.period, inputs.family, inputs.rules, inputs.lists_there, buckets, study=study
    )
    if plan.system is None and buckets > 1:
        ids = inputs.players["fide_id"].unique().sort()
        bounds = tuple(ids[len(ids) * number // buckets] for number in range(1, buckets)) if len(ids) else ()
        plan = replace(plan, player_bounds=bounds)
    _write_of_reports(plan, inputs, reports, assigned, read or (lambda name, _ids: getattr(inputs, name)))
    _write_of_players(plan, inputs)
    no_rows = {name: getattr(inputs, name).clear() for name in ("report_players", "report_games")}
    return PlannedMonth(replace(inputs, **no_rows), reports, assigned, plan)


def _write_of_reports(
    plan: MonthPlan, inputs: MonthInputs, reports: pl.DataFrame, assigned: pl.DataFrame, read: ReadRows
) -> None:
    """Write :data:`INPUTS_OF_EVENTS` of each bucket."""
    tables, columns = plan.tables, ("report_id", "fide_id")

    def lines_of(of_bucket: pl.DataFrame) -> pl.DataFrame:
        return with_report_row(read("report_players", of_bucket["report_id"]).select(columns), of_bucket)

    def games_of(of_bucket: pl.DataFrame) -> pl.DataFrame:
        return with_report_row(read("report_games", of_bucket["report_id"]), of_bucket)

    if plan.event_buckets == 1 and isinstance(tables, MemoryTables):
        # All lists and players: to find those of the reports would cost more than a join with all of them.
        tables.offer("report_lines", 0, partial(lines_of, reports))
        tables.offer("report_games", 0, partial(games_of, reports))
        tables.write("opening_ratings", 0, inputs.lists)
        tables.write("persons", 0, inputs.players)
        return
    for bucket in range(plan.event_buckets):
        of_bucket = reports.filter(assigned["bucket"] == bucket)
        lines = lines_of(of_bucket)
        playing = pl.col("fide_id").is_in(lines["fide_id"].unique().implode())
        rows = {
            "report_lines": lines,
            "report_games": games_of(of_bucket),
            "opening_ratings": inputs.lists.filter(playing),
            "persons": inputs.players.filter(playing),
        }
        for name, frame in rows.items():
            tables.write(name, bucket, frame.select(INPUTS_OF_EVENTS[name].columns))


def _write_of_players(plan: MonthPlan, inputs: MonthInputs) -> None:
    """Write the newest lists and :data:`INPUTS_OF_PLAYERS` of each bucket."""
    months = newest_months(inputs.lists_there)
    tables = {
        **{newest_of(name): newest_list(inputs.lists, name, months[name]) for name in plan.rules_of_list},
        "players": inputs.players,
        "waiting": inputs.pool,
    }
    for name, rows in tables.items():
        to_bucket = plan.player_bucket(rows["fide_id"]) if plan.player_bounds else None
        for bucket in range(plan.player_buckets):
            plan.tables.write(name, bucket, rows if to_bucket is None else rows.filter(to_bucket == bucket))


def assign_buckets(reports: pl.DataFrame, buckets: int) -> pl.DataFrame:
    """Cut the selected reports into ``buckets`` of about as many games each, in the published order of their events.

    In: :func:`~ratinglist.rating.event_verdicts.select_reports`. Out: a row for each report, in that order:
    ``bucket``, ``row_in_bucket`` (the row among the bucket's reports, in the order given), ``report_id``.
    """
    ordered = reports.with_row_index("report_row").sort("time_control", "event_id")
    # One more for each report, so that reports without games are spread too.
    weight = pl.col("games").cast(pl.Int64) + 1
    before = weight.cum_sum() - weight
    return (
        ordered.with_columns((before * buckets // weight.sum()).cast(pl.Int32).alias("bucket"))
        .sort("report_row")
        .with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).over("bucket").alias("row_in_bucket"))
        .select("bucket", "row_in_bucket", "report_id")
    )
