"""Verify published files against the manifests of their revisions, without a store.

No file content raises an error: whatever is wrong becomes a sentence. A file's size is compared before it is hashed, it
is hashed before it is parsed, and a link is never followed. A table is read in batches of bounded size, because a
publication may come from anybody.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]

from ratinglist import parquet_files
from ratinglist.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.errors import NothingReadError
from ratinglist.limits import PUBLISHED_TEXT_BYTES, REVISION_MANIFEST_BYTES
from ratinglist.parquet_files import RowLimit
from ratinglist.publication import manifest, rollback_log
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.revisions import number_of
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.schemas import BOTH_NUMBERS, EVENT_STATUS, LISTS, Table
from ratinglist.store.table_files import CsvText, arrow_schema

_SHOWN = 20
_READ_ROWS = 131_072
_REVISION = re.compile(r"r[1-9][0-9]{0,8}")
_MONTH = re.compile(r"[12][0-9]{3}-(0[1-9]|1[0-2])")
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError)
_ROWS = RowLimit(small=1_000_000, bytes_per_row=1, most=2**31)
_FILES_OF_MONTH = {"latest", "both_numbers.parquet", "rollbacks.csv"}
"""The files that the folder of a month may have besides its revisions."""
_EVENTS = "events.parquet"
"""The file that ``published/`` may have besides the months."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that is not as it was published. ``description``: what is wrong with it, following its name."""

    file: str
    description: str


@dataclass(slots=True)
class VerifySummary:
    """The result of a verification.

    ``revisions``: digest and fingerprint of the signer of each revision that is whole, by folder; an empty fingerprint
    where it is not signed. ``files``: how many files were hashed. ``required_months``: the months whose lists the
    verified ones were calculated on, each with a revision whose manifest names it.
    """

    revisions: dict[str, tuple[str, str]] = field(default_factory=dict)
    files: int = 0
    wrong: list[Problem] = field(default_factory=list)
    required_months: dict[str, str] = field(default_factory=dict, repr=False)

    def as_dict(self) -> dict[str, object]:
        """Return the result as JSON-able values."""
        return {
            "whole": not self.wrong,
            "revisions": [
                {"path": path, "digest": digest, "signed_by": signer}
                for path, (digest, signer) in self.revisions.items()
            ],
            "wrong": [{"file": one.file, "says": one.description} for one in self.wrong],
        }

    def text(self) -> str:
        """Return a line for each revision that is whole, with its digest and signer."""
        return "\n".join(
            f"{path}: whole, digest {digest}, " + (f"signed by key {signer}" if signer else "not signed")
            for path, (digest, signer) in self.revisions.items()
        )

    def complaint(self) -> str:
        """Return the message on what is wrong: the first files, and the remedy."""
        lines = [f"  {one.file}: {one.description}" for one in self.wrong[:_SHOWN]]
        more = [f"  and {len(self.wrong) - _SHOWN:,} more"] if len(self.wrong) > _SHOWN else []
        return "\n".join(
            [
                "this is not what was published:",
                *lines,
                *more,
                "Do not use it: put back a copy of that revision, or ask the office for one.",
            ]
        )

    def add(self, path: Path, description: str) -> None:
        """Add what is wrong with ``path``."""
        self.wrong.append(Problem(str(path), description))


def verify(path: Path, key: str | None = None) -> VerifySummary:
    """Verify the folder of a revision, of a month, or all that is published.

    ``key``: the fingerprint of the key that must have signed every revision. Raises :class:`NothingReadError`
    where ``path`` is none of these.
    """
    path = path.parent if path.name == MANIFEST else path
    found = VerifySummary()
    if not path.is_dir():
        what = (
            "this is a file, and only a whole revision can be verified" if path.exists() else "there is no such folder"
        )
        raise NothingReadError(f"{path}: {what}. Name the folder of a revision, a month, or all that is published.")
    name = path.resolve().name
    if any(_is_preview(month) for month in (path, *sorted(path.iterdir()))):
        raise NothingReadError(
            f"{path}: these are previews, which are not published. Name a revision (published/2025-11/r1), a month, or "
            "all that is published."
        )
    if (path / MANIFEST).exists() or _REVISION.fullmatch(name):
        _check_revision(path, key, found)
    elif (path / "latest").exists() or _MONTH.fullmatch(name):
        _check_month(path, key, found)
    else:
        months = sorted(one for one in path.iterdir() if _MONTH.fullmatch(one.name))
        if not months and (path / "published").is_dir():
            return verify(path / "published", key)
        if not months:
            raise NothingReadError(
                f"{path}: nothing is published here. Name a revision (published/2025-11/r1), a month, or all that is "
                "published."
            )
        for month in months:
            _check_month(month, key, found)
        _check_published_folder(path, found)
    return found


def _is_preview(month: Path) -> bool:
    """Return whether a folder has the preview of a month: its report, and no revision that is current."""
    return bool(_MONTH.fullmatch(month.name)) and (month / "REPORT.md").is_file() and not (month / "latest").exists()


