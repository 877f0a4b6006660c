"""Publish finished drafts, all or none: one commit decides, then the files move to their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ratinglist.analysis import event_status
from ratinglist.config import Settings
from ratinglist.durable_files import synced
from ratinglist.period import Period
from ratinglist.publication import answers, index_change, intentions, placement, published_tables, revision_writer
from ratinglist.publication.intentions import Intention
from ratinglist.publication.placement import PUBLISHED, Placement, draft_path
from ratinglist.publication.published_tables import EVENTS
from ratinglist.publication.questions import RaisedQuestion
from ratinglist.publication.revision_writer import Draft
from ratinglist.schemas import EVENT_STATUS
from ratinglist.store import journal, published_revisions
from ratinglist.store.database import Store
from ratinglist.store.published_revisions import state_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_parquet


@dataclass(frozen=True, slots=True)
class Record:
    """What the journal records of a release: the kind of the entry, and its facts."""

    kind: str
    facts: dict[str, object]


EVENT_STATUSES = f"{PUBLISHED}/{EVENTS}"
"""The path below the home of the status of all events."""


def release(
    store: Store,
    settings: Settings,
    drafts: Sequence[Draft],
    questions: Mapping[str, Sequence[RaisedQuestion]],
    record: Record,
    tables: Sequence[str] = (),
) -> list[Draft]:
    """Publish drafts, signed where the office signs, and return those that readers did not have yet.

    ``questions``: those of all months, with the reasons given, which are kept. ``record``: the entry of the journal.
    ``tables``: the paths below the home of further tables that are finished under ``drafts/``. The status of every
    event is published with them.

    Raises :class:`~ratinglist.errors.UnfinishedError` where it was decided and the disk refused a step.
    """
    current = published_revisions.current(store)
    new = [one for one in drafts if current.get(str(one.period)) != one.revision]
    for one in new:
        revision_writer.sign(one)
    states = {one.period: state_of(one.folder, one.digest) for one in new}
    draft_event_statuses(store, settings)
    digests = published_tables.draft_digests(settings.drafts, [*tables, EVENT_STATUSES])
    placed = placement.of_revisions(settings.home, settings.drafts, [(one.period, one.revision) for one in new])
    what = f"The publication of {enumerated(new)}" if new else "The publication of the status of all events"
    intention = Intention(what, Placement((*placed.content, *tables, EVENT_STATUSES), placed.current))
    with intentions.decided(store, settings, intention, digests):
        insert_reasons(store, settings, questions)
        for one in new:
            published_revisions.insert(store, one.period, one.revision, settings.today, states[one.period])
            published_revisions.make_current(store, one.period, one.revision)
        _note(store, settings, record, bool(new), digests)
    return new


def _note(store: Store, settings: Settings, record: Record, is_new: bool, digests: Mapping[str, str]) -> None:
    """Insert the entry of a release into the journal; where nothing is new, of other tables or of another key.

    So every change of the index has an entry.
    """
    if is_new or record.kind == "revise":
        journal.note(store, record.kind, settings.today, **record.facts, family=settings.family, tables=digests)
    elif (
        record.kind == "statuses"
        or digests != published_tables.recorded(store, digests)
        or index_change.changes_key(store, settings)
    ):
        journal.note(store, "statuses", settings.today, family=settings.family, tables=digests)


def enumerated(drafts: Iterable[Draft]) -> str:
    """Return the months and revisions of drafts for a message."""
    return ", ".join(f"{one.period} (r{one.revision})" for one in drafts)


def insert_reasons(store: Store, settings: Settings, questions: Mapping[str, Sequence[RaisedQuestion]]) -> None:
    """Insert the reasons given for questions, by month, in the transaction of the caller."""
    for month, raised in questions.items():
        answers.keep_reasons(store, Period.parse(month), raised, settings.today)


def keep_reasons(store: Store, settings: Settings, questions: Mapping[str, Sequence[RaisedQuestion]]) -> None:
    """Keep the reasons given for questions, by month, in a transaction of their own: nothing else is decided."""
    with store.transaction():
        insert_reasons(store, settings, questions)


def draft_event_statuses(store: Store, settings: Settings) -> None:
    """Write the status of every report ever received as a draft of ``published/events.parquet``."""
    rows = event_status.statuses(store, rule_book(), settings.family)
    table = settings.office.fields.table(EVENT_STATUS.name)
    path = draft_path(settings.drafts, EVENT_STATUSES)
    synced(write_parquet(path, table, table.conform(rows)))


def write_statuses(store: Store, settings: Settings) -> None:
    """Publish the status of every event again, as an entry of the journal records it."""
    release(store, settings, [], {}, Record("statuses", {}))
