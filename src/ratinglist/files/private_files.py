"""Permissions of an office's files: what holds birth dates is closed to other accounts, what is published is not.

A private folder is made with mode 0700 and a private file with 0600; what lies in a private folder needs no mode of its
own. A home whose folder the group may write, such as one of mode 2770, is shared with that group: there the group keeps
its access (0770, 0660). The home itself and ``published`` have the modes that the umask gives them: readers go through
the home to what is published.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ratinglist.settings import SEARCH, STORE

PRIVATE: Final = (
    *(STORE, f".tmp-{STORE}", f".tmp-made-{STORE}"),
    *("last-backup.json", "compared.json"),
    *("log", "originals", "reports", "corrections", "calculations", "previews", "drafts", "reconciled", "lab", SEARCH),
    # What a rebuild or a restore makes and replaces: parts of a home.
    *("replaced", ".tmp-rebuild", ".tmp-restore"),
)
"""What a home has that other accounts may not read: the store, the files received, and what was made of them."""

_ALL: Final = stat.S_IRWXG | stat.S_IRWXO


def withheld(home: Path) -> int:
    """Return the permissions that a private file of ``home`` does not give: 0o077, or 0o007 in a shared home."""
    shared = home.is_dir() and home.stat().st_mode & stat.S_IWGRP
    return stat.S_IRWXO if shared else _ALL


def make_private_folder(folder: Path) -> None:
    """Make a private folder of a home and the folders above it, where they are missing; an existing one stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o777 & ~withheld(folder.parent), exist_ok=True)


def exposed(home: Path) -> list[Path]:
    """Return the private files and folders of ``home`` that give more permissions than they may."""
    more = withheld(home)
    return [path for name in PRIVATE if (path := home / name).exists() and path.stat().st_mode & more]


def close(home: Path) -> None:
    """Take away the permissions that the private files of ``home`` give too many.

    Those of another account stay as they are, because only their owner may change them: the next command of that
    account does. A file system without permissions has none to take away.
    """
    more = withheld(home)
    for path in exposed(home):
        with suppress(PermissionError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~more)


@contextmanager
def made_private(more: int) -> Iterator[None]:
    """Make every file in the block without the permissions ``more`` (:func:`withheld`).

    The umask belongs to the whole process, so the block contains nothing but the calls that make private files.
    """
    before = os.umask(more)
    # What the account withholds itself stays withheld.
    os.umask(before | more)
    try:
        yield
    finally:
        os.umask(before)
