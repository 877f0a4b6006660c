"""Load a delivery: find its reports, keep their bytes, parse and validate them, add them to the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist import reports
from ratinglist.analysis import report_states
from ratinglist.concurrency import map_ordered
from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import keep_all
from ratinglist.findings import RULES
from ratinglist.home import originals
from ratinglist.home.history import READINGS, name_of_delivery
from ratinglist.home.location import check_no_home
from ratinglist.home.log import Entry
from ratinglist.publication.doubts import notes_when
from ratinglist.reports import Batch, DeliveredFile, Delivery, ReadBatch
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.summaries import LoadNote, LoadSummary
from ratinglist.text import counted
from ratinglist.workflows.opening import open_to_write

_CODE_REFUSED = {"value": "", "rule": "birth_date_in_code", "detail": "", "effect": RULES["birth_date_in_code"].effect}


def find_delivery(settings: Settings, paths: Sequence[Path], received_on: date | None) -> Delivery:
    """Find the reports of a delivery; nothing is kept.

    Raises :class:`NothingReadError` where the paths hold no report at all, :class:`CommandLineError` where
    ``received_on`` is after today, or a path is in the home of an office.
    """
    settings.check_received_on(received_on)
    for path in paths:
        check_no_home(path)
    delivery = reports.find(paths)
    if not delivery.files and not delivery.tables:
        named = ", ".join(str(path) for path in paths)
        raise NothingReadError("\n".join([f"No tournament report was found in {named}.", *_problems(delivery)]))
    return delivery


def load_delivery(store: Store, settings: Settings, delivery: Delivery, received_on: date | None) -> LoadSummary:
    """Keep the reports of a delivery in the store, all of them or none, and return what it held.

    ``delivery``: of :func:`find_delivery`. ``received_on``: the day a report arrived where no manifest states it; by
    default today.
    """
    content = _keep(store, settings, delivery, received_on or settings.today)
    reports_read = pl.concat(content.reports)
    new = reports_read.filter("is_new")
    report_ids, accepted = new["report_id"], new.filter("accepted")
    # A report that was set aside stays so: a folder is often delivered again as a whole.
    known = content.files - len(new) + report_states.dismissed_among(store, report_ids)
    return LoadSummary(
        files=content.files,
        accepted=len(accepted),
        known_already=known,
        received_earlier=content.received_earlier,
        refused_reports=content.files - known - len(accepted),
        games=int(accepted["games"].sum()),
        refused=report_states.of_reports(store, report_ids),
        notes=[
            *(LoadNote("", text) for text in (*notes_on_versions(store, report_ids), *delivery.notes, *content.notes)),
            *_notes(store, report_ids),
        ],
        problems=[*_problems(delivery), *content.unread.values(), *content.problems],
        # A report that was refused before is refused again, and no list has more of it.
        known_ids=[] if len(accepted) else reports_read["report_id"].to_list(),
    )


@dataclass(slots=True)
class _Content:
    """What the batches of a delivery held so far.

    ``reports``: ``report_id``, ``accepted`` and ``games`` of each, and ``is_new``: the store did not have it.
    ``received_earlier``: how many of the others, as is stated now, arrived on an earlier day than the store had.
    ``digests``: of the reports read, by name. ``tables``: name and digest of each table that was kept, by pair.
    ``unread``: why a file could not be read, by name.
    """

    files: int = 0
    reports: list[pl.DataFrame] = field(default_factory=list)
    received_earlier: int = 0
    problems: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    tables: list[list[list[str]]] = field(default_factory=list)

    def add(self, store: Store, batch: Batch, read: ReadBatch) -> None:
        """Keep the reports of a batch in the store and count them."""
        read = _refuse_codes(store, batch, read)
        new, earlier = received.add_reports(store, read.reports, read.players, read.games, read.findings)
        if batch.tables:
            self.tables.append([[name, originals.keep_bytes(store.home, data)] for name, data in batch.tables.items()])
        else:
            self.digests.update(batch.delivered.select("file_name", "sha256").iter_rows())
        is_new = pl.col("report_id").is_in(new.implode()) & pl.col("report_id").is_first_distinct()
        self.reports.append(
            read.reports.select(pl.col("report_id").cast(pl.String), "accepted", "games", is_new=is_new)
        )
        self.files += len(read.reports)
        self.received_earlier += earlier
        self.problems += batch.problems
        self.unread.update(batch.unread)
        self.notes += batch.notes


def _keep(store: Store, settings: Settings, delivery: Delivery, received_on: date) -> _Content:
    """Keep, parse and validate the reports of a delivery, add them to the store, and record it.

    Where the store has everything exactly so, nothing is recorded, and so it stays as it is.
    """
    content = _Content()
    with store.changing_facts():
        received_before = received.receipts_digest(store)
        delivered = reports.read_batches(delivery, received_on, settings.today)
        kept = _kept(delivered, settings.reports)
        for batch, read in map_ordered(partial(_read, default_time=settings.office.reports.time_control), kept):
            content.add(store, batch, read)
            settings.progress("reports read", content.files, max(content.files, len(delivery.files)))
        if not content.files:
            problems = [*_problems(delivery), *content.unread.values(), *content.problems]
            raise NothingReadError("\n".join(["No report could be read.", *problems]))
        if received.receipts_digest(store) != received_before:
            _record(store, settings, delivery, content, received_on)
    return content


def _record(store: Store, settings: Settings, delivery: Delivery, content: _Content, received_on: date) -> None:
    """Record the delivery in the log, and keep its manifests and the names and facts of its reports as originals."""
    home = store.home
    files = [
        reports.recorded_report(file.name, content.digests[file.name], file.facts)
        for file in delivery.files
        if file.name in content.digests
    ]
    where_some = {
        "delivered_tables": content.tables,
        "absent": list(delivery.absent),
        "unread": [*delivery.unread, *content.unread],
    }
    delivered = {
        "files": files,
        "manifests": [[name, originals.keep_bytes(home, data)] for name, data in sorted(delivery.manifests.items())],
        **{name: items for name, items in where_some.items() if items},
    }
    store.record(
        "load",
        settings.today,
        received_on=str(received_on),
        reports=content.files,
        delivery=originals.keep_json(home, delivered),
        named=name_of_delivery([*content.digests, *(name for pair in content.tables for name, _ in pair)]),
        readings=READINGS,
    )


def load_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Load the delivery that an entry of the log records, from the originals.

    Raises :class:`~ratinglist.errors.AlteredError` where a report of it is missing or was altered.
    """
    delivered = originals.delivery(store.home, entry)
    files = []
    for file in delivered["files"]:
        path = originals.checked_report(store.home, file["sha256"], f"the report {file['name']} (load, {entry.day})")
        files.append(DeliveredFile(file["name"], path, facts=reports.facts_of_recorded(file)))
    manifests = {
        name: originals.checked(store.home, sha256, f"{name} (load, {entry.day})").read_bytes()
        for name, sha256 in delivered["manifests"]
    }

    def table(name: str, sha256: str) -> DeliveredFile:
        return DeliveredFile(name, originals.checked(store.home, sha256, f"{name} (load, {entry.day})"))

    tables = tuple((table(*events), table(*games)) for events, games in delivered.get("delivered_tables", []))
    delivery = Delivery(tuple(files), manifests=manifests, tables=tables)
    _keep(store, settings, delivery, date.fromisoformat(entry.facts["received_on"]))


