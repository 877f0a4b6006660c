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
from pathlib import Path, PurePosixPath
from typing import Any

from ratinglist import office
from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files import durable_files
from ratinglist.files.durable_files import (
    DIGEST,
    TEMPORARY_PREFIX,
    digest_of,
    made_private,
    read_regular_file,
    replace_file,
    withheld,
)
from ratinglist.home import originals
from ratinglist.pages.plain_text import first_lines
from ratinglist.settings import LOG, PUBLISHED

LIST = "backup.json"
FILES = "files"
LIST_BYTES = 2**28
TRACE = "last-backup.json"
"""The trace that a backup leaves in its home."""
_TRACE_BYTES = 2**24
PARTS = (LOG, originals.FOLDER, originals.REPORTS, "calculations", PUBLISHED, office.NAME)
"""The names in a home of what a backup has; everything else in it is made again, or is of no command."""
_PATH = re.compile(rf"({'|'.join(map(re.escape, PARTS))})(/[^/\\\0:]+)*")
"""The path in the home of a file that a backup may have."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A complete backup.

    ``made_on``: the day; ``version``: of the program. ``files``: the digest of each file by its path in the home.
    ``log``: the digests of the entries, in order. ``published``: the revisions, as month and name.
    """

    made_on: str
    version: str
    files: Mapping[str, str]
    log: list[str]
    published: list[str]


def read(folder: Path) -> Backup | None:
    """Return the backup in a folder; None where there is no complete one.

    Raises :class:`HomeError` where its list was altered.
    """
    path = folder / LIST
    if not os.path.lexists(path):
        return None
    # Nothing is no JSON, so what is no regular file is refused like an altered one.
    data = read_regular_file(path, LIST_BYTES) or b""
    try:
        return _parse(data.decode("utf-8"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HomeError(
            f"{path} was altered: {error}. Nothing was changed. Use another backup, or remove the file and make the "
            "backup again."
        ) from None


def _parse(text: str) -> Backup:
    content: dict[str, Any] = json.loads(text)
    digest = content.pop("digest")
    if digest != digest_of(content):
        raise ValueError("its digest is not that of its content")
    for name, sha256 in content["files"].items():
        if not _PATH.fullmatch(name) or ".." in PurePosixPath(name).parts or not DIGEST.fullmatch(sha256):
            raise ValueError(f"it names a file that no backup has, {name!a}")
    texts = [content["made_on"], content["version"], *content["log"], *content["published"]]
    if not all(isinstance(one, str) for one in texts):
        raise ValueError("it has a value of another kind")
    return Backup(**content)


def write(folder: Path, backup: Backup) -> None:
    """Write the list of a backup, whose files are complete: from here on it is the one that counts."""
    content = asdict(backup)
    text = json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=1)
    replace_file(folder / LIST, f"{text}\n".encode())


def check_files(folder: Path, backup: Backup) -> None:
    """Raise :class:`HomeError`, naming each, where a file of a backup is missing or was altered."""
    whole = {sha256: durable_files.is_whole(folder / FILES / sha256) for sha256 in set(backup.files.values())}
    wrong = sorted(name for name, sha256 in backup.files.items() if not whole[sha256])
    if wrong:
        raise HomeError(
            "\n".join(
                [
                    f"{folder}: this backup is damaged. Missing or altered are:",
                    *first_lines([f"{folder / FILES / backup.files[name]}: {name}" for name in wrong]),
                    "Nothing was changed. Use another backup.",
                ]
            )
        )


def remove_unused(folder: Path, backup: Backup) -> None:
    """Delete the files that are not those of this backup, but of one before."""
    used = set(backup.files.values())
    for path in (folder / FILES).iterdir():
        if path.name not in used and path.is_file():
            path.unlink()
    durable_files.remove_unfinished(folder / FILES)


def prepare(folder: Path, home: Path) -> None:
    """Make the folder of a backup, readable by its owner alone.

    Raises :class:`NothingReadError` where it is in the home or the home in it, and where it is not empty and holds no
    backup.
    """
    inner, outer = folder.resolve(), home.resolve()
    if inner.is_relative_to(outer) or outer.is_relative_to(inner):
        raise NothingReadError(f"{folder}: a backup must not be in its home, nor the home in it. Name another folder.")
    if folder.exists() and not folder.is_dir():
        raise NothingReadError(f"{folder} is a file: name a folder for the backup.")
    if folder.is_dir() and (others := {path.name for path in folder.iterdir()} - {LIST, FILES}):
        others = {name for name in others if not name.startswith(TEMPORARY_PREFIX)}
        if others and not os.path.lexists(folder / LIST):
            raise NothingReadError(
                f"{folder} holds {min(others)}, which is no part of a backup. Name an empty folder, or one that holds "
                "a backup."
            )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / FILES).mkdir(exist_ok=True, mode=0o700)


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
        there = set(self.published)
        return [one for one in revisions if one not in there]


def write_trace(home: Path, trace: BackupTrace) -> None:
    """Write the trace in the place of the one before."""
    with made_private(withheld(home)):
        replace_file(home / TRACE, f"{json.dumps(asdict(trace), ensure_ascii=False, indent=1)}\n".encode())


def read_trace(home: Path) -> BackupTrace | None:
    """Return the trace; None where there is none, or none that can be read: then no backup is known."""
    try:
        content = json.loads(read_regular_file(home / TRACE, _TRACE_BYTES) or b"null")
        return BackupTrace(str(content["folder"]), str(content["made_on"]), [str(one) for one in content["published"]])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
