"""The originals that an office was given, each named by the sha256 of its bytes.

::

    HOME/reports/<sha256>             reports
    HOME/archive/inputs/<sha256>      lists, files of players, manifests, corrections, each version of office.toml
    HOME/archive/journal/000012.json  what was done with them (:mod:`ratinglist.store.journal`)
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from ratinglist import digest_folder
from ratinglist.private_files import make_private_folder


def inputs(home: Path) -> Path:
    """Return the folder of the originals that are no reports."""
    return home / "archive" / "inputs"


def reports(home: Path) -> Path:
    """Return the folder of the reports."""
    return home / "reports"


def keep_input(home: Path, path: Path) -> str:
    """Archive a file and return its digest; raises :class:`OSError` where it cannot be read or written."""
    make_private_folder(home / "archive")
    return digest_folder.keep_file(inputs(home), path)


def keep_bytes(home: Path, data: bytes, written: list[str] | None = None) -> str:
    """Archive the bytes of a file and return their digest; raises :class:`OSError` where they cannot be written.

    ``written``: receives the digest where the file was missing or altered.
    """
    make_private_folder(home / "archive")
    sha256 = hashlib.sha256(data).hexdigest()
    new = digest_folder.keep_all(inputs(home), {sha256: data})
    if written is not None:
        written += new
    return sha256


def input_file(home: Path, sha256: str, what: str) -> Path:
    """Return the path of an archived file that is not altered.

    ``what``: what it is, for the message. Raises :class:`~ratinglist.errors.AlteredError` where it is missing or was
    altered.
    """
    return digest_folder.checked(inputs(home), sha256, what)


def report_file(home: Path, sha256: str, what: str) -> Path:
    """Return the path of an archived report; raises as :func:`input_file`."""
    return digest_folder.checked(reports(home), sha256, what)


def remove_unfinished(home: Path) -> None:
    """Delete what a killed process was about to archive."""
    for folder in (inputs(home), reports(home), home / "archive" / "journal"):
        digest_folder.remove_unfinished(folder)
