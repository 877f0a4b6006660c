"""Verify published files against their manifest before they are used."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import read_beginning, sha256_of
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.publication import index_check, manifest
from ratinglist.publication.index import INDEX
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.publication.verify import verify
from ratinglist.store import table_parts

_SHOWN = 20


def check_files(folder: Path, names: Iterable[str]) -> tuple[Manifest, list[Path]]:
    """Return the manifest of a published revision, and the paths of the files ``names`` that it names.

    Only the manifest, its signature where there is one, and those files are read. Raises :class:`AlteredError`, naming
    the file, where one of them is missing or altered.
    """
    found = read_manifest(folder)
    return found, [_checked(folder, name, found) for name in names if name in found.files]


def check_tables(folder: Path, stems: Iterable[str]) -> Manifest:
    """Return the manifest of a published revision after the same check of some tables, in one file or in parts."""
    found = read_manifest(folder)
    for stem in stems:
        for name in table_parts.names_of(stem, found.files):
            _checked(folder, name, found)
    return found


def _checked(folder: Path, name: str, found: Manifest) -> Path:
    """Return the path of a file of a revision; raise :class:`AlteredError` where it is not as the manifest states."""
    path = folder / name
    try:
        digest = sha256_of(path) if stat.S_ISREG(path.lstat().st_mode) else ""
    except OSError as error:
        raise _altered(path, f"it cannot be read ({error.strerror})", folder) from None
    if digest != found.files[name]["sha256"]:
        raise _altered(path, "its digest is not the one in the manifest", folder)
    return path


def check_file_of_index(path: Path) -> None:
    """Raise :class:`AlteredError` where a file that no manifest names is not the one that the index states.

    ``path``: a file of a month's folder, such as ``both_numbers.parquet``. Nothing is raised where it is not there, or
    where no valid index names it, as in an office that does not sign.
    """
    published = path.parents[1]
    name = path.relative_to(published).as_posix()
    stated = {one.get(name) for one in index_check.read(published, None).stated} - {None}
    if path.is_file() and stated and sha256_of(path) not in stated:
        raise _altered(path, f"its digest is not the one in {published / INDEX}")


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a revision.

    Raises :class:`AlteredError` where it is missing or altered, belongs to another folder, or does not match its
    signature.
    """
    path, signature = folder / MANIFEST, folder / SIGNATURE
    try:
        data = read_beginning(path, REVISION_MANIFEST_BYTES)
        if data is None:
            raise _altered(path, "it is a link, a folder or a device, and was published as a file")
        found = manifest.read(data)
        if signature.is_file():
            signed_by(data, signature.read_bytes())
    except OSError as error:
        raise _altered(path, f"it cannot be read ({error.strerror})") from None
    except NotAManifestError as error:
        raise _altered(path, str(error)) from None
    except NotSignedError as error:
        raise _altered(signature, str(error)) from None
    if (found.month, f"r{found.revision}") != (folder.parent.name, folder.name):
        raise _altered(path, f"it is that of r{found.revision} of {found.month}")
    return found


def differences(folder: Path, digest: str) -> list[str]:
    """Return a line for each file of a revision, or of a preview, that its manifest does not match.

    ``digest``: the digest that the manifest must have.
    """
    if not folder.is_dir():
        return [f"{folder}: is missing"]
    found = verify(folder)
    lines = [f"{one.file}: {one.description}" for one in found.wrong]
    lines += [
        f"{path}: has the digest {now}, and was made with {digest}"
        for path, (now, _) in found.revisions.items()
        if now != digest
    ]
    more = [f"and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]


def _altered(path: Path, reason: str, folder: Path | None = None) -> AlteredError:
    """Return the error of a file; ``folder``: of its revision, by default the one that the file is in."""
    return AlteredError(
        f"{path} is not what was published: {reason}. It was not used. See what else was altered with: "
        f"ratinglist verify {folder or path.parent}  Then put back a copy of that revision."
    )
