"""Rate a month: every time control, from everything received by its closing date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list
from ratinglist.rating.month import rate_month
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.settings import Settings
from ratinglist.store import calculations, quarantine
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary
from ratinglist.workflows import month_notes
from ratinglist.workflows.opening import open_to_write


@dataclass(frozen=True, slots=True)
class RatedMonth:
    """A month that was just calculated: its files, the ``players`` (``PLAYER``) on its lists, and its summary."""

    calculation: Calculation
    players: pl.DataFrame
    summary: MonthSummary


def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate a month's list for every time control, replacing what was calculated for it before.

    Raises what :func:`calculate` raises.
    """
    settings.check_month(period)
    with open_to_write(settings) as store:
        return calculate_and_count(store, settings, period).summary


def calculate(store: Store, settings: Settings, period: Period) -> Calculation:
    """Read the inputs of a month, rate it and write its calculation, which then is the current one.

    Raises :class:`NothingReadError` where there is no list to start from, :class:`CommandLineError` where the month's
    list was imported.
    """
    return _calculated(store, settings, period)[2]


def calculate_and_count(store: Store, settings: Settings, period: Period) -> RatedMonth:
    """Calculate a month as :func:`calculate` does, and count and note what a person reads of it."""
    inputs, month, calculation = _calculated(store, settings, period)
    return RatedMonth(calculation, inputs.players, _summary(store, inputs, calculation, month))


def _calculated(store: Store, settings: Settings, period: Period) -> tuple[MonthInputs, MonthResult, Calculation]:
    check_can_be_calculated(store, settings, period)
    settings.progress("reading the store", 0, 1)
    inputs = read_month_inputs(store, period, settings.family, rule_book(), settings.office.corrections.continue_from)
    if not rules_of_list(inputs):
        raise NothingReadError(_nothing_to_start_from(inputs))
    settings.progress("rating", 0, 1)
    month = rate_month(inputs)
    settings.progress("writing the tables", 0, 1)
    return inputs, month, calculations.write_calculated(store, inputs, month, settings.office, settings.today)


def _summary(store: Store, inputs: MonthInputs, calculation: Calculation, month: MonthResult) -> MonthSummary:
    period = inputs.period
    notes = [*month_notes.of_month(store, period, inputs), *month_notes.of_coincidences(month.coincidences)]
    summary = count_month(calculation, month, refused=quarantine.of_month(store, period), notes=notes)
    if dismissed := quarantine.dismissed_of_month(store, str(period)):
        of_events = summary.events | {"refused": summary.events["refused"] - dismissed, "dismissed": dismissed}
        summary = replace(summary, events=of_events)
    of_list = rules_of_list(inputs).values()
    floors = sorted({one.list.floor for one in of_list if one.list.floor})
    uses_list_before = any(
        isinstance(one, SystemRuleSet) and one.own.list.ratings_used == "list_before" for one in of_list
    )
    return replace(summary, floors=floors, uses_list_before=uses_list_before)


def publishes_in(settings: Settings, period: Period) -> bool:
    """Return whether the family publishes a list in that month."""
    return rule_book().publishes_in(settings.family, period)


def check_can_be_calculated(store: Store, settings: Settings, period: Period) -> None:
    """Raise where the list of a month can never be calculated here, before anything is received for it.

    Raises :class:`CommandLineError` for an unknown family, for a month in which the family publishes no list, for a
    month whose list was imported, and for a family of another system than the list before, and
    :class:`NothingReadError` where no list is before that month.
    """
    rule_book().of(settings.family)
    _check_published_in(settings, period)
    if calculations.is_imported(store, period):
        raise CommandLineError(
            f"The list of {period} was imported; a calculation would replace it. "
            f"Calculate {period + 1}, which starts from it."
        )
    _check_has_a_list_before(store, period)
    _check_is_of_the_same_system(store, settings, period)


def _check_has_a_list_before(store: Store, period: Period) -> None:
    """Raise :class:`NothingReadError` where no list is before the month."""
    first = store.read("select min(month) as month from standing_list").item()
    if first is not None and first < str(period):
        return
    is_earlier = f" The first list here is of {first}; if another month was meant, give that one." if first else ""
    raise NothingReadError(
        f"There is no list before {period} to start from. Nothing was received or calculated.{is_earlier} To calculate "
        f"{period}, import one first: ratinglist import-list FILE --month {period - 1}"
    )


def _check_is_of_the_same_system(store: Store, settings: Settings, period: Period) -> None:
    """Raise :class:`CommandLineError` where of the family and the list before one alone is of FIDE's system."""
    before = store.read(
        """
        select month, family from standing_calculation
        where month < $month and month > coalesce((select max(month) from imported_list where month < $month), '')
        order by month desc limit 1
        """,
        month=str(period),
    )
    book = rule_book()
    for month, family in before.iter_rows():
        if family in book.families and book.is_system(family) != book.is_system(settings.family):
            raise CommandLineError(
                f"The lists of this home are of the family '{family}' (the newest before {period} is that of {month}), "
                f"and '{settings.family}' calculates by another system: one list cannot start from the other. Nothing "
                f"was received or calculated. Leave out --rules {settings.family} here, or begin a second office for "
                f"it: ratinglist --home OTHER import-list FILE --month {period - 1}, then ratinglist --home OTHER run "
                f"{period} FOLDER --rules {settings.family}"
            )


def _check_published_in(settings: Settings, period: Period) -> None:
    """Raise :class:`CommandLineError` where the family publishes no list in that month of the year."""
    book, family = rule_book(), settings.family
    if book.publishes_in(family, period):
        return
    rule_set = book.in_force(family, period.first_day)[0]
    named = ", ".join(f"{month:02d}" for month in rule_set.months or ())
    raise CommandLineError(
        f"The family '{family}' publishes no list in {period}: its lists are those of the months {named} "
        f"({rule_set.articles['list.published_in']}). The next one is {book.next_list(family, period)}."
    )


def _nothing_to_start_from(inputs: MonthInputs) -> str:
    controls = inputs.lists_there["time_control"].unique().sort().to_list()
    return (
        f"The family '{inputs.family}' has no rule set on {inputs.period.first_day} for {', '.join(controls)}. "
        "Choose another family with --rules; `ratinglist rules` shows what there is."
    )


def count_month(
    calculation: Calculation, month: MonthResult, *, refused: list[dict[str, object]], notes: list[str]
) -> MonthSummary:
    """Count what the calculation of a month gave: events, results of players, players, lists."""
    by_status, changes = _occurrences(month.events["status"]), _occurrences(month.changes["status"])
    not_rated = _reasons_of_sides(month)
    waiting = month.pool.select("time_control", "fide_id").unique().height
    listed = month.list_state.filter(pl.col("rating").is_not_null())["time_control"]
    sides = month.games.height
    return MonthSummary(
        month=str(calculation.period),
        family=calculation.family,
        rule_sets=[one["name"] for one in calculation.rule_sets],
        events={status: by_status.get(status, 0) for status in dict.fromkeys(STATUS.values())},
        results=sides,
        results_rated=sides - sum(not_rated.values()),
        results_not_rated=_most_first(not_rated),
        players={status: changes.get(status, 0) for status in _statuses(calculation.family)},
        waiting=waiting,
        listed=_most_first(_occurrences(listed)),
        refused=refused,
        notes=notes,
    )


def _reasons_of_sides(month: MonthResult) -> dict[str, int]:
    """Return how many sides each reason keeps from being rated, that of their event or their own."""
    not_rated = month.games.filter(~pl.col("rated"))
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
