"""Read files of one published revision that a command is about to use, once they are compared with its manifest."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import read_beginning
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.publication import manifest
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, Manifest, NotAManifestError
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.publication.verify.published_files import problem_of_file


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
