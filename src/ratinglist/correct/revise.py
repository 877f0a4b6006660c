"""Corrections made, and the lists they move calculated again: new revisions beside the old ones, each with its diff."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist import pipeline, received
from ratinglist.correct import corrected, corrections, diff, event_status, history
from ratinglist.correct.corrections import Correction
from ratinglist.correct.outstanding import outstanding, outstanding_of_event
from ratinglist.correct.revisions import Revisions, asks_told
from ratinglist.correct.summary_of_corrections import CorrectSummary, RerateSummary, RevisedMonth
from ratinglist.errors import NothingReadError
from ratinglist.limits import TOML_BYTES
from ratinglist.period import Period
from ratinglist.publication import released
from ratinglist.rating import calculated, rating_list
from ratinglist.reports import ingest, quarantine, reading
from ratinglist.reports.manifest import Stated
from ratinglist.resources import rule_book
from ratinglist.settings import Settings
from ratinglist.store import Store, open_store
from ratinglist.summary import finding_line


def correct(settings: Settings, file: Path) -> CorrectSummary:
    """Make every correction of a file, in its order, or none. No list is calculated again yet: see :func:`rerate`.

    Raises :class:`NothingReadError`, naming file and line, where the file cannot be understood, where a correction
    matches nothing or changes nothing, and where a report it brings is refused.
    """
    if not file.is_file():
        raise NothingReadError(f"{file}: there is no such file. Name a corrections file (TOML).")
    if (size := file.stat().st_size) > TOML_BYTES:
        raise NothingReadError(
            f"{file}: it has {size} bytes, and at most {TOML_BYTES} are read. Nothing was corrected."
        )
    data = file.read_bytes()
    try:
        text = data.decode("utf-8-sig")  # Windows editors put a mark before the first letter
    except UnicodeDecodeError:
        raise NothingReadError(f"{file}: not UTF-8. Save the corrections file as UTF-8.") from None
    asked = corrections.parse(text, str(file))
    made = []
    with open_store(settings.store, settings.threads) as store, store.transaction():
        digest = hashlib.sha256(data).hexdigest()
        source = received.add_source_file(
            store, sha256=digest, file_name=file.name, kind="corrections", month=None, known_on=settings.today
        )
        for one in asked:
            try:
                brought = _replacement(store, settings, one, file.parent) if one.action == "replace_report" else None
                made.append(corrected.make(store, one, known_on=settings.today, source_no=source, replacement=brought))
            except corrected.NothingMatchedError as error:
                raise NothingReadError(f"{file}, line {one.line}: {error}. Nothing was corrected.") from None
        received.count_source_file(store, source, len(made))
    return CorrectSummary.of(str(file), made)


def _replacement(store: Store, settings: Settings, correction: Correction, folder: Path) -> corrected.Replacement:
    """Read the report that a correction brings, with the facts that the manifest of the one it replaces gave."""
    replaced = corrected.to_be_replaced(store, correction)
    first = replaced.row(0, named=True)
    facts = ("event_id", "version", "event_type", "time_control", "official", "registered_on", "minutes_per_60_moves")
    # A slice is told by its start date, which only the manifest can know; a whole event's is in its header.
    dates = ("start_date", "end_date") if "start_date" in correction.match else ()
    stated = Stated(received_on=settings.today, **{name: first[name] for name in (*facts, *dates)})
    path = folder / correction.says["file"]
    if not path.is_file():
        raise corrected.NothingMatchedError(f"{path} does not exist: 'file' is told from the corrections file's folder")
    found = ingest.find([path])
    found = replace(found, files=tuple(replace(one, stated=stated) for one in found.files))
    ids: list[str] = []
    for batch in ingest.batches(found, settings.today):
        ingest.archive_all(settings.reports, batch)
        read = reading.read(batch.delivered, batch.findings)
        received.add_reports(store, read.reports, read.players, read.games, read.findings)
        ids += read.reports["report_id"].to_list()
    if len(ids) != 1:
        raise corrected.NothingMatchedError(f"{path} holds {len(ids)} reports, and one is to take the place of another")
    if refused := quarantine.of_reports(store, pl.Series(ids)):
        raise corrected.NothingMatchedError(f"the report it brings is refused: {finding_line(refused[0])}")
    if ids[0] in replaced["report_id"]:
        raise corrected.NothingMatchedError(f"{path} is the report that stands there already")
    return corrected.Replacement(ids[0], replaced["report_id"].to_list(), first["received_on"])


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
    with open_store(settings.store, settings.threads) as store, store.trial() if preview else nullcontext():
        months = _months(store, start)
        for done, period in enumerate(months):
            settings.progress(f"rating {period}", done, len(months))
            _rate_again(store, settings, period)
        # Only now: an event may have gone from one list to another, and the checks look at all of them.
        with _revisions(store, settings, start, because or {}) as revisions:
            for done, period in enumerate(months):
                settings.progress(f"publishing {period}", done, len(months))
                revisions.add(period, preview=preview)
            revisions.check_reasons()
            if not preview:
                revisions.release()
        notes = [*asks_told(revisions.months), *outstanding(store, rule_book(), start)]
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
    return Revisions(store, settings, because, f"ratinglist rerate --from {start}", moved)


def _months(store: Store, start: Period) -> list[Period]:
    months = history.months_from(store, start)
    if not months:
        raise NothingReadError(f"No list from {start} on was calculated here: there is nothing to rate again.")
    return months


def _rate_again(store: Store, settings: Settings, period: Period) -> None:
    calculation = calculated.calculation(store, period)
    if calculation is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    pipeline.rate_in(store, replace(settings, family=calculation["family"]), period)


def _moved_on_disk(store: Store, settings: Settings, period: Period) -> pl.DataFrame:
    """Who was moved on the lists before ``period``, as the diffs of the newest revisions say, if they are of today.

    A diff made before the newest correction tells of other corrections, whose effect every list has long had.
    """
    newest = history.last_correction(store)
    told = [pl.DataFrame(schema=diff.MOVED)]
    for month in released.months(settings.published):
        revision = released.latest(settings.published, month)
        if month >= period or revision is None or not (revision / "diff.parquet").exists():
            continue
        if history.correction_shown(store, month, released.number_of(revision)) == newest:
            told.append(diff.moved_by(pl.read_parquet(revision / "diff.parquet", glob=False), month))
    return pl.concat(told)


def known_list(settings: Settings, period: Period, time_control: str, as_known_on: date | None) -> pl.DataFrame:
    """A month's list as it was known at the end of a day, or as it is known now.

    Out: :data:`~ratinglist.schemas.LISTED`. Raises :class:`NothingReadError` where no list of that month and time
    control was calculated by then.
    """
    with open_store(settings.store, settings.threads) as store:
        number = history.newest_calculation(store, period, as_known_on)
        if number is None and calculated.is_imported(store, period):
            raise NothingReadError(f"The list of {period} was imported, not made here: see the file it came from.")
        if number is None:
            by = f" by {as_known_on}" if as_known_on else ""
            raise NothingReadError(f"The list of {period} was not calculated{by}: ratinglist rate {period}")
        state = history.state_after(store, period, number).filter(pl.col("time_control") == time_control)
        players = history.players_of(store, period, as_known_on)
        family = history.family_of(store, number)
        rule_set = rule_book().on(family, time_control, period.first_day)
        if state.is_empty() or rule_set is None:
            raise NothingReadError(f"There is no {time_control} list of {period}.")
        return rating_list.listed(state, players, period, rule_set)


def not_in_the_lists_yet(settings: Settings, event_id: str) -> list[str]:
    """The corrections of an event that no list was calculated with yet, each with what to do."""
    with open_store(settings.store, settings.threads) as store:
        return outstanding_of_event(store, event_id)


def where_is(settings: Settings, event_id: str) -> pl.DataFrame:
    """What became of the reports of an event: see :func:`~ratinglist.correct.event_status.statuses`.

    Raises :class:`NothingReadError` where none was received.
    """
    with open_store(settings.store, settings.threads) as store:
        rows = event_status.statuses(store, rule_book(), settings.family, event_id)
    if rows.is_empty():
        raise NothingReadError(f"No report of an event '{event_id}' was received: check the code, or load its report.")
    return rows
