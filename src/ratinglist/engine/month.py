"""Calculate a month: what takes all events or all players, between the steps over single buckets.

```
select reports -> describe_reports -> verdict on all events -> repeated_keys -> games_to_compare -> duplicate games
    FIDE's rules:    -> judge_games -> judge_players -> rate_games -> rate_players
    another system's: -> rate_system
-> tables, bucket by bucket
```

An engine calls a step once for each bucket: one after the other in this process, or on a cluster. No paths, no clock,
no database where the month is one bucket in this process. The same inputs give the same rows, in whatever order they
come, and in however many buckets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import polars as pl

from ratinglist.config import EngineChoice, Progress, Warn
from ratinglist.engine.bucket_tables import BucketFolder
from ratinglist.engine.plan import MonthPlan, PlannedMonth, plan_month
from ratinglist.engine.steps import (
    RatedBucket,
    RatedPlayers,
    describe_reports,
    games_of_copies,
    games_to_compare,
    judge_games,
    judge_players,
    rate_games,
    rate_players,
    repeated_keys,
    table_of,
)
from ratinglist.engine.system_steps import rate_system
from ratinglist.rating import readings
from ratinglist.rating.duplicate_games import (
    COINCIDENCE,
    CopiedEvents,
    DuplicateGames,
    find_copied_events,
    find_duplicate_games,
    possible_copies,
)
from ratinglist.rating.event_verdicts import STATUS, judge_events, withheld
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.systems.own_state import NO_STATE, KeptState
from ratinglist.schemas import CHANGE, ENTRY, EVENT, LIST_STATE, POOL, SYSTEM_STATE

Result = TypeVar("Result")

_STEPS_OVER_EVENTS, _STEPS_OVER_PLAYERS = 4, 2
"""How many steps always go over all buckets: the keys of pairings are in as many buckets as the events."""

_ROWS_OF_A_LIST_PART = 500_000
"""About how many rows of a list are put in order at once."""


class Engine(Protocol):
    """Calls a function once for each bucket, perhaps on other machines."""

    @property
    def workers(self) -> int:
        """How many buckets are done at once."""
        ...

    def started(self) -> AbstractContextManager[None]:
        """Have workers in the block: the rest is called inside it alone."""
        ...

    def map_buckets(
        self, function: Callable[[int], Result], buckets: Sequence[int], done: Callable[[], None]
    ) -> list[Result]:
        """Return ``function(bucket)`` for each of ``buckets``, in their order.

        ``done`` is called here whenever one is complete. A bucket may be done more than once, so ``function`` writes
        the same files each time. The first error of a bucket is raised.
        """
        ...


class LocalEngine:
    """One bucket after the other, in this process: as much memory as one bucket needs."""

    workers = 1

    def started(self) -> AbstractContextManager[None]:
        """Return a block without effect; see :class:`Engine`."""
        return nullcontext()

    def map_buckets(
        self, function: Callable[[int], Result], buckets: Sequence[int], done: Callable[[], None]
    ) -> list[Result]:
        """Return ``function(bucket)`` for each of ``buckets``; see :class:`Engine`."""
        results = []
        for bucket in buckets:
            results.append(function(bucket))
            done()
        return results


@contextmanager
def opened_engine(choice: EngineChoice, root: Path, warn: Warn) -> Iterator[Engine]:
    """Give the engine that is chosen.

    In: ``root``: the folder of the buckets. Raises what :func:`~ratinglist.engine.dask_engine.connected` raises, before
    anything is received or calculated.
    """
    if choice.name == "local":
        yield LocalEngine()
    else:
        # Imported here: it takes seconds, and an office without a cluster has not installed it.
        from ratinglist.engine.dask_engine import connected

        with connected(choice.scheduler, BucketFolder(root), warn) as engine:
            yield engine


@dataclass(frozen=True, slots=True)
class MonthCounts:
    """The counts of a month.

    ``sides``: of all games. ``reasons``: sides by the reason that keeps them from being rated. ``changes``: players by
    the status of their change. ``waiting``: players and time controls with results in the pool. ``listed``: rated
    players by time control.
    """

    sides: int
    reasons: Counter[str]
    changes: Counter[str]
    waiting: int
    listed: Counter[str]


@dataclass(frozen=True, slots=True)
class BucketedMonth:
    """A calculated month: what is in memory, and its tables bucket by bucket, in their published order.

    ``events`` and ``coincidences``: as :class:`~ratinglist.rating.model.MonthResult` has them. ``events_with_k``: the
    ``event_no`` of the events that rated a game. ``rows``: of each table that has any, by name and time control.
    ``ratings``: ``time_control``, ``rating`` and the number of ``players``. ``unrated_rows``: players on no list.
    ``system_state``: ``SYSTEM_STATE``, empty unless the system keeps more of a player. ``own_state``: the state that
    the system keeps in a table of its own; None: it keeps none.
    """

    plan: MonthPlan
    events: pl.DataFrame
    coincidences: pl.DataFrame
    events_with_k: list[int]
    counts: MonthCounts
    rows: dict[tuple[str, str], int]
    ratings: pl.DataFrame
    unrated_rows: int
    system_state: pl.DataFrame = field(default_factory=SYSTEM_STATE.empty)
    own_state: KeptState | None = None

    @property
    def time_controls(self) -> list[str]:
        """Return the time controls of the new lists, in the order of the tables."""
        return sorted({time_control for _, time_control in self.rows})

    def height(self, name: str, time_control: str | None = None) -> int:
        """Return the number of rows of a table, of one time control or of all."""
        return sum(
            rows for (table, control), rows in self.rows.items() if table == name and time_control in (None, control)
        )

    def sides(self) -> Iterator[pl.DataFrame]:
        """Yield the sides (``SIDE``)."""
        return self.plan.tables.each("rated_sides", self.plan.event_buckets)

    def unrated(self) -> Iterator[pl.DataFrame]:
        """Yield the players who are on no list (``UNRATED``): by FIDE ID."""
        return self.plan.tables.each("unrated", self.plan.player_buckets)

    def parts(self, name: str) -> Iterator[pl.DataFrame]:
        """Yield ``changes``, ``entries`` or ``pool``: by time control and FIDE ID."""
        for time_control in self.time_controls:
            yield from self.plan.tables.each(table_of(name, time_control), self.plan.player_buckets)

    def states(self) -> Iterator[pl.DataFrame]:
        """Yield the state of the lists (``LIST_STATE``): by time control and FIDE ID."""
        month = pl.lit(str(self.plan.period)).alias("month")
        for time_control in self.time_controls:
            of_list = [month, pl.lit(time_control).alias("time_control")]
            for rows in self.plan.tables.each(table_of("state", time_control), self.plan.player_buckets):
                yield rows.select(*of_list, pl.exclude("month", "time_control")).select(*LIST_STATE.columns)

    def listed(self, time_control: str) -> Iterator[pl.DataFrame]:
        """Yield the list of a time control (``LISTED``, dictionary-encoded): by rating, then FIDE ID."""
        if self.plan.player_buckets == 1:
            yield from self.plan.tables.each(table_of("listed", time_control), 1)
            return
        for lowest, highest in self._rating_ranges(time_control):
            rows = self.plan.tables.ranges(
                table_of("listed", time_control), self.plan.player_buckets, "rating", lowest, highest
            )
            yield rows.sort("rating", "fide_id", descending=[True, False])

    def result(self) -> MonthResult:
        """Return every table of the month in memory; the sides of a study are those with a reason."""
        tables = {"changes": CHANGE, "entries": ENTRY, "pool": POOL}
        rows = {name: list(self.parts(name)) or [table.empty()] for name, table in tables.items()}
        return MonthResult(
            events=self.events,
            sides=pl.concat(self.sides()),
            list_state=pl.concat(list(self.states()) or [LIST_STATE.empty()]),
            coincidences=self.coincidences,
            system_state=self.system_state,
            own_state=NO_STATE if self.own_state is None else self.own_state.rows,
            **{name: pl.concat(parts) for name, parts in rows.items()},
        )

    def _rating_ranges(self, time_control: str) -> list[tuple[int, int]]:
        """Return ranges of ratings with about :data:`_ROWS_OF_A_LIST_PART` players each, the highest first."""
        of_control = self.ratings.filter(pl.col("time_control") == time_control).sort("rating", descending=True)
        before = pl.col("players").cast(pl.Int64).cum_sum() - pl.col("players")
        ranges = (
            of_control.group_by((before // _ROWS_OF_A_LIST_PART).alias("part"))
            .agg(pl.col("rating").min().alias("lowest"), pl.col("rating").max().alias("highest"))
            .sort("part")
        )
        return list(ranges.select("lowest", "highest").iter_rows())


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Calculate the list of ``inputs.period`` for every time control with an earlier list and a rule set in force."""
    return calculate_month(plan_month(inputs)).result()


