"""The questions on what was delivered for a list: whether most of its reports are refused, or wait for a fact.

The delivery of a list is every report that was loaded after the first publication of a list before it, and before that
of a list after it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

import polars as pl

from ratinglist.period import Period
from ratinglist.publication.questions import RaisedQuestion, newest_reason
from ratinglist.quarantine_text import by_reason
from ratinglist.reasons import WAITING
from ratinglist.store import quarantine
from ratinglist.store.database import Store

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
NAMES: Final = tuple(_MOST)
_FEWEST: Final = 2
"""A single report is named in the summary of the run, and raises no question."""
_REASONS_SHOWN: Final = 5


def raised_questions(store: Store, period: Period) -> list[RaisedQuestion]:
    """Return the questions of :data:`NAMES` that the delivery of a list raises: each where it is so of most reports."""
    delivered = _delivered(store, period)
    raised = []
    for name, (status, text) in _MOST.items():
        of_status = delivered.filter(pl.col("status") == status)
        number, every = len(of_status), len(delivered)
        if number < _FEWEST or 2 * number <= every:
            continue
        rows = by_reason(_findings(store, period, status, of_status))
        digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
        reason = newest_reason(store.log.history, str(period), name, digest)
        raised.append(
            RaisedQuestion(
                name, text.format(number=number, every=every), rows[:_REASONS_SHOWN], len(rows), digest, reason
            )
        )
    return raised


def _findings(store: Store, period: Period, status: str, reports: pl.DataFrame) -> list[dict[str, object]]:
    """Return why these reports have the ``status``; by the calculation of the list, where nothing is wrong now."""
    now = [row for row in quarantine.of_reports(store, reports["report_id"]) if row["status"] == status]
    then = set(reports["event_id"]) - {row["event_id"] for row in now}
    return [*now, *(row for row in quarantine.of_month(store, period) if row["event_id"] in then)]


def _delivered(store: Store, period: Period) -> pl.DataFrame:
    """Return the reports that were loaded for a list: ``report_id``, ``event_id``, ``status`` (refused, waiting, good).

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
            end as status
        from loaded
        where report_id in (select report_id from report anti join waits using (report_id) where accepted)
            or (event_id not in (select event_id from good) and sha256 not in (select sha256 from good))
        order by report_id
        """,
        after=after,
        before=before,
        month=str(period),
        waiting=list(WAITING),
    )
