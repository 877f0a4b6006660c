"""Open the home of an office: first finish what was decided, then delete abandoned files and check what is published.

Every workflow opens the store here, so that no command works on a half-made change. A command that only reads is not
made to wait for the modules that write: the functions that need them import them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ratinglist.config import Settings
from ratinglist.durable_files import folder_named_in_disk_errors
from ratinglist.errors import RatinglistError, StoreInUseError, UnfinishedError
from ratinglist.period import Period
from ratinglist.store import reading
from ratinglist.store.database import Store
from ratinglist.store.opening import open_store

if TYPE_CHECKING:
    from ratinglist.publication.consistency import Disagreement


@contextmanager
def open_to_write(settings: Settings, *, taken_back: Period | None = None) -> Iterator[Store]:
    """Open the home for a command that writes.

    ``taken_back``: see :func:`~ratinglist.publication.consistency.check`. Raises what
    :func:`~ratinglist.store.opening.open_store` raises; :class:`UnfinishedError` where an earlier change was decided
    and still cannot be finished; :class:`~ratinglist.errors.CheckError` where the store and the published files do not
    agree. Then nothing was changed.
    """
    from ratinglist.publication import abandoned_files, consistency, current_view, index_change, notices

    with folder_named_in_disk_errors(settings.home), open_store(settings.store, settings.threads) as store:
        _finish(store, settings)
        notices.give(store, settings)
        abandoned_files.sweep(store, settings)
        consistency.check(store, settings.published, taken_back)
        for name in index_change.put_back(store, settings.published):
            settings.warn(f"{settings.published / name} was missing; it was put back.")
        current_view.keep(settings)
        try:
            yield store
        except UnfinishedError:
            raise
        except RatinglistError:
            # The command was refused, so its drafts are not needed. After any other error the disk or the store may be
            # at fault, and it is not known what was committed: then the next command deletes them.
            if not _is_decided(store):
                abandoned_files.delete_drafts(settings)
            raise


@contextmanager
def open_to_read(settings: Settings, *, shows_published: bool = False) -> Iterator[Store]:
    """Open the home for a command that only reads (:func:`~ratinglist.store.reading.open_to_read`).

    Where an earlier change was decided and is not in place yet, it is finished first. A change that cannot be finished
    now is a warning; one of a command that is writing now is left to that command.

    ``shows_published``: the command shows what is published. Then :class:`~ratinglist.errors.CheckError` is raised
    where the store and the published files do not agree.
    """
    with reading.open_to_read(settings.store, settings.threads) as store:
        if not _is_decided(store):
            if shows_published:
                _refuse_to_show(disagreements(store, settings))
            yield store
            return
    _finish_for_a_reader(settings)
    with reading.open_to_read(settings.store, settings.threads) as store:
        if shows_published:
            _refuse_to_show(disagreements(store, settings))
        yield store


def check_published(settings: Settings, months: Collection[Period] | None = None) -> None:
    """Compare what is published with the store, for a command that reads the published files and not the store.

    ``months``: those that the command reads; None for all, with the files of no month. Raises
    :class:`~ratinglist.errors.CheckError` where they do not agree. Nothing is compared where the store cannot be read
    at once (:func:`~ratinglist.store.reading.open_to_compare`), as in a copy of the published folder alone.
    """
    with reading.open_to_compare(settings.store) as store:
        found = disagreements(store, settings) if store else []
    _refuse_to_show([one for one in found if months is None or one.month in set(map(str, months))])


def disagreements(store: Store, settings: Settings) -> list[Disagreement]:
    """Return where the store and the published files do not agree, for a command that only reads.

    None where a change was decided and is not carried out yet: then some files are those before it.
    """
    from ratinglist.publication import consistency

    return [] if _is_decided(store) else consistency.before_reading(store, settings.published)


def _refuse_to_show(found: list[Disagreement]) -> None:
    from ratinglist.publication import consistency

    consistency.refuse_to_show(found)


def _finish_for_a_reader(settings: Settings) -> None:
    if not os.access(settings.home, os.W_OK):
        settings.warn("A change of what is published was decided and is not in place yet: this home cannot be written.")
        return
    try:
        with open_store(settings.store, settings.threads) as store:
            _finish(store, settings)
    except StoreInUseError:
        return
    except UnfinishedError as error:
        settings.warn(str(error))


def _is_decided(store: Store) -> bool:
    """Return whether a change was decided and is not carried out yet."""
    return store.finds_rows("select 1 from intention")


def _finish(store: Store, settings: Settings) -> None:
    if not _is_decided(store):
        return
    from ratinglist.publication import intentions

    if done := intentions.finish(store, settings):
        settings.warn(f"{done} was decided by a command that was interrupted; it is in place now.")
