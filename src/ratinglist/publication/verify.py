"""Is what stands here what was published? Every file of a revision held against its manifest; no store is needed.

Whatever the files hold, the answer is a list of sentences: a file is measured before it is hashed, hashed before it is
read, and never followed where it is a link.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from ratinglist.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.errors import NothingReadError
from ratinglist.publication import manifest, rollback_log
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.revisions import number_of
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.schemas import BOTH_NUMBERS, EVENT_STATUS, LISTS, Table
from ratinglist.store.table_files import arrow_schema, logical_sha256

_SHOWN = 20
_LARGEST_MANIFEST = 256 * 2**20
_REVISION = re.compile(r"r[1-9][0-9]{0,8}")
_MONTH = re.compile(r"[12][0-9]{3}-(0[1-9]|1[0-2])")
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError)
_BESIDE = {"latest", "both_numbers.parquet", "rollbacks.csv"}
"""What may stand in the folder of a month besides its revisions."""
_EVENTS = "events.parquet"
"""What may stand beside the months."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A file or folder that is not as it was published, and what is wrong with it."""

    file: str
    says: str


@dataclass(slots=True)
class Verified:
    """What was looked at: revisions with their digest and signer (fingerprint, empty: not signed), and what is wrong.

    ``revisions`` maps the folder to digest and fingerprint.
    """

    revisions: dict[str, tuple[str, str]] = field(default_factory=dict)
    files: int = 0
    wrong: list[Wrong] = field(default_factory=list)
    stood_on: dict[str, str] = field(default_factory=dict, repr=False)
    """Every month that a manifest says its list stands on, and a revision that says so."""

    def as_dict(self) -> dict[str, object]:
        """What was found as JSON-able values."""
        return {
            "whole": not self.wrong,
            "revisions": [
                {"path": path, "digest": digest, "signed_by": signer}
                for path, (digest, signer) in self.revisions.items()
            ],
            "wrong": [asdict(one) for one in self.wrong],
        }

    def text(self) -> str:
        """A line for each revision that is whole, with its digest and who signed it."""
        return "\n".join(
            f"{path}: whole, digest {digest}, " + (f"signed by key {signer}" if signer else "not signed")
            for path, (digest, signer) in self.revisions.items()
        )

    def complaint(self) -> str:
        """Everything that is wrong, for a message; a hundred files do not hide what to do."""
        lines = [f"  {one.file}: {one.says}" for one in self.wrong[:_SHOWN]]
        more = [f"  and {len(self.wrong) - _SHOWN:,} more"] if len(self.wrong) > _SHOWN else []
        return "\n".join(
            [
                "this is not what was published:",
                *lines,
                *more,
                "Do not use it: put back a copy of that revision, or ask the office for one.",
            ]
        )

    def add(self, path: Path, says: str) -> None:
        """Note what is wrong with ``path``."""
        self.wrong.append(Wrong(str(path), says))


def verify(path: Path, key: str | None = None) -> Verified:
    """Look at a revision's folder, a month's, or all that is published.

    ``key``: the fingerprint that every revision has to be signed by. Raises :class:`NothingReadError` where ``path`` is
    none of these.
    """
    path = path.parent if path.name == MANIFEST else path
    found = Verified()
    if not path.is_dir():
        what = "this is a file, and its revision is proved as a whole" if path.exists() else "there is no such folder"
        raise NothingReadError(f"{path}: {what}. Name the folder of a revision, a month, or all that is published.")
    name = path.resolve().name
    if (path / MANIFEST).exists() or _REVISION.fullmatch(name):
        _revision(path, key, found)
    elif (path / "latest").exists() or _MONTH.fullmatch(name):
        _month(path, key, found)
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
            _month(month, key, found)
        _beside_the_months(path, found)
    return found


def _beside_the_months(folder: Path, found: Verified) -> None:
    """Nothing but months and the table of events, which can be read; and every month that a list here stands on."""
    for one in sorted(folder.iterdir()):
        if not (_MONTH.fullmatch(one.name) or one.name == _EVENTS or one.name.startswith(TEMPORARY_PREFIX)):
            found.add(folder / ascii(one.name)[1:-1], "was not published: it is no month, nor belongs beside them")
    _table_beside(folder / _EVENTS, EVENT_STATUS, found)
    for month, by in sorted(found.stood_on.items()):
        if not os.path.lexists(folder / month):
            found.add(folder / month, f"is missing: {by} stands on the list of that month")


