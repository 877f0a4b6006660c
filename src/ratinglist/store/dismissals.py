"""Refused reports that were set aside: no list can rate them, and no better version of them is expected."""

from __future__ import annotations

import polars as pl

from ratinglist.store.database import Store


def without_dismissed(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the status of reports without those that were set aside.

    In: ``report_id``, and any other column.
    """
    dismissed = store.read("select report_id from dismissed_report")
    return rows.join(dismissed, on="report_id", how="anti", maintain_order="left") if len(dismissed) else rows


def count_of_month(store: Store, month: str) -> int:
    """Return how many of the reports that a calculation refused were set aside."""
    rows = store.read(
        "select count(*) as n from event semi join dismissed_report using (report_id) "
        "where month = $month and status = 'refused'",
        month=month,
    )
    return int(rows.item())


def notes_of_event(store: Store, event_id: str) -> list[str]:
    """Return a sentence for each report of an event that was set aside."""
    rows = store.read(
        "select file_name, known_on, reason from dismissed_report where event_id = $code order by file_name, known_on",
        code=event_id,
    )
    return [f"{file} was set aside on {day}: {reason}" for file, day, reason in rows.iter_rows()]


def count(store: Store, report_ids: pl.Series) -> int:
    """Return how many of these reports were set aside."""
    with store.seeing(sent=pl.DataFrame([report_ids.alias("report_id")])):
        return int(store.read("select count(*) as n from dismissed_report semi join sent using (report_id)").item())
