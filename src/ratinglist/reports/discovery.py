"""The reports of a delivery: folders walked, archives opened, manifests read, and the files in batches.

Of files that are no reports no more is read than is needed to see it. Batches are read lazily, so a delivery of any
size streams through.

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Final

import polars as pl

from ratinglist.errors import NothingReadError, NotKeptError
from ratinglist.files import durable_files, zip_files
from ratinglist.files.zip_files import UNREADABLE
from ratinglist.limits import (
    ARCHIVE_BYTES,
    DELIVERY_BYTES,
    DELIVERY_FILES,
    FOLDER_DEPTH,
    MANIFEST_BYTES,
    PATH_LENGTH,
    REPORT_BYTES,
    TABLE_BYTES,
)
from ratinglist.reports import manifest
from ratinglist.reports.encoding import decode_report
from ratinglist.reports.event_tables import read_tables
from ratinglist.reports.games import Parsed
from ratinglist.reports.manifest import Manifest, ManifestFacts, UnreadableTableError
from ratinglist.system_errors import system_error_text
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist.text import first_forbidden_in_name, on_one_line

REPORT_ENDINGS: Final = (".trf", ".trfx", ".txt", ".tab")
_OTHER_ENDINGS: Final = (".csv", ".htm", ".html", ".ods", ".pdf", ".pgn", ".tsv", ".xls", ".xlsb", ".xlsx")
"""Files of other programs that may hold results or players."""
_TEMPORARY_ENDINGS: Final = (".tmp", ".temp", ".part", ".partial", ".crdownload", "~")
_OF_A_DESKTOP: Final = frozenset((".ds_store", "thumbs.db", "desktop.ini"))
"""Files that file managers leave in folders, in small letters: they are nothing."""
_FIRST_OF_LOG: Final = "log/000001.json"
_MANIFEST: Final = ("manifest", ".csv")
_TABLES: Final = ("events", "games")
_SNIFFED_BYTES: Final = 1024
BATCH_BYTES: Final = 24 * 2**20
"""Bytes after which a batch ends, so that some hundred large reports do not fill the memory."""
_LINE_WEIGHT: Final = 64
"""Bytes that a line counts at least in the size of a batch: an empty line becomes a row too."""
_MANIFEST_COLUMNS: Final = tuple(column.name for column in fields(ManifestFacts) if column.name != "problems")
_LIKE_A_REPORT: Final = re.compile(r"(?:^|[\r\n])\ufeff?(?:012|001) ")
_REMEDY: Final = "Give it another name, or another place."
_NO_ARCHIVE, _AGAIN = "is not a .zip archive that can be read", "Pack it again."


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """One file of a delivery, not yet read.

    ``name`` is the path as delivered (``DELIVERED.file_name``), ``source`` the file or archive on disk, ``member`` the
    entry of the archive, ``size`` in bytes, ``facts`` the cells of its row in a manifest.
    """

    name: str
    source: Path
    size: int
    member: zipfile.ZipInfo | None = None
    facts: ManifestFacts = field(default_factory=ManifestFacts)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The two files of a delivery as tables, not yet read."""

    events: DeliveredFile
    games: DeliveredFile


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was not read because it is no report, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """The files of a delivery, not yet read.

    ``files``: the candidates, sorted by name. ``skipped``: files that do not look like reports. ``problems``: one
    sentence for each file that should have been read and could not be, and for each manifest row without a report.
    ``notes``: one sentence for each column of a manifest that is not read. ``manifests``: the bytes of the manifests,
    by name. ``tables``: the deliveries as tables. ``absent``: the files that a manifest names and the delivery lacks.
    ``unread``: the files and folders that are there and could not be read.
    """

    files: tuple[DeliveredFile, ...]
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    manifests: Mapping[str, bytes] = field(default_factory=dict)
    tables: tuple[TableFiles, ...] = ()
    absent: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