def _table_beside(path: Path, table: Table, found: Verified) -> None:
    """A table that no manifest names, where there is one: to be read, with columns of its own, its key among them."""
    if not os.path.lexists(path):
        return
    if not stat.S_ISREG(path.lstat().st_mode):
        found.add(path, "is not a file of its own")
        return
    try:
        # By its path: Arrow's threads outlive a file of Python's, and end the program with it.
        with pq.ParquetFile(path) as file:
            carried = file.read().schema
    except (pa.ArrowException, *_UNREADABLE) as error:
        found.add(path, f"is not a table that can be read ({type(error).__name__})")
        return
    due = arrow_schema(table)
    strange = [one.name for one in carried if one.name not in due.names or one.type != due.field(one.name).type]
    missing = [name for name in table.key if name not in carried.names]
    if strange or missing:
        columns = ascii(", ".join(strange or missing))[1:-1]
        found.add(path, f"is not the table it is named for: column {columns} is {'strange' if strange else 'missing'}")


def _month(folder: Path, key: str | None, found: Verified) -> None:
    """A month: every revision whole, none missing between, and ``latest`` naming one of them."""
    if folder.is_symlink() or not folder.is_dir():
        found.add(folder, "is not a folder of its own, but a link or a file")
        return
    numbers = []
    for path in sorted(folder.iterdir()):
        if _REVISION.fullmatch(path.name):
            numbers.append(number_of(path))
            _revision(path, key, found)
        elif path.name not in _BESIDE and not path.name.startswith(TEMPORARY_PREFIX):
            found.add(path, "was not published: nothing of that name belongs here")
        elif path.is_symlink() or not (path.is_file() or path.name.startswith(TEMPORARY_PREFIX)):
            found.add(path, "is not a file of its own")
        elif path.name == f"{BOTH_NUMBERS.name}.parquet":
            _table_beside(path, BOTH_NUMBERS, found)
        elif path.name == rollback_log.NAME:
            _rollbacks_told(folder, found)
    first_free = next(number for number in count(1) if number not in numbers)
    if first_free <= len(numbers):
        found.add(folder / f"r{first_free}", "is missing, and later revisions stand there")
    pointer = folder / "latest"
    named = _bytes(pointer, 64)
    if named is None:
        found.add(pointer, "is missing, or cannot be read: no revision is current")
    elif named not in {b"r%d\n" % number for number in numbers}:
        told = ascii(named.decode("utf-8", errors="replace").rstrip("\n"))[1:-1]
        found.add(pointer, f"names '{told}', which is no revision of this month")


def _rollbacks_told(month: Path, found: Verified) -> None:
    try:
        rollback_log.read(month)
    except NothingReadError:
        found.add(month / rollback_log.NAME, "is not the file of rollbacks")


def _revision(folder: Path, key: str | None, found: Verified) -> None:
    if folder.is_symlink() or not folder.is_dir():
        found.add(folder, "is not a folder of its own, but a link or a file")
        return
    data = _bytes(folder / MANIFEST, _LARGEST_MANIFEST)
    if data is None:
        found.add(folder / MANIFEST, "is missing, too large, a link, or cannot be read: nothing here can be proved")
        return
    try:
        told = manifest.read(data)
    except NotAManifestError as error:
        found.add(folder / MANIFEST, f"is not as it was written: {error}")
        return
    for month in _months_stood_on(told):
        found.stood_on.setdefault(month, f"{told.month}/r{told.revision}")
    before = len(found.wrong)
    place = folder.resolve()
    if _MONTH.fullmatch(place.parent.name) and _REVISION.fullmatch(place.name):
        stands_as = (place.parent.name, place.name)
        if stands_as != (told.month, f"r{told.revision}"):
            found.add(folder, f"is revision r{told.revision} of {told.month} by its manifest: it was moved or renamed")
    _names(folder, told, found)
    for name in told.files:
        _file(folder / name, told.files, found)
    signer = _signer(folder, data, key, found)
    if len(found.wrong) == before:
        # Rows are only read where every byte is the one that was written.
        _rows(folder, told, found)
    if len(found.wrong) == before:
        found.revisions[str(folder)] = (told.digest, signer)