def _check_published_folder(folder: Path, found: VerifySummary) -> None:
    """Verify that there are only months and a readable table of events, and all months that a list depends on."""
    for one in sorted(folder.iterdir()):
        if not (_MONTH.fullmatch(one.name) or one.name == _EVENTS or _is_being_written(one, {_EVENTS})):
            found.add(
                folder / ascii(one.name)[1:-1], "was not published: it is neither a month nor a file that belongs here"
            )
    _check_unlisted_table(folder / _EVENTS, EVENT_STATUS, found)
    for month, by in sorted(found.required_months.items()):
        if not os.path.lexists(folder / month):
            found.add(folder / month, f"is missing: {by} was calculated on the list of that month")


def _is_being_written(path: Path, names: Container[str]) -> bool:
    """Return whether ``path`` is what a publication that runs now writes: one of ``names``, or a whole revision.

    Such a file or folder has a name that no reader opens, and nothing of another name may begin like it.
    """
    name = path.name.removeprefix(TEMPORARY_PREFIX)
    if path.is_symlink() or name == path.name:
        return False
    if not path.exists():
        # It was renamed since it was found: it is complete now, and found under its own name the next time.
        return True
    return path.is_file() if name in names else name.isascii() and name.isdigit() and path.is_dir()


def _check_unlisted_table(path: Path, table: Table, found: VerifySummary) -> None:
    """Verify a table that no manifest names: it can be read, and has columns of ``table``, its key among them."""
    if not os.path.lexists(path):
        return
    if not stat.S_ISREG(path.lstat().st_mode):
        found.add(path, "is not a regular file")
        return
    try:
        with parquet_files.bounded(path, _ROWS) as file:
            columns = file.schema
            for _batch in file.batches(columns.names, _READ_ROWS, PUBLISHED_TEXT_BYTES):
                pass
    except parquet_files.TooLargeError as error:
        found.add(path, f"{error}: it is not read")
        return
    except (pa.ArrowException, *_UNREADABLE) as error:
        found.add(path, f"is not a table that can be read ({type(error).__name__})")
        return
    expected = arrow_schema(table)
    unknown = [
        one.name for one in columns if one.name not in expected.names or one.type != expected.field(one.name).type
    ]
    missing = [name for name in table.key if name not in columns.names]
    if unknown or missing:
        names = ascii(", ".join(unknown or missing))[1:-1]
        found.add(path, f"is not the table it is named for: column {names} is {'unknown' if unknown else 'missing'}")


def _check_month(folder: Path, key: str | None, found: VerifySummary) -> None:
    """Verify a month: every revision is whole, no number is missing between, and ``latest`` names one of them."""
    if folder.is_symlink() or not folder.is_dir():
        found.add(folder, "is not a folder, but a link or a file")
        return
    numbers = []
    for path in sorted(folder.iterdir()):
        if _REVISION.fullmatch(path.name):
            numbers.append(number_of(path))
            _check_revision(path, key, found)
        elif _is_being_written(path, _FILES_OF_MONTH):
            continue
        elif path.name not in _FILES_OF_MONTH:
            found.add(folder / ascii(path.name)[1:-1], "was not published: nothing of that name belongs here")
        elif path.is_symlink() or not path.is_file():
            found.add(path, "is not a regular file")
        elif path.name == f"{BOTH_NUMBERS.name}.parquet":
            _check_unlisted_table(path, BOTH_NUMBERS, found)
        elif path.name == rollback_log.NAME:
            _check_rollback_log(folder, found)
    first_free = next(number for number in count(1) if number not in numbers)
    if first_free <= len(numbers):
        found.add(folder / f"r{first_free}", "is missing, and there are later revisions")
    pointer = folder / "latest"
    named = _read_regular_file(pointer, 64)
    if named is None:
        found.add(pointer, "is missing, or cannot be read: no revision is current")
    elif named not in {b"r%d\n" % number for number in numbers}:
        text = ascii(named.decode("utf-8", errors="replace").rstrip("\n"))[1:-1]
        found.add(pointer, f"names '{text}', which is no revision of this month")


def _check_rollback_log(month: Path, found: VerifySummary) -> None:
    try:
        rollback_log.read(month)
    except NothingReadError:
        found.add(month / rollback_log.NAME, "is not the file of rollbacks")


def _check_revision(folder: Path, key: str | None, found: VerifySummary) -> None:
    if folder.is_symlink() or not folder.is_dir():
        found.add(folder, "is not a folder, but a link or a file")
        return
    data = _read_regular_file(folder / MANIFEST, REVISION_MANIFEST_BYTES)
    if data is None:
        found.add(
            folder / MANIFEST,
            "is missing, too large, a link, or cannot be read: nothing here can be verified",
        )
        return
    try:
        content = manifest.read(data)
    except NotAManifestError as error:
        found.add(folder / MANIFEST, f"is not as it was written: {error}")
        return
    for month in _months_required(content):
        found.required_months.setdefault(month, f"{content.month}/r{content.revision}")
    before = len(found.wrong)
    resolved = folder.resolve()
    is_named_as_revision = _MONTH.fullmatch(resolved.parent.name) and _REVISION.fullmatch(resolved.name)
    month, revision = content.month, f"r{content.revision}"
    if is_named_as_revision and (resolved.parent.name, resolved.name) != (month, revision):
        found.add(folder, f"is revision {revision} of {month} by its manifest: it was moved or renamed")
    _check_names(folder, content, found)
    for name in content.files:
        _check_file(folder / name, content.files, found)
    signer = _check_signature(folder, data, key, found)
    if len(found.wrong) == before:
        # Parse tables only where every byte is the one that was written.
        _check_rows(folder, content, found)
    if len(found.wrong) == before:
        found.revisions[str(folder)] = (content.digest, signer)