class Reader:
    """Reader of delivered files; an archive stays open for the next file read from it."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._archive: zipfile.ZipFile | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._archive is not None:
            self._archive.close()

    def read(self, file: DeliveredFile, max_bytes: int) -> bytes:
        """Return the first ``max_bytes`` bytes of ``file``.

        Raises :class:`NothingReadError`, with the file's name and the cause, where it cannot be read.
        """
        try:
            if file.member is not None:
                return self._unpacked(file, file.member, max_bytes)
            with file.source.open("rb") as stream:
                return stream.read(max_bytes)
        except UNREADABLE as error:
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise NothingReadError(f"{file.name} could not be read: {on_one_line(cause)}. Deliver it again.") from error

    def whole(self, file: DeliveredFile, most: int) -> bytes:
        """Return ``file``; raises :class:`NothingReadError` also where it has more bytes than that."""
        data = self.read(file, most + 1)
        if len(data) > most:
            raise NothingReadError(f"{file.name} was not read: it has more than {most} bytes. Deliver it in parts.")
        return data

    def _unpacked(self, file: DeliveredFile, member: zipfile.ZipInfo, max_bytes: int) -> bytes:
        if self._archive is None or self._path != file.source:
            self.__exit__()
            self._archive, self._path = zipfile.ZipFile(file.source), file.source
        with self._archive.open(member) as unpacked:
            data = unpacked.read(max_bytes)
        if len(data) < min(max_bytes, member.file_size):
            raise ValueError("it is shorter than the archive states")
        return data


@dataclass(slots=True)
class _Search:
    """What was found so far: see :class:`Delivery`. ``files``: by resolved path, and by place in an archive."""

    files: dict[tuple[Path, int], DeliveredFile] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def skip(self, name: str, why: str) -> None:
        self.skipped.append(Skipped(name, why))

    def problem(self, name: str, sentence: str) -> None:
        self.problems.append(sentence)
        self.unread.append(name)


def find(paths: Sequence[Path]) -> Delivery:
    """Find the reports in ``paths``: files, folders (walked, links not followed) and ``.zip`` archives.

    ``.trf``, ``.trfx``, ``.txt``, ``.tab`` and every file that a manifest names are candidates; any other file is one
    where its first kilobyte looks like a report. A file reached by two paths is found once, and the order of ``paths``
    does not matter. Raises :class:`NothingReadError` for a path that does not exist or is a link itself, for more files
    or bytes than the limit of a delivery, for an archive inside an archive, and for an archive that cannot be opened
    where it is the only path.
    """
    search = _Search()
    for path in paths:
        _add_below(path, search)
    if len(paths) == 1 and paths[0].is_file() and search.problems and not search.files:
        raise NothingReadError(" ".join(search.problems))
    files = sorted(search.files.values(), key=lambda file: file.name)
    originals: dict[str, bytes] = {}
    candidates, tables = [], []
    with Reader() as reader:
        manifests = [_read_manifest(file, reader, originals) for file in files if _stem(file.name) == _MANIFEST]
        stated, refusals = manifest.merged(manifests), manifest.refusals(manifests)
        for file in files:
            name, (stem, ending) = manifest.key(file.name), _stem(file.name)
            if (stem, ending) == _MANIFEST:
                continue
            if name not in stated and stem in _TABLES and ending in (".csv", ".parquet"):
                tables.append(file)
            elif name in stated or ending in REPORT_ENDINGS or _is_like_a_report(file, reader, search):
                facts = stated.get(name, ManifestFacts())
                # From the top folder to the report's own.
                above = reversed(PurePosixPath(name).parents) if refusals else ()
                refused = [problem for folder in above for problem in refusals.get(str(folder), ())]
                candidates.append(replace(file, facts=replace(facts, problems=(*facts.problems, *refused))))
    pairs = _pairs(tables, search)
    in_tables = [file for pair in pairs for file in (pair.events, pair.games)]
    if (size := sum(file.size for file in (*candidates, *in_tables))) > DELIVERY_BYTES:
        raise NothingReadError(
            f"The reports of this delivery have {size} bytes, and at most {DELIVERY_BYTES} are read at once. Deliver "
            "them in parts."
        )
    there, present = ({manifest.key(file.name) for file in some} for some in (files, candidates))
    absent = {name: place for sheet in manifests for name, place in sheet.where.items() if name not in present}
    of_sheets = [problem for sheet in manifests for problem in (sheet.refusal, *sheet.problems) if problem]
    not_there = [
        f"{place}, column file: '{name}' is not among the reports delivered." for name, place in absent.items()
    ]
    return Delivery(
        tuple(candidates),
        tuple(sorted(search.skipped, key=lambda skipped: skipped.name)),
        (*search.problems, *of_sheets, *not_there),
        tuple(note for sheet in manifests for note in sheet.notes),
        originals,
        tuple(pairs),
        tuple(sorted(absent.keys() - there)),
        tuple(sorted(search.unread)),
    )


def archived_file(name: str, path: Path, facts: ManifestFacts | None = None) -> DeliveredFile:
    """Return the kept report at ``path`` as it was delivered under ``name``."""
    return DeliveredFile(name, path, path.stat().st_size, facts=facts or ManifestFacts())


def _add_below(path: Path, search: _Search) -> None:
    """Add ``path`` itself, also where it is hidden, or the files in its folders."""
    # Of a name that no file can have, too long or with a NUL, the functions of os.path say that it is not there.
    if os.path.islink(path):  # noqa: PTH114 - see above
        raise NothingReadError(
            f"{_printable(path)} is a link, and links are not followed, because a link can lead to any file. Name "
            "the file or folder it leads to."
        )
    if not os.path.exists(path):  # noqa: PTH110 - see above
        raise NothingReadError(
            f"{_printable(path)} does not exist: name a report, a folder of reports or a .zip archive."
        )
    resolved = path.resolve()
    if not path.is_dir():
        _add(path, resolved, search)
        return

    def unreadable(error: OSError) -> None:
        name = _printable(Path(error.filename))
        search.problem(name, f"{name} could not be read: {error.strerror}. Check its permissions.")

    for folder, folders, names in os.walk(path, onerror=unreadable):
        here, below = Path(folder), Path(folder).relative_to(path)
        folders[:] = [name for name in sorted(folders) if _is_entered(here / name, len(below.parts), search)]
        for name in names:
            if why := _why_skipped(name) or ("a link is not followed" if (here / name).is_symlink() else ""):
                search.skip(_printable(here / name), why)
            else:
                # Nothing below is a link that is followed, so the resolved path follows from that of the folder.
                _add(here / name, resolved / below / name, search)
        if len(search.files) + len(search.skipped) > DELIVERY_FILES:
            raise NothingReadError(
                f"{_printable(path)} holds more than {DELIVERY_FILES} files, which is no delivery: name the folder of "
                "the reports alone, or deliver it in parts."
            )


def _is_entered(folder: Path, depth: int, search: _Search) -> bool:
    """Return whether a folder is walked; else say why it is not."""
    name = _printable(folder)
    problem = "it is too many folders deep" if depth >= FOLDER_DEPTH else _name_problem(os.fspath(folder))
    if why := _why_skipped(folder.name) or ("a link is not followed" if folder.is_symlink() else ""):
        search.skip(name, why)
    elif (folder / _FIRST_OF_LOG).is_file():
        search.skip(name, "the home of an office: what it holds was delivered before")
    elif problem:
        search.problem(name, f"{name} was not read: {problem}. {_REMEDY}")
    else:
        return True
    return False


def _add(path: Path, resolved: Path, search: _Search) -> None:
    name = _printable(path)
    if path.name.casefold() in _OF_A_DESKTOP:
        return
    if problem := _name_problem(os.fspath(path)):
        search.problem(name, f"{name} was not read: {problem}. {_REMEDY}")
    elif not path.is_file():
        search.skip(name, "not an ordinary file")
    elif path.suffix.lower() == ".zip":
        _add_members(path, resolved, name, search)
    else:
        search.files.setdefault((resolved, 0), DeliveredFile(name, path, path.stat().st_size))


def _add_members(path: Path, resolved: Path, archive: str, search: _Search) -> None:
    try:
        with path.open("rb") as file:
            members = zip_files.members(file, ARCHIVE_BYTES)
    except (*UNREADABLE, zip_files.TooLargeError) as error:
        is_large = isinstance(error, zip_files.TooLargeError)
        why = f"{error}. Unpack it, or split it." if is_large else f"{_NO_ARCHIVE}: {on_one_line(str(error))}. {_AGAIN}"
        search.problem(archive, f"{archive} {why}")
        return
    for member in members:
        name = f"{archive}/{on_one_line(member.name)}"
        inner = PurePosixPath(member.name)
        if problem := member.problem or _name_problem(name):
            search.problem(name, f"{name} was not read: {problem}.")
        elif why := next(filter(None, map(_why_skipped, inner.parts)), ""):
            search.skip(name, why)
        elif inner.suffix.lower() == ".zip":
            raise NothingReadError(
                f"{name}: an archive inside an archive is not opened, so nothing of this delivery was loaded. Unpack "
                f"{archive} and deliver what is in it."
            )
        elif inner.name.casefold() not in _OF_A_DESKTOP:
            file_in_archive = DeliveredFile(name, path, member.entry.file_size, member.entry)
            search.files.setdefault((resolved, member.entry.header_offset + 1), file_in_archive)


def _printable(path: Path) -> str:
    """Return ``path`` as text that can be stored and printed.

    Bytes of a name that are not UTF-8 become U+FFFD; refused characters are escaped.
    """
    return on_one_line(os.fsencode(path.as_posix()).decode(errors="replace"))


def _why_skipped(name: str) -> str:
    """Return why a file or folder of this name is skipped; empty where it is read."""
    if (name.startswith(".") and name.casefold() not in _OF_A_DESKTOP) or name == "__MACOSX":
        return "hidden"
    is_temporary = name.lower().endswith(_TEMPORARY_ENDINGS) or name.startswith("~$")
    return "a temporary file of another program" if is_temporary else ""


def _name_problem(name: str) -> str:
    """Return why a file of this name is refused; empty where it is read."""
    if len(name) > PATH_LENGTH:
        return f"its path has {len(name)} characters, and at most {PATH_LENGTH} are accepted"
    character = first_forbidden_in_name(name)
    return f"its name holds the character {character}, which no name may" if character else ""


def _stem(name: str) -> tuple[str, str]:
    """Return the last part of a file's name and its ending, in small letters."""
    return posixpath.splitext(posixpath.basename(name).casefold())


