"""What an officer should know of a calculation that went well."""

from __future__ import annotations

import polars as pl

from ratinglist.corrections.pending import pending_changes
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, rules_of_list
from ratinglist.store import calculations
from ratinglist.store.database import Store


def notes_on_month(store: Store, period: Period, inputs: MonthInputs) -> list[str]:
    """What an officer should know of a calculation that went well."""
    notes = []
    newest = inputs.lists_there.group_by("time_control").agg(pl.col("month").max()).sort("time_control")
    in_force = rules_of_list(inputs)
    for time_control, month in newest.iter_rows():
        if time_control not in in_force:
            notes.append(f"no {time_control} list: the family '{inputs.family}' has no rule set for it on that day")
        elif month != str(period - 1):
            notes.append(f"the {time_control} list before is that of {month}: the months between have no list")
    if later := calculations.received_later(store, period):
        notes.append(
            f"of what is in the store, {later:,} {'event' if later == 1 else 'events'} came on or after "
            f"{period.first_day} and {'counts' if later == 1 else 'count'} for a later list; if that is wrong, load "
            "again with --received YYYY-MM-DD"
        )
    before = calculations.calculation(store, Period.parse(str(newest["month"].max()))) if len(newest) else None
    if before is not None and before["family"] != inputs.family:
        notes.append(
            f"the list before was calculated by the family '{before['family']}', this one by '{inputs.family}'"
        )
    if months := calculations.calculated_later(store, period):
        notes.append(f"later lists stand on the figures before this calculation: run {', '.join(months)} again")
    notes += [
        f"event {row['event_id']}: version {row['version']}, from {row['start_date']} on, counts as a further slice "
        f"beside version {row['version_before']}, from {row['start_date_before']} on; if it was to put that one right, "
        f"correct that one by it (replace_report with start_date = {row['start_date_before']} in match)"
        for row in calculations.slices_of_other_versions(store, period).iter_rows(named=True)
    ]
    return [*notes, *pending_changes(store, inputs.rules, period)]
