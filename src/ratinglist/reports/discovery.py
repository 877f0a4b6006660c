"""The reports of a delivery: folders are walked, archives opened, manifests read; of other files no more is read than
is needed to recognise a report.

Archives are untrusted: the table of contents is validated (:mod:`~ratinglist.files.zip_files`), and no more than the
limit of a file is read into memory. Folders may hold anything: links are not followed, and only ordinary files are
opened.
"""  # noqa: D205 - one sentence

from __future__ import annotations

import os
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import zip_files
from ratinglist.files.zip_files import UNREADABLE
from ratinglist.findings import RULES, refuses
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
from ratinglist.reports.encoding import decode
from ratinglist.reports.manifest import Manifest, ManifestFacts, Problem
from ratinglist.text import first_forbidden_in_name, on_one_line

REPORT_ENDINGS: Final = (".trf", ".trfx", ".txt", ".tab")
_OTHER_ENDINGS: Final = (".csv", ".htm", ".html", ".ods", ".pdf", ".pgn", ".tsv", ".xls", ".xlsb", ".xlsx")
"""Files of other programs that may hold results or players."""
_TEMPORARY_ENDINGS: Final = (".tmp", ".temp", ".part", ".partial", ".crdownload", "~")
_OF_A_DESKTOP: Final = frozenset((".ds_store", "thumbs.db", "desktop.ini"))
"""Files that file managers leave in folders, in small letters: they are nothing."""
_FIRST_OF_LOG: Final = "log/000001.json"
_KEPT: Final = ("reports", "originals")
"""The folders of a home that hold what was delivered."""
_SNIFFED_BYTES: Final = 1024
_LIKE_A_REPORT: Final = re.compile(r"(?:^|[\r\n])\ufeff?(?:012|001) ")
_REMEDY: Final = "Give it another name, or another place."


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
class _Found:
    """What was found so far: see :class:`Delivery`."""

    files: list[DeliveredFile] = field(default_factory=list)
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
    does not matter. Raises :class:`CommandLineError` for the home of an office, :class:`NothingReadError` for a path
    that does not exist or is a link itself, for more files or bytes than the limit of a delivery, for an archive inside
    an archive, and for an archive that cannot be opened where it is the only path.
    """
    found = _walk(paths)
    files = sorted(found.files, key=lambda file: file.name)
    originals: dict[str, bytes] = {}
    candidates, tables = [], []
    with Reader() as reader:
        manifests = [_read_manifest(file, reader, originals) for file in files if _stem(file) == ("manifest", ".csv")]
        facts = _merged_facts(manifests)
        refusals: dict[str, list[str]] = {}
        for sheet in manifests:
            if sheet.refusal:
                refusals.setdefault(manifest.key(sheet.folder) or ".", []).append(sheet.refusal)
        for file in files:
            named = facts.get(manifest.key(file.name))
            is_candidate = named is not None or file.name.lower().endswith(REPORT_ENDINGS)
            if _stem(file) == ("manifest", ".csv"):
                continue
            if named is None and _is_table(file):
                tables.append(file)
            elif file.size > REPORT_BYTES and is_candidate:
                found.problem(
                    file.name,
                    f"{file.name} was not read: it has {file.size} bytes, a report at most {REPORT_BYTES}.",
                )
            elif is_candidate or _is_like_a_report(file, reader, found):
                candidates.append(replace(file, facts=_with_refusals(refusals, file.name, named or ManifestFacts())))
    pairs = _pairs(tables, found)
    in_tables = [file for pair in pairs for file in (pair.events, pair.games)]
    if (size := sum(file.size for file in (*candidates, *in_tables))) > DELIVERY_BYTES:
        raise NothingReadError(
            f"The reports of this delivery have {size} bytes, and at most {DELIVERY_BYTES} are read at once. Deliver "
            "them in parts."
        )
    present = {manifest.key(file.name) for file in candidates}
    there = {manifest.key(file.name) for file in files}
    absent = {name: place for sheet in manifests for name, place in sheet.where.items() if name not in present}
    for sheet in manifests:
        found.problems += [*([sheet.refusal] if sheet.refusal else []), *sheet.problems]
    found.problems += [
        f"{place}, column file: '{name}' is not among the reports delivered." for name, place in absent.items()
    ]
    return Delivery(
        tuple(candidates),
        tuple(sorted(found.skipped, key=lambda skipped: skipped.name)),
        tuple(found.problems),
        tuple(note for sheet in manifests for note in sheet.notes),
        originals,
        tuple(pairs),
        tuple(sorted(absent.keys() - there)),
        tuple(sorted(found.unread)),
    )


def archived_file(name: str, path: Path, facts: ManifestFacts | None = None) -> DeliveredFile:
    """Return the kept report at ``path`` as it was delivered under ``name``."""
    return DeliveredFile(name, path, path.stat().st_size, facts=facts or ManifestFacts())


def _walk(paths: Sequence[Path]) -> _Found:
    """Find every file in ``paths``."""
    found = _Found()
    seen: set[Path] = set()
    for path in paths:
        _check_path(path)
        for file, resolved in _below(path, found):
            if resolved not in seen:
                seen.add(resolved)
                _add(file, found)
            if len(seen) + len(found.skipped) > DELIVERY_FILES:
                raise NothingReadError(
                    f"{_printable(path)} holds more than {DELIVERY_FILES} files, which is no delivery: name the folder "
                    "of the reports alone, or deliver it in parts."
                )
    if len(paths) == 1 and paths[0].is_file() and found.problems and not found.files:
        raise NothingReadError(" ".join(found.problems))
    return found


def _check_path(path: Path) -> None:
    """Raise an error where ``path`` cannot be a delivery."""
    try:
        is_link, exists = path.is_symlink(), path.exists()
    except (OSError, ValueError):
        # A name that no file can have: too long, or with a NUL.
        is_link = exists = False
    if is_link:
        raise NothingReadError(
            f"{_printable(path)} is a link, and links are not followed, because a link can lead to any file. Name "
            "the file or folder it leads to."
        )
    if not exists:
        raise NothingReadError(
            f"{_printable(path)} does not exist: name a report, a folder of reports or a .zip archive."
        )
    of_home = path.resolve()
    if _is_home(of_home) or (of_home.name in _KEPT and _is_home(of_home.parent)):
        raise CommandLineError(
            f"{_printable(path)} is of the home of an office: what it holds was delivered before. Name the folder of "
            "the new reports."
        )


def _is_home(folder: Path) -> bool:
    return (folder / _FIRST_OF_LOG).is_file()


def _below(path: Path, found: _Found) -> Iterator[tuple[Path, Path]]:
    """Yield ``path`` itself, or the files in its folders, each with its resolved path.

    A path on the command line is read even where it is hidden. Nothing below it is a link that is followed, so the
    resolved path of a file follows from that of ``path``.
    """
    resolved = path.resolve()
    if not path.is_dir():
        yield path, resolved
        return

    def unreadable(error: OSError) -> None:
        name = _printable(Path(error.filename))
        found.problem(name, f"{name} could not be read: {error.strerror}. Check its permissions.")

    for folder, folders, names in os.walk(path, onerror=unreadable):
        here = Path(folder)
        depth = len(here.relative_to(path).parts)
        entered = []
        for name in sorted(folders):
            inner = here / name
            why = _why_skipped(inner)
            if not why and _is_home(inner):
                why = "the home of an office: what it holds was delivered before"
            problem = "it is too many folders deep" if depth >= FOLDER_DEPTH else _name_problem(os.fspath(inner))
            if why:
                found.skip(_printable(inner), why)
            elif problem:
                found.problem(_printable(inner), f"{_printable(inner)} was not read: {problem}. {_REMEDY}")
            else:
                entered.append(name)
        folders[:] = entered
        for name in names:
            if why := _why_skipped(here / name):
                found.skip(_printable(here / name), why)
            elif name.casefold() not in _OF_A_DESKTOP:
                yield here / name, resolved / here.relative_to(path) / name


def _add(path: Path, found: _Found) -> None:
    name = _printable(path)
    if problem := _name_problem(os.fspath(path)):
        found.problem(name, f"{name} was not read: {problem}. {_REMEDY}")
    elif not path.is_file():
        found.skip(name, "not an ordinary file")
    elif path.suffix.lower() == ".zip":
        _add_members(path, name, found)
    else:
        found.files.append(DeliveredFile(name, path, path.stat().st_size))


def _add_members(path: Path, archive: str, found: _Found) -> None:
    try:
        with path.open("rb") as file:
            members = zip_files.members(file, ARCHIVE_BYTES)
    except UNREADABLE as error:
        found.problem(
            archive, f"{archive} is not a .zip archive that can be read: {on_one_line(str(error))}. Pack it again."
        )
        return
    except zip_files.TooLargeError as error:
        found.problem(archive, f"{archive} {error}. Unpack it, or split it.")
        return
    for member in members:
        name = f"{archive}/{on_one_line(member.name)}"
        inner = PurePosixPath(member.name)
        problem = member.problem or _name_problem(name)
        if problem:
            found.problem(name, f"{name} was not read: {problem}.")
        elif why := next((why for part in inner.parts if (why := _why_name_skipped(part))), ""):
            found.skip(name, why)
        elif inner.suffix.lower() == ".zip":
            raise NothingReadError(
                f"{name}: an archive inside an archive is not opened, so nothing of this delivery was loaded. Unpack "
                f"{archive} and deliver what is in it."
            )
        elif inner.name.casefold() not in _OF_A_DESKTOP:
            found.files.append(DeliveredFile(name, path, member.entry.file_size, member.entry))


def _printable(path: Path) -> str:
    """Return ``path`` as text that can be stored and printed.

    Bytes of a name that are not UTF-8 become U+FFFD; refused characters are escaped.
    """
    return on_one_line(os.fsencode(path.as_posix()).decode(errors="replace"))


def _why_skipped(path: Path) -> str:
    """Return why the entry ``path`` of a folder is skipped; empty where it is read."""
    return _why_name_skipped(path.name) or ("a link is not followed" if path.is_symlink() else "")


def _why_name_skipped(name: str) -> str:
    if (name.startswith(".") and name.casefold() not in _OF_A_DESKTOP) or name == "__MACOSX":
        return "hidden"
    if name.lower().endswith(_TEMPORARY_ENDINGS) or name.startswith("~$"):
        return "a temporary file of another program"
    return ""


def _name_problem(name: str) -> str:
    """Return why a file of this name is refused; empty where it is read."""
    if len(name) > PATH_LENGTH:
        return f"its path has {len(name)} characters, and at most {PATH_LENGTH} are accepted"
    character = first_forbidden_in_name(name)
    return f"its name holds the character {character}, which no name may" if character else ""


def _stem(file: DeliveredFile) -> tuple[str, str]:
    """Return the last part of a file's name and its ending, in small letters."""
    return posixpath.splitext(posixpath.basename(file.name).casefold())


