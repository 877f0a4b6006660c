"""Verify one published revision against its manifest: all of it, or the files that a command is about to use.

:func:`verify_revision` raises no error for the content of a file: whatever is wrong becomes a sentence. A file's size
is compared before it is hashed, it is hashed before it is parsed, and a link is never followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import read_beginning, read_regular_file
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import MONTH_NAME, REVISION_NAME
from ratinglist.publication import manifest
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.publication.verify.against_index import IndexCheck
from ratinglist.publication.verify.published_files import differences, problem_of_file
from ratinglist.publication.verify.summary import VerifySummary


def verify_revision(folder: Path, index: IndexCheck, found: VerifySummary) -> None:
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
    digests, sizes = ({file: entry[key] for file, entry in content.files.items()} for key in ("sha256", "bytes"))
    for one in differences(folder, digests, sizes=sizes):
        if one.name not in (MANIFEST, SIGNATURE):
            what = "was not published: the manifest does not name it" if one.is_foreign else one.description
            found.add(folder / ascii(one.name)[1:-1], what)
    signer = _check_signature(folder, data, index.stated_signers(name, content.digest), index.key, found)
    if len(found.wrong) == before:
        found.revisions[str(folder)] = (content.digest, signer)


def _months_required(content: Manifest) -> list[str]:
    """Return the months whose lists this one was calculated on, by its manifest; text that is no month is skipped."""
    provenance = content.facts.get("provenance")
    lines = provenance.get("stands_on") if isinstance(provenance, dict) else None
    months = [str(line).partition(" ")[0] for line in lines] if isinstance(lines, list) else []
    return [month for month in months if MONTH_NAME.fullmatch(month)]


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


def verified_files(folder: Path, names: Iterable[str]) -> tuple[Manifest, list[Path]]:
    """Return the manifest of a published revision, and the paths of the files ``names`` that it names.

    Only the manifest, its signature where there is one, and those files are read. Raises :class:`AlteredError`, naming
    the file, where one of them is missing or altered.
    """
    found = read_manifest(folder)
    return found, [_verified(folder, name, found) for name in names if name in found.files]


def verified_tables(folder: Path, stems: Iterable[str]) -> Manifest:
    """Return the manifest of a published revision after the same comparison of some tables."""
    found = read_manifest(folder)
    for name in (f"{stem}.parquet" for stem in stems):
        if name in found.files:
            _verified(folder, name, found)
    return found


def _verified(folder: Path, name: str, found: Manifest) -> Path:
    """Return the path of a file of a revision; raise :class:`AlteredError` where it is not as the manifest states."""
    if wrong := problem_of_file(folder / name, found.files[name]["sha256"]):
        raise altered(folder / name, f"it {wrong}", folder)
    return folder / name


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a revision.

    Raises :class:`AlteredError` where it is missing or altered, belongs to another folder, or does not match its
    signature.
    """
    path, signature = folder / MANIFEST, folder / SIGNATURE
    try:
        data = read_beginning(path, REVISION_MANIFEST_BYTES)
        if data is None:
            raise altered(path, "it is a link, a folder or a device, and was published as a file")
        found = manifest.read(data)
        if signature.is_file():
            signed_by(data, signature.read_bytes())
    except OSError as error:
        raise altered(path, f"it cannot be read ({error.strerror})") from None
    except NotAManifestError as error:
        raise altered(path, str(error)) from None
    except NotSignedError as error:
        raise altered(signature, str(error)) from None
    if (found.month, f"r{found.revision}") != (folder.parent.name, folder.name):
        raise altered(path, f"it is that of r{found.revision} of {found.month}")
    return found


def altered(path: Path, reason: str, folder: Path | None = None) -> AlteredError:
    """Return the error of a file; ``folder``: of its revision, by default the one that the file is in."""
    return AlteredError(
        f"{path} is not what was published: {reason}. It was not used. See what else was altered with: "
        f"ratinglist verify {folder or path.parent}  Then put back a copy of that revision."
    )
