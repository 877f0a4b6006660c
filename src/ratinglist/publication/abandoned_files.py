"""Delete what killed or failed commands have left in a home. Called with the store open: there is no other writer."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ratinglist.files.durable_files import TEMPORARY_PREFIX, remove, remove_folder, sha256_of
from ratinglist.home import originals
from ratinglist.home.log import remove_unfinished
from ratinglist.settings import SEARCH, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store

CORRECTIONS = "corrections"
"""The folder of the home that keeps the corrections that were typed, a file each."""

_ARCHIVED_PART = ".tmp"
"""The ending of a report that is being written; its name begins with a dot."""


def sweep(store: Store, settings: Settings) -> None:
    """Delete temporary files, previews that the log does not know, and folders of calculations that none names.

    The file of a typed correction that was committed gets its name.
    """
    _finish_typed_corrections(store, settings)
    for path in list(_temporary_files(settings)):
        remove(path)
    _sweep_previews(store, settings.previews)
    for month in _folders(settings.published):
        if not any(month.iterdir()):
            month.rmdir()
    remove_unfinished(settings.home)
    originals.remove_unfinished(settings.home)
    calculations.clean_up(store)


def temporary_name(file: Path) -> Path:
    """Return the name that this process writes a file under, until it may have its own."""
    return file.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{file.name}")


def _finish_typed_corrections(store: Store, settings: Settings) -> None:
    """Give the file of a typed correction its name where the correction was committed, and delete it where it was not.

    A file that an officer has put into the folder has no temporary name, and stays.
    """
    for path in list(_beginning_with(settings.home / CORRECTIONS, TEMPORARY_PREFIX)):
        if _is_being_made(path):
            continue
        name = path.name.removeprefix(TEMPORARY_PREFIX).partition("-")[2]
        is_committed = store.finds_rows(
            "select 1 from source_file where kind = 'corrections' and file_name = $name and sha256 = $sha256",
            name=name,
            sha256=sha256_of(path),
        )
        if is_committed:
            path.replace(path.with_name(name))
        else:
            path.unlink()


def delete_drafts(settings: Settings) -> None:
    """Delete ``HOME/drafts``."""
    if settings.drafts.is_dir():
        remove_folder(settings.drafts)


def _temporary_files(settings: Settings) -> Iterator[Path]:
    """Yield what was being written: a new store, an index of names, files under ``published``, and reports."""
    for folder in (settings.home, settings.home / SEARCH):
        yield from (path for path in _beginning_with(folder, TEMPORARY_PREFIX) if not _is_being_made(path))
    for folder in (settings.published, settings.previews):
        for parent in (folder, *_folders(folder)):
            yield from _beginning_with(parent, TEMPORARY_PREFIX)
    yield from (path for path in _beginning_with(settings.reports, ".") if path.name.endswith(_ARCHIVED_PART))


def _is_being_made(path: Path) -> bool:
    """Return whether a living process, which its name has, is making this file: a new store, or an index of names."""
    found = re.match(r"([1-9][0-9]{0,8})-", path.name.removeprefix(TEMPORARY_PREFIX))
    if found is None:
        return False
    # Here, because only what a killed command has left needs it.
    import psutil

    return bool(psutil.pid_exists(int(found[1])))


def _sweep_previews(store: Store, previews: Path) -> None:
    """Delete the previews that no entry names, and all but the newest of a month."""
    if not previews.is_dir():
        return
    revisions = {month: one["revision"] for month, one in store.log.history.previews.items()}
    for month in _folders(previews):
        if month.name not in revisions:
            remove(month)
            continue
        for path in _folders(month):
            if path.name != f"r{revisions[month.name]}":
                remove(path)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _beginning_with(folder: Path, prefix: str) -> Iterator[Path]:
    """Yield the paths in a folder whose name begins with ``prefix``; a large folder is listed once, by name alone."""
    if folder.is_dir():
        yield from (folder / name for name in os.listdir(folder) if name.startswith(prefix))  # noqa: PTH208 - names alone
