"""The reports of a delivery: folders walked, archives opened, manifests read, and the files in batches.

A file that is no report is read only as far as needed to see that. Batches are read lazily, so a delivery of any size
streams through.

Archives are untrusted: the table of contents is validated (:mod:`~ratinglist.files.zip_files`), and no more than the
limit of a file is read into memory. Folders may hold anything: links are not followed, and only ordinary files are
opened.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Final

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files import zip_files
from ratinglist.files.durable_files import OF_A_DESKTOP
from ratinglist.files.zip_files import UNREADABLE
from ratinglist.limits import (
    ARCHIVE_BYTES,
    DELIVERY_FILES,
    MANIFEST_BYTES,
    PATH_LENGTH,
    REPORT_BYTES,
    TABLE_BYTES,
    TooLargeError,
)
from ratinglist.reports.delivered_tables import (
    STATED,
    DeliveryManifest,
    ManifestFacts,
    UnreadableTableError,
    merged_facts,
    problem,
    read_manifest,
    read_tables,
    report_key,
)
from ratinglist.reports.encoding import decode_report
from ratinglist.reports.games import Batch
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist.text import first_forbidden_in_name, on_one_line

REPORT_ENDINGS: Final = (".trf", ".trfx", ".txt", ".tab")
_OTHER_ENDINGS: Final = (".csv", ".htm", ".html", ".ods", ".pdf", ".pgn", ".tsv", ".xls", ".xlsb", ".xlsx")
"""Files of other programs that may hold results or players."""
_TEMPORARY_ENDINGS: Final = (".tmp", ".temp", ".part", ".partial", ".crdownload", "~")
_FIRST_OF_LOG: Final = "log/000001.json"
_MANIFEST: Final = ("manifest", ".csv")
_TABLES: Final = ("events", "games")
_SNIFFED_BYTES: Final = 1024
FILES_PER_BATCH: Final = 500
"""Files after which a batch ends."""
BATCH_BYTES: Final = 24 * 2**20
"""Bytes after which a batch ends, so that some hundred large reports do not fill the memory."""
_LINE_WEIGHT: Final = 64
"""Bytes that a line counts at least in the size of a batch: an empty line becomes a row too."""
_LIKE_A_REPORT: Final = re.compile(r"(?:^|[\r\n])\ufeff?(?:012|001) ")


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """One file of a delivery, not yet read.

    ``name`` is the path as delivered (``DELIVERED.file_name``), ``source`` the file or archive on disk, ``member`` the
    entry of the archive, ``facts`` the cells of its row in a manifest.
    """

    name: str
    source: Path
    member: zipfile.ZipInfo | None = None
    facts: ManifestFacts = field(default_factory=dict)


TableFiles = tuple[DeliveredFile, DeliveredFile]
"""The two files of a delivery as tables, not yet read: the events, the games."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """The files of a delivery, not yet read.

    ``files``: the candidates, sorted by name. ``skipped``: why each other file or folder is no report, by name.
    ``unread``: a sentence for each file and folder that should have been read and could not be, by name.
    ``problems``: a sentence for each manifest that cannot be used and each of their rows without a report. ``notes``:
    one for each column of a manifest that is not read. ``manifests``: the bytes of the manifests, by name. ``tables``:
    the deliveries as tables. ``absent``: the files that a manifest names and the delivery lacks.
    """

    files: tuple[DeliveredFile, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    manifests: Mapping[str, bytes] = field(default_factory=dict)
    tables: tuple[TableFiles, ...] = ()
    absent: tuple[str, ...] = ()


class _Reader(ExitStack):
    """Reader of delivered files; an archive stays open for the next file read from it."""

    def read(self, file: DeliveredFile, most: int, *, is_start: bool = False) -> bytes:
        """Return ``file``, or as its start no more than the first ``most`` bytes.

        Raises :class:`NothingReadError`, with the file's name and the cause, where it cannot be read, and where it has
        more bytes than that.
        """
        try:
            inner = self._archive(file.source).open(file.member) if file.member else file.source.open("rb")
            with inner as stream:
                data = stream.read(most if is_start else most + 1)
        except UNREADABLE as error:
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise NothingReadError(f"{file.name} could not be read: {on_one_line(cause)}. Deliver it again.") from error
        if len(data) > most:
            raise NothingReadError(f"{file.name} was not read: it has more than {most} bytes. Deliver it in parts.")
        return data

    def _archive(self, path: Path) -> zipfile.ZipFile:
        if self._opened is None or self._opened.filename != os.fspath(path):
            self.close()
            self._opened = self.enter_context(zipfile.ZipFile(path))
        return self._opened

    _opened: zipfile.ZipFile | None = None


@dataclass(slots=True)
class _Search:
    """The files so far, by their place on disk and in an archive; see :class:`Delivery`."""

    files: dict[tuple[Path, int], DeliveredFile] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


def find(paths: Sequence[Path]) -> Delivery:
    """Find the reports in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives.

    ``.trf``, ``.trfx``, ``.txt``, ``.tab`` and every file that a manifest names are candidates; any other file is one
    where its first kilobyte looks like a report. The order of ``paths`` does not matter. Raises
    :class:`NothingReadError` for a path that does not exist or is a link itself, and for more files than a
    delivery has.
    """
    search = _Search()
    for path in paths:
        _add_path(path, search)
    files = sorted(search.files.values(), key=lambda file: file.name)
    originals: dict[str, bytes] = {}
    candidates, tables = [], []
    with _Reader() as reader:
        manifests = [_read_manifest(file, reader, originals) for file in files if _stem(file.name) == _MANIFEST]
        stated = merged_facts(manifests)
        unusable = {posixpath.dirname(sheet.name) or ".": sheet.refusal for sheet in manifests if sheet.refusal}
        for file in files:
            name, (stem, ending) = report_key(file.name), _stem(file.name)
            if (stem, ending) == _MANIFEST:
                continue
            if name not in stated and stem in _TABLES and ending in (".csv", ".parquet"):
                tables.append(file)
            elif name in stated or ending in REPORT_ENDINGS or _is_like_a_report(file, reader, search):
                facts = stated.get(name, {})
                # A manifest that cannot be used may have had a row for any report in its folder or below.
                above = [str(folder) for folder in PurePosixPath(file.name).parents] if unusable else []
                refused = [
                    problem("manifest_unreadable", "", unusable[folder]) for folder in above if folder in unusable
                ]
                candidates.append(replace(file, facts={**facts, "problems": [*facts.get("problems", ()), *refused]}))
    pairs = tuple(_pairs(tables, search))
    there = {report_key(file.name) for file in files}
    absent = {name: place for sheet in manifests for name, place in sheet.where.items() if name not in there}
    return Delivery(
        tuple(candidates),
        dict(sorted(search.skipped.items())),
        dict(sorted(search.unread.items())),
        (
            *(problem for sheet in manifests for problem in (sheet.refusal, *sheet.problems) if problem),
            *(f"{place}, column file: '{name}' is not among the files delivered." for name, place in absent.items()),
        ),
        tuple(note for sheet in manifests for note in sheet.notes),
        originals,
        pairs,
        tuple(sorted(absent)),
    )


def _add_path(path: Path, search: _Search) -> None:
    """Add a file or archive that was named, also where it is hidden, or the files in the folders below."""
    # For a name that no file can have, too long or with a NUL, os.path says that there is no such file.
    if os.path.islink(path):  # noqa: PTH114 - see above
        raise NothingReadError(
            f"{_printable(path)} is a link, and links are not followed, because a link can lead to any file. Name "
            "the file or folder it leads to."
        )
    if not os.path.exists(path):  # noqa: PTH110 - see above
        raise NothingReadError(
            f"{_printable(path)} does not exist: name a report, a folder of reports or a .zip archive."
        )
    if not path.is_dir():
        _add(path, search)
        return

    def unreadable(error: OSError) -> None:
        name = _printable(Path(error.filename))
        search.unread[name] = f"{name} could not be read: {error.strerror}. Check its permissions."

    for folder, folders, names in os.walk(path, onerror=unreadable):
        folders[:] = [name for name in sorted(folders) if _is_read(Path(folder, name), search)]
        for name in names:
            if _is_read(Path(folder, name), search):
                _add(Path(folder, name), search)
        if len(search.files) + len(search.skipped) > DELIVERY_FILES:
            raise NothingReadError(
                f"{_printable(path)} holds more than {DELIVERY_FILES} files, which is no delivery: name the folder of "
                "the reports alone, or deliver it in parts."
            )


def _is_read(path: Path, search: _Search) -> bool:
    """Return whether a file or folder of a folder is read, by its name and kind; else say why not."""
    why = _why_skipped(path.name) or ("a link is not followed" if path.is_symlink() else "")
    if (path / _FIRST_OF_LOG).is_file():
        why = "the home of an office: what it holds was delivered before"
    if why:
        search.skipped[_printable(path)] = why
    return not why


def _add(path: Path, search: _Search) -> None:
    name = _printable(path)
    if not path.is_file():
        search.skipped[name] = "not an ordinary file"
    elif path.suffix.lower() == ".zip":
        _add_members(path, name, search)
    elif path.name.casefold() not in OF_A_DESKTOP and not _is_refused(name, os.fspath(path), search):
        search.files[path, 0] = DeliveredFile(name, path)


def _add_members(path: Path, archive: str, search: _Search) -> None:
    try:
        with path.open("rb") as file:
            members = zip_files.members(file, ARCHIVE_BYTES)
    except (*UNREADABLE, TooLargeError) as error:
        search.unread[archive] = f"{archive} was not read: {on_one_line(str(error))}. Unpack it, or pack it again."
        return
    for member in members:
        name, inner = f"{archive}/{on_one_line(member.name)}", PurePosixPath(member.name)
        is_archive = inner.suffix.lower() == ".zip"
        if _is_refused(name, name, search, member.problem or "it is an archive in an archive" * is_archive):
            continue
        if why := next(filter(None, map(_why_skipped, inner.parts)), ""):
            search.skipped[name] = why
        elif inner.name.casefold() not in OF_A_DESKTOP:
            place = (path, member.entry.header_offset + 1)
            search.files[place] = DeliveredFile(name, path, member.entry)


def _printable(path: Path) -> str:
    """Return ``path`` as text that can be stored and printed.

    Bytes of a name that are not UTF-8 become U+FFFD; refused characters are escaped.
    """
    return on_one_line(os.fsencode(path.as_posix()).decode(errors="replace"))


def _why_skipped(name: str) -> str:
    """Return why a file or folder of this name is skipped; empty where it is read."""
    is_hidden = name.startswith((".", "__MACOSX")) and name.casefold() not in OF_A_DESKTOP
    is_temporary = name.lower().endswith(_TEMPORARY_ENDINGS) or name.startswith("~$")
    return "hidden, or a temporary file of another program" if is_hidden or is_temporary else ""


def _is_refused(name: str, path: str, search: _Search, problem: str = "") -> bool:
    """Return whether a path is refused for a ``problem``, its length or a character; if so, say why."""
    if len(path) > PATH_LENGTH:
        problem = f"its path has {len(path)} characters, and at most {PATH_LENGTH} are accepted"
    if character := first_forbidden_in_name(path):
        problem = f"its name holds the character {character}, which no name may"
    if problem:
        search.unread[name] = f"{name} was not read: {problem}. Give it another name or place, or unpack its archive."
    return bool(problem)


def _stem(name: str) -> tuple[str, str]:
    """Return the last part of a file's name and its ending, in small letters."""
    return posixpath.splitext(posixpath.basename(name).casefold())


