"""Publish finished drafts, all or none, and with them the status of all events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.files.durable_files import sha256_of, synced
from ratinglist.publication import change, office_guard, revision_writer, settle
from ratinglist.publication.change import PublicChange, draft_path
from ratinglist.publication.questions import OFFICE_SETTINGS, RaisedQuestion, newest_reason
from ratinglist.publication.revision_writer import Draft
from ratinglist.rating.event_verdicts import withheld
from ratinglist.settings import PUBLISHED, Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import EVENT_STATUS

EVENTS = "events.parquet"
"""The status of all events, published once for all months."""


@dataclass(frozen=True, slots=True)
class Record:
    """What the log records of a release: the kind of the entry, and its facts."""

    kind: str
    facts: dict[str, object]


def release(
    store: Store,
    settings: Settings,
    drafts: Sequence[Draft],
    questions: Mapping[str, Sequence[RaisedQuestion]],
    record: Record,
    tables: Sequence[str] = (),
) -> list[Draft]:
    """Publish drafts, signed where the office signs, and return those that readers did not have yet.

    ``questions``: those of all months, with the reasons given, which are kept. ``record``: the entry of the log.
    ``tables``: the paths below ``published`` of further tables that are finished as drafts. The status of every
    event is published with them.

    Raises :class:`~ratinglist.errors.UnfinishedError` where it was decided and the disk refused a step.
    """
    names = {one.question for raised in questions.values() for one in raised}
    if OFFICE_SETTINGS not in names:
        office_guard.check(store, settings)
    history = store.log.history
    new = [one for one in drafts if history.current.get(str(one.period)) != one.revision]
    for one in new:
        revision_writer.sign(one)
    draft_event_statuses(store, settings)
    every = [*tables, EVENTS]
    reasons = new_reasons(store, questions)
    published = [{"month": str(one.period), "revision": one.revision, "manifest": one.digest} for one in new]
    digests = {name: sha256_of(settings.drafts / PUBLISHED / name) for name in every}
    is_same = all(history.placed.get(name) == sha256 for name, sha256 in digests.items())
    if new or record.kind == "revise":
        kind, facts = record.kind, record.facts
    elif record.kind == "statuses" or not is_same or change.changes_key(store, settings):
        kind, facts = "statuses", {}
    else:
        keep_reasons(store, settings, questions)
        settle.carry_out(store.log, settings)
        return new
    facts = {**facts, "family": settings.family, **({"answers": reasons} if reasons else {})}
    current = {str(one.period): one.revision for one in new}
    change.decide(store, settings, PublicChange(kind, facts, published, current, every))
    return new


def new_reasons(store: Store, questions: Mapping[str, Sequence[RaisedQuestion]]) -> list[dict[str, str]]:
    """Return the reasons given for questions, by month, that are not the newest ones kept for what they found."""
    return [
        {"month": month, "question": one.question, "found": one.found_digest, "reason": one.reason}
        for month, raised in questions.items()
        for one in raised
        if one.reason and one.reason != newest_reason(store.log.history, month, one.question, one.found_digest)
    ]


def keep_reasons(store: Store, settings: Settings, questions: Mapping[str, Sequence[RaisedQuestion]]) -> None:
    """Keep the reasons given for questions, by month; nothing else is decided."""
    if reasons := new_reasons(store, questions):
        store.record("answer", settings.today, answers=reasons)


def draft_event_statuses(store: Store, settings: Settings) -> None:
    """Write the status of every report ever received as a draft of ``published/events.parquet``."""
    rows = event_status.statuses(store, rule_book(), settings.family)
    has_date = received.reports_with(store, rows.select("report_id", "start_date", text="name"))
    is_refused = pl.col("reason") == "report_refused"
    rows = rows.with_columns(withheld(is_refused, pl.col("report_id").is_in(has_date.implode())))
    table = settings.office.fields.table(EVENT_STATUS.name)
    path = draft_path(settings.drafts, f"{PUBLISHED}/{EVENTS}")
    synced(write_parquet(path, table, table.conform(rows)))


def write_statuses(store: Store, settings: Settings) -> None:
    """Publish the status of every event again, as an entry of the log records it."""
    release(store, settings, [], {}, Record("statuses", {}))
