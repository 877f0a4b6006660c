"""The worlds the tests look at, and what an office should rate of one, computed from the planted problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import polars as pl

from ratinglist.period import Period
from ratinglist.simulation import months
from ratinglist.simulation.deliveries import BROKEN, OTHER_CODE, UNREGISTERED
from ratinglist.simulation.months import Month
from ratinglist.simulation.plan import Plan, World, world_of
from ratinglist.store.rule_files import rule_book

FIRST = Period.parse("2025-11")
MOST_MONTHS = 4
MONTHS_WRITTEN = 3
CLOSING_DAYS, OFFICIAL_CLOSING_DAYS = 3, 1

HARD_LUCK = replace(
    Plan(),
    systems=(530, 130, 40, 260, 90),
    long_leagues=800,
    newcomers=20,
    change_of_data=30,
    official=100,
    late_reports=120,
    repeated_reports=110,
    corrected_reports=110,
    other_codes=110,
    broken_reports=120,
    unregistered=110,
)
"""A world with many planted problems."""


def hard_luck(seed: int = 7) -> World:
    """300 players, 12 events a month, most of them with a planted problem."""
    return world_of(300, FIRST, seed, 12, plan=HARD_LUCK)


def months_of(world: World, count: int) -> list[Month]:
    """Return the first months of a world; they do not depend on how many are made."""
    made, further = _begun(world)
    made += islice(further, max(0, count - len(made)))
    return made[:count]


@cache
def _begun(world: World) -> tuple[list[Month], Iterator[Month]]:
    """Return the months made so far, and an iterator that makes the others."""
    return [], iter(months.months_of(world, MOST_MONTHS, rule_book().expected_score["expected_score"]))


def should_be_rated(world: World, count: int) -> set[tuple[str, str, str]]:
    """The list, code and start date of every event, or part of one, that the first ``count`` lists should rate."""
    made = months_of(world, count)
    official = {event: is_official for month in made for event, is_official in _official(month)}
    found: dict[tuple[str, str], str] = {}
    for held_in, month in enumerate(made, 1):
        for report in month.held.deliveries.iter_rows(named=True):
            if report["damage"] or (report["plant"] == OTHER_CODE and report["is_extra"]):
                continue
            days = OFFICIAL_CLOSING_DAYS if official[report["event_no"]] else CLOSING_DAYS
            done = max(report["received_on"], report["end_date"])
            # An unregistered player is registered for the next month's list.
            earliest = held_in + 1 if report["plant"] == UNREGISTERED else 1
            taken = [
                str(world.period(number))
                for number in range(earliest, count + 1)
                if done <= world.period(number).days_before(days)
            ]
            key = report["event_id"], str(report["start_date"])
            if taken:
                found[key] = min(taken[0], found.get(key, taken[0]))
    return {(month, code, start) for (code, start), month in found.items()}


def _official(month: Month) -> list[tuple[int, bool]]:
    return list(month.held.events.select("event_no", "official").iter_rows())


def broken_files(world: World, count: int) -> set[str]:
    """The files that no office should accept."""
    due = pl.concat([month.due for month in months_of(world, count)])
    return set(due.filter((pl.col("plant") == BROKEN) & (pl.col("damage") > 0))["file"])
