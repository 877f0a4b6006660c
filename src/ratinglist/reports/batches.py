"""The reports of a delivery in batches: which files are reports, their manifest rows, their bytes and their texts.

``find`` reads manifests, and of other files only enough to recognise a report. ``read_batches`` reads the files lazily,
so a delivery of any size streams through it. The module ``trf`` parses the texts.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from pathlib import Path, PurePosixPath

import polars as pl

from ratinglist.errors import NothingReadError, NotKeptError
from ratinglist.files import durable_files
from ratinglist.findings import RULES, refuses
from ratinglist.limits import DELIVERY_BYTES, MANIFEST_BYTES, REPORT_BYTES
from ratinglist.reports import manifest, table_delivery
from ratinglist.reports.discovery import DeliveredFile, Reader, Skipped, walk
from ratinglist.reports.encoding import decode, decode_report
from ratinglist.reports.manifest import Manifest, ManifestFacts, Problem
from ratinglist.reports.table_delivery import Batch, TableFiles
from ratinglist.reports.table_events import UnreadableTableError
from ratinglist.system_errors import system_error_text
from ratinglist.tables import DELIVERED, FILE_FINDING

REPORT_ENDINGS = (".trf", ".trfx", ".txt", ".tab")
# Bytes after which a batch ends, so that some hundred large reports do not fill the memory.
BATCH_BYTES = 24 * 2**20
# Bytes that a line counts at least in the size of a batch: an empty line becomes a row too.
_LINE_WEIGHT = 64
_MANIFEST_COLUMNS = tuple(one.name for one in fields(ManifestFacts) if one.name != "problems")
_SNIFFED_BYTES = 1024
_TABLE_ENDINGS = (".csv", ".htm", ".html", ".ods", ".pdf", ".pgn", ".tsv", ".xls", ".xlsb", ".xlsx")
"""Files of other programs that may hold results or players."""
_LIKE_A_REPORT = re.compile(r"(?:^|[\r\n])\ufeff?(?:012|001) ")


@dataclass(frozen=True, slots=True)
class Delivery:
    """The files of a delivery, not yet read.

    ``files``: the candidates, sorted by name. ``skipped``: files that do not look like reports. ``problems``: one
    sentence for each file that should have been read and could not be, and for each manifest row without a report.
    ``notes``: one sentence for each column of a manifest that is not read. ``manifests``: the bytes of the manifests,
    by name. ``tables``: the deliveries as tables, a table of events and one of games each.
    """

    files: tuple[DeliveredFile, ...]
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    manifests: Mapping[str, bytes] = field(default_factory=dict)
    tables: tuple[TableFiles, ...] = ()
    absent: tuple[str, ...] = ()


def find(paths: Sequence[Path]) -> Delivery:
    """Find the reports in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives.

    ``.trf``, ``.trfx``, ``.txt``, ``.tab`` and every file that a manifest names are candidates; any other file is one
    where its first kilobyte looks like a report. Raises :class:`NothingReadError` for a path that does not exist, and
    for an archive that cannot be opened where it is the only path. The order of ``paths`` does not matter.
    """
    found = walk(paths)
    files = sorted(found.files, key=lambda file: file.name)
    skipped, problems = list(found.skipped), list(found.problems)
    candidates, tables = [], []
    read: dict[str, bytes] = {}
    with Reader() as reader:
        manifests = [_read_manifest(file, reader, read) for file in files if _is_manifest(file.name)]
        facts = _merged_facts(manifests)
        refusals = _refusals(manifests)
        for file in files:
            named = facts.get(manifest.key(file.name))
            if _is_manifest(file.name):
                continue
            if not named and table_delivery.is_table(file.name):
                tables.append(file)
            elif file.size > REPORT_BYTES and (named or file.name.lower().endswith(REPORT_ENDINGS)):
                problems.append(f"{file.name} was not read: it has {file.size} bytes, a report at most {REPORT_BYTES}.")
            elif not (named or file.name.lower().endswith(REPORT_ENDINGS)) and (
                why := _why_no_report(file, reader, problems)
            ):
                skipped.append(Skipped(file.name, why))
            else:
                candidates.append(replace(file, facts=_with_refusals(refusals, file.name, named or ManifestFacts())))
    pairs, others, table_problems = table_delivery.find(tables)
    skipped += [Skipped(file.name, why) for file, why in others]
    problems += table_problems
    in_tables = [file for pair in pairs for file in (pair.events, pair.games)]
    if (size := sum(file.size for file in (*candidates, *in_tables))) > DELIVERY_BYTES:
        raise NothingReadError(
            f"The reports of this delivery have {size} bytes, and at most {DELIVERY_BYTES} are read at once. Deliver "
            "them in parts."
        )
    present = {manifest.key(file.name) for file in candidates}
    for sheet in manifests:
        problems += [sheet.refusal] if sheet.refusal else []
        problems += sheet.problems
        problems += [
            f"{place}, column file: '{name}' is not among the reports delivered."
            for name, place in sheet.where.items()
            if name not in present
        ]
    return Delivery(
        tuple(candidates),
        tuple(sorted(skipped, key=lambda one: one.name)),
        tuple(problems),
        tuple(note for sheet in manifests for note in sheet.notes),
        read,
        tuple(pairs),
        tuple(sorted(name for sheet in manifests for name in sheet.where if name not in present)),
    )


def read_batches(delivery: Delivery, received_on: date, today: date, files_per_batch: int = 500) -> Iterator[Batch]:
    """Read the files of ``delivery``, in order, and yield batches of at most ``files_per_batch``.

    ``received_on`` is the day of arrival where no manifest gives one; one that gives a day after ``today`` refuses the
    report. Of files with the same bytes and the same facts
    only the first is kept. A file that cannot be decoded has no text and a refusing finding, so that it is counted and
    its bytes are kept.
    """
    seen: set[tuple[str, ManifestFacts]] = set()
    batch = _BatchBuilder(received_on, today)
    with Reader() as reader:
        for file in delivery.files:
            try:
                data = reader.read(file, REPORT_BYTES + 1)
            except NothingReadError as error:
                batch.problems.append(str(error))
                continue
            sha256 = hashlib.sha256(data).hexdigest()
            if len(data) > REPORT_BYTES:
                batch.problems.append(f"{file.name} was not read: it has more than {REPORT_BYTES} bytes.")
            elif (sha256, file.facts) in seen:
                batch.repeated.append(file.name)
            else:
                seen.add((sha256, file.facts))
                batch.add(file, sha256, data)
            if batch.files == files_per_batch or batch.size >= BATCH_BYTES:
                yield batch.build()
                batch = _BatchBuilder(received_on, today)
        if batch.files or batch.repeated or batch.problems:
            yield batch.build()
    for files in delivery.tables:
        yield from _table_batches(files, received_on, today)


def _table_batches(files: TableFiles, received_on: date, today: date) -> Iterator[Batch]:
    """Yield the events of two tables as batches of reports, or one batch with the reason why they cannot be read."""
    try:
        delivery, tables = table_delivery.read(files)
    except (UnreadableTableError, NothingReadError) as error:
        none = DELIVERED.empty(), dict[str, bytes](), FILE_FINDING.empty()
        yield Batch(*none, problems=(f"{error} No event of {files.games.name} was read.",))
        return
    notes, problems = delivery.notes, delivery.problems
    for part in table_delivery.batches(delivery, received_on, today):
        yield replace(part, problems=problems, tables=tables, notes=notes)
        tables, notes, problems = {}, (), ()
    if problems or notes:
        yield Batch(DELIVERED.empty(), {}, FILE_FINDING.empty(), problems=problems, notes=notes)


def archive_all(folder: Path, batch: Batch, written: list[str] | None = None) -> None:
    """Write the original bytes of every report of ``batch`` to ``folder``, each to a file named by its digest.

    ``written``: receives the digests of those that were missing or altered.
    All files are synced to the disk when this returns; one that was altered since it was written is replaced
    (:mod:`~ratinglist.files.durable_files`). Raises :class:`NotKeptError` where the folder cannot be written.
    """
    try:
        new = durable_files.keep_all(folder, batch.originals)
    except OSError as error:
        raise NotKeptError(f"Reports could not be kept in {folder}: {system_error_text(error)}") from error
    if written is not None:
        written += new


@dataclass(slots=True)
class _BatchBuilder:
    """A batch that files are added to."""

    received_on: date
    today: date
    columns: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in DELIVERED.columns})
    originals: dict[str, bytes] = field(default_factory=dict)
    findings: list[dict[str, object]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, file: DeliveredFile, sha256: str, data: bytes) -> None:
        number = self.files + 1
        decoded = decode_report(data)
        facts = {name: getattr(file.facts, name) for name in _MANIFEST_COLUMNS}
        facts["received_on"] = facts["received_on"] or self.received_on
        row = {"file_no": number, "file_name": file.name, "sha256": sha256, "text": decoded.utf8, **facts}
        for name, value in row.items():
            self.columns[name].append(value)
        self.originals[sha256] = data
        self.size += max(len(data), _LINE_WEIGHT * data.count(b"\n"))
        noted = {name: getattr(decoded, name) for name in ("rule", "line", "column", "value", "detail")}
        self.findings += [{"file_no": number, **noted}] if decoded.rule else []
        self.findings += [{"file_no": number, **asdict(problem)} for problem in file.facts.problems]
        if facts["received_on"] > self.today:
            problem = Problem("received_in_the_future", str(facts["received_on"]), "")
            self.findings.append({"file_no": number, **asdict(problem)})

    @property
    def files(self) -> int:
        """The number of files in the batch."""
        return len(self.columns["file_no"])

    def build(self) -> Batch:
        texts = pl.Series(self.columns["text"], dtype=pl.Binary).cast(pl.String)
        return Batch(
            pl.DataFrame({**self.columns, "text": texts}, schema=DELIVERED.schema),
            self.originals,
            pl.DataFrame(self.findings, schema=FILE_FINDING.schema, orient="row"),
            tuple(self.repeated),
            tuple(self.problems),
        )


def _why_no_report(file: DeliveredFile, reader: Reader, problems: list[str]) -> str:
    """Return why a file is no report: no line of its first kilobyte begins with a code of one; empty for a report."""
    try:
        start = reader.read(file, _SNIFFED_BYTES)
    except NothingReadError as error:
        problems.append(str(error))
        return "it could not be read"
    wide = start[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = start.decode("utf-16" if wide else "utf-8", errors="replace")
    if _LIKE_A_REPORT.search(text):
        return ""
    if file.name.lower().endswith(_TABLE_ENDINGS):
        remedy = (
            "; results in a table are delivered as events.csv and games.csv, players with ratinglist import-players"
        )
    else:
        remedy = "; a zip archive needs a name that ends with .zip" if start.startswith(b"PK\x03\x04") else ""
    return f"it does not look like a tournament report{remedy}"


def _is_manifest(name: str) -> bool:
    """Return whether a file is a manifest, by its name."""
    return posixpath.basename(name).casefold() == manifest.NAME


def _read_manifest(file: DeliveredFile, reader: Reader, originals: dict[str, bytes]) -> Manifest:
    """Parse a manifest, and add its bytes to ``originals``."""
    if file.size > MANIFEST_BYTES:
        return Manifest(
            file.name, refusal=f"{file.name} has {file.size} bytes; a manifest has at most {MANIFEST_BYTES}"
        )
    try:
        originals[file.name] = data = reader.read(file, MANIFEST_BYTES)
        decoded = decode(data)
    except NothingReadError as error:
        return Manifest(file.name, refusal=str(error))
    if decoded.rule and refuses(decoded.rule):
        place = f", line {decoded.line}, column {decoded.column}" if decoded.line else ""
        sentence = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        return Manifest(file.name, refusal=f"{file.name}{place}: {sentence}; save it again as CSV in UTF-8")
    return manifest.read(file.name, decoded.text)


def _merged_facts(manifests: Sequence[Manifest]) -> dict[str, ManifestFacts]:
    """Return the facts of each report from all manifests, by the key of the report; two rows refuse the report."""
    merged: dict[str, ManifestFacts] = {}
    where: dict[str, str] = {}
    for sheet in manifests:
        for report, facts in sheet.facts.items():
            if report in merged:
                where[report] += f" and {sheet.where[report]}"
                merged[report] = ManifestFacts(problems=(Problem("manifest_twice", report, where[report]),))
            else:
                merged[report], where[report] = facts, sheet.where[report]
    return merged


def _refusals(manifests: Sequence[Manifest]) -> dict[str, list[str]]:
    """Return the refusals of the unusable manifests, by the key of the folder of each."""
    found: dict[str, list[str]] = {}
    for sheet in manifests:
        if sheet.refusal:
            found.setdefault(manifest.key(sheet.folder), []).append(sheet.refusal)
    return found


def _with_refusals(refusals: Mapping[str, list[str]], report: str, facts: ManifestFacts) -> ManifestFacts:
    """Return ``facts`` with a problem for every unusable manifest in or above the folder of ``report``.

    Such a manifest may have a row for the report.
    """
    if not refusals:
        return facts
    # From the top folder to the report's own, so that the problems are in the order of the folders' names.
    folders = [str(folder) for folder in reversed(PurePosixPath(manifest.key(report)).parents)]
    found = [refusal for folder in folders for refusal in refusals.get("" if folder == "." else folder, [])]
    problems = (Problem("manifest_unreadable", "", refusal) for refusal in found)
    return replace(facts, problems=(*facts.problems, *problems))