def _is_like_a_report(file: DeliveredFile, reader: Reader, found: _Found) -> bool:
    """Return whether a line of a file's first kilobyte begins with a code of a report; else say why it is none."""
    try:
        start = reader.read(file, _SNIFFED_BYTES)
    except NothingReadError as error:
        found.problem(file.name, str(error))
        found.skip(file.name, "it could not be read")
        return False
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    if _LIKE_A_REPORT.search(start.decode(encoding, errors="replace")):
        return True
    remedy = "; a zip archive needs a name that ends with .zip" if start.startswith(b"PK\x03\x04") else ""
    if file.name.lower().endswith(_OTHER_ENDINGS):
        remedy = (
            "; results in a table are delivered as events.csv and games.csv, players with ratinglist import-players"
        )
    found.skip(file.name, f"it does not look like a tournament report{remedy}")
    return False


def _is_table(file: DeliveredFile) -> bool:
    stem, ending = _stem(file)
    return stem in ("events", "games") and ending in (".csv", ".parquet")


def _pairs(tables: Sequence[DeliveredFile], found: _Found) -> list[TableFiles]:
    """Return the pairs of tables; a folder with one table alone has no delivery as tables.

    An ``events.csv`` may be anything.
    """
    folders: dict[str, dict[str, list[DeliveredFile]]] = {}
    for file in tables:
        folders.setdefault(posixpath.dirname(file.name), {}).setdefault(_stem(file)[0], []).append(file)
    pairs = []
    for of_folder in folders.values():
        several = [file for some in of_folder.values() if len(some) > 1 for file in some]
        large = [file for some in of_folder.values() for file in some if file.size > TABLE_BYTES]
        if len(of_folder) == 1:
            missing = "games" if "events" in of_folder else "events"
            for file in of_folder.popitem()[1]:
                why = f"a table is read only where {missing}.csv or {missing}.parquet is in the same folder"
                found.skip(file.name, why)
        elif several:
            names = " and ".join(file.name for file in several)
            found.problem(names, f"{names} were not read: leave one of them out, and deliver the tables again.")
        elif large:
            found.problem(
                large[0].name,
                f"{large[0].name} has {large[0].size} bytes, and at most {TABLE_BYTES} are read. Deliver the events in "
                "several parts.",
            )
        else:
            pairs.append(TableFiles(of_folder["events"][0], of_folder["games"][0]))
    return pairs


def _read_manifest(file: DeliveredFile, reader: Reader, originals: dict[str, bytes]) -> Manifest:
    """Parse a manifest, and add its bytes to ``originals``."""
    if file.size > MANIFEST_BYTES:
        return Manifest(
            file.name, refusal=f"{file.name} has {file.size} bytes; a manifest has at most {MANIFEST_BYTES}"
        )
    try:
        originals[file.name] = data = reader.read(file, MANIFEST_BYTES)
    except NothingReadError as error:
        return Manifest(file.name, refusal=str(error))
    decoded = decode(data)
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


def _with_refusals(refusals: Mapping[str, list[str]], report: str, facts: ManifestFacts) -> ManifestFacts:
    """Return ``facts`` with a problem for every unusable manifest in or above the folder of ``report``.

    Such a manifest may have a row for the report. ``refusals``: those of each folder.
    """
    # From the top folder to the report's own.
    folders = reversed(PurePosixPath(manifest.key(report)).parents) if refusals else ()
    problems = [
        Problem("manifest_unreadable", "", refusal) for folder in folders for refusal in refusals.get(str(folder), [])
    ]
    return replace(facts, problems=(*facts.problems, *problems)) if problems else facts