def _kept(batches: Iterator[Batch], folder: Path) -> Iterator[Batch]:
    """Keep the bytes of each batch before it goes on, because a report in the store is among the originals."""
    for batch in batches:
        keep_all(folder, batch.originals)
        yield batch


def _read(batch: Batch, default_time: str) -> tuple[Batch, ReadBatch]:
    return batch, reports.read(batch.delivered, batch.findings, default_time, batch.parsed)


def _refuse_codes(store: Store, batch: Batch, read: ReadBatch) -> ReadBatch:
    """Refuse the reports whose event code has a date of birth, and give them a code made from their bytes.

    A code is published with its event, refused or not.
    """
    stated = batch.delivered.filter(pl.col("event_id").is_not_null()).select("event_id", "sha256").unique()
    coded = read.reports.join(stated, on=["event_id", "sha256"], how="semi")
    with_dates = received.reports_with(
        store, coded.select("report_id", "start_date", text="event_id"), players=read.players
    )
    if with_dates.is_empty():
        return read
    is_found = pl.col("report_id").is_in(with_dates.implode())
    refusals = pl.DataFrame({"report_id": with_dates}).with_columns(
        pl.lit(text).alias(name) for name, text in _CODE_REFUSED.items()
    )
    return replace(
        read,
        reports=read.reports.with_columns(
            pl.when(is_found)
            .then(pl.col("sha256").str.head(reports.CODE_DIGITS))
            .otherwise("event_id")
            .alias("event_id"),
            pl.col("accepted") & ~is_found,
        ),
        findings=pl.concat([read.findings, refusals], how="diagonal"),
    )