def calculate_month(
    planned: PlannedMonth, engine: Engine | None = None, progress: Progress = lambda *_: None
) -> BucketedMonth:
    """Calculate a planned month; ``engine``: calls the steps, default: one after the other, in this process."""
    inputs, plan = planned.inputs, planned.plan
    steps = _Steps(plan, engine or LocalEngine(), progress)
    numbered = planned.assigned.drop("report_id").with_row_index("report_row")
    placed = pl.concat([planned.reports, planned.assigned.drop("report_id")], how="horizontal")
    for bucket in steps.events:
        of_bucket = placed.filter(pl.col("bucket") == bucket).sort("row_in_bucket")
        plan.tables.write("reports", bucket, of_bucket.drop("bucket", "row_in_bucket"))
    facts = pl.concat(steps.run(describe_reports, steps.events))
    facts = facts.join(numbered, on=["bucket", "row_in_bucket"]).drop("bucket", "row_in_bucket")
    judged_events = judge_events(planned.reports, facts, inputs)
    _write_judged_events(plan, judged_events, numbered)
    compared = _games_to_compare(inputs, plan, steps)
    copies = _find_copies(compared, inputs, plan, steps)
    if len(copies.event_rows):
        is_copy = pl.int_range(pl.len(), dtype=pl.UInt32).is_in(copies.event_rows.implode())
        judged_events = judged_events.with_columns(
            pl.when(is_copy).then(pl.lit(value)).otherwise(name).alias(name)
            for name, value in (("reason", "same_games"), ("status", STATUS["same_games"]))
        )
        _write_judged_events(plan, judged_events, numbered)
        compared = compared.filter(~pl.col("event_row").is_in(copies.event_rows.implode()))
    duplicates = find_duplicate_games(compared, inputs.earlier_games, inputs.readings)
    _write_duplicates(plan, judged_events, numbered, duplicates)
    system_state, own_state = SYSTEM_STATE.empty(), None
    if plan.system is None:
        steps.run(judge_games, steps.events)
        steps.run(judge_players, steps.players)
        of_events = steps.run(rate_games, steps.events)
        of_players = steps.run(rate_players, steps.players)
    else:
        rated = rate_system(plan, plan.system, inputs, judged_events, steps.run)
        of_events, of_players = rated.of_events, [rated.of_players]
        system_state, own_state = rated.system_state, rated.own_state
    return BucketedMonth(
        plan=plan,
        events=published_events(judged_events, inputs),
        coincidences=pl.concat([duplicates.coincidences, copies.differences]),
        events_with_k=[event for one in of_events for event in one.events_with_k],
        counts=_counts(of_events, of_players),
        rows={key: sum(one.rows[key] for one in of_players) for key in of_players[0].rows},
        ratings=pl.concat(one.ratings for one in of_players)
        .group_by("time_control", "rating")
        .agg(pl.col("players").sum()),
        unrated_rows=sum(one.unrated for one in of_players),
        system_state=system_state,
        own_state=own_state,
    )


