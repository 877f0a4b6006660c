"""The folder of a backup: the files of a home, each named by the sha256 of its bytes, and the list of them.

::

    DIR/files/<sha256>    the files; one that is in the home twice is here once
    DIR/backup.json       the path in the home and the digest of each: written last, by one rename

A folder without ``backup.json`` holds no complete backup. While a new backup is made, ``backup.json`` and its files are
those of the one before, which stays whole until the new one is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ratinglist import office
from ratinglist.errors import HomeError
from ratinglist.files.durable_files import (
    DIGEST,
    close,
    digest_of,
    fits,
    read_regular_file,
    replace_file,
    withheld,
)
from ratinglist.home import originals
from ratinglist.settings import LOG, PUBLISHED

LIST = "backup.json"
FILES = "files"
_LIST_BYTES = 2**28
TRACE = "last-backup.json"
"""The trace that a backup leaves in its home."""
_TRACE_BYTES = 2**24
PARTS = (LOG, originals.FOLDER, originals.REPORTS, "calculations", PUBLISHED, "rules", office.NAME)
"""The names in a home of what a backup has; everything else in it is made again, or is of no command."""
_PATH = re.compile(rf"({'|'.join(map(re.escape, PARTS))})(/(?!\.\.?(/|\Z))[^/\\\0:]+)*")
"""The path in the home of a file that a backup may have."""
_SHAPE = {"made_on": str, "version": str, "files": (_PATH, DIGEST)}


@dataclass(frozen=True, slots=True)
class Backup:
    """A complete backup: the day, the version of the program, and the digest of each file by its path in the home."""

    made_on: str
    version: str
    files: Mapping[str, str]

    def entries(self) -> dict[str, str]:
        """Return the files of the log."""
        return {name: sha256 for name, sha256 in self.files.items() if name.startswith(f"{LOG}/")}


def read(folder: Path) -> Backup | None:
    """Return the backup in a folder; None where there is no complete one.

    Raises :class:`HomeError` where its list was altered, or names a file that is no part of a home.
    """
    path = folder / LIST
    if not os.path.lexists(path):
        return None
    try:
        # Nothing is no JSON, so what is no regular file is refused like an altered one.
        return _parse((read_regular_file(path, _LIST_BYTES) or b"").decode("utf-8"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HomeError(
            f"{path} was altered: {error}. Nothing was changed. Use another backup, or remove the file and make the "
            "backup again."
        ) from None


def _parse(text: str) -> Backup:
    content: dict[str, Any] = json.loads(text)
    if content.pop("digest") != digest_of(content):
        raise ValueError("its digest is not that of its content")
    if not fits(content, _SHAPE):
        raise ValueError("it does not have the keys and files of a backup")
    return Backup(**content)


def write(folder: Path, backup: Backup) -> None:
    """Write the list of a backup, whose files are complete: from here on it is the one that counts."""
    content = asdict(backup)
    text = json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=1)
    replace_file(folder / LIST, f"{text}\n".encode())


@dataclass(frozen=True, slots=True)
class BackupTrace:
    """The last complete backup: its ``folder`` and day; ``published``: its revisions, such as ``2025-11/r1``.

    It is written into the home when the backup is complete, and it is in no backup. A home that was restored, or copied
    by other means than ``ratinglist backup``, has none or that of another day: it says what is known, never that a
    folder is still there.
    """

    folder: str
    made_on: str
    published: Sequence[str]

    def missing(self, revisions: Sequence[str]) -> list[str]:
        """Return those of ``revisions`` that the backup does not have."""
        return [revision for revision in revisions if revision not in set(self.published)]


def write_trace(home: Path, trace: BackupTrace) -> None:
    """Write the trace in the place of the one before."""
    replace_file(home / TRACE, f"{json.dumps(asdict(trace), ensure_ascii=False, indent=1)}\n".encode())
    close(home / TRACE, withheld(home))


def read_trace(home: Path) -> BackupTrace | None:
    """Return the trace; None where there is none, or none that can be read: then no backup is known."""
    try:
        content = json.loads(read_regular_file(home / TRACE, _TRACE_BYTES) or b"null")
        return BackupTrace(str(content["folder"]), str(content["made_on"]), [str(one) for one in content["published"]])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
