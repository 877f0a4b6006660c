"""Rate a month: every time control, from everything received by its closing date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from ratinglist.config import BUCKETS, Settings
from ratinglist.engine import (
    BucketedMonth,
    BucketFolder,
    Engine,
    MonthCounts,
    calculate_month,
    occurrences,
    opened_engine,
)
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.durable_files import remove_folder
from ratinglist.period import Period
from ratinglist.rating.event_verdicts import STATUS, select_reports
from ratinglist.rating.model import MonthInputs, rules_of_list
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.store import bucketed_inputs, calculations, quarantine
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.month_inputs import in_one_bucket, read_month_inputs
from ratinglist.store.month_tables import tables_of
from ratinglist.store.moved import Moves, calculate_moved
from ratinglist.store.replaced_rows import replaced_rows
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary
from ratinglist.system_errors import system_error_text
from ratinglist.workflows import month_notes
from ratinglist.workflows.opening import open_to_write

_BUCKETS_A_WORKER = 2
"""So many buckets at least, that a worker which is done early takes another one."""

_GAMES_A_BUCKET = 1_000_000
"""About as many games as a worker holds at once, where the number of buckets is not given."""


@dataclass(frozen=True, slots=True)
class RatedMonth:
    """A month that was just calculated: its files, the ``players`` (``PLAYER``) on its lists, and its summary.

    ``players``: None where the month was calculated in buckets: then they are not in memory.
    """

    calculation: Calculation
    players: pl.DataFrame | None
    summary: MonthSummary


def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate a month's list for every time control, replacing what was calculated for it before.

    Raises what :func:`calculate` raises.
    """
    settings.check_month(period)
    with opened(settings) as engine, open_to_write(settings) as store:
        return calculate_and_count(store, settings, period, engine).summary


def calculate(store: Store, settings: Settings, period: Period, readings_of_list: int | None = None) -> Calculation:
    """Read the inputs of a month, rate it and write its calculation, which then is the current one.

    ``readings_of_list``: by default those of the published list, else the newest (:mod:`ratinglist.rating.readings`).
    Raises :class:`NothingReadError` where there is no list to start from, :class:`CommandLineError` where the month's
    list was imported.
    """
    with _written(store, settings, period, readings_of_list, None) as (_, _, written):
        return written


def calculate_again(store: Store, settings: Settings, period: Period, moves: Moves) -> Calculation:
    """Calculate a month again as :func:`calculate` does, with the same bytes: of a large one only what can have moved.

    ``moves``: who moved on the lists that the command has calculated again so far; this one's are added.
    """
    check_can_be_calculated(store, settings, period)
    made = calculations.calculation(store, period)
    with moves.noted(store, made):
        return _calculate_moved(store, settings, made, moves) or calculate(store, settings, period)


def _calculate_moved(store: Store, settings: Settings, made: Calculation | None, moves: Moves) -> Calculation | None:
    """Calculate what can have moved since a month was calculated; None where it is to be calculated as a whole."""
    office = settings.office
    if made is None or made.family != settings.family:
        return None
    if office.corrections.continue_from != "corrected" or office.fields.without:
        return None
    readings_of_list = calculations.readings_of(store, made.period)
    moved = calculate_moved(store, made, store.log.office_now(), readings_of_list, moves)
    if moved is None:
        return None
    month = replaced_rows(made.folder, moved.reached, moved.month, readings_of_list)
    if month is None:
        return None
    return calculations.write_calculated(store, moved.inputs, month, settings.office, settings.today, moved.digests)


def calculate_and_count(store: Store, settings: Settings, period: Period, engine: Engine | None) -> RatedMonth:
    """Calculate a month as :func:`calculate` does, and count and note what a person reads of it.

    ``engine``: that calculates the month in buckets; None: it is one bucket in this process.
    """
    with _written(store, settings, period, None, engine) as (inputs, month, written):
        summary = _summary(store, inputs, written, month)
        return RatedMonth(written, inputs.players if engine is None else None, summary)


@contextmanager
def _written(
    store: Store, settings: Settings, period: Period, readings_of_list: int | None, engine: Engine | None
) -> Iterator[tuple[MonthInputs, BucketedMonth, Calculation]]:
    """Give the inputs of a month without the rows of reports, the calculated month, and its written calculation."""
    check_can_be_calculated(store, settings, period)
    settings.progress("reading the store", 0, 1)
    readings_of_list = readings_of_list or calculations.readings_of(store, period)
    with _calculated(store, settings, period, readings_of_list, engine) as (inputs, month):
        settings.progress("writing the tables", 0, 1)
        tables = tables_of(month, inputs.readings)
        yield inputs, month, calculations.write_calculated(store, inputs, tables, settings.office, settings.today)


