"""Dated rule sets: what each text of the regulations says, as values.

One TOML file is one complete rule set: family, time control, the day it takes effect, and every value with its article.
Nothing is inherited and nothing has a default, so the difference of two files is the regulation's own list of changes.
A change of logic is a named choice (``method = "two_draws_at_1800"``); the function of that name stands in the module
that applies it.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal, get_args, get_origin, get_type_hints

import polars as pl

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError, RulesError


@dataclass(frozen=True, slots=True)
class ListRules:
    """What belongs to the list: picked by the day the list takes effect."""

    floor: int
    closing_days_before: int
    official_closing_days_before: int
    inactive_after_lists: int
    inactive_changed_from_list: str
    inactive_changed_after_lists: int
    delisted_state: Literal["kept", "dropped"]
    one_time_step: Literal["none", "two_fifths_towards_2000"]
    one_time_step_month: str


@dataclass(frozen=True, slots=True)
class EventRules:
    """What an event must meet to be rated: picked by its start date. A 0 means there is no such rule."""

    last_list_after_end: int
    registration_days: int
    elite_registration_days: int
    elite_above: int
    elite_women_above: int
    time_limit_applies_to: Literal["event", "game", "nothing"]
    long_game_minutes: int
    long_game_from: int
    middle_game_minutes: int
    middle_game_from: int
    short_game_minutes: int
    rounds_per_day: int
    hours_per_day: int
    round_robin_with_unrated: Literal["conditions", "any"]
    round_robin_rated_one_in: int
    round_robin_small_below: int
    round_robin_small_min_rated: int
    double_round_robin_min_players: int
    double_round_robin_min_rated: int
    match_with_unrated: Literal["not_rated"]
    standard_rating_stands_in: bool


@dataclass(frozen=True, slots=True)
class ExpectedScoreRules:
    """From a rating difference to the expected score: picked by the event's start date."""

    table: str
    cap: int
    cap_applies_to: Literal["every_game", "best_game_per_event", "players_below"]
    cap_players_below: int
    gap_not_rated: int
    gap_needs_player_above: int


@dataclass(frozen=True, slots=True)
class DevelopmentCoefficientRules:
    """The development coefficient K: picked by the day the list takes effect."""

    fixed: int
    new: int
    new_until_games: int
    normal: int
    master: int
    master_from: int
    junior: int
    junior_below: int
    junior_until: Literal["eighteenth_birthday", "end_of_year_of_eighteenth_birthday"]
    junior_judged_on: Literal["list_before", "event_start"]
    period_limit: int


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """From the changes of the games to a whole number: picked by the day the list takes effect."""

    rounded_per: Literal["period", "event"]
    halves: Literal["away_from_zero"]


@dataclass(frozen=True, slots=True)
class EntryRules:
    """How an unrated player enters: picked by the day the list takes effect."""

    method: Literal["two_draws_at_1800", "twenty_per_half_point"]
    performance_table: str
    min_games: int
    maximum: int
    window_lists: int
    zero_first_event: Literal["disregarded"]
    tranche_min_games: int
    tranche_min_halves: int


SECTIONS = {
    "list": ListRules,
    "event": EventRules,
    "expected_score": ExpectedScoreRules,
    "development_coefficient": DevelopmentCoefficientRules,
    "change": ChangeRules,
    "entry": EntryRules,
}


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One complete rule set. ``articles`` maps ``section.key`` to the article the value stands in."""

    family: str
    time_control: str
    effective_from: date
    source: str
    list: ListRules
    event: EventRules
    expected_score: ExpectedScoreRules
    development_coefficient: DevelopmentCoefficientRules
    change: ChangeRules
    entry: EntryRules
    articles: Mapping[str, str]

    @property
    def name(self) -> str:
        """``family/time control/effective from``: the file's own path, and the name published with every game."""
        return f"{self.family}/{self.time_control}/{self.effective_from}"

    def values(self) -> dict[str, int | str | bool]:
        """Every value by ``section.key``, in the order of the file."""
        return {
            f"{section}.{key.name}": getattr(getattr(self, section), key.name)
            for section, kind in SECTIONS.items()
            for key in fields(kind)
        }

    def as_dict(self) -> dict[str, object]:
        """The rule set as JSON-able values, each with its article."""
        return {
            "name": self.name,
            "source": self.source,
            "values": {key: {"value": value, "article": self.articles[key]} for key, value in self.values().items()},
        }

    def text(self) -> str:
        """The rule set for people: a line per value, its article beside it."""
        lines = [f"{self.name}: {self.source}"]
        section = ""
        for key, value in self.values().items():
            if not key.startswith(f"{section}."):
                section = key.split(".")[0]
                lines += ["", f"[{section}]"]
            lines.append(f"  {key.split('.')[1]:<32} {shown(value):<36} {self.articles[key]}")
        return "\n".join(lines)

    def changes_from(self, earlier: RuleSet) -> dict[str, dict[str, object]]:
        """What this text changed: by ``section.key``, the value ``before`` and ``after`` and the article ``after``."""
        before = earlier.values()
        return {
            key: {"before": before[key], "after": value, "article": self.articles[key]}
            for key, value in self.values().items()
            if value != before[key]
        }

    @property
    def digest(self) -> str:
        """A digest of every value and article: a calculation says which rules it followed to the letter."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()


def shown(value: object) -> str:
    """A value as a rule file has it, for people."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "-"


