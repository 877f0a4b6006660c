"""Bytes that somebody is about to use, held against what their manifest says of them, before he does."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

from ratinglist.durable_files import sha256_of
from ratinglist.errors import AlteredError
from ratinglist.publication import manifest
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.publication.verify import verify

_SHOWN = 20


def intact(folder: Path, wanted: Iterable[str]) -> tuple[Manifest, list[Path]]:
    """The manifest of a published revision, and the paths of those ``wanted`` files (by name) that it publishes.

    Only the manifest, its signature where there is one, and those files are read. Raises :class:`AlteredError`, naming
    the file, where one of them is missing or is not what was published.
    """
    told = said(folder)
    paths = [folder / name for name in wanted if name in told.files]
    for path in paths:
        try:
            ordinary = stat.S_ISREG(path.lstat().st_mode)
            is_now = sha256_of(path) if ordinary else ""
        except OSError as error:
            raise _altered(path, f"it cannot be read ({error.strerror})") from None
        if is_now != told.files[path.name]["sha256"]:
            raise _altered(path, "its digest is not the one in the manifest")
    return told, paths


def said(folder: Path) -> Manifest:
    """What the manifest of a revision's folder says; it has to be of that folder, and of its signature.

    Raises :class:`AlteredError` where it is not.
    """
    path, proof = folder / MANIFEST, folder / SIGNATURE
    try:
        data = path.read_bytes()
        told = manifest.read(data)
        if proof.is_file():
            signed_by(data, proof.read_bytes())
    except OSError as error:
        raise _altered(path, f"it cannot be read ({error.strerror})") from None
    except NotAManifestError as error:
        raise _altered(path, str(error)) from None
    except NotSignedError as error:
        raise _altered(proof, str(error)) from None
    if (told.month, f"r{told.revision}") != (folder.parent.name, folder.name):
        raise _altered(path, f"it is that of r{told.revision} of {told.month}")
    return told


def differences(folder: Path, digest: str) -> list[str]:
    """What of a whole revision, or of a preview of one, is not what its manifest says, or the manifest of ``digest``.

    A line for each file; empty where nothing is.
    """
    if not folder.is_dir():
        return [f"{folder}: is missing"]
    found = verify(folder)
    lines = [f"{one.file}: {one.says}" for one in found.wrong]
    lines += [
        f"{path}: has the digest {now}, and was made with {digest}"
        for path, (now, _) in found.revisions.items()
        if now != digest
    ]
    more = [f"and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]


def _altered(path: Path, says: str) -> AlteredError:
    return AlteredError(
        f"{path} is not what was published: {says}. Nothing was made of it. See what else was altered with: "
        f"ratinglist verify {path.parent}  Then put back a copy of that revision."
    )
