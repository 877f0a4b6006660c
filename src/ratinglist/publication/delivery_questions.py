"""The questions on what was delivered for a list: whether many reports of it are on no list, and whether all came.

The delivery of a list is every report that was loaded after the first publication of a list before it, and before that
of a list after it.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import Final

import polars as pl

from ratinglist.analysis.pending import reports_since
from ratinglist.home import originals
from ratinglist.period import Period
from ratinglist.publication.questions import RaisedQuestion
from ratinglist.quarantine_text import by_reason
from ratinglist.reasons import WAITING
from ratinglist.store import quarantine
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book

_MOST: Final = {
    "most_refused": (
        "refused",
        "Is it right that {number:,} of the {every:,} reports that were loaded for this list are refused?",
    ),
    "most_waiting": (
        "waiting",
        "Is it right that {number:,} of the {every:,} reports that were loaded for this list wait, and are on no list?",
    ),
}
"""By question: the status of a report that it is about, and its text."""
_LATER: Final = "most_later"
_LATER_TEXT: Final = (
    "Is it right that {number:,} of the {every:,} reports that were loaded for this list arrived after it closed, "
    "though their events had ended, so that a later list rates them? The day of arrival is received_on in "
    "manifest.csv, or --received; else the day of loading."
)
_ABSENT: Final = "not_delivered"
_ABSENT_TEXT: Final = "Is the delivery whole, though manifest.csv names reports that were not in it?"
_SINCE: Final = "loaded_since"
_SINCE_TEXT: Final = (
    "Is it right that the list is published without these reports? They were received in time, and loaded since it was "
    "calculated. To rate them: ratinglist rate {month}"
)
NAMES: Final = (*_MOST, _LATER, _ABSENT, _SINCE)
_FEWEST: Final = 2
"""A single report is named in the summary of the run, and raises no question."""


def raised_questions(store: Store, period: Period) -> list[RaisedQuestion]:
    """Return the questions of :data:`NAMES` that the delivery of a list raises."""
    delivered = _delivered(store, period)
    question = partial(RaisedQuestion.of, store.log.history, period)
    raised = []
    for name, (status, text) in _MOST.items():
        of_status = delivered.filter(pl.col("status") == status)
        number, every = len(of_status), len(delivered)
        if number < _FEWEST or 2 * number <= every:
            continue
        rows = by_reason(_findings(store, period, status, of_status))
        raised.append(question(name, text.format(number=number, every=every), rows))
    later = delivered.filter("is_later")
    if len(later) >= _FEWEST and 2 * len(later) > len(delivered):
        days: list[dict[str, object]] = (
            later.group_by("received_on")
            .agg(pl.len().cast(pl.Int32).alias("reports"), pl.col("file_name").min().alias("first"))
            .sort("received_on")
            .select(pl.col("received_on").cast(pl.String), "reports", "first")
            .to_dicts()
        )
        text = _LATER_TEXT.format(number=len(later), every=len(delivered))
        raised.append(question(_LATER, text, days))
    if absent := _absent(store, period):
        raised.append(question(_ABSENT, _ABSENT_TEXT, [{"file": name} for name in absent]))
    since = reports_since(store, rule_book()).filter(pl.col("month") == str(period), ~pl.col("is_published"))
    if len(since):
        reports = since.select(pl.col("file_name").alias("file"), "event_id", pl.col("received_on").cast(pl.String))
        raised.append(question(_SINCE, _SINCE_TEXT.format(month=period), reports.to_dicts()))
    return raised


def _absent(store: Store, period: Period) -> list[str]:
    """Return the reports that manifests loaded for a list name and no delivery since then has.

    A manifest that came again counts as it came last.
    """
    after, before = store.log.history.entries_for(str(period))
    loads = [
        one
        for one in store.log.entries
        if one.kind == "load" and after < one.number < before and one.number not in store.log.history.retracted
    ]
    absent: dict[str, list[str]] = {}
    present = set()
    for entry in loads:
        delivered = originals.delivery(store.home, entry)
        present |= {PurePath(one["name"]).name for one in delivered["files"]}
        names = delivered.get("absent", [])
        for manifest, _ in delivered["manifests"]:
            absent[manifest] = [name for name in names if name.startswith(manifest.removesuffix("manifest.csv"))]
    return sorted({name for names in absent.values() for name in names if PurePath(name).name not in present})


def _findings(store: Store, period: Period, status: str, reports: pl.DataFrame) -> list[dict[str, object]]:
    """Return why these reports have the ``status``; by the calculation of the list, where nothing is wrong now."""
    now = [row for row in quarantine.of_reports(store, reports["report_id"]) if row["status"] == status]
    then = set(reports["event_id"]) - {row["event_id"] for row in now}
    return [*now, *(row for row in quarantine.of_month(store, period) if row["event_id"] in then)]


def _delivered(store: Store, period: Period) -> pl.DataFrame:
    """Return the reports that were loaded for a list.

    Out: ``report_id``, ``event_id``, ``status`` (refused, waiting, good), ``is_later`` (its event had ended, and it
    arrived after the list closed), ``received_on``, ``file_name``.

    A report that came again in a better version, or was set aside, is left out. A report that waited when the list was
    calculated waits for this list, also where the fact is known by now.
    """
    after, before = store.log.history.entries_for(str(period))
    return store.read(
        """
        with loaded as (
            select report.* from report anti join dismissed_report using (report_id)
            where loaded_no > $after and loaded_no < $before
        ),
        waits as (
            select report_id from unknown_player
            union select report_id from finding
            where effect = 'waits' or (effect = 'refused' and rule in (select unnest($waiting)))
            union select report_id from event where month = $month and reason in (select unnest($waiting))
        ),
        good as (
            select event_id, sha256 from report anti join waits using (report_id) where accepted
        )
        select
            report_id,
            event_id,
            case
                when report_id in (select report_id from waits) then 'waiting'
                when accepted then 'good'
                else 'refused'
            end as status,
            accepted and (
                received_on >= $first_day and end_date < $first_day
                or report_id in (select report_id from event where month = $month and reason = 'received_after_closing')
            ) as is_later,
            received_on,
            file_name
        from loaded
        where report_id in (select report_id from report anti join waits using (report_id) where accepted)
            or (event_id not in (select event_id from good) and sha256 not in (select sha256 from good))
        order by report_id
        """,
        after=after,
        before=before,
        month=str(period),
        first_day=period.first_day,
        waiting=list(WAITING),
    )
