"""The status of every report: what a list made of it, what is to be done, and until when it can still be rated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.report_versions import join_rule_sets
from ratinglist.rating.rules import RuleBook
from ratinglist.reasons import EVENT_REASONS, STATUS_SENTENCES, status_word
from ratinglist.store.database import Store
from ratinglist.tables import EVENT_STATUS

SETTLED = ("rated", "late", "duplicate", "superseded", "replaced")
"""Statuses for which an officer has nothing to do."""


def statuses(store: Store, rules: RuleBook, family: str, event_id: str | None = None) -> pl.DataFrame:
    """Return the status of every report, or of the reports of one event.

    Out: ``EVENT_STATUS`` in its order, ``file_name`` and ``report_id``. ``rateable_until`` is the closing
    date of the last list that may rate the event (``last_list_after_end``, B.02 9.1), by the rule set in force on its
    start date.
    """
    reports = store.read(
        "select * from report_status where $code is null or event_id = $code order by report_id", code=event_id
    )
    after_end = pl.col("end_date").dt.year() * 12 + pl.col("end_date").dt.month().cast(pl.Int32) - 1
    is_settled = pl.col("status").is_in(SETTLED) | (pl.col("reason") == "withdrawn")
    is_open = (pl.col("last_list_after_end") > 0) & ~is_settled
    limited = join_rule_sets(reports, rules, family).with_columns(
        pl.when(is_open).then((after_end + pl.col("last_list_after_end")).cast(pl.Int32)).alias("last_index")
    )
    last = limited.join(_closing_days(limited, rules, family), on=["time_control", "last_index"], how="left")
    remedies = {code: reason.remedy for code, reason in EVENT_REASONS.items()} | {"": ""}
    described = last.with_columns(
        pl.when(pl.col("status").is_in(SETTLED))
        .then(pl.lit(""))
        .otherwise(pl.col("reason").replace_strict(remedies, return_dtype=pl.String))
        .alias("missing")
    )
    return (
        EVENT_STATUS.conform(described)
        .with_columns(described["file_name"], described["report_id"])
        .sort("event_id", "received_on", "version", "report_sha256", "file_name", "report_id")
    )


def without_replaced_versions(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` without the reports that no list will look at: it looked at a newer version of their event.

    In: ``event_id``, ``version``, ``received_on``, ``list_month``; a newer version has a higher number, or the same
    number and came later.
    """
    looked_at = rows.filter(pl.col("list_month").is_not_null()).sort("event_id", "version", "received_on")
    newest = looked_at.group_by("event_id").agg(
        pl.col("version").last().alias("newest_version"), pl.col("received_on").last().alias("newest_received_on")
    )
    is_newer = (pl.col("newest_version") > pl.col("version")) | (
        (pl.col("newest_version") == pl.col("version")) & (pl.col("newest_received_on") > pl.col("received_on"))
    )
    replaced = pl.col("list_month").is_null() & is_newer.fill_null(value=False)
    return (
        rows.join(newest, on="event_id", how="left", maintain_order="left")
        .filter(~replaced)
        .drop("newest_version", "newest_received_on")
    )


def _closing_days(events: pl.DataFrame, rules: RuleBook, family: str) -> pl.DataFrame:
    """Return ``last_list`` and ``rateable_until`` by ``time_control`` and ``last_index``, one row per list."""
    rows = []
    for control, index in events.select("time_control", "last_index").drop_nulls().unique().sort(pl.all()).iter_rows():
        period = Period(index)
        rule_set = rules.on(family, control, period.first_day)
        if rule_set is not None:
            until = period.first_day - timedelta(days=rule_set.list.closing_days_before)
            rows.append((control, index, str(period), until))
    schema = {"time_control": pl.String, "last_index": pl.Int32, "last_list": pl.String, "rateable_until": pl.Date}
    return pl.DataFrame(rows, schema=schema, orient="row")


def status_text(rows: pl.DataFrame, today: date, notes: Sequence[str] = ()) -> str:
    """Format the rows of :func:`statuses` for people, with the days left from ``today``, and ``notes`` below them."""
    reports = [_report_text(row, today) for row in rows.iter_rows(named=True)]
    return "\n".join([*reports, *(f"note: {note}" for note in notes)])


def _report_text(row: dict[str, object], today: date) -> str:
    lines = [f"{row['event_id']}  {row['name']} ({_days_text(row)}), {row['time_control'] or 'time control not known'}"]
    lines.append(f"  received {row['received_on']}, version {row['version']}: {row['file_name']}")
    reason = EVENT_REASONS.get(str(row["reason"]))
    on_list = f" (list of {row['list_month']})" if row["list_month"] else ""
    why = reason.sentence if reason else STATUS_SENTENCES.get(str(row["status"]))
    status = status_word(str(row["status"]), str(row["reason"]))
    lines.append(f"  {status}{on_list}" + (f": {why}" if why else ""))
    if row["missing"]:
        lines.append(f"  {'' if str(row['missing']).startswith('nothing to do') else 'to do: '}{row['missing']}")
    until = row["rateable_until"]
    if isinstance(until, date):
        left = (until - today).days
        remaining = "1 day left" if left == 1 else f"{left} days left" if left >= 0 else "this date has passed"
        lines.append(f"  last list that can rate it: {row['last_list']}; deadline {until} ({remaining})")
    return "\n".join(lines)


def _days_text(row: dict[str, object]) -> str:
    start, end = (row[name] or "a day not known" for name in ("start_date", "end_date"))
    return str(start) if start == end else f"{start} to {end}"