def parse_rule_set(text: str, name: str) -> RuleSet:
    """Read one rule set file.

    ``name`` is its path below the rules folder without the ending, ``family/time control/YYYY-MM-DD``, and must agree
    with what the file says. Raises :class:`RulesError` naming file and key for anything unknown, missing, misspelt or
    without an article.
    """
    try:
        content = strict_toml.parse(text)
    except ValueError as error:
        raise RulesError(f"Rule set {name}: not valid TOML ({error}). Mend the file.") from None
    _same_keys(name, "", content, ["family", "time_control", "effective_from", "source", *SECTIONS])
    if type(content["effective_from"]) is not date:
        raise RulesError(f"Rule set {name}: 'effective_from' must be a date without quotes, for example 2024-03-01.")
    for key in ("family", "time_control", "source"):
        if not isinstance(content[key], str):
            raise RulesError(f"Rule set {name}: '{key}' must be a text in quotes.")
    articles: dict[str, str] = {}
    sections: dict[str, Any] = {}
    for section, kind in SECTIONS.items():
        given = content[section]
        if not isinstance(given, dict):
            raise RulesError(f"Rule set {name}: '{section}' must be a table of values.")
        _same_keys(name, section, given, [key.name for key in fields(kind)])
        hints = get_type_hints(kind)
        values = {}
        for key, cell in given.items():
            where = f"{section}.{key}"
            values[key], articles[where] = _value_and_article(name, where, cell, hints[key])
        sections[section] = kind(**values)
    rule_set = RuleSet(
        family=content["family"],
        time_control=content["time_control"],
        effective_from=content["effective_from"],
        source=content["source"],
        articles=articles,
        **sections,
    )
    if rule_set.name != name:
        raise RulesError(f"Rule set {name}: the file says it is {rule_set.name}. Rename the file or mend its head.")
    return rule_set


def _same_keys(name: str, section: str, given: Mapping[str, Any], wanted: Iterable[str]) -> None:
    where = f"in [{section}] " if section else ""
    wanted = list(wanted)
    if unknown := sorted(set(given) - set(wanted)):
        raise RulesError(f"Rule set {name}: unknown key '{unknown[0]}' {where}- known are {', '.join(wanted)}.")
    if missing := [key for key in wanted if key not in given]:
        raise RulesError(f"Rule set {name}: key '{missing[0]}' is missing {where}- a rule set has every key.")


def _value_and_article(name: str, where: str, cell: Any, hint: Any) -> tuple[Any, str]:
    if not isinstance(cell, dict) or set(cell) != {"value", "article"}:
        raise RulesError(f"Rule set {name}: '{where}' must be {{ value = ..., article = \"...\" }}.")
    value, article = cell["value"], cell["article"]
    if not isinstance(article, str) or not article.strip():
        raise RulesError(f"Rule set {name}: '{where}' needs its article, or the word UNCONFIRMED and why.")
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise RulesError(f"Rule set {name}: '{where}' is {value!r}; it may be {', '.join(get_args(hint))}.")
    elif type(value) is not hint:
        raise RulesError(f"Rule set {name}: '{where}' is {value!r}; it must be of type {hint.__name__}.")
    return value, article


def parse_expected_score(text: str, name: str) -> pl.Series:
    """The table of expected scores (8.1.2) as one value per rating difference.

    In: CSV with inclusive ``difference_from``, ``difference_to`` (empty: open end), ``higher_hundredths``,
    ``lower_hundredths``. Out: Int32 hundredths of the higher rated player, by |difference| from 0 to the first one at
    which the table ends. Raises :class:`RulesError` where ranges leave a gap or the two columns do not add up to 100.
    """
    expected: list[int] = []
    rows = _table(text, name, ["difference_from", "difference_to", "higher_hundredths", "lower_hundredths"])
    for line, (first, to, high, low) in enumerate(rows, start=2):
        last = to if to is not None else first
        is_open_too_early = to is None and line <= len(rows)
        if first != len(expected) or high is None or low is None or last is None or last < first or is_open_too_early:
            raise RulesError(f"Table {name}, line {line}: the ranges must follow each other; only the last is open.")
        if high + low != 100:
            raise RulesError(f"Table {name}, line {line}: the two expected scores must add up to 100 hundredths.")
        expected.extend([high] * (last - first + 1))
    if not expected:
        raise RulesError(f"Table {name}: no rows.")
    return pl.Series(name, expected, dtype=pl.Int32)