def _is_like_a_report(file: DeliveredFile, reader: _Reader, search: _Search) -> bool:
    """Return whether a line of a file's first kilobyte begins with a code of a report; else say why it is none."""
    try:
        start = reader.read(file, _SNIFFED_BYTES, is_start=True)
    except NothingReadError as error:
        search.unread[file.name] = str(error)
        return False
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    if _LIKE_A_REPORT.search(start.decode(encoding, errors="replace")):
        return True
    remedy = "; results in a table are delivered as events.csv and games.csv, players with ratinglist import-players"
    search.skipped[file.name] = "it does not look like a tournament report" + (
        remedy if file.name.lower().endswith(_OTHER_ENDINGS) else ""
    )
    return False


def _pairs(tables: Sequence[DeliveredFile], search: _Search) -> Iterator[TableFiles]:
    """Yield the pairs of tables; a folder with one table alone has no delivery as tables.

    An ``events.csv`` may be anything.
    """
    of_folder = defaultdict(list)
    for file in sorted(tables, key=lambda file: _stem(file.name)):
        of_folder[posixpath.dirname(file.name)].append(file)
    for folder, files in sorted(of_folder.items()):
        stems = [_stem(file.name)[0] for file in files]
        if len(set(stems)) < len(_TABLES):
            search.skipped.update(
                (file.name, "a table is read only with the other one, events or games, in the same folder")
                for file in files
            )
        elif len(files) > len(_TABLES):
            names = " and ".join(file.name for file in files)
            search.unread[names] = f"{names} were not read: leave one of each table, and deliver {folder} again."
        else:
            yield files[0], files[1]


