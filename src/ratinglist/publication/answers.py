"""The reasons given for the rows that a question found: the table ``answer`` of the store. Reasons are only added."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from ratinglist.period import Period
from ratinglist.publication.questions import RaisedQuestion
from ratinglist.store import journal
from ratinglist.store.database import Store


def newest_reason(store: Store, period: Period, question: str, found_digest: str) -> str:
    """Return the newest reason given for exactly these rows; empty where there is none."""
    rows = store.read(
        """
        select reason from answer where month = $month and question = $question and found_digest = $found
        order by answer_no desc limit 1
        """,
        month=str(period),
        question=question,
        found=found_digest,
    )
    return str(rows.item()) if len(rows) else ""


def keep_reasons(store: Store, period: Period, raised: Iterable[RaisedQuestion], known_on: date) -> None:
    """Insert the reason of every question whose newest kept reason is another one."""
    for one in raised:
        if one.reason and one.reason != newest_reason(store, period, one.question, one.found_digest):
            answer = {"question": one.question, "found": one.found_digest, "reason": one.reason}
            with store.transaction():
                insert_answer(store, known_on, month=str(period), **answer)
                journal.note(store, "answer", known_on, month=str(period), **answer)


def insert_answer(store: Store, known_on: date, *, month: str, question: str, found: str, reason: str) -> None:
    """Insert a reason; ``found``: the digest of the rows that it is about."""
    store.execute(
        """
        insert into answer
        select coalesce(max(answer_no), 0) + 1, $month, $question, $found, $reason, $known_on from answer
        """,
        month=month,
        question=question,
        found=found,
        reason=reason,
        known_on=known_on,
    )
