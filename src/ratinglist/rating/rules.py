"""Parse rule sets: the values of each text of the regulations, found by date.

One TOML file is one complete rule set: family, time control, the day it takes effect, and every value with its article.
No file inherits from another and no value has a default, so the difference of two files is the list of changes in the
regulations. A change of logic is a named choice (``method = "two_draws_at_1800"``); the module that applies the choice
has a function of that name.

The tables of the regulations state the expected score by rating difference, and the difference by share of the points.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from datetime import date
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

import polars as pl

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError, RulesError
from ratinglist.period import Period
from ratinglist.rating.systems.registry import FIDE_SYSTEM, SYSTEMS
from ratinglist.strict_toml import Day, Flag, Text, Whole, matching


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


EVERY_MONTH = "every month"
"""The value of ``list.published_in`` of a family that publishes a list on the first of every month."""


@dataclass(frozen=True, slots=True)
class SystemListRules:
    """Rules of the list.

    ``ratings_used``: the ratings of the list in force when the event began, of the family's newest list, or after the
    events that ended before (``event_before``) or the months of play before (``month_before``).
    """

    published_in: Annotated[
        str,
        matching(
            f"{EVERY_MONTH}|(0[1-9]|1[0-2])(, (0[1-9]|1[0-2]))*",
            f"is '{{text}}': write '{EVERY_MONTH}', or months as numbers such as '01, 07'",
        ),
    ]
    closing_days_before: Whole
    official_closing_days_before: Whole
    ratings_used: Literal["event_start", "list_before", "event_before", "month_before"]


@dataclass(frozen=True, slots=True)
class SystemSections:
    """The sections of every system. ``SYSTEM``: the name that a rule file gives under ``system``."""

    SYSTEM: ClassVar[str]
    list: SystemListRules


@dataclass(frozen=True, slots=True)
class TableRules:
    """The expected score: a table of hundredths, looked up for a difference that is cut to ``cap``."""

    table: Text
    cap: Whole


@dataclass(frozen=True, slots=True)
class ThousandthsRules:
    """The expected score: a table of thousandths, looked up for the whole difference."""

    table: Text


@dataclass(frozen=True, slots=True)
class FixedEntryRules:
    """An unlisted player enters at this rating with the first list on which a game is counted."""

    rating: Whole


@dataclass(frozen=True, slots=True)
class ChangeUpRules:
    """The new rating is rounded once, a half upwards."""

    halves: Literal["up_of_rating"]


SECTIONS = {
    "list": ListRules,
    "event": EventRules,
    "expected_score": ExpectedScoreRules,
    "development_coefficient": DevelopmentCoefficientRules,
    "change": ChangeRules,
    "entry": EntryRules,
}


def _without_effect(section: Any, **others: str | bool | int) -> Any:
    """Return a section whose numbers are 0; ``others``: its texts and switches, and other numbers."""
    return section(**{**dict.fromkeys((key.name for key in fields(section)), 0), **others})


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


@dataclass(frozen=True, slots=True)
class _Head:
    """The keys of a rule set file above its sections."""

    __pydantic_config__: ClassVar = strict_toml.FORBID_UNKNOWN_KEYS

    family: Text
    time_control: Text
    effective_from: Day
    source: Text


@dataclass(frozen=True, slots=True)
class _Cell:
    """A value with its article: ``{ value = 1400, article = "7.1.2" }``."""

    value: Any
    article: Annotated[str, matching(r"(?s).*\S.*", "is blank: name the article, or write UNCONFIRMED and why")]


@dataclass(frozen=True, slots=True)
class RuleSet(_Head):
    """One complete rule set of the FIDE system. ``articles`` maps ``section.key`` to the article of the value."""

    list: ListRules
    event: EventRules
    expected_score: ExpectedScoreRules
    development_coefficient: DevelopmentCoefficientRules
    change: ChangeRules
    entry: EntryRules
    articles: Mapping[str, str]

    @property
    def name(self) -> str:
        """Return ``family/time control/effective from``: the file's path, and the name published with every game."""
        return f"{self.family}/{self.time_control}/{self.effective_from}"

    @property
    def system(self) -> str:
        """Return the name of the system that calculates the list."""
        return FIDE_SYSTEM

    @property
    def months(self) -> tuple[int, ...] | None:
        """Return the months in which a list is published; None for every month."""
        return None

    def sections(self) -> Mapping[str, Any]:
        """Return the sections of the file, in order."""
        return {section: getattr(self, section) for section in SECTIONS}

    def values(self) -> dict[str, int | str | bool]:
        """Return every value by ``section.key``, in the order of the file."""
        return {
            f"{section}.{key.name}": getattr(keys, key.name)
            for section, keys in self.sections().items()
            for key in fields(keys)
        }

    def as_dict(self) -> dict[str, object]:
        """Return the rule set as values for JSON, each with its article."""
        return {
            "name": self.name,
            **({} if self.system == FIDE_SYSTEM else {"system": self.system}),
            "source": self.source,
            "values": {key: {"value": value, "article": self.articles[key]} for key, value in self.values().items()},
        }

    def text(self) -> str:
        """Return the rule set as text: one line per value, with its article."""
        lines = [f"{self.name}: {self.source}"]
        section = ""
        for key, value in self.values().items():
            if not key.startswith(f"{section}."):
                section = key.split(".")[0]
                lines += ["", f"[{section}]"]
            lines.append(f"  {key.split('.')[1]:<32} {shown(value):<36} {self.articles[key]}")
        return "\n".join(lines)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of every value and article, which a calculation stores to identify its rules."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SystemRuleSet(RuleSet):
    """One complete rule set of another system.

    ``own`` holds the sections of its file. Those that the judgement of events and the lists read of every rule set
    state no condition (:data:`NO_RULES`); the FIDE calculation reads none of them.
    """

    system_name: str
    own: SystemSections

    @property
    def system(self) -> str:
        """Return the name of the system that calculates the list."""
        return self.system_name

    @property
    def months(self) -> tuple[int, ...] | None:
        """Return the months in which a list is published; None for every month."""
        published_in = self.own.list.published_in
        return None if published_in == EVERY_MONTH else tuple(map(int, published_in.split(", ")))

    def sections(self) -> Mapping[str, Any]:
        """Return the sections of the file, in order."""
        return {section.name: getattr(self.own, section.name) for section in fields(self.own)}


