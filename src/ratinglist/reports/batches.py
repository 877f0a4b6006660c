"""Delivery: which files of a folder or archive are tournament reports, what their manifests say, and their bytes.

Nothing is read here beyond what tells a report from any other file; the reading is the business of ``trf``. Finding is
cheap and reading is lazy, so a delivery of any size streams through :func:`batches`.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from itertools import islice
from pathlib import Path, PurePosixPath

import polars as pl

from ratinglist.durable_files import sync_all, synced
from ratinglist.errors import NothingReadError, RatinglistError
from ratinglist.findings import RULES, refuses
from ratinglist.limits import DELIVERY_BYTES, MANIFEST_BYTES, REPORT_BYTES
from ratinglist.reports import manifest
from ratinglist.reports.discovery import DeliveredFile, Reader, Skipped, walk
from ratinglist.reports.encoding import decode, decode_report
from ratinglist.reports.manifest import Manifest, ManifestFacts, Problem
from ratinglist.schemas import DELIVERED, FILE_FINDING

REPORT_ENDINGS = (".trf", ".trfx", ".txt", ".tab")
# A batch also ends here, so that some hundred large reports do not fill the memory.
BATCH_BYTES = 64 * 2**20
# What a line costs at least, in bytes of a batch: an empty one is a row all the same.
_LINE_WEIGHT = 64
# Originals written before the disk is waited for: most of such a wait is the same for one file and for many.
_WRITTEN_AT_ONCE = 256
_STATED = tuple(one.name for one in fields(ManifestFacts) if one.name != "problems")
_FIRST_LOOK = 1024
_LIKE_A_REPORT = re.compile(r"(?:^|[\r\n])\ufeff?(?:012|001) ")


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a delivery holds, not yet read.

    ``files`` are the candidates, sorted by name. ``skipped`` lists the files that do not look like reports.
    ``problems`` says, one sentence each, what should have been read and could not be, and which manifest rows speak of
    no report; ``notes`` what was passed over in a manifest.
    """

    files: tuple[DeliveredFile, ...]
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files of a delivery, read.

    ``delivered``: :data:`~ratinglist.schemas.DELIVERED`, numbered from 1. ``originals``: the bytes by sha256.
    ``findings``: :data:`~ratinglist.schemas.FILE_FINDING` on encodings and manifests; ``line`` and ``column`` are null.
    ``repeated``: names of files left out because another file of the delivery has the same bytes and facts.
    ``problems``: files that could not be read after all, one sentence each.
    """

    delivered: pl.DataFrame
    originals: Mapping[str, bytes]
    findings: pl.DataFrame
    repeated: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def find(paths: Sequence[Path]) -> Delivery:
    """The reports in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives.

    ``.trf``, ``.trfx``, ``.txt``, ``.tab`` and whatever a manifest names are candidates; of any other file the first
    kilobyte decides. Raises :class:`NothingReadError` for a path that does not exist, and for an archive that cannot be
    opened where it is all there is. The order of ``paths`` does not matter.
    """
    found = walk(paths)
    files = sorted(found.files, key=lambda file: file.name)
    skipped, problems = list(found.skipped), list(found.problems)
    candidates = []
    with Reader() as reader:
        manifests = [_manifest(file, reader) for file in files if _is_manifest(file.name)]
        stated = _stated(manifests)
        refusals = _refusals(manifests)
        for file in files:
            named = stated.get(manifest.key(file.name))
            if _is_manifest(file.name):
                continue
            if file.size > REPORT_BYTES and (named or file.name.lower().endswith(REPORT_ENDINGS)):
                problems.append(f"{file.name} was not read: it has {file.size} bytes, a report at most {REPORT_BYTES}.")
            elif named or file.name.lower().endswith(REPORT_ENDINGS) or _looks_like_a_report(file, reader, problems):
                candidates.append(replace(file, facts=_unless_refused(refusals, file.name, named or ManifestFacts())))
            else:
                skipped.append(Skipped(file.name, "it does not look like a tournament report"))
    if (size := sum(file.size for file in candidates)) > DELIVERY_BYTES:
        raise NothingReadError(
            f"The reports of this delivery have {size} bytes, and at most {DELIVERY_BYTES} are taken at once. Deliver "
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
    )


def batches(deliveries: Delivery, received_on: date, files_per_batch: int = 500) -> Iterator[Batch]:
    """Read the files of ``deliveries``, in order, at most ``files_per_batch`` at a time.

    ``received_on`` is the day of arrival where no manifest gives one. Of files with the same bytes and the same facts
    only the first is kept. A file that cannot be decoded is delivered without text and with a refusing finding, so
    that it is counted and its bytes are kept.
    """
    seen: set[tuple[str, ManifestFacts]] = set()
    batch = _Filling(received_on)
    with Reader() as reader:
        for file in deliveries.files:
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
                yield batch.closed()
                batch = _Filling(received_on)
        if batch.files or batch.repeated or batch.problems:
            yield batch.closed()


def archive_all(folder: Path, batch: Batch) -> None:
    """Keep the original bytes of every report of ``batch`` in ``folder``, each under its digest for a name.

    All are on the disk when this returns; a file of that name and size is left alone. The bytes are written under a
    name of their own and renamed when they are on the disk, so whatever has the digest for a name is whole, even if
    the program or another one keeping the same report is killed at any moment; what such a death leaves behind starts
    with a dot and is never read. Raises :class:`RatinglistError` where the folder cannot be written.
    """
    try:
        lacking = iter([sha256 for sha256, data in batch.originals.items() if not _is_kept(folder / sha256, data)])
        folder.mkdir(parents=True, exist_ok=True)
        while group := list(islice(lacking, _WRITTEN_AT_ONCE)):
            _archive(folder, {sha256: batch.originals[sha256] for sha256 in group})
        synced(folder)  # the names as well as the bytes
    except OSError as error:
        raise RatinglistError(
            f"Reports could not be kept in {folder}: {error.strerror}. "
            "Make room or correct the permissions, then load again."
        ) from error


def _is_kept(kept: Path, data: bytes) -> bool:
    return kept.is_file() and kept.stat().st_size == len(data)


def _archive(folder: Path, originals: Mapping[str, bytes]) -> None:
    """Write some files, then wait until the disk has all of them, then give each its name."""
    unfinished = {sha256: folder / f".{sha256}.{secrets.token_hex(8)}.tmp" for sha256 in originals}
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("xb")) for path in unfinished.values()]
            for file, data in zip(files, originals.values(), strict=True):
                file.write(data)
                file.flush()
            sync_all([file.fileno() for file in files])
        for sha256, path in unfinished.items():
            path.replace(folder / sha256)
        unfinished.clear()
    finally:
        for path in unfinished.values():
            path.unlink(missing_ok=True)


@dataclass(slots=True)
class _Filling:
    """A batch while it fills."""

    received_on: date
    columns: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in DELIVERED.columns})
    originals: dict[str, bytes] = field(default_factory=dict)
    found: list[dict[str, object]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, file: DeliveredFile, sha256: str, data: bytes) -> None:
        number = self.files + 1
        decoded = decode_report(data)
        facts = {name: getattr(file.facts, name) for name in _STATED}
        facts["received_on"] = facts["received_on"] or self.received_on
        row = {"file_no": number, "file_name": file.name, "sha256": sha256, "text": decoded.utf8, **facts}
        for name, value in row.items():
            self.columns[name].append(value)
        self.originals[sha256] = data
        self.size += max(len(data), _LINE_WEIGHT * data.count(b"\n"))
        noticed = {name: getattr(decoded, name) for name in ("rule", "line", "column", "value", "detail")}
        self.found += [{"file_no": number, **noticed}] if decoded.rule else []
        self.found += [{"file_no": number, **asdict(problem)} for problem in file.facts.problems]

    @property
    def files(self) -> int:
        """How many files it holds."""
        return len(self.columns["file_no"])

    def closed(self) -> Batch:
        texts = pl.Series(self.columns["text"], dtype=pl.Binary).cast(pl.String)
        return Batch(
            pl.DataFrame({**self.columns, "text": texts}, schema=DELIVERED.schema),
            self.originals,
            pl.DataFrame(self.found, schema=FILE_FINDING.schema, orient="row"),
            tuple(self.repeated),
            tuple(self.problems),
        )


def _is_manifest(name: str) -> bool:
    return posixpath.basename(name).casefold() == manifest.NAME


def _manifest(file: DeliveredFile, reader: Reader) -> Manifest:
    if file.size > MANIFEST_BYTES:
        return Manifest(
            file.name, refusal=f"{file.name} has {file.size} bytes; a manifest has at most {MANIFEST_BYTES}"
        )
    try:
        decoded = decode(reader.read(file, MANIFEST_BYTES))
    except NothingReadError as error:
        return Manifest(file.name, refusal=str(error))
    if decoded.rule and refuses(decoded.rule):
        place = f", line {decoded.line}, column {decoded.column}" if decoded.line else ""
        says = RULES[decoded.rule].sentence.format(value=decoded.value, detail=decoded.detail)
        return Manifest(file.name, refusal=f"{file.name}{place}: {says}; save it anew as CSV in UTF-8")
    return manifest.read(file.name, decoded.text)


def _stated(manifests: Sequence[Manifest]) -> dict[str, ManifestFacts]:
    """What the manifests together say of each report, by its key."""
    stated: dict[str, ManifestFacts] = {}
    where: dict[str, str] = {}
    for sheet in manifests:
        for report, facts in sheet.facts.items():
            if report in stated:
                where[report] += f" and {sheet.where[report]}"
                stated[report] = ManifestFacts(problems=(Problem("manifest_twice", report, where[report]),))
            else:
                stated[report], where[report] = facts, sheet.where[report]
    return stated


def _refusals(manifests: Sequence[Manifest]) -> dict[str, list[str]]:
    """What is wrong with the unusable manifests, by the key of the folder each stands in."""
    refusals: dict[str, list[str]] = {}
    for sheet in manifests:
        if sheet.refusal:
            refusals.setdefault(manifest.key(sheet.folder), []).append(sheet.refusal)
    return refusals


def _unless_refused(refusals: Mapping[str, list[str]], report: str, stated: ManifestFacts) -> ManifestFacts:
    """``stated``, with a problem for every unusable manifest beside or above ``report``: it may have spoken of it."""
    if not refusals:
        return stated
    # The report's own folder is the last of its parents to look at, so that they come in the order of their names.
    folders = [str(folder) for folder in reversed(PurePosixPath(manifest.key(report)).parents)]
    found = [refusal for folder in folders for refusal in refusals.get("" if folder == "." else folder, [])]
    problems = (Problem("manifest_unreadable", "", refusal) for refusal in found)
    return replace(stated, problems=(*stated.problems, *problems))


def _looks_like_a_report(file: DeliveredFile, reader: Reader, problems: list[str]) -> bool:
    """Whether a line of the first kilobyte begins as the records of a report do."""
    try:
        start = reader.read(file, _FIRST_LOOK)
    except NothingReadError as error:
        problems.append(str(error))
        return False
    wide = start[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = start.decode("utf-16" if wide else "utf-8", errors="replace")
    return bool(_LIKE_A_REPORT.search(text))
