"""Compare a folder with the sha256 that is stated of every file, and remember what was compared: ``compared.json``.

What the file system states of each published file that was compared with its digest is remembered.
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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ratinglist.files.durable_files import TEMPORARY_PREFIX, made_private, read_regular_file, sha256_of, withheld

COMPARED = "compared.json"
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
        self._before = _read(home / COMPARED)
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
        self._temporary.replace(self._home / COMPARED)

    @property
    def _temporary(self) -> Path:
        return self._home / f"{TEMPORARY_PREFIX}{COMPARED}"

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


IS_NO_FILE = "is a link, a folder or a device, and was published as a file"
MISSING = "is missing"
_ALTERED = "was altered: its digest is not the one recorded"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a folder is not as stated.

    ``name``: the path below the folder; ``description``: what is wrong with it, following its name. ``is_foreign``:
    nothing is stated of it, so no command wrote it.
    """

    name: str
    description: str
    is_foreign: bool = False


def differences(
    folder: Path,
    stated: Mapping[str, str],
    compared: ComparedFiles | None = None,
    sizes: Mapping[str, int] | None = None,
) -> list[Difference]:
    """Return everything that is not as stated, by path.

    ``stated``: the sha256 of each file. ``compared``: the files that need not be hashed; None: every file is.
    ``sizes``: the bytes of each file, where they are stated too; then a file is hashed only if it has that size, and a
    file that is still being written is none that belongs there. Without them such a file is passed over.

    A folder that is missing, that is a link, or of which nothing is stated, is one difference. No link is followed, and
    nothing but a regular file is opened.
    """
    folders = {name[:at] for name in stated for at in range(len(name)) if name[at] == "/"}
    walk = _Walk(folder, stated, folders, compared, sizes)
    return sorted(walk.below(""), key=attrgetter("name"))


def problem_of_file(path: Path, sha256: str, size: int | None = None) -> str:
    """Return what is wrong with one file, by its sha256 and its bytes where they are stated; empty where nothing is."""
    try:
        status = path.lstat()
        # Opening a pipe would not end.
        if not stat.S_ISREG(status.st_mode):
            return IS_NO_FILE
        if size is not None and status.st_size != size:
            return f"has {status.st_size:,} bytes, and was published with {size:,}"
        return "" if sha256_of(path) == sha256 else _ALTERED
    except FileNotFoundError:
        return MISSING
    except OSError as error:
        return f"cannot be read: {error.strerror}"


@dataclass(frozen=True, slots=True)
class _Walk:
    root: Path
    stated: Mapping[str, str]
    folders: set[str]
    compared: ComparedFiles | None
    sizes: Mapping[str, int] | None

    def below(self, prefix: str) -> Iterator[Difference]:
        there: dict[str, FileState | None] = {}
        try:
            for entry in os.scandir(self.root / prefix):
                if self.sizes is None and entry.name.startswith(TEMPORARY_PREFIX):
                    continue
                name = f"{prefix}{entry.name}"
                there[name] = state_of(entry.stat(follow_symlinks=False))
                if name in self.folders:
                    if entry.is_symlink() or not entry.is_dir():
                        yield Difference(name, "is a link or a file, and was published as a folder")
                    else:
                        yield from self.below(f"{name}/")
        except FileNotFoundError:
            pass  # Then everything that is stated of it is missing.
        except OSError as error:
            yield Difference(prefix.rstrip("/"), f"cannot be read: {error.strerror}")
            return
        every = (*self.stated, *self.folders)
        expected = {name for name in every if name.startswith(prefix) and "/" not in name[len(prefix) :]}
        for name in sorted(expected | there.keys()):
            if name not in there:
                yield Difference(name, MISSING)
            elif name not in expected:
                yield Difference(name, "was not published: no command wrote it", is_foreign=True)
            elif name in self.stated and (wrong := self._problem(name, there[name])):
                yield Difference(name, wrong)

    def _problem(self, name: str, state: FileState | None) -> str:
        """Return what is wrong with a file; empty where nothing is, or where it is as it was when it was compared."""
        sha256, compared = self.stated[name], self.compared
        if state is not None and compared is not None and compared.is_unchanged(name, sha256, state):
            return ""
        # It may have been replaced since it was listed.
        wrong = problem_of_file(self.root / name, sha256, self.sizes[name] if self.sizes else None)
        if not wrong and state is not None and compared is not None:
            compared.remember(name, sha256, state)
        return wrong