def _months_stood_on(told: Manifest) -> list[str]:
    """The months whose lists this one was calculated on, by its manifest; what is no month there is none."""
    provenance = told.facts.get("provenance")
    lines = provenance.get("stands_on") if isinstance(provenance, dict) else None
    months = [str(line).partition(" ")[0] for line in lines] if isinstance(lines, list) else []
    return [month for month in months if _MONTH.fullmatch(month)]


def _names(folder: Path, told: Manifest, found: Verified) -> None:
    try:
        there = {entry.name for entry in os.scandir(folder)}
    except OSError as error:
        found.add(folder, f"cannot be read: {error.strerror}")
        return
    for name in sorted(there - set(told.files) - {MANIFEST, SIGNATURE}):
        found.add(folder / ascii(name)[1:-1], "was not published: the manifest does not name it")


def _file(path: Path, files: Mapping[str, Mapping[str, Any]], found: Verified) -> None:
    """One file: its kind, its size, and only then its digest."""
    said = files[path.name]
    try:
        is_now = path.lstat()
        if not stat.S_ISREG(is_now.st_mode):
            found.add(path, "is a link, a folder or a device, and was published as a file")
            return
        if is_now.st_size != said["bytes"]:
            found.add(path, f"has {is_now.st_size:,} bytes, and was published with {said['bytes']:,}")
            return
        digest = sha256_of(path)
    except FileNotFoundError:
        found.add(path, "is missing")
        return
    except OSError as error:
        found.add(path, f"cannot be read: {error.strerror}")
        return
    found.files += 1
    if digest != said["sha256"]:
        found.add(path, "was altered: its digest is not the one in the manifest")


def _wrong_table(path: Path, said: Mapping[str, Any]) -> str:
    """What is wrong with a table whose bytes are those of the manifest: its rows, or what they say."""
    try:
        rows = pq.read_metadata(path).num_rows
        if rows != said["rows"]:
            return f"has {rows:,} rows, and the manifest says {said['rows']:,}"
        content = logical_sha256(pl.from_arrow(pq.read_table(path)))  # type: ignore[arg-type]
    except (pa.ArrowException, *_UNREADABLE) as error:
        return f"is not a table that can be read ({type(error).__name__})"
    if "logical_sha256" not in said:
        return "has no logical digest in the manifest"
    return "" if content == said["logical_sha256"] else "says other things than its logical digest: not what we wrote"


def _rows(folder: Path, told: Manifest, found: Verified) -> None:
    """The rows of every file: of a table and what they say, of a list's CSV by its table, of a text by its lines."""
    for name, said in told.files.items():
        stem, _, suffix = name.rpartition(".")
        wrong = ""
        if suffix == "parquet":
            wrong = _wrong_table(folder / name, said)
        elif suffix == "csv" and stem in LISTS:
            table = told.files.get(f"{stem}.parquet", {})
            if (said["sha256"], said["rows"]) != (table.get("logical_sha256"), table.get("rows")):
                wrong = f"is not the text of {stem}.parquet by the manifest"
        elif (_bytes(folder / name, said["bytes"]) or b"").count(b"\n") != said["rows"]:
            wrong = f"has not the {said['rows']:,} lines of the manifest"
        if wrong:
            found.add(folder / name, wrong)


def _signer(folder: Path, data: bytes, key: str | None, found: Verified) -> str:
    """The fingerprint of who signed the manifest; empty where it is not signed."""
    path = folder / SIGNATURE
    if not os.path.lexists(path):
        if key is not None:
            found.add(path, "is missing: the revision is not signed")
        return ""
    signature = _bytes(path, 1024)
    try:
        signer = signed_by(data, signature or b"")
    except NotSignedError as error:
        found.add(path, f"proves nothing: {error}")
        return ""
    if key is not None and signer != key:
        found.add(path, f"is of another key: {signer}")
    return signer


def _bytes(path: Path, at_most: int) -> bytes | None:
    """The bytes of a file of its own; None where it is a link, is missing, too large, or cannot be read."""
    try:
        is_now = path.lstat()
        if not stat.S_ISREG(is_now.st_mode) or is_now.st_size > at_most:
            return None
        return path.read_bytes()
    except OSError:
        return None
