"""The questions of ``sql/questions``: what is unusual in a list though not wrong in itself, and the reasons given.

A question stops a publication until a person writes down why the list is right. The reason answers exactly the rows
found then: the same rows do not raise the question again, other rows do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path

from ratinglist import resources
from ratinglist.period import Period
from ratinglist.publication.checks import ROWS_SHOWN, first_sentence, rows_of
from ratinglist.publication.raised_questions import RaisedQuestion
from ratinglist.question_limits import Thresholds
from ratinglist.store.database import Store


def names() -> list[str]:
    """Return the names of all questions."""
    return [file.stem for file in _files()]


def raised(
    store: Store, period: Period, thresholds: Thresholds, questions: Sequence[Path] | None = None
) -> list[RaisedQuestion]:
    """Return the questions that a calculated month raises, each with the newest reason given for the rows it found.

    ``questions``: the files to run, by default all. Call it inside :func:`~ratinglist.publication.checks.prepared`.
    """
    chosen = asdict(thresholds)
    found = []
    for file in questions or _files():
        text = file.read_text(encoding="utf-8")
        rows = rows_of(store, text, month=str(period), **chosen).to_dicts()
        if rows:
            digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
            reason = _reason(store, period, file.stem, digest)
            question = first_sentence(text).format(**chosen)
            found.append(RaisedQuestion(file.stem, question, rows[:ROWS_SHOWN], len(rows), digest, reason))
    return found


def keep_reasons(store: Store, period: Period, answered: Iterable[RaisedQuestion], known_on: date) -> None:
    """Insert every new reason; the newest one answers the rows found."""
    for one in answered:
        if one.reason and one.reason != _reason(store, period, one.question, one.found_digest):
            store.execute(
                """
                insert into answer
                select coalesce(max(answer_no), 0) + 1, $month, $question, $found, $reason, $known_on from answer
                """,
                month=str(period),
                question=one.question,
                found=one.found_digest,
                reason=one.reason,
                known_on=known_on,
            )


def _reason(store: Store, period: Period, question: str, found_digest: str) -> str:
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


def _files() -> list[Path]:
    return sorted(resources.sql("questions").glob("*.sql"))
