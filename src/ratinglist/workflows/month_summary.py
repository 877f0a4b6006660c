"""What a person reads of a calculated month: its counts, and what an officer should know of it though it succeeded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from ratinglist.analysis.event_status import pending_changes
from ratinglist.period import Period
from ratinglist.publication.list_doubts import notes_on
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.settings import Settings
from ratinglist.store import calculations, quarantine
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary
from ratinglist.text import halves
from ratinglist.workflows import identities

_COINCIDENCES_SHOWN = 20
_TWICE_SHOWN = 10


def summarized(
    store: Store, settings: Settings, inputs: MonthInputs, result: MonthResult, calculation: Calculation
) -> MonthSummary:
    """Count what the calculation of a month gave, and note what an officer should know of it."""
    period = inputs.period
    by_status, changes = _occurrences(result.events["status"]), _occurrences(result.changes["status"])
    events = {status: by_status.get(status, 0) for status in dict.fromkeys(STATUS.values())}
    if dismissed := quarantine.dismissed_of_month(store, str(period)):
        events |= {"refused": events["refused"] - dismissed, "dismissed": dismissed}
    not_rated = _reasons_of_sides(result)
    listed = result.list_state.filter(pl.col("rating").is_not_null())["time_control"]
    of_list = rules_of_list(inputs).values()
    return MonthSummary(
        month=str(period),
        family=inputs.family,
        rule_sets=[rule_set["name"] for rule_set in calculation.rule_sets],
        events=events,
        results=result.games.height,
        results_rated=result.games.height - sum(not_rated.values()),
        results_not_rated=_most_first(not_rated),
        players={status: changes.get(status, 0) for status in _statuses(inputs.family)},
        waiting=result.pool.select("time_control", "fide_id").unique().height,
        listed=_most_first(_occurrences(listed)),
        refused=quarantine.of_month(store, period),
        notes=[*of_month(store, settings, period, inputs), *of_coincidences(result.coincidences)],
        floors=sorted({rule_set.list.floor for rule_set in of_list if rule_set.list.floor}),
        uses_list_before=any(
            isinstance(rule_set, SystemRuleSet) and rule_set.own.list.ratings_used == "list_before"
            for rule_set in of_list
        ),
    )


def _reasons_of_sides(result: MonthResult) -> dict[str, int]:
    """Return how many sides each reason keeps from being rated, that of their event or their own."""
    not_rated = result.games.filter(~pl.col("rated"))
    by_reason = not_rated.group_by("reason").len("times")
    return dict(by_reason.iter_rows())


def _occurrences(values: pl.Series) -> dict[str, int]:
    """Return how often each text occurs."""
    return dict(values.value_counts(name="times").iter_rows())


def _statuses(family: str) -> tuple[str, ...]:
    """Return the statuses of players that a summary counts: a rating is delisted by a floor, or lapses."""
    book = rule_book()
    if not book.is_system(family):
        return ("rated", "entered", "delisted")
    may_lapse = any("lapse" in key for one in book.of(family) for key in one.values())
    return ("rated", "entered", "lapsed") if may_lapse else ("rated", "entered")


def _most_first(counted: Mapping[str, int]) -> dict[str, int]:
    """Return the counts, most often first, then by name."""
    return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0])))


def of_month(store: Store, settings: Settings, period: Period, inputs: MonthInputs) -> list[str]:
    """Return what an officer should know of a calculation that succeeded."""
    notes = []
    newest = inputs.lists.group_by("time_control").agg(pl.col("month").max()).sort("time_control")
    in_force = rules_of_list(inputs)
    for time_control, month in newest.iter_rows():
        if time_control not in in_force:
            notes.append(f"no {time_control} list: the family '{inputs.family}' has no rule set for it on that day")
        elif month != str(period - 1) and in_force[time_control].months is None:
            notes.append(f"the {time_control} list before is that of {month}: the months between have no list")
    if inputs.rules.reads_references(inputs.family) and inputs.references.is_empty():
        ends = any("lapse.lapses_with" in one.values() for one in in_force.values())
        effect = "no rating ends with this list" if ends else "nobody enters with a FIDE rating"
        notes.append(
            f"no reference list is imported, so {effect}. Import one before the next list is "
            f"calculated: ratinglist import-list --reference FILE --month {period + 1}"
        )
    history = store.log.history
    month_before = str(newest["month"].max()) if len(newest) else ""
    before = history.standing_calculations().get(month_before)
    if before is not None and before.facts["family"] != inputs.family:
        family = before.facts["family"]
        notes.append(f"the list before was calculated by the family '{family}', this one by '{inputs.family}'")
    if before is not None and before is not history.newest_calculations()[month_before]:
        notes.append(
            f"this list starts from that of {month_before} as it is published, r{history.current[month_before]}; what "
            f"was calculated for {month_before} since is not published: ratinglist rerate --from {month_before}"
        )
    if withdrawn := calculations.withdrawal(store, period):
        notes.append(f"these are the figures that were taken back, and they are not published. {withdrawn}")
    later_months = ", ".join(map(str, calculations.months_from(store, period + 1)))
    if str(period) in history.current:
        notes.append(
            f"the list of {period} is published as r{history.current[str(period)]}. Later lists start from what is "
            f"published; to publish what changed: ratinglist rerate --from {period}"
        )
    elif later_months:
        notes.append(f"later lists were calculated from the earlier figures: run {later_months} again")
    notes += notes_on(store, settings, period)
    unrated = store.read("select distinct fide_id from side where month = $month and rating is null", month=str(period))
    twice = identities.registered_twice(store, unrated["fide_id"])
    more = [f"and {len(twice) - _TWICE_SHOWN:,} more: ratinglist identities"] if len(twice) > _TWICE_SHOWN else []
    return [*notes, *pending_changes(store, inputs.rules, period), *twice[:_TWICE_SHOWN], *more]


def of_coincidences(coincidences: pl.DataFrame) -> list[str]:
    """Return a sentence for each two events with games which look alike and count in both, or with two results."""
    events = ["event_code", "name", "event_code_first", "name_first"]
    every = coincidences.group_by(*events, "both_count", maintain_order=True).agg(
        pl.len().alias("games"), pl.all().first()
    )
    pairs = every.filter("both_count")
    notes = [
        f"events {row['event_code']} ({row['name']}) and {row['event_code_first']} ({row['name_first']}) are one "
        f"event, which counts once, under {row['event_code_first']}: the code that was received first. "
        + _what_differs(row)
        + f". If {row['event_code']} is right, correct it under {row['event_code_first']}"
        for row in every.filter(~pl.col("both_count")).head(_COINCIDENCES_SHOWN).iter_rows(named=True)
    ]
    notes += [
        f"events {row['event_code']} ({row['name']}) and {row['event_code_first']} ({row['name_first']}) both have "
        + ("a game" if row["games"] == 1 else f"{row['games']:,} games, the first")
        + f" of {row['white_id']} and {row['black_id']} in round {row['round']} on {row['date']}, with one result: "
        "they have too little in common to be one event, so both count. If they are one, withdraw either "
        "(ratinglist correct withdraw)"
        for row in pairs.head(_COINCIDENCES_SHOWN).iter_rows(named=True)
    ]
    if len(pairs) > _COINCIDENCES_SHOWN:
        notes.append(f"and {len(pairs) - _COINCIDENCES_SHOWN:,} more pairs of events with games that look alike")
    return notes


def _what_differs(row: Mapping[str, Any]) -> str:
    """Return in how many games an event differs from the one that counts, and the first of them."""
    how_many = "A game differs" if row["games"] == 1 else f"{row['games']:,} games differ, the first"
    there = "no such game" if row["white_halves_first"] is None else _result(row, "_first")
    game = f"{row['white_id']} against {row['black_id']} in round {row['round']}"
    return f"{how_many}: {game}, {there} there and {_result(row, '')} under {row['event_code']}"


def _result(row: Mapping[str, Any], of: str) -> str:
    """Return the result of a game as White's and Black's score: ``1-0``, ``½-½``."""
    return "-".join(halves(row[f"{side}_halves{of}"]) for side in ("white", "black"))
