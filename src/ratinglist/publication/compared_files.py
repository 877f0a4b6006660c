"""Remember what the file system states of each published file that was compared with its digest: ``compared.json``.

A command then hashes only the files of which the file system states something else: another size, another time
of the last change (of the content, of the file), or another inode. This is how git's index finds changed files.

Only a writing command writes the file. It is in no backup, and nothing that verifies reads it. Where it is lost,
damaged, or that of another copy of the home, all files are hashed once more. It is not synced: a power failure costs no
more than that.

A file that is altered within the tick of the clock in which it was hashed could keep its times. So a file is remembered
only where its times are older than the beginning of the comparison, by the clock of the disk that the home is on, and
by two seconds more: ``published`` may be on another disk, and the coarsest clock of a file system, that of FAT, has
such ticks. Then a later alteration has a later time. A younger file is hashed again by the next command.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ratinglist.durable_files import TEMPORARY_PREFIX
from ratinglist.private_files import made_private, withheld
from ratinglist.store import table_parts

NAME = "compared.json"
"""The name of the file in its home."""

_COARSEST_TICK = 2_000_000_000
"""In nanoseconds."""


Compared = list[Any]
"""Of a revision: the sha256 of its manifest, and the numbers of each :class:`FileState` by the name of the file."""


class FileState(NamedTuple):
    """What the file system states of a file: bytes, times in nanoseconds, inode.

    ``modified``: when its content was last written, which anyone may set. ``changed``: when anything of it was last
    changed, which the system alone sets.
    """

    size: int
    modified: int
    changed: int
    inode: int


def file_states(folder: Path) -> dict[str, FileState | None]:
    """Return the state of everything in the folder of a revision, by name; None for what is no regular file.

    No link is followed. Raises :class:`OSError` where the folder cannot be listed.
    """
    # A path as text: a home of ten years has thousands of files, and every command looks at each.
    return {name: file_state(f"{folder}/{name}") for name in table_parts.names_in(folder)}


def file_state(path: Path | str) -> FileState | None:
    """Return the state of a file; None for what is no regular file."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    return FileState(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


class ComparedFiles:
    """The files of the revisions of a home that were the published ones when they were last compared.

    In the file, a revision such as ``2025-11/r1`` has the sha256 of the manifest that its files were compared with, and
    the state of each of them. A comparison with another manifest does not count. A file that no manifest names, such as
    ``2025-11/rollbacks.csv``, is there like a revision of one file, with its own sha256.
    """

    def __init__(self, home: Path, *, is_written: bool = True) -> None:
        """``is_written``: false for a command that only reads: nothing is remembered, and nothing is written."""
        self._home = home
        self._is_written = is_written
        self._before = _read(home / NAME)
        self._now: dict[str, Compared] = {}
        self._begun = 0

    def is_unchanged(self, revision: str, manifest_sha256: str, states: Mapping[str, FileState | None]) -> bool:
        """Return whether a revision has the files that it had, each in its state of then: none must be compared."""
        present: Compared = [manifest_sha256, {name: state and [*state] for name, state in states.items()}]
        if self._before.get(revision) == present:
            self._now[revision] = present
            return True
        if self._is_written:
            self._begun = self._begun or self._time_of_the_disk()
        self._now[revision] = [manifest_sha256, {}]
        return False

    def is_file_unchanged(self, revision: str, name: str, state: FileState) -> bool:
        """Return whether one file of a revision is in its state of then; if so it stays remembered."""
        (manifest_sha256, files), before = self._now[revision], self._before.get(revision)
        known = [*state]
        if not before or before[0] != manifest_sha256 or before[1].get(name) != known:
            return False
        files[name] = known
        return True

    def remember(self, revision: str, name: str, state: FileState) -> None:
        """Remember that a file of a revision is the published one; ``state``: its state before it was hashed."""
        if max(state.modified, state.changed) + _COARSEST_TICK < self._begun:
            self._now[revision][1][name] = [*state]

    def save(self) -> None:
        """Write what is remembered, where it is not what was remembered before.

        Raises :class:`OSError` where the disk refuses it.
        """
        remembered = {revision: compared for revision, compared in self._now.items() if compared[1]}
        if remembered == self._before:
            return
        with made_private(withheld(self._home)):
            self._temporary.write_text(json.dumps(remembered), encoding="utf-8")
        self._temporary.replace(self._home / NAME)

    @property
    def _temporary(self) -> Path:
        return self._home / f"{TEMPORARY_PREFIX}{NAME}"

    def _time_of_the_disk(self) -> int:
        """Return the time by the clock that gives the files of the home their times, in nanoseconds."""
        with made_private(withheld(self._home)):
            self._temporary.write_bytes(b"")
        begun = self._temporary.stat().st_mtime_ns
        self._temporary.unlink()
        return begun


def _read(path: Path) -> dict[str, Compared]:
    """Return what is remembered, by revision; nothing where the file is missing or damaged."""
    try:
        content = json.loads(path.read_bytes())
        return {revision: [str(sha256), {**files}] for revision, (sha256, files) in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
