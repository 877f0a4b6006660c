"""Make the operands and results of a month's calculations that accounts print, for all players at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.explain import is_limited, results_of_month
from ratinglist.period import Period
from ratinglist.rating.rating_list import after_one_time_step, has_one_time_step
from ratinglist.rating.rules import FIDE_SYSTEM, RuleSet
from ratinglist.tables import CHANGE, ENTRY, POOL

_KEY = ("time_control", "fide_id")
_STEPS = {"time_control": pl.String(), "fide_id": pl.Int64(), "before": pl.Int32(), "after": pl.Int32()}


@dataclass(frozen=True, slots=True)
class MonthCalculation:
    """The calculations of a month.

    ``changes``: ``CHANGE`` with ``is_limited`` (the limit on K × games made the K) and ``stands_in`` (the old rating is
    a standard one); these are true or null.
    ``steps``: ``time_control``, ``fide_id``, and the rating ``before`` and ``after`` the one-time step that moved it.
    ``entries``: ``ENTRY`` with ``is_whole`` (all its results are known). ``results``: ``POOL`` with ``name`` of the
    event: the results of entries that wait no longer.
    """

    changes: pl.DataFrame
    steps: pl.DataFrame
    entries: pl.DataFrame
    results: pl.DataFrame


@dataclass(frozen=True, slots=True)
class MonthTables:
    """What a month publishes, and of the lists before what accounts need.

    ``before``: ``LISTED`` of the lists before by time control; ``unknown``: the time controls whose list before is not
    published. ``earlier_pool``: ``POOL`` of the lists before. ``rules``: the rule sets in force by time control.
    """

    period: Period
    changes: pl.DataFrame
    entries: pl.DataFrame
    games: pl.DataFrame
    pool: pl.DataFrame
    before: Mapping[str, pl.DataFrame]
    unknown: frozenset[str]
    earlier_pool: pl.DataFrame
    rules: Mapping[str, RuleSet]


def month_calculation(tables: MonthTables) -> MonthCalculation:
    """Return the calculations of a month; the events of ``results`` have no name yet."""
    changes = [CHANGE.empty().with_columns(is_limited=None, stands_in=None)]
    steps = [pl.DataFrame(schema=_STEPS)]
    for (control,), rows in tables.changes.partition_by("time_control", as_dict=True).items():
        changes.append(_changes(rows, str(control), tables))
    for control, rule_set in tables.rules.items():
        if rule_set.system == FIDE_SYSTEM and has_one_time_step(rule_set.list, tables.period):
            steps.append(_steps(control, rule_set, tables))
    entries, results = _entries(tables)
    flags = pl.col("is_limited", "stands_in").cast(pl.Boolean)
    return MonthCalculation(pl.concat(one.with_columns(flags) for one in changes), pl.concat(steps), entries, results)


def _changes(rows: pl.DataFrame, control: str, tables: MonthTables) -> pl.DataFrame:
    rule_set = tables.rules.get(control)
    before = tables.before.get(control)
    known = pl.DataFrame(schema={"fide_id": pl.Int64(), "k_before": pl.Int32()})
    if before is not None:
        known = before.select("fide_id", k_before="k")
    is_new = pl.col("fide_id").is_in(known["fide_id"].implode()).not_()
    stands_in = rule_set is not None and rule_set.event.standard_rating_stands_in and control not in tables.unknown
    limited = pl.lit(value=False)
    if rule_set is not None and rule_set.system == FIDE_SYSTEM:
        limited = is_limited(pl.col("k"), pl.col("games"), pl.col("k_before"), rule_set)
    true = pl.lit(value=True)
    return rows.join(known, on="fide_id", how="left", maintain_order="left").select(
        *CHANGE.columns,
        pl.when(limited & (pl.col("games") > 0)).then(true).alias("is_limited"),
        pl.when(pl.col("old_rating").is_not_null() & is_new & stands_in).then(true).alias("stands_in"),
    )


def _steps(control: str, rule_set: RuleSet, tables: MonthTables) -> pl.DataFrame:
    """Return the players whom the one-time step of the list moved."""
    computed = tables.changes.filter(pl.col("time_control") == control)
    rows = [computed.select("fide_id", before=pl.col("old_rating") + pl.col("change"))]
    if control in tables.before:
        others = tables.before[control].join(computed, on="fide_id", how="anti")
        rows.append(others.select("fide_id", before="rating"))
    after = after_one_time_step(pl.col("before"), rule_set.list, tables.period).alias("after")
    moved = pl.concat(rows).with_columns(after).filter(pl.col("before") != pl.col("after"))
    return moved.select(pl.lit(control).alias("time_control"), "fide_id", "before", "after").cast(pl.Schema(_STEPS))


def _entries(tables: MonthTables) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the entries, and the results of those that no longer wait: earlier ones, and those of the month."""
    month = str(tables.period)
    keys = tables.entries.select(_KEY)
    earlier = tables.earlier_pool.filter(pl.col("expires_month") > month)
    found = pl.concat([POOL.conform(earlier), results_of_month(tables.games, month)])
    results = found.join(keys, on=_KEY, how="semi").join(tables.pool, on=_KEY, how="anti")
    waiting = POOL.conform(tables.pool).join(keys, on=_KEY, how="semi")
    counted = pl.concat([waiting, results]).group_by(_KEY).agg(pl.col("games").sum().alias("known_games"))
    entries = tables.entries.join(counted, on=_KEY, how="left", maintain_order="left").with_columns(
        (pl.col("known_games") == pl.col("games")).fill_null(value=False).alias("is_whole")
    )
    columns = [*ENTRY.columns, "is_whole"]
    return entries.select(columns), results.sort("fide_id", "counted_month", "event_id", nulls_last=True)
