"""Rate a month: every time control, from everything received by its closing date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.rating.calculation import rate_month
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list
from ratinglist.store import calculations, quarantine
from ratinglist.store.calculations import digests_of
from ratinglist.store.database import Store, open_store
from ratinglist.store.month_inputs import month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import (
    MonthSummary,
)
from ratinglist.workflows.month_notes import notes_on_month

if TYPE_CHECKING:
    from ratinglist.workflows.run import Beside

Value = TypeVar("Value")


def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate a month's list for every time control, replacing what was calculated for it before.

    Raises :class:`NothingReadError` where there is no list to start from.
    """
    with open_store(settings.store, settings.threads) as store:
        return rate_in(store, settings, period)


def rate_in(store: Store, settings: Settings, period: Period, beside: Beside | None = None) -> MonthSummary:
    """As :func:`rate`, in a store that is open already; ``beside``: what goes on meanwhile, where anything does."""
    book = rule_book()
    book.of(settings.family)
    if calculations.is_imported(store, period):
        raise CommandLineError(
            f"The list of {period} was imported; a calculation would replace it. "
            f"Calculate {period + 1}, which starts from it."
        )
    settings.progress("reading the store", 0, 1)
    chosen = settings.office
    known = beside.meanwhile.beforehand() if beside else None
    inputs = month_inputs(store, period, settings.family, book, chosen.corrections.continue_from, known)
    if beside:
        beside.inputs_read(inputs)
    in_force = rules_of_list(inputs)
    if not in_force:
        raise NothingReadError(_nothing_to_start_from(inputs))
    settings.progress("rating", 0, 1)
    digests = _asked(beside, store, partial(digests_of, inputs=inputs))
    result = rate_month(inputs)
    if beside:
        beside.rated(inputs, result)
    names = {one.name for one in in_force.values()}
    with_k = result.sides.lazy().filter(pl.col("k").is_not_null()).select("event_no").unique().collect()
    names |= set(result.events.join(with_k, on="event_no", how="semi")["rule_set"])
    used = sorted((one.name, one.digest) for one in book.of(settings.family) if one.name in names)
    settings.progress("writing the store", 0, 1)
    names_used = [name for name, _ in used]
    counted = _asked(beside, store, lambda _store: count_month(period, settings.family, names_used, result))
    if beside:
        # The load is in the store before the month is.
        beside.load_told()
    row = calculations.calculation_row(store, inputs, digests(), used, chosen.corrections.continue_from)
    calculations.replace_month(store, period, result, row, settings.today)
    refused = quarantine.of_month(store, period)
    notes = notes_on_month(store, period, inputs)
    floors = sorted({one.list.floor for one in in_force.values()})
    return replace(counted(), refused=refused, notes=notes, floors=floors)


def _asked(beside: Beside | None, store: Store, read: Callable[[Store], Value]) -> Callable[[], Value]:
    """What gives the answer of ``read``, begun at once where something goes on beside; else it is read when asked."""
    return beside.meanwhile.asked(read) if beside else partial(read, store)


def _nothing_to_start_from(inputs: MonthInputs) -> str:
    controls = inputs.lists_there["time_control"].unique().sort().to_list()
    if not controls:
        return (
            f"There is no list before {inputs.period} to start from. "
            f"Import one first: ratinglist import-list FILE --month {inputs.period - 1}"
        )
    return (
        f"The family '{inputs.family}' has no rule set on {inputs.period.first_day} for {', '.join(controls)}. "
        "Choose another family with --rules; `ratinglist rules` shows what there is."
    )


def count_month(period: Period, family: str, rule_sets: list[str], result: MonthResult) -> MonthSummary:
    """Count what the calculation of a month gave; refused reports and notes are added later."""
    by_status = _counts(result.events["status"])
    not_rated = _reasons_of_sides(result)
    by_change = _counts(result.changes["status"])
    return MonthSummary(
        month=str(period),
        family=family,
        rule_sets=rule_sets,
        events={status: by_status.get(status, 0) for status in dict.fromkeys(STATUS.values())},
        results=len(result.sides),
        results_rated=len(result.sides) - sum(not_rated.values()),
        results_not_rated=not_rated,
        players={status: by_change.get(status, 0) for status in ("rated", "entered", "delisted")},
        waiting=result.pool.select("time_control", "fide_id").n_unique(),
        listed=_counts(result.list_state.select("time_control", "rating").drop_nulls()["time_control"]),
    )


def _reasons_of_sides(result: MonthResult) -> dict[str, int]:
    """How many sides each reason keeps from being rated, that of their event or their own."""
    not_rated = (
        result.sides.lazy()
        .filter(pl.col("change_hundredths").is_null())
        .group_by("event_no", "reason")
        .len("times")
        .collect()
    )
    of_event = result.events.select("event_no", pl.col("reason").alias("event_reason"))
    told = not_rated.join(of_event, on="event_no").select(
        pl.coalesce(pl.col("reason").cast(pl.String), "event_reason").alias("reason"), "times"
    )
    counted = told.group_by("reason").agg(pl.col("times").sum())
    return dict(counted.sort("times", "reason", descending=[True, False]).iter_rows())


def _counts(values: pl.Series) -> dict[str, int]:
    """How often each text occurs, most often first, then by name."""
    counted = values.value_counts(name="times").sort("times", values.name, descending=[True, False])
    return dict(counted.iter_rows())