def _months_required(content: Manifest) -> list[str]:
    """Return the months whose lists this one was calculated on, by its manifest; text that is no month is skipped."""
    provenance = content.facts.get("provenance")
    lines = provenance.get("stands_on") if isinstance(provenance, dict) else None
    months = [str(line).partition(" ")[0] for line in lines] if isinstance(lines, list) else []
    return [month for month in months if _MONTH.fullmatch(month)]


def _check_names(folder: Path, content: Manifest, found: VerifySummary) -> None:
    try:
        names = {entry.name for entry in os.scandir(folder)}
    except OSError as error:
        found.add(folder, f"cannot be read: {error.strerror}")
        return
    for name in sorted(names - set(content.files) - {MANIFEST, SIGNATURE}):
        found.add(folder / ascii(name)[1:-1], "was not published: the manifest does not name it")


def _check_file(path: Path, files: Mapping[str, Mapping[str, Any]], found: VerifySummary) -> None:
    """Verify one file: its kind, its size, and only then its digest."""
    entry = files[path.name]
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            found.add(path, "is a link, a folder or a device, and was published as a file")
            return
        if status.st_size != entry["bytes"]:
            found.add(path, f"has {status.st_size:,} bytes, and was published with {entry['bytes']:,}")
            return
        digest = sha256_of(path)
    except FileNotFoundError:
        found.add(path, "is missing")
        return
    except OSError as error:
        found.add(path, f"cannot be read: {error.strerror}")
        return
    found.files += 1
    if digest != entry["sha256"]:
        found.add(path, "was altered: its digest is not the one in the manifest")


def _table_problem(path: Path, entry: Mapping[str, Any]) -> str:
    """Return what is wrong with the rows of a table whose bytes are those of the manifest; empty where nothing is."""
    try:
        with parquet_files.bounded(path, _ROWS) as file:
            if file.rows != entry["rows"]:
                return f"has {file.rows:,} rows, and the manifest says {entry['rows']:,}"
            if "logical_sha256" not in entry:
                return "has no logical digest in the manifest" if path.stem in LISTS else ""
            text = CsvText(file.schema.names)
            for batch in file.batches(file.schema.names, _READ_ROWS, PUBLISHED_TEXT_BYTES):
                text.write(pl.DataFrame(parquet_files.decoded(batch)))
    except parquet_files.TooLargeError as error:
        return f"{error}: it is not read"
    except (pa.ArrowException, *_UNREADABLE) as error:
        return f"is not a table that can be read ({type(error).__name__})"
    is_ours = text.sha256 == entry["logical_sha256"]
    return "" if is_ours else "has other contents than its logical digest: not what we wrote"


def _check_rows(folder: Path, content: Manifest, found: VerifySummary) -> None:
    """Verify the rows of every file: those of a table, of a list's CSV by its table, and of a text by its lines."""
    for name, entry in content.files.items():
        stem, _, suffix = name.rpartition(".")
        wrong = ""
        if suffix == "parquet":
            wrong = _table_problem(folder / name, entry)
        elif suffix == "csv" and stem in LISTS:
            table = content.files.get(f"{stem}.parquet", {})
            if (entry["sha256"], entry["rows"]) != (table.get("logical_sha256"), table.get("rows")):
                wrong = f"is not the text of {stem}.parquet by the manifest"
        elif (_read_regular_file(folder / name, entry["bytes"]) or b"").count(b"\n") != entry["rows"]:
            wrong = f"has not the {entry['rows']:,} lines of the manifest"
        if wrong:
            found.add(folder / name, wrong)


def _check_signature(folder: Path, data: bytes, key: str | None, found: VerifySummary) -> str:
    """Verify the signature and return the fingerprint of its key; empty where there is none or it is wrong."""
    path = folder / SIGNATURE
    if not os.path.lexists(path):
        if key is not None:
            found.add(path, "is missing: the revision is not signed")
        return ""
    signature = _read_regular_file(path, 1024)
    try:
        signer = signed_by(data, signature or b"")
    except NotSignedError as error:
        found.add(path, f"proves nothing: {error}")
        return ""
    if key is not None and signer != key:
        found.add(path, f"is of another key: {signer}")
    return signer


def _read_regular_file(path: Path, at_most: int) -> bytes | None:
    """Return the bytes of a regular file; None where it is a link, is missing, too large, or cannot be read."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > at_most:
            return None
        # A pipe may have taken its place since: opening one would not end.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
            return file.read(at_most)
    except OSError:
        return None
