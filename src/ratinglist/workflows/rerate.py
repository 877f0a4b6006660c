"""Corrections made, and the lists they move calculated again: new revisions beside the old ones, each with its diff."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

import polars as pl

from ratinglist.config import Settings
from ratinglist.correction_summaries import RerateSummary, RevisedMonth
from ratinglist.corrections import diff
from ratinglist.corrections.pending import pending_changes
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.publication import revisions as released
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.revision_batch import Revisions, asks_told
from ratinglist.store import calculation_log, calculations
from ratinglist.store.database import Store, open_store
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.rate import calculate


def rerate(
    settings: Settings, start: Period, *, preview: bool = False, because: Mapping[str, str] | None = None
) -> RerateSummary:
    """Calculate every list from ``start`` on again, with what is known now, and publish those that changed, or none.

    ``preview``: say what would be published, and leave everything as it was. ``because``: reasons, by question. Killed
    in the middle, it is simply run again. Raises :class:`NothingReadError` where no list from ``start`` on was
    calculated here, ``CheckError`` where a check stops a publication, a question is open or a list is not approved:
    the lists are calculated then, and those to look at are previews; :class:`CommandLineError` for a reason that
    answers no question.
    """
    with open_store(settings.store, settings.threads) as store:
        with store.trial() if preview else nullcontext():
            summary = _rerate(store, settings, start, because or {}, preview=preview)
        calculations.clean_up(store)
        return summary


def _rerate(
    store: Store, settings: Settings, start: Period, because: Mapping[str, str], *, preview: bool
) -> RerateSummary:
    months = _months(store, start)
    for done, period in enumerate(months):
        settings.progress(f"rating {period}", done, len(months))
        _rate_again(store, settings, period)
    # Only after all of them: an event may have gone from one list to another, and the checks read every list.
    with _revisions(store, settings, start, because) as revisions:
        for done, period in enumerate(months):
            settings.progress(f"publishing {period}", done, len(months))
            revisions.add(period, preview=preview)
        revisions.check_reasons()
        if not preview:
            revisions.release()
    notes = [*asks_told(revisions.months), *pending_changes(store, rule_book(), start)]
    return RerateSummary.of(start, revisions.months, notes, preview=preview)


def months_to_rerate(settings: Settings, start: Period) -> list[Period]:
    """The months that :func:`rerate` goes through, for who wants to take them one by one."""
    with open_store(settings.store, settings.threads) as store:
        return _months(store, start)


def rate_again(settings: Settings, period: Period) -> None:
    """The first half of :func:`rerate` for one month: calculate it. Every month has to be, before one is published."""
    with open_store(settings.store, settings.threads) as store:
        _rate_again(store, settings, period)


def publish_again(settings: Settings, period: Period) -> RevisedMonth:
    """The second half of :func:`rerate` for one month, after the months before it: publish it where it changed."""
    with open_store(settings.store, settings.threads) as store, _revisions(store, settings, period, {}) as revisions:
        revisions.add(period, preview=False)
        revisions.release()
        return revisions.months[0]


def _revisions(store: Store, settings: Settings, start: Period, because: Mapping[str, str]) -> Revisions:
    moved = _moved_on_disk(store, settings, start)
    return Revisions(store, settings, because, PublishingCommand(start, is_rerate=True), moved)


def _months(store: Store, start: Period) -> list[Period]:
    months = calculation_log.months_from(store, start)
    if not months:
        raise NothingReadError(f"No list from {start} on was calculated here: there is nothing to rate again.")
    return months


def _rate_again(store: Store, settings: Settings, period: Period) -> None:
    calculation = calculations.calculation(store, period)
    if calculation is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    calculate(store, replace(settings, family=calculation.family), period)


def _moved_on_disk(store: Store, settings: Settings, period: Period) -> pl.DataFrame:
    """Who was moved on the lists before ``period``, as the diffs of the newest revisions say, if they are of today.

    A diff made before the newest correction tells of other corrections, whose effect every list has long had.
    """
    newest = calculation_log.last_correction(store)
    told = [pl.DataFrame(schema=diff.MOVED)]
    for month in released.months(settings.published):
        revision = released.latest(settings.published, month)
        if month >= period or revision is None or not (revision / "diff.parquet").exists():
            continue
        if calculation_log.correction_shown(store, month, released.number_of(revision)) == newest:
            told.append(diff.moved_by(pl.read_parquet(revision / "diff.parquet", glob=False), month))
    return pl.concat(told)