def _is_like_a_report(file: DeliveredFile, reader: Reader, search: _Search) -> bool:
    """Return whether a line of a file's first kilobyte begins with a code of a report; else say why it is none."""
    try:
        start = reader.read(file, _SNIFFED_BYTES)
    except NothingReadError as error:
        search.problem(file.name, str(error))
        search.skip(file.name, "it could not be read")
        return False
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    if _LIKE_A_REPORT.search(start.decode(encoding, errors="replace")):
        return True
    remedy = "; a zip archive needs a name that ends with .zip" if start.startswith(b"PK\x03\x04") else ""
    if file.name.lower().endswith(_OTHER_ENDINGS):
        remedy = (
            "; results in a table are delivered as events.csv and games.csv, players with ratinglist import-players"
        )
    search.skip(file.name, f"it does not look like a tournament report{remedy}")
    return False


def _pairs(tables: Sequence[DeliveredFile], search: _Search) -> list[TableFiles]:
    """Return the pairs of tables; a folder with one table alone has no delivery as tables.

    An ``events.csv`` may be anything.
    """
    folders: dict[str, list[DeliveredFile]] = {}
    for file in tables:
        folders.setdefault(posixpath.dirname(file.name), []).append(file)
    pairs = []
    for of_folder in folders.values():
        events, games = ([file for file in of_folder if _stem(file.name)[0] == stem] for stem in _TABLES)
        if not (events and games):
            missing = "games" if events else "events"
            for file in of_folder:
                why = f"a table is read only where {missing}.csv or {missing}.parquet is in the same folder"
                search.skip(file.name, why)
        elif len(of_folder) > len(_TABLES):
            names = " and ".join(file.name for some in (events, games) if len(some) > 1 for file in some)
            search.problem(names, f"{names} were not read: leave one of them out, and deliver the tables again.")
        else:
            pairs.append(TableFiles(events[0], games[0]))
    return pairs


