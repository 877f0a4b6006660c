"""Compare a folder of a home with what the log states of it: the sha256 of every file, by its path below the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from ratinglist.files.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.home.compared_files import ComparedFiles, FileState, state_of

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


def problem(path: Path, sha256: str, size: int | None = None) -> str:
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
        wrong = problem(self.root / name, sha256, self.sizes[name] if self.sizes else None)
        if not wrong and state is not None and compared is not None:
            compared.remember(name, sha256, state)
        return wrong
