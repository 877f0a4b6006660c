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
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ratinglist.errors import CheckError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, made_private, read_regular_file, sha256_of, withheld
from ratinglist.home.history import LATEST, History
from ratinglist.home.log import Log
from ratinglist.pages.plain_text import first_lines
from ratinglist.period import REVISION_NAME, Period
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


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where a file and the log do not agree.

    ``revision``: its number; 0 where it is about the month. ``is_foreign``: the log states nothing of it, so no command
    wrote it, and none deletes it.
    """

    month: str
    revision: int
    path: Path
    description: str
    is_foreign: bool = False

    def text(self) -> str:
        """Return the disagreement as one line."""
        return f"{self.path}: {self.description}" + (". Move it out of the way" if self.is_foreign else "")


def refuse_to_change(history: History, settings: Settings, taken_back: Period | None = None) -> None:
    """Raise :class:`CheckError` where the log and the published files do not agree.

    ``taken_back``: the month whose current revision a rollback replaces; its files may be damaged or missing.
    """
    spared = (str(taken_back), history.current.get(str(taken_back)))
    compared = ComparedFiles(settings.home)
    every = disagreements(history, settings.published, compared)
    found = [one for one in every if (one.month, one.revision) != spared]
    if found:
        raise CheckError(_text("Nothing was changed", found))
    if not every:
        compared.save()


def refuse_to_show(found: Sequence[Disagreement], months: Collection[Period] | None = None) -> None:
    """Raise :class:`CheckError` where there is a disagreement about what a command is to show.

    ``months``: those that the command reads; None for all, with the files of no month.
    """
    concerned = [one for one in found if months is None or one.month in set(map(str, months))]
    if concerned:
        raise CheckError(_text("Nothing was shown", concerned))


def _text(consequence: str, found: Sequence[Disagreement]) -> str:
    lines = first_lines([one.text() for one in found])
    return "\n".join([f"{consequence}: {DO_NOT_AGREE}", *lines, *WAYS_OUT])


def disagreements(history: History, published: Path, compared: ComparedFiles | None = None) -> list[Disagreement]:
    """Return where the log and the published files do not agree, by path.

    ``compared``: the files that need not be hashed; None: every file is.
    """
    if not published.is_dir() and not history.placed:
        return []
    found = []
    for one in differences(published, history.placed, compared):
        name = one.name
        month, _, rest = name.partition("/")
        revision = rest.partition("/")[0]
        number = int(revision[1:]) if REVISION_NAME.fullmatch(revision) else 0
        # An index is in the folder itself, and concerns no month.
        of_month = month if "/" in name or (published / name).is_dir() or month in history.current else ""
        description = _description(history, published, one)
        found.append(Disagreement(of_month, number, published / name, description, one.is_foreign))
    return found


def calculations(log: Log) -> Iterator[Disagreement]:
    """Yield where the log and the calculations do not agree: all files of the newest one of a month, else the state."""
    history, root = log.history, log.home / "calculations"
    newest = history.newest_calculations()
    for one in history.calculations:
        is_newest = newest[one.month] is one
        folder = CalculationFolder.of(root, one, is_newest=is_newest)
        stated = {name: str(entry["sha256"]) for name, entry in folder.written.items()}
        for other in differences(folder.path, stated):
            # What another command reads now is deleted later.
            if is_newest or not other.is_foreign:
                yield Disagreement(one.month, 0, folder.path / other.name, other.description, other.is_foreign)


def _description(history: History, published: Path, one: Difference) -> str:
    """Return what is wrong with a file, with what the log states of it where that says more."""
    month, _, rest = one.name.partition("/")
    if REVISION_NAME.fullmatch(rest):
        digest = history.revisions().get((month, int(rest[1:])))
        if one.is_foreign:
            return "the log does not know this revision"
        return f"{one.description}; it was published with the digest {digest}"
    if rest != LATEST or one.description == IS_NO_FILE:
        return one.description
    content = read_regular_file(published / one.name, _POINTER_BYTES) or b""
    named, current = content.decode("utf-8", errors="replace").strip(), history.current.get(month)
    if current is not None and named == f"r{current}":
        return f"was altered: it does not have the bytes of r{current} and an end of line"
    says = f"names {ascii(named)[1:-1]}" if named else "is missing"
    return f"{says}, and by the log {f'r{current} is the current revision' if current else 'no revision is current'}"