def _read_manifest(file: DeliveredFile, reader: Reader, originals: dict[str, bytes]) -> Manifest:
    """Parse a manifest, and add its bytes to ``originals``."""
    try:
        originals[file.name] = reader.whole(file, MANIFEST_BYTES)
    except NothingReadError as error:
        return Manifest(file.name, refusal=str(error))
    return manifest.read(file.name, originals[file.name])


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files of a delivery, read and decoded.

    ``delivered``: :data:`~ratinglist.tables.DELIVERED`, numbered from 1. ``originals``: the bytes by sha256.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING` on encodings and manifests. ``problems``: a sentence for
    each of the files ``unread``, which could not be read after all. Of a delivery as tables: ``parsed`` is what they
    say, ``tables`` their bytes, by name, and ``notes`` has one sentence for each column that is not read.
    """

    delivered: pl.DataFrame
    originals: Mapping[str, bytes]
    findings: pl.DataFrame
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    parsed: Parsed | None = None
    tables: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_batches(delivery: Delivery, received_on: date, today: date, files_per_batch: int = 500) -> Iterator[Batch]:
    """Read the files of ``delivery``, in order, and yield batches of at most ``files_per_batch``.

    ``received_on`` is the day of arrival where no manifest gives one; one that gives a day after ``today`` refuses the
    report. A file that cannot be decoded has no text and a refusing finding, so that it is counted and its bytes are
    kept. Two tables are one batch.
    """
    contents: list[tuple[DeliveredFile, bytes]] = []
    unread: dict[str, str] = {}
    size = 0
    with Reader() as reader:
        for file in delivery.files:
            try:
                data = reader.whole(file, REPORT_BYTES)
            except NothingReadError as error:
                unread[file.name] = str(error)
                continue
            contents.append((file, data))
            size += max(len(data), _LINE_WEIGHT * data.count(b"\n"))
            if len(contents) == files_per_batch or size >= BATCH_BYTES:
                yield _batch(contents, unread, received_on, today)
                contents, unread, size = [], {}, 0
        if contents or unread:
            yield _batch(contents, unread, received_on, today)
        for files in delivery.tables:
            yield _table_batch(files, reader, received_on, today)


def _batch(
    contents: Sequence[tuple[DeliveredFile, bytes]], unread: Mapping[str, str], received_on: date, today: date
) -> Batch:
    rows: list[dict[str, object]] = []
    findings: list[dict[str, object]] = []
    originals = {}
    for number, (file, data) in enumerate(contents, 1):
        decoded = decode_report(data)
        facts = {name: getattr(file.facts, name) for name in _MANIFEST_COLUMNS}
        arrived = file.facts.received_on or received_on
        sha256 = hashlib.sha256(data).hexdigest()
        row = {"file_no": number, "file_name": file.name, "sha256": sha256, "text": decoded.text}
        rows.append(row | facts | {"received_on": arrived})
        originals[sha256] = data
        noted = {name: getattr(decoded, name) for name in ("rule", "line", "column", "value", "detail")}
        later = {"rule": "received_in_the_future", "value": str(arrived), "detail": ""}
        of_file = [noted] * bool(decoded.rule) + [asdict(problem) for problem in file.facts.problems]
        findings += [{"file_no": number, **one} for one in of_file + [later] * (arrived > today)]
    return Batch(
        pl.DataFrame(rows, schema=DELIVERED.schema, orient="row"),
        originals,
        pl.DataFrame(findings, schema=FILE_FINDING.schema, orient="row"),
        tuple(unread.values()),
        tuple(unread),
    )


def _table_batch(files: TableFiles, reader: Reader, received_on: date, today: date) -> Batch:
    """Return the events of two tables, or the reason why they cannot be read."""
    names = (files.events.name, files.games.name)
    try:
        tables = {file.name: reader.whole(file, TABLE_BYTES) for file in (files.events, files.games)}
        events = read_tables(tables, *names, received_on, today)
    except (UnreadableTableError, NothingReadError) as error:
        problem = f"{error} No event of {files.games.name} was read."
        return Batch(DELIVERED.empty(), {}, FILE_FINDING.empty(), (problem,), names)
    return Batch(
        events.delivered,
        events.originals,
        FILE_FINDING.empty(),
        events.problems,
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