def _read_manifest(file: DeliveredFile, reader: _Reader, originals: dict[str, bytes]) -> DeliveryManifest:
    """Parse a manifest, and add its bytes to ``originals``."""
    try:
        originals[file.name] = reader.read(file, MANIFEST_BYTES)
    except NothingReadError as error:
        return DeliveryManifest(file.name, refusal=str(error))
    return read_manifest(file.name, originals[file.name])


def read_batches(delivery: Delivery, received_on: date, today: date) -> Iterator[Batch]:
    """Read the files of ``delivery``, in order, and yield batches of them.

    ``received_on`` is the day of arrival where no manifest gives one; one that gives a day after ``today`` refuses the
    report. A file that cannot be decoded has no text and a refusing finding, so that it is counted and its bytes are
    kept. Two tables are one batch.
    """
    contents: list[tuple[DeliveredFile, bytes]] = []
    unread: dict[str, str] = {}
    size = 0
    with _Reader() as reader:
        for file in delivery.files:
            try:
                data = reader.read(file, REPORT_BYTES)
            except NothingReadError as error:
                unread[file.name] = str(error)
                continue
            contents.append((file, data))
            size += max(len(data), _LINE_WEIGHT * data.count(b"\n"))
            if len(contents) == FILES_PER_BATCH or size >= BATCH_BYTES:
                yield _batch(contents, unread, received_on, today)
                contents, unread, size = [], {}, 0
        if contents or unread:
            yield _batch(contents, unread, received_on, today)
        for files in delivery.tables:
            yield _table_batch(files, reader, received_on, today)