def shown(value: object) -> str:
    """Return a value as text: as a rule file has it, ``-`` for an empty one."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "-"


@cache
def parse_rule_set(text: str, name: str) -> RuleSet:
    """Parse one rule set file.

    ``name`` is its path below the rules folder without the ending, ``family/time control/YYYY-MM-DD``, and must agree
    with the keys of the file. Raises :class:`RulesError` naming file and key for anything unknown, missing, misspelt or
    without an article.
    """
    try:
        content = strict_toml.parse(text)
        system = content.pop("system", FIDE_SYSTEM)
        of_file, of_values = _kinds(system)
        file: Any = strict_toml.checked(of_file, content)
        cells = {section: getattr(file, section) for section in _sections_of(system)}
        values = {section: {key: cell.value for key, cell in keys.items()} for section, keys in cells.items()}
        articles = {f"{section}.{key}": cell.article for section, keys in cells.items() for key, cell in keys.items()}
        parsed: Any = strict_toml.checked(of_values, content | values | {"articles": articles})
        rule_set = parsed if isinstance(parsed, RuleSet) else _of_system(system, parsed)
    except ValueError as error:
        raise RulesError(f"Rule set {name}: {error}. Fix the file.") from None
    if rule_set.name != name:
        raise RulesError(
            f"Rule set {name}: its keys make it {rule_set.name}. Rename the file, or correct family, time_control and "
            "effective_from."
        )
    return rule_set


def _sections_of(system: str) -> dict[str, Any]:
    """Return the sections of a rule file of ``system``: their names and dataclasses, in order."""
    if system == FIDE_SYSTEM:
        return dict(SECTIONS)
    kinds = get_type_hints(SYSTEMS[system].sections)
    return {section.name: kinds[section.name] for section in fields(SYSTEMS[system].sections)}


@cache
def _kinds(system: Any) -> tuple[type, type]:
    """Return the dataclasses of a rule file of ``system`` as it is written, and of its values.

    Raises :class:`ValueError` where there is no such system.
    """
    known = [FIDE_SYSTEM, *SYSTEMS]
    if system not in known:
        raise ValueError(f"'system' is {strict_toml.as_toml(system)}; it must be one of {', '.join(known)}")
    sections = _sections_of(system)
    file = make_dataclass(
        "RuleFile", [(section, dict[str, _Cell]) for section in sections], bases=(_Head,), frozen=True
    )
    if system == FIDE_SYSTEM:
        return file, RuleSet
    values = [*sections.items(), ("articles", Mapping[str, str])]
    return file, make_dataclass("SystemValues", values, bases=(_Head,), frozen=True)


def _of_system(system: str, values: Any) -> SystemRuleSet:
    """Return the values of a rule file of another system (:func:`_kinds`) as a rule set."""
    own = SYSTEMS[system].sections(**{section: getattr(values, section) for section in _sections_of(system)})
    head = {key.name: getattr(values, key.name) for key in fields(_Head)}
    # The section that every rule set has: closing days, and no floor, inactivity or step.
    of_list = _without_effect(
        ListRules,
        closing_days_before=own.list.closing_days_before,
        official_closing_days_before=own.list.official_closing_days_before,
        inactive_changed_from_list="",
        delisted_state="dropped",
        one_time_step="none",
        one_time_step_month="",
    )
    return SystemRuleSet(**head, list=of_list, **NO_RULES, articles=values.articles, system_name=system, own=own)


def parse_table(text: str, name: str) -> pl.Series:
    """Parse a table of expected scores (8.1.2), or of rating differences by share of the points (8.1.1).

    In: CSV with inclusive ``difference_from``, ``difference_to`` (empty: open end), and ``higher_`` with the unit,
    hundredths or thousandths; or with ``p_hundredths`` from 0 to 100 and ``dp``. Out: Int32 units of the higher rated
    player, by |difference| from 0 to the first one at which the table ends; or ``dp`` by ``p_hundredths``.
    """
    units: list[int] = []
    for row in csv.DictReader(text.splitlines()):
        if "dp" in row:
            units.append(int(row["dp"]))
            continue
        higher = next(int(row[column]) for column in row if column.startswith("higher_"))
        first, last = int(row["difference_from"]), int(row["difference_to"] or row["difference_from"])
        units += [higher] * (last - first + 1)
    return pl.Series(name, units, dtype=pl.Int32)


_DEADLINE = {
    "month": pl.String,
    "index": pl.Int32,
    "time_control": pl.String,
    "closing_date": pl.Date,
    "official_closing_date": pl.Date,
    "last_list_after_end": pl.Int32,
}


def due_on() -> pl.Expr:
    """Return the last day on which an event may end, and its report come, for a list of :meth:`RuleBook.deadlines`."""
    return pl.when("official").then("official_closing_date").otherwise("closing_date")


def last_list() -> pl.Expr:
    """Return the last list that may rate an event (B.02 9.1), as the ``index`` of its month; null: there is no limit.

    Needs ``end_date`` and ``last_list_after_end``.
    """
    end, limit = pl.col("end_date"), pl.col("last_list_after_end")
    index = end.dt.year() * 12 + end.dt.month().cast(pl.Int32) - 1 + limit
    return pl.when(limit > 0).then(index.cast(pl.Int32))


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Every rule set and the ``tables`` they name.

    ``files``: the texts of the rule sets by their names. Those of a family are parsed when it is first used:
    parsing all takes as long as opening a store. ``added``: rule sets that no file has.
    """

    files: Mapping[str, str]
    tables: Mapping[str, pl.Series]
    added: tuple[RuleSet, ...] = ()
    _found: dict[str, list[RuleSet]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def parse(cls, files: Mapping[str, str], tables: Mapping[str, str]) -> RuleBook:
        """Return the book of the texts of rule sets and tables, each by its name."""
        return cls(dict(sorted(files.items())), {name: parse_table(text, name) for name, text in tables.items()})

    @property
    def families(self) -> list[str]:
        """Return the names of the families, sorted."""
        return sorted({name.partition("/")[0] for name in self.files} | {rule_set.family for rule_set in self.added})

    @property
    def rule_sets(self) -> list[RuleSet]:
        """Return the rule sets of all families; raises as :meth:`of`."""
        return [rule_set for family in self.families for rule_set in self.of(family)]

    def of(self, family: str) -> list[RuleSet]:
        """Return the rule sets of a family, sorted by time control and date.

        Raises :class:`CommandLineError` for an unknown family, and :class:`RulesError` where one of its texts is wrong
        or names a table that does not exist.
        """
        if family in self._found:
            return list(self._found[family])
        if family not in self.families:
            raise CommandLineError(f"There is no rule family '{family}': choose one of {', '.join(self.families)}.")
        rule_sets = [rule_set for rule_set in self.added if rule_set.family == family]
        for name, text in self.files.items():
            if name.startswith(f"{family}/"):
                rule_set = parse_rule_set(text, name)
                for table in (rule_set.values().get("expected_score.table"), rule_set.entry.performance_table):
                    if table is not None and table not in self.tables:
                        raise RulesError(f"Rule set {name}: there is no table '{table}'.")
                rule_sets.append(rule_set)
        self._found[family] = sorted(rule_sets, key=lambda rule_set: (rule_set.time_control, rule_set.effective_from))
        return list(self._found[family])

    def named(self, name: str) -> RuleSet:
        """Return the rule set of a name; raises :class:`StopIteration` where there is none: a defect."""
        return next(rule_set for rule_set in self.of(name.partition("/")[0]) if rule_set.name == name)

    def is_system(self, family: str) -> bool:
        """Return whether the lists of a family are calculated by a system other than FIDE's."""
        return any(isinstance(rule_set, SystemRuleSet) for rule_set in self.of(family))

    def publishes_in(self, family: str, period: Period) -> bool:
        """Return whether a family publishes a list in a month; true where no rule set is in force then."""
        months = [rule_set.months for rule_set in self._newest(family, period.first_day).values()]
        return not months or any(month is None or period.first_day.month in month for month in months)

    def next_list(self, family: str, earliest: Period) -> Period:
        """Return the first month, not before ``earliest``, in which a family publishes a list."""
        return next(month for month in (earliest + more for more in range(12)) if self.publishes_in(family, month))

    def last_list(self, family: str, latest: Period) -> Period:
        """Return the last month, not after ``latest``, in which a family publishes a list."""
        return next(month for month in (latest - less for less in range(12)) if self.publishes_in(family, month))

    def closing_dates(self, family: str, period: Period) -> list[date]:
        """Return the days by which reports for a list are due: several where its time controls differ in it."""
        days = {rule_set.list.closing_days_before for rule_set in self.in_force(family, period.first_day)}
        return [period.days_before(day) for day in sorted(days, reverse=True)]

    def deadlines(self, lists: Iterable[tuple[str, Period]]) -> pl.DataFrame:
        """Return until when events count for lists, given by family and month: a row of each time control with rules.

        Out: ``month``, ``index``, ``time_control``, ``closing_date``, ``official_closing_date``,
        ``last_list_after_end``.
        """
        rows = [
            (
                str(period),
                period.index,
                rule_set.time_control,
                period.days_before(rule_set.list.closing_days_before),
                period.days_before(rule_set.list.official_closing_days_before),
                rule_set.event.last_list_after_end,
            )
            for family, period in lists
            for rule_set in self._newest(family, period.first_day).values()
        ]
        return pl.DataFrame(rows, schema=_DEADLINE, orient="row")

    def reads_references(self, family: str) -> bool:
        """Return whether the lists of a family depend on reference lists."""
        return any(
            rule_set.values().get("lapse.lapses_with") == "reference" or SYSTEMS[rule_set.system].reads_references
            for rule_set in self.of(family)
            if isinstance(rule_set, SystemRuleSet)
        )

    def day_of_event(self, family: str) -> str:
        """Return the column of an event with the day whose rule set it is rated by: ``start_date`` or ``end_date``."""
        system = self.of(family)[0].system
        return "end_date" if system != FIDE_SYSTEM and SYSTEMS[system].rules_of_event_end else "start_date"

    def time_controls(self, family: str) -> list[str]:
        """Return the time controls that a family has rule sets for, sorted."""
        return sorted({rule_set.time_control for rule_set in self.of(family)})

    def on(self, family: str, time_control: str, day: date) -> RuleSet | None:
        """Return the rule set in force on ``day``, the newest one not after it; None where there is none yet."""
        return self._newest(family, day).get(time_control)

    def in_force(self, family: str, day: date) -> list[RuleSet]:
        """Return the rule sets in force on ``day``, one per time control; raise :class:`RulesError` where none is."""
        if newest := self._newest(family, day):
            return list(newest.values())
        first = min(rule_set.effective_from for rule_set in self.of(family))
        raise RulesError(f"The family '{family}' has no rule set in force on {day}: its first is of {first}.")

    def _newest(self, family: str, day: date) -> dict[str, RuleSet]:
        """Return the rule sets in force on ``day`` by time control: :meth:`of` has the newer ones later."""
        return {rule_set.time_control: rule_set for rule_set in self.of(family) if rule_set.effective_from <= day}

    def frame(self, family: str) -> pl.DataFrame:
        """Return the rule sets of a family as a frame, for joining to events.

        Columns: ``rule_set`` (name), ``time_control``, ``effective_from``, and every value of the sections ``event``
        and ``expected_score`` under its own key. Sorted by ``effective_from``.
        """
        sections = ("event", "expected_score")
        return pl.DataFrame(
            [
                {
                    "rule_set": rule_set.name,
                    "time_control": rule_set.time_control,
                    "effective_from": rule_set.effective_from,
                }
                | {key: value for section in sections for key, value in asdict(getattr(rule_set, section)).items()}
                for rule_set in self.of(family)
            ]
        ).sort("effective_from", "time_control")
