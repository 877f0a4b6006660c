"""Verify what is published, and the calculations, against the log: every file has the sha256 that the log states.

What the file system states of each published file that was compared is remembered in ``compared.json``. A command then
hashes only the files of which the file system states something else: another size, another time of the last change (of
the content, of the file), or another inode. This is how git's index finds changed files. ``verify`` and ``doctor`` hash
every file. What is remembered only saves time: where it is lost, all files are hashed once more.

A file that is altered within the tick of the clock in which it was hashed could keep its times. So a file is remembered
only where its times are older than the beginning of the comparison, by the clock of the disk that the home is on, and
by two seconds more: the coarsest clock of a file system, that of FAT, has such ticks. A younger file is hashed again by
the next command.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ratinglist.errors import CheckError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, made_private, read_regular_file, sha256_of, withheld
from ratinglist.home.history import LATEST, History
from ratinglist.home.log import Log
from ratinglist.pages.plain_text import first_lines
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import CalculationFolder

DO_NOT_AGREE = "the log and what is published do not agree."
WAYS_OUT = (
    "See all that is wrong with: ratinglist doctor",
    "If only a file was changed by hand, put back what was there, or all that was published: ratinglist doctor "
    "--rebuild. If the log or published/ comes from another day than the other, put back a copy of the whole home: "
    "ratinglist restore",
)
"""What an officer can do where they do not agree."""
_POINTER_BYTES = 64
NOTHING = (".DS_Store", "Thumbs.db", "desktop.ini")
"""The files that file managers leave in every folder."""
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
FOREIGN = "was not published: no command wrote it"
ALTERED = "was altered: its digest is not the one recorded"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a folder is not as stated.

    ``name``: the path below the ``folder``; ``description``: what is wrong with it, following its name. ``is_foreign``:
    nothing is stated of it, so no command wrote it, and none deletes it.
    """

    folder: Path
    name: str
    description: str
    is_foreign: bool = False

    @property
    def path(self) -> Path:
        """The file or folder."""
        return self.folder / self.name

    @property
    def revision(self) -> tuple[str, int]:
        """The month that it concerns, below ``published``, empty for none; and the revision, 0 for the month alone."""
        month, _, rest = self.name.partition("/")
        revision = rest.partition("/")[0]
        number = int(revision[1:]) if REVISION_NAME.fullmatch(revision) else 0
        return (month, number) if MONTH_NAME.fullmatch(month) else ("", 0)

    def text(self) -> str:
        """Return the difference as one line."""
        return f"{self.path}: {self.description}" + (". Move it out of the way" if self.is_foreign else "")


def differences(
    folder: Path,
    stated: Mapping[str, str],
    compared: ComparedFiles | None = None,
    sizes: Mapping[str, int] | None = None,
) -> list[Difference]:
    """Return everything that is not as stated, by path.

    ``stated``: the sha256 of each file. ``compared``: the files that need not be hashed; None: every file is.
    ``sizes``: the bytes of files of which they are stated too: such a file is hashed only if it has that size.

    A folder that is missing, that is a link, or of which nothing is stated, is one difference. No link is followed, and
    nothing but a regular file is opened. What a file manager leaves in every folder is nothing.
    """
    folders = {name[:at] for name in stated for at in range(len(name)) if name[at] == "/"}
    walk = _Walk(folder, stated, folders, compared, sizes or {})
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
        return "" if sha256_of(path) == sha256 else ALTERED
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
    sizes: Mapping[str, int]

    def below(self, prefix: str) -> Iterator[Difference]:
        there: dict[str, FileState | None] = {}
        try:
            for entry in os.scandir(self.root / prefix):
                name = f"{prefix}{entry.name}"
                if entry.name in NOTHING and entry.is_file(follow_symlinks=False):
                    continue
                there[name] = state_of(entry.stat(follow_symlinks=False))
                if name in self.folders:
                    if entry.is_symlink() or not entry.is_dir():
                        yield Difference(self.root, name, "is a link or a file, and was published as a folder")
                    else:
                        yield from self.below(f"{name}/")
        except FileNotFoundError:
            pass  # Then everything that is stated of it is missing.
        except OSError as error:
            yield Difference(self.root, prefix.rstrip("/"), f"cannot be read: {error.strerror}")
            return
        every = (*self.stated, *self.folders)
        expected = {name for name in every if name.startswith(prefix) and "/" not in name[len(prefix) :]}
        for name in sorted(expected | there.keys()):
            if name not in there:
                yield Difference(self.root, name, MISSING)
            elif name not in expected:
                yield Difference(self.root, name, FOREIGN, is_foreign=True)
            elif name in self.stated and (wrong := self._problem(name, there[name])):
                yield Difference(self.root, name, wrong)

    def _problem(self, name: str, state: FileState | None) -> str:
        """Return what is wrong with a file; empty where nothing is, or where it is as it was when it was compared."""
        sha256, compared = self.stated[name], self.compared
        if state is not None and compared is not None and compared.is_unchanged(name, sha256, state):
            return ""
        # It may have been replaced since it was listed.
        wrong = problem_of_file(self.root / name, sha256, self.sizes.get(name))
        if not wrong and state is not None and compared is not None:
            compared.remember(name, sha256, state)
        return wrong