_FACTS = ("official", "registered_on", "minutes_per_60_moves")
"""What a refused report says of its event, besides what :func:`withheld` leaves out."""


def published_events(judged_events: pl.DataFrame, inputs: MonthInputs) -> pl.DataFrame:
    """Return the events as published (``EVENT``), with ``event_no``, ``rule_set`` (null: not rated), ``report_id``.

    ``event_no`` is the row of the judged event, which the sides refer to. What must not be published is left out.
    """
    shown = judged_events
    if inputs.readings >= readings.WITHHELD:
        has_date = pl.col("report_id").is_in(inputs.without_name.implode())
        is_refused = pl.col("reason") == "report_refused"
        facts = (pl.when(~is_refused).then(fact).alias(fact) for fact in _FACTS)
        shown = judged_events.with_columns(*withheld(is_refused, has_date), *facts)
    return EVENT.sorted(
        EVENT.conform(shown).with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("event_no"),
            pl.when(pl.col("status") == "rated").then(judged_events["rule_set"]).alias("rule_set"),
            judged_events["report_id"],
        )
    )


class _Steps:
    """Calls the steps through the engine and shows how many buckets are done."""

    def __init__(self, plan: MonthPlan, engine: Engine, progress: Progress) -> None:
        self._plan, self._engine, self._progress = plan, engine, progress
        self.events, self.players = range(plan.event_buckets), range(plan.player_buckets)
        self._of = _STEPS_OVER_EVENTS * len(self.events) + _STEPS_OVER_PLAYERS * len(self.players)
        self._done = 0

    def run(
        self, step: Callable[[MonthPlan, int], Result], buckets: Sequence[int], *, counts: bool = True
    ) -> list[Result]:
        """Return what ``step`` gives for each bucket; ``counts``: whether the buckets are shown as progress."""
        return self._engine.map_buckets(partial(step, self._plan), buckets, self._count if counts else lambda: None)

    def _count(self) -> None:
        self._done += 1
        self._progress("rating", self._done, self._of)


