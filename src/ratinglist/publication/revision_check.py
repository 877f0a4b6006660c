"""Verify one published revision against its manifest.

No file content raises an error: whatever is wrong becomes a sentence. A file's size is compared before it is hashed, it
is hashed before it is parsed, and a link is never followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ratinglist.durable_files import read_regular_file, sha256_of
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import MONTH_NAME, REVISION_NAME
from ratinglist.publication import manifest, table_check
from ratinglist.publication.index_check import IndexCheck
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.publication.verify_summary import VerifySummary
from ratinglist.schemas import LISTS
from ratinglist.store import table_parts


def check_revision(folder: Path, index: IndexCheck, found: VerifySummary) -> None:
    """Verify the folder of a revision, and add what is wrong to ``found``. ``index``: the index above it."""
    if folder.is_symlink() or not folder.is_dir():
        found.add(folder, "is not a folder, but a link or a file")
        return
    resolved = folder.resolve()
    is_named_as_revision = MONTH_NAME.fullmatch(resolved.parent.name) and REVISION_NAME.fullmatch(resolved.name)
    name = f"{resolved.parent.name}/{resolved.name}"
    found.published[name] = None
    data = read_regular_file(folder / MANIFEST, REVISION_MANIFEST_BYTES)
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
    found.published[name] = content.digest
    for month in _months_required(content):
        found.required_months.setdefault(month, f"{content.month}/r{content.revision}")
    before = len(found.wrong)
    month, revision = content.month, f"r{content.revision}"
    if is_named_as_revision and (resolved.parent.name, resolved.name) != (month, revision):
        found.add(folder, f"is revision {revision} of {month} by its manifest: it was moved or renamed")
    _check_names(folder, content, found)
    for file, entry in content.files.items():
        _check_file(folder / file, entry, found)
    signer = _check_signature(folder, data, index.stated_signers(name, content.digest), index.key, found)
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
    return [month for month in months if MONTH_NAME.fullmatch(month)]


def _check_names(folder: Path, content: Manifest, found: VerifySummary) -> None:
    try:
        names = set(table_parts.names_in(folder))
    except OSError as error:
        found.add(folder, f"cannot be read: {error.strerror}")
        return
    for name in sorted(names - set(content.files) - {MANIFEST, SIGNATURE}):
        found.add(folder / ascii(name)[1:-1], "was not published: the manifest does not name it")


def _check_file(path: Path, entry: Mapping[str, Any], found: VerifySummary) -> None:
    """Verify one file by its entry in the manifest: its kind, its size, and only then its digest."""
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


def _check_rows(folder: Path, content: Manifest, found: VerifySummary) -> None:
    """Verify the rows of every file: those of a table, of a list's CSV by its table, and of a text by its lines."""
    for stem in dict.fromkeys(table_parts.stem_of(name) for name in content.files if name.endswith(".parquet")):
        files = {folder / name: content.files[name] for name in table_parts.names_of(stem, content.files)}
        for path, wrong in table_check.problems(stem, files).items():
            found.add(path, wrong)
    for name, entry in content.files.items():
        stem, _, suffix = name.rpartition(".")
        wrong = ""
        if suffix == "parquet":
            continue
        if suffix == "csv" and stem in LISTS:
            table = [content.files[one] for one in table_parts.names_of(stem, content.files)]
            digests, rows = {one.get("logical_sha256") for one in table}, sum(one["rows"] for one in table)
            if digests != {entry["sha256"]} or rows != entry["rows"]:
                wrong = f"is not the text of {stem}.parquet by the manifest"
        elif (read_regular_file(folder / name, entry["bytes"]) or b"").count(b"\n") != entry["rows"]:
            wrong = f"has not the {entry['rows']:,} lines of the manifest"
        if wrong:
            found.add(folder / name, wrong)


def _check_signature(folder: Path, data: bytes, stated: list[str], key: str | None, found: VerifySummary) -> str:
    """Verify the signature and return the fingerprint of its key; empty where there is none or it is wrong.

    ``stated``: the key that signed the revision by each valid index, empty for none: the index alone can prove that a
    revision is older than the key. Where no index names the revision, it must be signed by ``key``.
    """
    path, signer = folder / SIGNATURE, ""
    if os.path.lexists(path):
        try:
            signer = signed_by(data, read_regular_file(path, 1024) or b"")
        except NotSignedError as error:
            found.add(path, f"proves nothing: {error}")
            return ""
    if stated:
        if signer not in stated:
            by = f"it was signed by key {stated[-1]}" if stated[-1] else "it was not signed"
            found.add(
                path, f"is of key {signer}, and by the index {by}" if signer else f"is missing: by the index {by}"
            )
    elif key is not None and not signer:
        found.add(path, "is missing: the revision is not signed")
    elif key is not None and signer != key:
        found.add(path, f"is of another key: {signer}")
    return signer