def _notes(store: Store, report_ids: pl.Series) -> list[LoadNote]:
    """Return what was noted in these reports, the notes on most files first.

    Findings of one rule are one note, or one for each value and detail where the summary of the rule names them.
    """
    with store.with_frames(sent=pl.DataFrame([report_ids.alias("report_id")])):
        rows = store.read(
            """
            select finding.rule, finding.value, finding.detail, finding.line, report.file_name
            from finding join report using (report_id) semi join sent using (report_id)
            where finding.effect = 'noted'
            """
        )
    for name in ("value", "detail"):
        naming = [rule for rule, stated in RULES.items() if f"{{{name}}}" in stated.summary]
        rows = rows.with_columns(pl.when(pl.col("rule").is_in(naming)).then(name).otherwise(pl.lit("")).alias(name))
    key = ("rule", "value", "detail")
    notes = (
        rows.group_by(*key, "file_name")
        .agg(pl.col("line").drop_nulls().unique().sort())
        .sort("file_name")
        .group_by(key)
        .agg("file_name", "line")
        .sort(pl.col("file_name").list.len(), *key, descending=[True, False, False, False])
    )
    return [_note(row) for row in notes.iter_rows(named=True)]


def _note(row: dict[str, Any]) -> LoadNote:
    rule, number = RULES[row["rule"]], len(row["file_name"])
    sentence = rule.summary.format(
        reports=counted(number, "report"),
        are="is" if number == 1 else "are",
        have="has" if number == 1 else "have",
        value=row["value"],
        detail=row["detail"],
    )
    return LoadNote(row["rule"], sentence, rule.remedy, dict(zip(row["file_name"], row["line"], strict=True)))


def _problems(delivery: Delivery) -> list[str]:
    skipped = [f"{name}: passed over, {why}" for name, why in delivery.skipped.items()]
    return [*delivery.unread.values(), *delivery.problems, *skipped]


def load(settings: Settings, paths: Sequence[Path], received_on: date | None = None) -> LoadSummary:
    """Load a delivery of reports: find, keep, parse and validate them, and add all of them to the store or none.

    ``received_on`` is the day a report arrived where no manifest states it; default today. Loading something
    again changes nothing. Raises :class:`NothingReadError` where the paths hold no report at all.
    """
    delivery = find_delivery(settings, paths, received_on)
    with open_to_write(settings) as store:
        return load_delivery(store, settings, delivery, received_on)


def notes_on_versions(store: Store, report_ids: pl.Series) -> list[str]:
    """Return a sentence for each of these reports that is of one version with another report, or of a lower one."""
    return notes_when(store, "load", {"sent": report_ids.to_frame("report_id").clone}, {})