@contextmanager
def _calculated(
    store: Store, settings: Settings, period: Period, readings_of_list: int, engine: Engine | None
) -> Iterator[tuple[MonthInputs, BucketedMonth]]:
    """Give the inputs of a month without the rows of reports, and the calculated month with its tables.

    ``engine``: the inputs go into a folder of buckets, which is deleted after the block; what a killed process left
    there is deleted first. None: the month is one bucket in memory.
    """
    book, continue_from = rule_book(), settings.office.corrections.continue_from
    if engine is None:
        inputs = read_month_inputs(store, period, settings.family, book, continue_from, readings_of_list)
        _check_can_start(inputs)
        settings.progress("rating", 0, 1)
        with in_one_bucket(store, inputs) as planned:
            del inputs
            yield planned.inputs, calculate_month(planned)
        return
    inputs = bucketed_inputs.read_bare_inputs(store, period, settings.family, book, readings_of_list)
    _check_can_start(inputs)
    store.bound_memory()
    folder = BucketFolder(_root_of(settings))
    _delete(folder)
    folder.make()
    try:
        with ExitStack() as stack:
            with engine.started():
                reports = select_reports(inputs)
                buckets = _number_of_buckets(settings, reports, engine)
                settings.progress("writing the buckets", 0, 1)
                planned = stack.enter_context(
                    bucketed_inputs.in_buckets(store, inputs, reports, buckets, continue_from, folder)
                )
                month = calculate_month(planned, engine, settings.progress)
            yield inputs, month
    finally:
        try:
            _delete(folder)
        except OSError as error:
            settings.warn(
                f"{folder.root} was not deleted, and no list needs it: the next calculation in buckets, or ratinglist "
                f"doctor --tidy, deletes it. The cause: {system_error_text(error)}"
            )


def opened(settings: Settings) -> AbstractContextManager[Engine | None]:
    """Give the engine that is chosen (:func:`~ratinglist.engine.opened_engine`); None: one bucket in this process."""
    if settings.engine is None:
        return nullcontext()
    return opened_engine(settings.engine, _root_of(settings), settings.warn)


def _root_of(settings: Settings) -> Path:
    """Return the folder of the buckets; it is there while a month is calculated in them."""
    return (settings.home / BUCKETS).resolve()


def _number_of_buckets(settings: Settings, reports: pl.DataFrame, engine: Engine) -> int:
    if settings.engine is not None and settings.engine.buckets is not None:
        return settings.engine.buckets
    games = int(reports["games"].cast(pl.Int64).sum())
    return max(_BUCKETS_A_WORKER * engine.workers, games // _GAMES_A_BUCKET + 1)


def _delete(folder: BucketFolder) -> None:
    if folder.root.exists():
        remove_folder(folder.root)


def _check_can_start(inputs: MonthInputs) -> None:
    """Raise :class:`NothingReadError` where there is no list to start from."""
    if not rules_of_list(inputs):
        raise NothingReadError(_nothing_to_start_from(inputs))


def _summary(store: Store, inputs: MonthInputs, written: Calculation, month: BucketedMonth) -> MonthSummary:
    period = inputs.period
    notes = [*month_notes.of_month(store, period, inputs), *month_notes.of_coincidences(month.coincidences)]
    summary = count_month(written, month.events, month.counts, refused=quarantine.of_month(store, period), notes=notes)
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
    month whose list was imported, for a family of another system than the list before, and where buckets are wanted of
    a family that is calculated as a whole, and :class:`NothingReadError` where no list is before that month.
    """
    rule_book().of(settings.family)
    _check_published_in(settings, period)
    if settings.engine is not None and rule_book().is_system(settings.family):
        raise CommandLineError(
            f"The family '{settings.family}' is calculated as a whole and not in buckets: leave out --engine and "
            "--buckets. Nothing was received or calculated."
        )
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
    calculation: Calculation,
    events: pl.DataFrame,
    counts: MonthCounts,
    *,
    refused: list[dict[str, object]],
    notes: list[str],
) -> MonthSummary:
    """Count what the calculation of a month gave: events, results of players, players, lists."""
    by_status = occurrences(events["status"])
    not_rated = _most_first(counts.reasons)
    return MonthSummary(
        month=str(calculation.period),
        family=calculation.family,
        rule_sets=[one["name"] for one in calculation.rule_sets],
        events={status: by_status.get(status, 0) for status in dict.fromkeys(STATUS.values())},
        results=counts.sides,
        results_rated=counts.sides - sum(not_rated.values()),
        results_not_rated=not_rated,
        players={status: counts.changes.get(status, 0) for status in _statuses(calculation.family)},
        waiting=counts.waiting,
        listed=_most_first(counts.listed),
        refused=refused,
        notes=notes,
    )


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