def _table(text: str, name: str, columns: list[str]) -> list[list[int | None]]:
    """The whole numbers of a CSV table, an empty cell as None; raises :class:`RulesError` naming table and line."""
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
    """The table of rating differences by share of the points (8.1.1).

    In: CSV with ``p_hundredths`` from 0 to 100 and ``dp``. Out: Int32 ``dp`` by ``p_hundredths``. Raises
    :class:`RulesError` where a row is missing.
    """
    rows = _table(text, name, ["p_hundredths", "dp"])
    if [p for p, _ in rows] != list(range(101)) or any(dp is None for _, dp in rows):
        raise RulesError(f"Table {name}: p_hundredths must run from 0 to 100 without a gap, each with its dp.")
    return pl.Series(name, [dp for _, dp in rows], dtype=pl.Int32)


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Every rule set and the tables they name."""

    rule_sets: tuple[RuleSet, ...]
    expected_score: Mapping[str, pl.Series]
    performance: Mapping[str, pl.Series]

    @classmethod
    def parse(cls, files: Mapping[str, str], expected: Mapping[str, str], performance: Mapping[str, str]) -> RuleBook:
        """From texts by name: rule set files, tables of expected scores, tables of performances.

        Raises :class:`RulesError` where a text is wrong or a rule set names a table that is not there.
        """
        book = cls(
            tuple(parse_rule_set(text, name) for name, text in sorted(files.items())),
            {name: parse_expected_score(text, name) for name, text in expected.items()},
            {name: parse_performance(text, name) for name, text in performance.items()},
        )
        for rule_set in book.rule_sets:
            if rule_set.expected_score.table not in book.expected_score:
                raise RulesError(f"Rule set {rule_set.name}: there is no table '{rule_set.expected_score.table}'.")
            if rule_set.entry.performance_table not in book.performance:
                raise RulesError(f"Rule set {rule_set.name}: there is no table '{rule_set.entry.performance_table}'.")
        return book

    @property
    def families(self) -> list[str]:
        """The families of rules there are."""
        return sorted({rule_set.family for rule_set in self.rule_sets})

    def of(self, family: str) -> list[RuleSet]:
        """The rule sets of a family by time control and date; :class:`CommandLineError` for an unknown family."""
        if family not in self.families:
            raise CommandLineError(f"There is no rule family '{family}': choose one of {', '.join(self.families)}.")
        found = [rule_set for rule_set in self.rule_sets if rule_set.family == family]
        return sorted(found, key=lambda rule_set: (rule_set.time_control, rule_set.effective_from))

    def time_controls(self, family: str) -> list[str]:
        """The time controls a family has rule sets for."""
        return sorted({one.time_control for one in self.of(family)})

    def on(self, family: str, time_control: str, day: date) -> RuleSet | None:
        """The rule set in force on ``day``: the newest one not after it. None where there is none yet."""
        in_force = [
            rule_set
            for rule_set in self.of(family)
            if rule_set.time_control == time_control and rule_set.effective_from <= day
        ]
        return in_force[-1] if in_force else None

    def in_force(self, family: str, day: date) -> list[RuleSet]:
        """The rule sets in force on ``day``, one a time control; raises :class:`RulesError` where there is none."""
        at_most = [self.on(family, control, day) for control in self.time_controls(family)]
        found = [one for one in at_most if one is not None]
        if not found:
            first = min(one.effective_from for one in self.of(family))
            raise RulesError(f"The family '{family}' has no rule set in force on {day}: its first is of {first}.")
        return found

    def frame(self, family: str) -> pl.DataFrame:
        """The rule sets of a family as a frame, for joining to events.

        Columns: ``rule_set`` (name), ``time_control``, ``effective_from``, and every value of the sections ``event``
        and ``expected_score`` under its own key. Sorted by ``effective_from``.
        """
        sections = ("event", "expected_score")
        return pl.DataFrame(
            [
                {"rule_set": one.name, "time_control": one.time_control, "effective_from": one.effective_from}
                | {key.split(".")[1]: value for key, value in one.values().items() if key.split(".")[0] in sections}
                for one in self.of(family)
            ]
        ).sort("effective_from", "time_control")
