"""Remember what the file system states of each published file that was compared with its digest: ``compared.json``.

A command then hashes only the files of which the file system states something else: another size, another time
of the last change (of the content, of the file), or another inode. This is how git's index finds changed files.

What is remembered only saves time. Only a writing command writes the file; it is in no backup, and nothing that
verifies reads it. Where it is lost, damaged, or that of another copy of the home, all files are hashed once more.

A file that is altered within the tick of the clock in which it was hashed could keep its times. So a file is remembered
only where its times are older than the beginning of the comparison, by the clock of the disk that the home is on, and
by two seconds more: ``published`` may be on another disk, and the coarsest clock of a file system, that of FAT, has
such ticks. Then a later alteration has a later time. A younger file is hashed again by the next command.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import NamedTuple

from ratinglist.files.durable_files import TEMPORARY_PREFIX, read_regular_file
from ratinglist.files.private_files import made_private, withheld

NAME = "compared.json"
"""The name of the file in its home."""
_BYTES = 2**26
_COARSEST_TICK = 2_000_000_000
"""In nanoseconds."""


class FileState(NamedTuple):
    """What the file system states of a file: bytes, times in nanoseconds, inode.

    ``modified``: when its content was last written, which anyone may set. ``changed``: when anything of it was last
    changed, which the system alone sets.
    """

    size: int
    modified: int
    changed: int
    inode: int


def state_of(status: os.stat_result) -> FileState | None:
    """Return the state of a file; None for what is no regular file."""
    if not stat.S_ISREG(status.st_mode):
        return None
    return FileState(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


class ComparedFiles:
    """The published files that were as published when they were last compared: digest and state, by path."""

    def __init__(self, home: Path, *, is_written: bool = True) -> None:
        """``is_written``: false for a command that only reads: nothing is remembered, and nothing is written."""
        self._home = home
        self._is_written = is_written
        self._before = _read(home / NAME)
        self._now: dict[str, list[object]] = {}
        self._begun = self._time_of_the_disk() if is_written else 0

    def is_unchanged(self, name: str, sha256: str, state: FileState) -> bool:
        """Return whether a file is in the state in which it was found to have this digest."""
        known: list[object] = [sha256, *state]
        if self._before.get(name) != known:
            return False
        self._now[name] = known
        return True

    def remember(self, name: str, sha256: str, state: FileState) -> None:
        """Remember that a file has this digest; ``state``: its state before it was hashed."""
        if max(state.modified, state.changed) + _COARSEST_TICK < self._begun:
            self._now[name] = [sha256, *state]

    def save(self) -> None:
        """Write what is remembered, where it is not what was remembered before.

        Raises :class:`OSError` where the disk refuses it.
        """
        if not self._is_written or self._now == self._before:
            return
        with made_private(withheld(self._home)):
            self._temporary.write_text(json.dumps(self._now), encoding="utf-8")
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


def _read(path: Path) -> dict[str, list[object]]:
    """Return what is remembered, by path; nothing where the file is missing or damaged."""
    try:
        content = json.loads(read_regular_file(path, _BYTES) or b"{}")
        return {str(name): [*known] for name, known in content.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
