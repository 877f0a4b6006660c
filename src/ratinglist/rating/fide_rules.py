"""The sections of the rule files of the FIDE system, one dataclass each, and the tables of its regulations.

The tables state the expected score by rating difference, and the difference by share of the points.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, fields
from typing import Any, Literal

import polars as pl

from ratinglist.errors import RulesError
from ratinglist.rating.system_rules import SystemListRules
from ratinglist.strict_toml import Flag, Text, Whole


@dataclass(frozen=True, slots=True)
class ListRules:
    """Rules of the list: selected by the day the list takes effect."""

    floor: Whole
    closing_days_before: Whole
    official_closing_days_before: Whole
    inactive_after_lists: Whole
    inactive_changed_from_list: Text
    inactive_changed_after_lists: Whole
    delisted_state: Literal["kept", "dropped"]
    one_time_step: Literal["none", "two_fifths_towards_2000"]
    one_time_step_month: Text


@dataclass(frozen=True, slots=True)
class EventRules:
    """Conditions for rating an event: selected by its start date. A 0 means there is no such rule."""

    last_list_after_end: Whole
    registration_days: Whole
    elite_registration_days: Whole
    elite_above: Whole
    elite_women_above: Whole
    time_limit_applies_to: Literal["event", "game", "nothing"]
    long_game_minutes: Whole
    long_game_from: Whole
    middle_game_minutes: Whole
    middle_game_from: Whole
    short_game_minutes: Whole
    rounds_per_day: Whole
    hours_per_day: Whole
    round_robin_with_unrated: Literal["conditions", "any"]
    round_robin_rated_one_in: Whole
    round_robin_small_below: Whole
    round_robin_small_min_rated: Whole
    double_round_robin_min_players: Whole
    double_round_robin_min_rated: Whole
    match_with_unrated: Literal["not_rated", "rated"]
    standard_rating_stands_in: Flag


@dataclass(frozen=True, slots=True)
class ExpectedScoreRules:
    """From a rating difference to the expected score: selected by the event's start date."""

    table: Text
    cap: Whole
    cap_applies_to: Literal["every_game", "best_game_per_event", "players_below"]
    cap_players_below: Whole
    gap_not_rated: Whole
    gap_needs_player_above: Whole


@dataclass(frozen=True, slots=True)
class DevelopmentCoefficientRules:
    """The development coefficient K: selected by the day the list takes effect."""

    fixed: Whole
    new: Whole
    new_until_games: Whole
    normal: Whole
    master: Whole
    master_from: Whole
    junior: Whole
    junior_below: Whole
    junior_until: Literal["eighteenth_birthday", "end_of_year_of_eighteenth_birthday"]
    junior_judged_on: Literal["list_before", "event_start"]
    period_limit: Whole


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """From the changes of the games to a whole number: selected by the day the list takes effect."""

    rounded_per: Literal["period", "event"]
    halves: Literal["away_from_zero"]


@dataclass(frozen=True, slots=True)
class EntryRules:
    """How an unrated player enters: selected by the day the list takes effect."""

    method: Literal["two_draws_at_1800", "twenty_per_half_point"]
    performance_table: Text
    min_games: Whole
    maximum: Whole
    window_lists: Whole
    zero_first_event: Literal["disregarded"]
    tranche_min_games: Whole
    tranche_min_halves: Whole


FIDE_SYSTEM = "fide"
"""The system of a rule file that names none."""

SECTIONS = {
    "list": ListRules,
    "event": EventRules,
    "expected_score": ExpectedScoreRules,
    "development_coefficient": DevelopmentCoefficientRules,
    "change": ChangeRules,
    "entry": EntryRules,
}


def _without_effect(section: Any, **others: str | bool) -> Any:
    """Return a section whose numbers are 0; ``others``: its texts and switches."""
    return section(**{**dict.fromkeys((one.name for one in fields(section)), 0), **others})


