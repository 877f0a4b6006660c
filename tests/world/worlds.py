"""The worlds the tests look at, and what an office should rate of one, computed from the planted problems."""

from __future__ import annotations

from ratinglist.period import Period
from ratinglist_world.people import PROBLEMS, Plan, World, world_of
from ratinglist_world.simulate import Federation, Month, Report

FIRST = Period.parse("2025-11")
MONTHS_WRITTEN = 3
CLOSING_DAYS = 3

HARD_LUCK = Plan(
    systems=(600, 150, 250), newcomers=20, changes=30, long_leagues=900, problems=dict.fromkeys(PROBLEMS, 120)
)
"""A world with many planted problems."""
_BEGUN: dict[tuple[int, ...], tuple[Federation, list[Month]]] = {}


def hard_luck(seed: int = 1) -> World:
    """300 players, 12 events a month, most of them with a planted problem."""
    return world_of(300, FIRST, seed, 12, plan=HARD_LUCK)


def months_of(world: World, count: int) -> list[Month]:
    """Return the first months of a world; they do not depend on how many are made."""
    key = world.seed, world.players, world.reports
    if key not in _BEGUN:
        _BEGUN[key] = Federation(world), []
    federation, months = _BEGUN[key]
    while len(months) < count:
        months.append(federation.next_month())
    return months[:count]


def reports_due(world: World, count: int) -> list[Report]:
    """Return the reports that arrive in the first months of a world."""
    return [report for month in months_of(world, count) for report in month.due]


def should_be_rated(world: World, count: int) -> set[tuple[str, str, str]]:
    """The list, code and start date of every event, or part of one, that the first ``count`` lists should rate."""
    lists: dict[tuple[str, str], str] = {}
    held_for = {id(event): month.period for month in months_of(world, count) for event in month.held}
    for report in reports_due(world, count):
        if report.fault in ("no_id", "both_won") or report.code != report.event.code:
            continue
        # An unregistered player is registered for the next month's list.
        earliest = held_for[id(report.event)] + (report.event.problem == "unregistered")
        done = max(report.received_on, report.dates[-1])
        taken = [
            str(month.period)
            for month in months_of(world, count)
            if month.period >= earliest and done <= month.period.days_before(CLOSING_DAYS)
        ]
        key = report.code, str(report.dates[0])
        if taken:
            lists[key] = min(taken[0], lists.get(key, taken[0]))
    return {(month, code, start) for (code, start), month in lists.items()}


def broken_files(world: World, count: int) -> set[str]:
    """The files that no office should accept."""
    return {report.file for report in reports_due(world, count) if report.fault in ("no_id", "both_won")}
