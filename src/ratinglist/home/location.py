"""The directory of a home: whether it is one, else which was meant; one writer at a time, and readers of its files."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ratinglist.errors import CommandLineError, StoreInUseError
from ratinglist.files.durable_files import PRIVATE, TEMPORARY_PREFIX, locked_folder, remove
from ratinglist.settings import LOG, PUBLISHED, is_home

RESTORING = f"{TEMPORARY_PREFIX}restore"
"""The folder in a home of what is being restored. While it is there, the home is not complete."""
_TRIES = 10
IN_USE = "{home} is in use by another command that writes. Wait until it has finished, then run the command again."


@contextmanager
def left_as_found(home: Path, missing: Sequence[Path]) -> Iterator[None]:
    """Delete what the block made where it is the first command of a home and fails: it decided nothing.

    ``missing``: the home and the folders above it that were made for it, the innermost first. The caller holds the
    home. A file of somebody else stays, and so do the folders that it is in.
    """
    before = set(home.iterdir())
    try:
        yield
    except BaseException:
        if not any((home / LOG).glob("*.json")):
            for path in set(home.iterdir()) - before:
                if path.name in PRIVATE or path.name.startswith(TEMPORARY_PREFIX):
                    remove(path)
            with suppress(OSError):
                for folder in missing:
                    folder.rmdir()
        raise


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
    if home.exists() and not home.is_dir():
        what = "is a file, and a home is a directory"
    elif home.is_dir():
        what = f"is not the home of an office: it has neither {LOG}/ nor {PUBLISHED}/"
    else:
        what = "does not exist"
    raise CommandLineError(
        f"the home {home} {what}. Nothing was made. Name a home with --home or RATINGLIST_HOME; to make a new one: "
        "ratinglist import-list FILE --month YYYY-MM"
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
