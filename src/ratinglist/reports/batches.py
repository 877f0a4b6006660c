"""The files of a delivery in batches: their bytes, their texts and the facts of their manifests.

The files are read lazily, so a delivery of any size streams through. The modules ``trf`` and ``event_tables`` parse
them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Final

import polars as pl

from ratinglist.errors import NothingReadError, NotKeptError
from ratinglist.files import durable_files
from ratinglist.limits import REPORT_BYTES, TABLE_BYTES
from ratinglist.reports.discovery import DeliveredFile, Delivery, Reader, TableFiles
from ratinglist.reports.encoding import decode_report
from ratinglist.reports.event_tables import read_tables
from ratinglist.reports.manifest import ManifestFacts
from ratinglist.reports.parsed import Parsed
from ratinglist.reports.table_cells import UnreadableTableError
from ratinglist.system_errors import system_error_text
from ratinglist.tables import DELIVERED, FILE_FINDING

BATCH_BYTES: Final = 24 * 2**20
"""Bytes after which a batch ends, so that some hundred large reports do not fill the memory."""
_LINE_WEIGHT: Final = 64
"""Bytes that a line counts at least in the size of a batch: an empty line becomes a row too."""
_MANIFEST_COLUMNS: Final = tuple(column.name for column in fields(ManifestFacts) if column.name != "problems")


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files of a delivery, read and decoded.

    ``delivered``: :data:`~ratinglist.tables.DELIVERED`, numbered from 1. ``originals``: the bytes by sha256.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING` on encodings and manifests. ``repeated``: names of files left
    out because another file of the delivery has the same bytes and facts. ``problems``: a sentence for each of the
    files ``unread``, which could not be read after all. Of a delivery as tables: ``parsed`` is what they say,
    ``tables`` their bytes, by name, and ``notes`` has one sentence for each column that is not read.
    """

    delivered: pl.DataFrame
    originals: Mapping[str, bytes]
    findings: pl.DataFrame
    repeated: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    parsed: Parsed | None = None
    tables: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_batches(delivery: Delivery, received_on: date, today: date, files_per_batch: int = 500) -> Iterator[Batch]:
    """Read the files of ``delivery``, in order, and yield batches of at most ``files_per_batch``.

    ``received_on`` is the day of arrival where no manifest gives one; one that gives a day after ``today`` refuses the
    report. Of files with the same bytes and the same facts only the first is kept. A file that cannot be decoded has no
    text and a refusing finding, so that it is counted and its bytes are kept. Two tables are one batch.
    """
    seen: set[tuple[str, ManifestFacts]] = set()
    batch = _BatchBuilder(received_on, today)
    with Reader() as reader:
        for file in delivery.files:
            try:
                data = reader.read(file, REPORT_BYTES + 1)
            except NothingReadError as error:
                batch.unread[file.name] = str(error)
                continue
            sha256 = hashlib.sha256(data).hexdigest()
            if len(data) > REPORT_BYTES:
                batch.unread[file.name] = f"{file.name} was not read: it has more than {REPORT_BYTES} bytes."
            elif (sha256, file.facts) in seen:
                batch.repeated.append(file.name)
            else:
                seen.add((sha256, file.facts))
                batch.add(file, sha256, data)
            if len(batch.rows) == files_per_batch or batch.size >= BATCH_BYTES:
                yield batch.build()
                batch = _BatchBuilder(received_on, today)
    if batch.rows or batch.repeated or batch.unread:
        yield batch.build()
    for tables in delivery.tables:
        yield _table_batch(tables, received_on, today)


def _table_batch(files: TableFiles, received_on: date, today: date) -> Batch:
    """Return the events of two tables, or the reason why they cannot be read."""
    names = (files.events.name, files.games.name)
    try:
        with Reader() as reader:
            tables = {file.name: reader.read(file, TABLE_BYTES + 1) for file in (files.events, files.games)}
        events = read_tables(tables, *names, received_on, today)
    except (UnreadableTableError, NothingReadError) as error:
        problem = f"{error} No event of {files.games.name} was read."
        return Batch(DELIVERED.empty(), {}, FILE_FINDING.empty(), problems=(problem,), unread=names)
    return Batch(
        events.delivered,
        events.originals,
        FILE_FINDING.empty(),
        problems=events.problems,
        parsed=events.parsed,
        tables=tables,
        notes=events.notes,
    )


def archive_all(folder: Path, batch: Batch) -> None:
    """Write the original bytes of every report of ``batch`` to ``folder``, each to a file named by its digest.

    All files are synced to the disk when this returns; one that was altered since it was written is replaced
    (:mod:`~ratinglist.files.durable_files`). Raises :class:`NotKeptError` where the folder cannot be written.
    """
    try:
        durable_files.keep_all(folder, batch.originals)
    except OSError as error:
        raise NotKeptError(f"Reports could not be kept in {folder}: {system_error_text(error)}") from error


@dataclass(slots=True)
class _BatchBuilder:
    """A batch that files are added to. ``unread``: why files could not be read, by name."""

    received_on: date
    today: date
    rows: list[dict[str, object]] = field(default_factory=list)
    originals: dict[str, bytes] = field(default_factory=dict)
    findings: list[dict[str, object]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    size: int = 0

    def add(self, file: DeliveredFile, sha256: str, data: bytes) -> None:
        number = len(self.rows) + 1
        decoded = decode_report(data)
        facts = {name: getattr(file.facts, name) for name in _MANIFEST_COLUMNS}
        received_on = file.facts.received_on or self.received_on
        row = {"file_no": number, "file_name": file.name, "sha256": sha256, "text": decoded.text}
        self.rows.append(row | facts | {"received_on": received_on})
        self.originals[sha256] = data
        self.size += max(len(data), _LINE_WEIGHT * data.count(b"\n"))
        noted = {name: getattr(decoded, name) for name in ("rule", "line", "column", "value", "detail")}
        self.findings += [{"file_no": number, **noted}] if decoded.rule else []
        self.findings += [{"file_no": number, **asdict(problem)} for problem in file.facts.problems]
        if received_on > self.today:
            future = {"rule": "received_in_the_future", "value": str(received_on), "detail": ""}
            self.findings.append({"file_no": number, **future})

    def build(self) -> Batch:
        return Batch(
            pl.DataFrame(self.rows, schema=DELIVERED.schema, orient="row"),
            self.originals,
            pl.DataFrame(self.findings, schema=FILE_FINDING.schema, orient="row"),
            tuple(self.repeated),
            tuple(self.unread.values()),
            tuple(self.unread),
        )
