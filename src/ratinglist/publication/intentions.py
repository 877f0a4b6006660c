"""Decide a change of published files by one commit, then carry it out; an interrupted one is carried out later.

Before the commit nothing that readers see has changed, and all new files are finished under ``HOME/drafts``. The commit
inserts what is published into the store, and with it the intention: which drafts move where. From then on the change
will be made: by this process, else by the next one that opens the home (:mod:`ratinglist.publication.home`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import duckdb

from ratinglist.config import Settings
from ratinglist.durable_files import remove_folder
from ratinglist.errors import UnfinishedError
from ratinglist.publication import current_view, index_change, placement, policy, privacy_scan
from ratinglist.publication.placement import PUBLISHED, Placement, draft_path
from ratinglist.store.database import Store


@dataclass(frozen=True, slots=True)
class Intention:
    """A change of published files. ``what``: its name in messages, such as ``the publication of 2025-11 (r2)``."""

    what: str
    placement: Placement


@contextmanager
def decided(
    store: Store, settings: Settings, intention: Intention, tables: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Commit the block and the intention together, then carry the intention out.

    ``tables``: the digest of each file it places that no manifest names, by path below the published folder, empty for
    one that it deletes. The block may add to it.

    The drafts are finished before this is called. The block inserts into the store what will be published; the index
    of what is published is made of that. Where it raises, nothing has changed. Raises :class:`UnfinishedError` where
    the change was decided and the disk refused it, :class:`~ratinglist.errors.CommandLineError` where the signing key
    cannot be used, :class:`~ratinglist.errors.CheckError` where one of ``tables`` contains what must stay private.
    """
    tables = {} if tables is None else tables
    try:
        with store.transaction():
            yield
            _check_privacy(store, settings, [name for name, sha256 in tables.items() if sha256])
            change = index_change.prepared(store, settings, intention.placement, tables)
            placement.sync_drafts(settings.drafts, change.placement)
            store.execute(
                "insert into intention values ($what, $steps, $day)",
                what=intention.what,
                steps=json.dumps(asdict(change.placement)),
                day=settings.today,
            )
    except OSError as error:
        # What follows a commit, the journal's copy in the archive, may be refused too: then it is decided all the same.
        if is_open(store):
            raise UnfinishedError(_unfinished_text(intention, error)) from None
        raise
    if change.warning:
        settings.warn(change.warning)
    finish(store, settings)


def _check_privacy(store: Store, settings: Settings, tables: Iterable[str]) -> None:
    """Raise :class:`CheckError` where the draft of a file outside the revisions contains what must stay private."""
    drafts = [draft_path(settings.drafts, f"{PUBLISHED}/{one}") for one in tables]
    found = privacy_scan.offences_outside_revisions(drafts, settings.office.fields, policy.birth_dates_of(store))
    privacy_scan.refuse(found, "the tables outside the revisions")


def finish(store: Store, settings: Settings) -> str:
    """Carry out the intention that is open, and return its name; empty where none is.

    May be repeated. Raises :class:`UnfinishedError` where the disk refuses a step.
    """
    intention = _open_intention(store)
    if intention is None:
        return ""
    try:
        placement.place(settings.home, settings.drafts, intention.placement)
        if settings.drafts.exists():
            remove_folder(settings.drafts)
        store.execute("delete from intention")
    except (OSError, duckdb.Error) as error:
        raise UnfinishedError(_unfinished_text(intention, error)) from None
    current_view.keep(settings)
    return intention.what


def is_open(store: Store) -> bool:
    """Return whether a change was decided and is not carried out yet: its drafts are needed."""
    return _open_intention(store) is not None


def _open_intention(store: Store) -> Intention | None:
    rows = store.rows("select what, steps from intention")
    if not rows:
        return None
    what, steps = rows[0]
    # An earlier version names fewer groups.
    groups = {group: tuple(names) for group, names in json.loads(steps).items()}
    return Intention(what, Placement(**groups))


def _unfinished_text(intention: Intention, error: OSError | duckdb.Error) -> str:
    if isinstance(error, OSError):
        reason = f"{error.filename or 'the system'}: {error.strerror or error}"
    else:
        reason = f"the store: {str(error).splitlines()[0]}"
    return (
        f"{intention.what} was decided, and is not wholly in place yet ({reason}). Readers see the state before it, or "
        "a part of it. Free space on the disk or correct the permissions, then give any command of this office, for "
        "example the same one again: first it finishes what was decided."
    )