def _write_judged_events(plan: MonthPlan, judged_events: pl.DataFrame, numbered: pl.DataFrame) -> None:
    """Write the judged events of each bucket, with ``row_of_all``, and ``report_row`` in the bucket."""
    placed = judged_events.with_row_index("row_of_all").join(
        numbered, on="report_row", how="left", maintain_order="left"
    )
    for bucket in range(plan.event_buckets):
        of_bucket = placed.filter(pl.col("bucket") == bucket)
        plan.tables.write(
            "judged_events", bucket, of_bucket.drop("report_row", "bucket").rename({"row_in_bucket": "report_row"})
        )


def _games_to_compare(inputs: MonthInputs, plan: MonthPlan, steps: _Steps) -> pl.DataFrame:
    """Return the games of this list that two reports may contain: those whose pairing occurs twice."""
    keys = pl.concat(steps.run(repeated_keys, steps.events))
    plan.tables.write("earlier_games", 0, inputs.earlier_games.select("round", "white_id", "black_id"))
    with_keys = keys["from_bucket"].unique().sort().to_list()
    # Where nothing is to be compared, one bucket gives the columns.
    compared = list(steps.events) if len(inputs.earlier_games) else with_keys or [0]
    for bucket in compared:
        plan.tables.write("keys_to_compare", bucket, keys.filter(pl.col("from_bucket") == bucket))
    return pl.concat(steps.run(games_to_compare, compared, counts=False))


def _find_copies(compared: pl.DataFrame, inputs: MonthInputs, plan: MonthPlan, steps: _Steps) -> CopiedEvents:
    """Find the events that were received before under another code."""
    pairs = possible_copies(compared, inputs.earlier_games, inputs.readings)
    if pairs.is_empty():
        return CopiedEvents(pairs["event_row"], pl.DataFrame(schema=COINCIDENCE))
    plan.tables.write("possible_copies", 0, pairs.select("report_id").unique())
    copied = pl.concat(steps.run(games_of_copies, steps.events, counts=False))
    columns = inputs.earlier_games.columns
    games = pl.concat([inputs.earlier_games, compared.select(columns)])
    return find_copied_events(pairs, copied.select(columns), games)


def _write_duplicates(
    plan: MonthPlan, judged_events: pl.DataFrame, numbered: pl.DataFrame, duplicates: DuplicateGames
) -> None:
    """Write the sides of each bucket that count in another event, with ``event_row`` in the bucket."""
    in_bucket = judged_events.select("report_row").with_row_index("event_row").join(numbered, on="report_row")
    first = in_bucket.group_by("bucket").agg(pl.col("event_row").min().alias("first"))
    sides = duplicates.sides.join(in_bucket.select("event_row", "bucket"), on="event_row").join(first, on="bucket")
    sides = sides.with_columns(pl.col("event_row") - pl.col("first"))
    for bucket in range(plan.event_buckets):
        of_bucket = sides.filter(pl.col("bucket") == bucket)
        plan.tables.write("duplicate_sides", bucket, of_bucket.select("event_row", "round", "fide_id"))


def _counts(of_events: Sequence[RatedBucket], of_players: Sequence[RatedPlayers]) -> MonthCounts:
    listed: Counter[str] = Counter()
    for one in of_players:
        listed += Counter(dict(one.ratings.group_by("time_control").agg(pl.col("players").sum()).iter_rows()))
    return MonthCounts(
        sides=sum(one.sides for one in of_events),
        reasons=sum((one.reasons for one in of_events), Counter()),
        changes=sum((one.changes for one in of_players), Counter()),
        waiting=sum(one.waiting for one in of_players),
        listed=listed,
    )
