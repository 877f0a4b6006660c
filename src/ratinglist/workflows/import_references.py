"""Import reference lists: lists of another federation that a family looks at, such as FIDE's for the national Elo."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist.concurrency import prefetch
from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import sha256_of
from ratinglist.home.log import Entry
from ratinglist.lists import list_reader
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import ImportSummary
from ratinglist.workflows.import_files import Original, add_source, check_file, kept, put_back_again, recorded
from ratinglist.workflows.opening import open_to_write

_TIME_CONTROL = "standard"
"""The families that read reference lists have lists of this time control only."""


def import_reference(settings: Settings, file: Path, period: Period, time_control: str | None = None) -> ImportSummary:
    """Import the ratings of a reference list for ``period``; all or nothing. No player is registered.

    ``time_control``: that of the file, where it does not name it. Importing a month again replaces it. Importing the
    same file again changes nothing; where its original is altered or missing, it is put back. Raises
    :class:`CommandLineError` where a list that reads reference lists is published for that month or a later one, or
    the time control is not the one such lists have, and :class:`~ratinglist.errors.NothingReadError` if the file cannot
    be read.
    """
    if time_control not in (None, _TIME_CONTROL):
        raise CommandLineError(f"A reference list is one of {_TIME_CONTROL} ratings: {time_control} is not read.")
    check_file(file)
    with open_to_write(settings) as store:
        if put_back := put_back_again(store, file, "import-reference", period):
            return put_back
        to_calculate = [] if _is_imported(store, file, period) else _lists_that_read(store, file, period)
        original = kept(store, file)
        with store.changing_facts():
            summary = _import(store, settings, original, period, time_control)
        notes = [] if summary.already else [_to_calculate_text(*one) for one in to_calculate]
        return replace(summary, file=str(file), notes=[*summary.notes, *notes])


def _is_imported(store: Store, file: Path, period: Period) -> bool:
    """Return whether the reference list of ``period`` is that of ``file`` already."""
    of_month = [
        one.facts["sha256"]
        for one in store.log.entries
        if one.kind == "import-reference"
        and one.facts["month"] == str(period)
        and one.number not in store.log.history.retracted
    ]
    return bool(of_month) and of_month[-1] == sha256_of(file)


def _to_calculate_text(month: str, family: str) -> str:
    return (
        f"the list of {month} was calculated without this reference list and is not published: calculate it again "
        f"before you publish it: ratinglist rate {month} --rules {family}"
    )


def import_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Import the reference list that an entry of the log records, from the originals.

    Raises :class:`~ratinglist.errors.AlteredError` where the file is missing or was altered.
    """
    facts = entry.facts
    _import(store, settings, recorded(store, entry), Period.parse(facts["month"]), facts["time_control"])


def _lists_that_read(store: Store, file: Path, period: Period) -> list[tuple[str, str]]:
    """Return month and family of the lists that were calculated without the reference list of ``period``.

    Raises :class:`CommandLineError` where one of them is published.
    """
    book = rule_book()
    made = store.read(
        """
        select month, family, month in (from published_month) as is_published
        from calculation where month >= $month order by month
        """,
        month=str(period),
    )
    found = []
    for month, family, is_published in made.iter_rows():
        if family not in book.families or not book.reads_references(family):
            continue
        if is_published:
            raise CommandLineError(
                f"{file}: the list of {month} is published and was calculated without this reference list, so it stays "
                f"as it is. Import a reference list of a later month than {month}: the lists from then on read it. To "
                f"have this one in {month}, take the lists back first, the newest one first: ratinglist rollback"
            )
        found.append((month, family))
    return found


def _import(
    store: Store, settings: Settings, original: Original, period: Period, time_control: str | None
) -> ImportSummary:
    """Import a reference list that is kept, as one change of the caller."""
    source = add_source(store, settings, original, "reference", period)
    parts = []
    left_out: Counter[str] = Counter()
    notes: tuple[list_reader.Note, ...] = ()
    for batch in prefetch(list_reader.read(original.path, month=period, time_control=time_control, name=original.name)):
        rated_rows = batch.rows.filter(pl.col("rating").is_not_null())
        is_read = pl.col("time_control") == _TIME_CONTROL
        parts.append(rated_rows.filter(is_read).select("fide_id", "rating"))
        left_out.update(dict(rated_rows.filter(~is_read).group_by("time_control").len().iter_rows()))
        notes = batch.notes
    rated = pl.concat(parts) if parts else pl.DataFrame(schema={"fide_id": pl.Int64(), "rating": pl.Int32()})
    is_new = received.replace_reference_list(store, period, rated, source)
    received.count_source_file(store, source, len(rated))
    if is_new:
        options = {"month": str(period), "time_control": time_control}
        store.record("import-reference", settings.today, **original.facts, **options)
    else:
        received.drop_source_file(store, source)
    note_texts = [note.text() for note in notes]
    note_texts += [
        f"{count:,} {name} {'rating is' if count == 1 else 'ratings are'} left out: a reference list is one of "
        f"{_TIME_CONTROL} ratings"
        for name, count in sorted(left_out.items())
    ]
    listed = {f"{_TIME_CONTROL} reference": len(rated)}
    return ImportSummary(original.name, str(period), listed, len(rated), 0, 0, note_texts, already=not is_new)