def refuse_to_change(history: History, settings: Settings, taken_back: Period | None = None) -> None:
    """Raise :class:`CheckError` where the log and the published files do not agree.

    ``taken_back``: the month whose current revision a rollback replaces; its files may be damaged or missing.
    """
    spared = (str(taken_back), history.current.get(str(taken_back)))
    compared = ComparedFiles(settings.home)
    every = disagreements(history, settings.published, compared)
    refuse("Nothing was changed", [one for one in every if one.revision != spared])
    if not every:
        compared.save()


def refuse(consequence: str, found: Sequence[Difference]) -> None:
    """Raise :class:`CheckError` where the log and the published files differ; ``consequence``: for the command."""
    if found:
        lines = first_lines([one.text() for one in found])
        raise CheckError("\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *WAYS_OUT]))


def refuse_to_show(found: Sequence[Difference], months: Collection[Period] | None = None) -> None:
    """Raise :class:`CheckError` where there is a difference in what a command is to show.

    ``months``: those that the command reads; None for all, with the files of no month.
    """
    shown = None if months is None else set(map(str, months))
    refuse("Nothing was shown", [one for one in found if shown is None or one.revision[0] in shown])


def disagreements(history: History, published: Path, compared: ComparedFiles | None = None) -> list[Difference]:
    """Return where the log and the published files do not agree, by path.

    ``compared``: the files that need not be hashed; None: every file is.
    """
    if not published.is_dir() and not history.placed:
        return []
    found = differences(published, history.placed, compared)
    return [replace(one, description=_described(history, one)) for one in found]


def _described(history: History, one: Difference) -> str:
    """Return what is wrong with a file, with what the log states of it where that says more."""
    (month, number), rest = one.revision, one.name.rpartition("/")[2]
    if rest == f"r{number}":
        digest = history.revisions().get((month, number))
        known = f"{one.description}; it was published with the digest {digest}"
        return "the log does not know this revision" if one.is_foreign else known
    if rest != LATEST or one.description == IS_NO_FILE:
        return one.description
    current = history.current.get(month)
    return pointer_text(one.path, f"r{current}" if current else "", "by the log")


def pointer_text(path: Path, current: str, by: str) -> str:
    """Return what is wrong with a file ``latest``; ``current``: the revision it should name, empty for none."""
    named = (read_regular_file(path, _POINTER_BYTES) or b"").decode("utf-8", errors="replace")
    if current and named.strip() == current:
        return f"was altered: it does not have the bytes of {current} and an end of line"
    says = f"names {ascii(named.strip())[1:-1]}" if named else "is missing"
    return f"{says}, and {by} {f'{current} is the current revision' if current else 'no revision is current'}"


def calculations(log: Log) -> Iterator[Difference]:
    """Yield where the log and the calculations that are kept do not agree."""
    for one in log.history.kept_calculations():
        folder = CalculationFolder.of(log.home / "calculations", one)
        yield from differences(folder.path, {name: str(entry["sha256"]) for name, entry in folder.written.items()})
