"""Compare a folder of a home with what the log states of it: the sha256 of every file, by its path below the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from ratinglist.files.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.home.compared_files import ComparedFiles, FileState, state_of

IS_NO_FILE = "is a link, a folder or a device, and was published as a file"
ALTERED = "was altered: its digest is not the one it was published with"
NOT_PUBLISHED = "was not published: no command wrote it. Move it out of the way"


def differences(
    folder: Path, stated: Mapping[str, str], compared: ComparedFiles | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the path below ``folder`` of everything that is not as stated, and what is wrong with it, sorted.

    ``compared``: the files that need not be hashed; None: every file is. A folder that is missing, that is a link, or
    of which nothing is stated, is one difference. A file that is still being written is passed over. No link is
    followed, and nothing but a regular file is opened.
    """
    folders = {name[:at] for name in stated for at in range(len(name)) if name[at] == "/"}
    yield from sorted(_below(folder, "", stated, folders, compared))


def _below(
    root: Path, prefix: str, stated: Mapping[str, str], folders: set[str], compared: ComparedFiles | None
) -> Iterator[tuple[str, str]]:
    there: dict[str, FileState | None] = {}
    try:
        for entry in os.scandir(root / prefix):
            if not entry.name.startswith(TEMPORARY_PREFIX):
                name = f"{prefix}{entry.name}"
                there[name] = state_of(entry.stat(follow_symlinks=False))
                if name in folders:
                    if entry.is_symlink() or not entry.is_dir():
                        yield name, "is a link or a file, and was published as a folder"
                    else:
                        yield from _below(root, f"{name}/", stated, folders, compared)
    except FileNotFoundError:
        pass  # Then everything that is stated of it is missing.
    except OSError as error:
        yield prefix.rstrip("/"), f"cannot be read: {error.strerror}"
        return
    expected = {name for name in (*stated, *folders) if name.startswith(prefix) and "/" not in name[len(prefix) :]}
    for name in sorted(expected | there.keys()):
        if name not in there:
            yield name, "is missing"
        elif name not in expected:
            yield name, NOT_PUBLISHED
        elif name in stated and (problem := _problem(root / name, name, stated[name], there[name], compared)):
            yield name, problem


def _problem(path: Path, name: str, sha256: str, state: FileState | None, compared: ComparedFiles | None) -> str:
    """Return what is wrong with a file; empty where nothing is."""
    if state is None:
        return IS_NO_FILE
    if compared is not None and compared.is_unchanged(name, sha256, state):
        return ""
    try:
        # It may have been replaced since it was listed: opening a pipe would not end.
        if not stat.S_ISREG(path.lstat().st_mode):
            return IS_NO_FILE
        if sha256_of(path) != sha256:
            return ALTERED
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if compared is not None:
        compared.remember(name, sha256, state)
    return ""
