"""Calculate the lists that corrections change again, and publish each changed one as a new revision with its diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

import polars as pl

from ratinglist.analysis.report_states import pending_changes
from ratinglist.corrections.diff import moved_by, no_moves
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.publication import published_files, revisions
from ratinglist.publication.doubts import check_office_kept
from ratinglist.publication.drafts import RevisionBatch
from ratinglist.settings import Settings
from ratinglist.store import calculations, table_files
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import RerateSummary
from ratinglist.tables import DIFF
from ratinglist.workflows.month import calculate
from ratinglist.workflows.opening import open_to_write


def rerate(
    settings: Settings,
    start: Period,
    *,
    preview: bool = False,
    because: Mapping[str, str] | None = None,
) -> RerateSummary:
    """Calculate every list from ``start`` on again, as now known, and publish all that changed, or none.

    ``preview``: return what would be published, and change nothing. ``because``: reasons, by question. Whether
    published lists get revisions, or only the next list starts from the corrected ratings, is the choice of the office.
    A run that was killed is run again. Raises :class:`NothingReadError` where no list from ``start`` on was calculated
    here, ``CheckError`` where a check stops a publication, a question is open or a list is not approved: then the lists
    are calculated, and those with an open question or approval are kept as previews.
    """
    with open_to_write(settings) as store:
        # Where corrections land on the next list none is published, and no question asks about the office's choices.
        if not preview and settings.office.corrections.land == "next_list":
            check_office_kept(store, settings)
        with store.trial() if preview else nullcontext():
            summary, _ = _rerate(store, settings, start, because or {}, preview=preview)
        if preview:
            calculations.clean_up(store)
        return summary


def effect(store: Store, settings: Settings, start: Period) -> tuple[RerateSummary, pl.DataFrame]:
    """Calculate every list from ``start`` on again inside a trial of the caller, who rolls it back.

    Out: the summary of the lists, and the rating of every player that would be another: ``month``, ``time_control``,
    ``fide_id``, ``old_rating`` and ``rating``.
    """
    summary, moved = _rerate(store, settings, start, {}, preview=True)
    ratings = moved.select("month", "time_control", "fide_id", "old_rating", "rating").unique()
    return summary, ratings.filter((pl.col("month") >= str(start)) & pl.col("rating").ne_missing(pl.col("old_rating")))


def _rerate(
    store: Store,
    settings: Settings,
    start: Period,
    because: Mapping[str, str],
    *,
    preview: bool,
) -> tuple[RerateSummary, pl.DataFrame]:
    """Return the summary, and the players moved by these lists and those before (``MOVED``)."""
    months, families = _months(store, start), store.log.history.families()
    for done, period in enumerate(months):
        settings.progress(f"rating {period}", done, len(months))
        calculate(store, replace(settings, family=families[str(period)]), period, start)
    # Check only after all are calculated: an event may have moved to another list, and the checks read every list.
    with store.as_published(calculations.calculated_from(store, start)):
        batch = _compared(store, settings, start, months, because, preview=preview)
        if not preview:
            batch.release()
    notes = pending_changes(store, rule_book(), start)
    if settings.office.corrections.land == "next_list" and any(month.differs for month in batch.months):
        notes.append("no published list gets a revision: the next list starts from the corrected ratings")
    return RerateSummary(str(start), preview, batch.months, notes), batch.moved


def revise(
    store: Store,
    settings: Settings,
    start: Period,
    months: Sequence[Period],
    because: Mapping[str, str],
) -> None:
    """Publish those of ``months``, which are calculated, that changed; ``start``: the month of the command."""
    with store.as_published(calculations.calculated_from(store, start)):
        _compared(store, settings, start, months, because, preview=False).release()


def _compared(
    store: Store,
    settings: Settings,
    start: Period,
    months: Sequence[Period],
    because: Mapping[str, str],
    *,
    preview: bool,
) -> RevisionBatch:
    """Return the months compared with their revisions; unless it is a ``preview``, with the drafts of those changed."""
    moved = _moved_before(store, settings, start)
    batch = RevisionBatch(store, settings, because, start, moved)
    for done, period in enumerate(months):
        settings.progress(f"comparing {period}", done, len(months))
        batch.add(period, preview=preview)
    return batch


def _months(store: Store, start: Period) -> list[Period]:
    months = calculations.months_from(store, start)
    if not months and (withdrawn := calculations.withdrawal(store, start)):
        raise NothingReadError(f"There is nothing to rate again. {withdrawn}")
    if not months:
        raise NothingReadError(f"No list from {start} on was calculated here: there is nothing to rate again.")
    return months


def _moved_before(store: Store, settings: Settings, period: Period) -> pl.DataFrame:
    """Return the players moved on the lists before ``period`` (``MOVED``), from the diffs of the current revisions.

    A diff made before the newest correction is skipped: it shows earlier corrections, which all lists include already.
    """
    newest = store.log.history.last_correction
    moved = [no_moves()]
    for month in map(Period.parse, sorted(store.log.history.current)):
        revision = revisions.current(store, settings, month)
        if month >= period or revision is None or not table_files.has_table(revision, DIFF.name):
            continue
        shown = store.log.history.calculation_shown(str(month), revisions.number_of(revision))
        if shown.last_correction == newest:
            published_files.verified_files(revision, [f"{DIFF.name}.parquet"])
            moved.append(moved_by(table_files.read_table(revision, DIFF.name), month))
    return pl.concat(moved)