def _batch(
    contents: Sequence[tuple[DeliveredFile, bytes]], unread: Mapping[str, str], received_on: date, today: date
) -> Batch:
    delivered: list[dict[str, object]] = []
    findings: list[dict[str, object]] = []
    originals = {}
    for number, (file, data) in enumerate(contents, 1):
        decoded = decode_report(data)
        facts = {name: file.facts.get(name) for name in STATED}
        arrived = facts["received_on"] or received_on
        sha256 = hashlib.sha256(data).hexdigest()
        row = {"file_no": number, "file_name": file.name, "sha256": sha256, "text": decoded.text}
        delivered.append(row | facts | {"received_on": arrived})
        originals[sha256] = data
        noted = {name: getattr(decoded, name) for name in ("rule", "line", "column", "value", "detail")}
        later = {"rule": "received_in_the_future", "value": str(arrived), "detail": ""}
        of_file = [noted] * bool(decoded.rule) + [*file.facts.get("problems", ())]
        findings += [{"file_no": number, **finding} for finding in of_file + [later] * (arrived > today)]
    return Batch(
        pl.DataFrame(delivered, schema=DELIVERED.schema, orient="row"),
        originals,
        pl.DataFrame(findings, schema=FILE_FINDING.schema, orient="row"),
        unread,
    )


def _table_batch(files: TableFiles, reader: _Reader, received_on: date, today: date) -> Batch:
    """Return the events of two tables, or the reason why they cannot be read."""
    events, games = files
    try:
        tables = {file.name: reader.read(file, TABLE_BYTES) for file in files}
        return read_tables(tables, events.name, games.name, received_on, today)
    except (UnreadableTableError, NothingReadError) as error:
        unread = {games.name: f"{error} No event of it was read."}
        return Batch(DELIVERED.empty(), {}, FILE_FINDING.empty(), unread)
