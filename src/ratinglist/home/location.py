"""The directory of a home: whether it is one, else which was meant; one writer at a time, and readers of its files."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratinglist import office
from ratinglist.errors import CommandLineError, StoreInUseError
from ratinglist.files.durable_files import LOCK_FILE, OF_A_DESKTOP, PRIVATE, TEMPORARY_PREFIX, WORK, locked_folder
from ratinglist.home import originals
from ratinglist.settings import LOG, PUBLISHED, STORE, is_home

RESTORING = f"{TEMPORARY_PREFIX}restore"
"""The folder in a home of what is being restored. While it is there, the home is not complete."""
_BEFORE_THE_LOG = {
    # What people and Prefect put there: their choices, rules and keys, and the root of a disk.
    *(office.NAME, "rules", "office.pem", "office.pub", "prefect", "lost+found"),
    # What a first command leaves that is refused or killed.
    *(LOCK_FILE, WORK, STORE, originals.FOLDER, LOG, PUBLISHED),
}
"""The names that a folder may have in it when it becomes a home."""
_TRIES = 10
IN_USE = "{home} is in use by another command that writes. Wait until it has finished, then run the command again."


def check_whole(home: Path) -> None:
    """Raise :class:`CommandLineError` where a restore into ``home`` was interrupted."""
    if (home / RESTORING).is_dir():
        raise CommandLineError(
            f"the home {home} is not complete: a restore into it is running, or was interrupted. Nothing was made. If "
            f"none is running, give the restore again: ratinglist restore DIR --home {shlex.quote(str(home))}"
        )


def check_home(home: Path) -> None:
    """Raise :class:`CommandLineError` where ``home`` is not the home of an office; nothing is created."""
    check_whole(home)
    if is_home(home):
        return
    raise CommandLineError(
        f"the home {home} does not exist, or is not the home of an office: it has neither {LOG}/ nor {PUBLISHED}/. "
        "Nothing was made. Name a home with --home or RATINGLIST_HOME; to make a new one: ratinglist import-list FILE "
        "--month YYYY-MM"
    )


def check_becomes_home(folder: Path) -> None:
    """Raise :class:`CommandLineError` where a folder without a log has other files than the ones a home begins with.

    A home deletes what it has not finished, and closes what is private, by the names alone.
    """
    names = {path.name for path in folder.iterdir() if path.name.casefold() not in OF_A_DESKTOP}
    if others := names - _BEFORE_THE_LOG:
        raise CommandLineError(
            f"{folder} holds {min(others)}, and is not the home of an office. Nothing was changed. Name a folder with "
            "--home that is empty, or does not exist yet."
        )


def check_no_home(path: Path) -> None:
    """Raise :class:`CommandLineError` where what is to be loaded is a home, or is in one: it was received before.

    An office's own folder beside the parts of its home, such as an inbox, is not part of it.
    """
    path = path.resolve()
    for home in (path, *path.parents):
        is_part = home == path or path.relative_to(home).parts[0] in (*PRIVATE, PUBLISHED)
        if is_part and any((home / LOG).glob("*.json")):
            raise CommandLineError(
                f"{path} is the home of an office, or is in it: its reports were received there. Nothing was loaded. "
                "Name the folder of a delivery; to copy a home: ratinglist backup DIR"
            )


@contextmanager
def held_to_write(home: Path, tries: int = _TRIES) -> Iterator[None]:
    """Hold a home inside the block against any other command that writes, checks, copies or rebuilds it.

    ``tries``: one that only reads may hold it for some milliseconds. Raises :class:`StoreInUseError` where another one
    has it, :class:`OSError` where the folder cannot be opened.
    """
    while True:
        tries -= 1
        try:
            handle = locked_folder(home, IN_USE.format(home=home))
            break
        except StoreInUseError:
            if tries <= 0:
                raise
        time.sleep(1 / 50)
    try:
        yield
    finally:
        os.close(handle)


def is_being_written(home: Path) -> bool:
    """Return whether another command has the home now."""
    try:
        with held_to_write(home):
            return False
    except StoreInUseError:
        return True
    except OSError:
        return False


@contextmanager
def holding_calculations(folder: Path, *, shared: bool = False) -> Iterator[bool]:
    """Yield whether ``HOME/calculations`` is held inside the block, by a reader (``shared``) or a writer that deletes.

    No writer deletes files that a reader holds. Where a reader cannot hold them, such as while files are being deleted
    for some milliseconds, it reads all the same.
    """
    try:
        handle = locked_folder(folder, "", shared=shared)
    except (OSError, StoreInUseError):
        yield False
        return
    try:
        yield True
    finally:
        os.close(handle)