NO_RULES: dict[str, Any] = {
    "event": _without_effect(
        EventRules,
        time_limit_applies_to="nothing",
        round_robin_with_unrated="any",
        match_with_unrated="rated",
        standard_rating_stands_in=False,
    ),
    "expected_score": _without_effect(ExpectedScoreRules, table="expected_score", cap_applies_to="every_game"),
    "development_coefficient": _without_effect(
        DevelopmentCoefficientRules, junior_until="eighteenth_birthday", junior_judged_on="list_before"
    ),
    "change": ChangeRules(rounded_per="period", halves="away_from_zero"),
    "entry": _without_effect(
        EntryRules,
        method="twenty_per_half_point",
        performance_table="performance",
        zero_first_event="disregarded",
    ),
}
"""The FIDE sections of a rule set of another system."""


def list_rules(own: SystemListRules) -> ListRules:
    """Return the section ``list`` that every rule set has: closing days, and no floor, inactivity or step."""
    return ListRules(
        floor=0,
        closing_days_before=own.closing_days_before,
        official_closing_days_before=own.official_closing_days_before,
        inactive_after_lists=0,
        inactive_changed_from_list="",
        inactive_changed_after_lists=0,
        delisted_state="dropped",
        one_time_step="none",
        one_time_step_month="",
    )


def parse_expected_score(text: str, name: str, unit: str = "hundredths", whole: int = 100) -> pl.Series:
    """Parse a table of expected scores (8.1.2) into one value per rating difference.

    In: CSV with inclusive ``difference_from``, ``difference_to`` (empty: open end), and ``higher_`` and ``lower_`` with
    the ``unit``, of which a point has ``whole``. Out: Int32 units of the higher rated player, by |difference| from 0 to
    the first one at which the table ends. Raises :class:`RulesError` where ranges leave a gap or the two columns do not
    add up to a point.
    """
    expected: list[int] = []
    rows = _table(text, name, ["difference_from", "difference_to", f"higher_{unit}", f"lower_{unit}"])
    for line, (first, to, high, low) in enumerate(rows, start=2):
        last = to if to is not None else first
        is_open_too_early = to is None and line <= len(rows)
        if first != len(expected) or high is None or low is None or last is None or last < first or is_open_too_early:
            raise RulesError(f"Table {name}, line {line}: the ranges must follow each other; only the last is open.")
        if high + low != whole:
            raise RulesError(f"Table {name}, line {line}: the two expected scores must add up to {whole} {unit}.")
        expected.extend([high] * (last - first + 1))
    if not expected:
        raise RulesError(f"Table {name}: no rows.")
    return pl.Series(name, expected, dtype=pl.Int32)


def _table(text: str, name: str, columns: list[str]) -> list[list[int | None]]:
    """Parse a CSV table of whole numbers, an empty cell as None; raise :class:`RulesError` naming table and line."""
    lines = list(csv.reader(text.splitlines()))
    if not lines or lines[0] != columns:
        raise RulesError(f"Table {name}: its columns must be {', '.join(columns)}.")
    rows: list[list[int | None]] = []
    for line, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(columns) or not all(re.fullmatch(r"-?\d+|", cell) for cell in cells):
            raise RulesError(f"Table {name}, line {line}: {len(columns)} whole numbers are needed, not {cells}.")
        rows.append([int(cell) if cell else None for cell in cells])
    return rows


def parse_performance(text: str, name: str) -> pl.Series:
    """Parse the table of rating differences by share of the points (8.1.1).

    In: CSV with ``p_hundredths`` from 0 to 100 and ``dp``. Out: Int32 ``dp`` by ``p_hundredths``. Raises
    :class:`RulesError` where a row is missing.
    """
    rows = _table(text, name, ["p_hundredths", "dp"])
    if [p for p, _ in rows] != list(range(101)) or any(dp is None for _, dp in rows):
        raise RulesError(f"Table {name}: p_hundredths must run from 0 to 100 without a gap, each with its dp.")
    return pl.Series(name, [dp for _, dp in rows], dtype=pl.Int32)
