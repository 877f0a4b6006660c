"""Compare the files of a published revision with its manifest, but those that were compared before.

:mod:`ratinglist.publication.compared_files` states which those are. ``verify`` and ``doctor`` read every file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ratinglist.durable_files import sha256_of
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.publication import manifest
from ratinglist.publication.compared_files import ComparedFiles, FileState, file_states
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, NotAManifestError
from ratinglist.publication.regular_file import read_regular_file
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.store.published_revisions import RevisionState, state_of

_SIGNATURE_BYTES = 1024


def problems(folder: Path, expected: RevisionState, compared: ComparedFiles) -> Iterator[tuple[Path, str]]:
    """Yield each file of a revision that is not as it was published, and what is wrong with it.

    ``folder``: of the revision. ``expected``: its state by the store.
    """
    revision = f"{folder.parent.name}/{folder.name}"
    try:
        states = file_states(folder)
    except OSError as error:
        yield folder, f"cannot be read: {error.strerror}"
        return
    size = sum(state.size for state in states.values() if state)
    if compared.is_unchanged(revision, expected.manifest_sha256, states) and size == expected.bytes:
        return
    data = read_regular_file(folder / MANIFEST, REVISION_MANIFEST_BYTES)
    if data is None or hashlib.sha256(data).hexdigest() != expected.manifest_sha256:
        digest = state_of(folder).digest if states.get(MANIFEST) else ""
        now = f"it now has {digest}" if digest else f"{MANIFEST} is missing or damaged"
        yield folder, f"was altered: it was published with the digest {expected.digest}, and {now}"
        return
    try:
        files = manifest.read(data).files
    except NotAManifestError:
        # It was damaged before the store knew its digest, in a home of an earlier version: nothing can be compared.
        files = {}
    wrong = [(folder / name, "is missing") for name in sorted(set(files) - set(states))]
    for name, state in sorted(states.items()) if files else ():
        if state is not None and compared.is_file_unchanged(revision, name, state):
            continue
        if problem := _problem(folder, name, state, data, files):
            wrong.append((folder / name, problem))
        elif state is not None:
            compared.remember(revision, name, state)
    if not wrong and size != expected.bytes:
        description = f"was altered: its files have {size:,} bytes, and were published with {expected.bytes:,}"
        wrong.append((folder, description))
    yield from wrong


def _problem(
    folder: Path, name: str, state: FileState | None, data: bytes, files: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return what is wrong with the file ``name`` of a revision; empty where nothing is.

    ``data``: the bytes of the manifest, which are the published ones; ``files``: what it states.
    """
    path = folder / name
    if name not in files and name not in (MANIFEST, SIGNATURE):
        return "was not published: the manifest does not name it"
    if state is None:
        return "is a link, a folder or a device, and was published as a file"
    if name == MANIFEST:
        return ""
    try:
        if name == SIGNATURE:
            # Whose key it must be is for `verify`.
            signed_by(data, read_regular_file(path, _SIGNATURE_BYTES) or b"")
        elif sha256_of(path) != files[name]["sha256"]:
            return "was altered: its digest is not the one in the manifest"
    except NotSignedError as error:
        return f"proves nothing: {error}"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return ""
