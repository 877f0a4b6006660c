"""Bring the files of a home to what its log states: place what was decided, and delete what was not.

Every step may be repeated. A command that writes does all of it when it opens the home, so that it begins where the
newest entry ends, whatever ended the command before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ratinglist.errors import AlteredError, UnfinishedError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    make_private_folder,
    put_in_place,
    remove,
    remove_folder,
    sha256_of,
    synced,
)
from ratinglist.home.history import LATEST, History, described
from ratinglist.home.log import Log
from ratinglist.home.originals import FOLDER
from ratinglist.period import MONTH_NAME, REVISION_NAME
from ratinglist.publication import index, manifest
from ratinglist.publication.index import INDEX
from ratinglist.publication.manifest import MANIFEST, NotAManifestError
from ratinglist.settings import LOG, PUBLISHED, SEARCH, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store

PREVIEWS = "previews"
"""The folder of the home that previews are placed in."""
PUBLISHING = "being-published"
"""The file in ``published`` while files are placed there: what readers see then is no state of what is published."""


def settle(store: Store, settings: Settings) -> None:
    """Finish what was decided before, and delete what killed or failed commands have left.

    Called with the home and its store open: there is no other writer. Raises :class:`UnfinishedError` where the disk
    refuses a step.
    """
    finish(store.log, settings)
    remove(settings.published / PUBLISHING)
    for path in list(_temporary_files(settings)):
        remove(path)
    _sweep_previews(store.log.history, settings.previews)
    for month in _folders(settings.published):
        if not any(month.iterdir()):
            month.rmdir()
    calculations.clean_up(store)
    if store.log.history.index:
        _put_back_index(store.log.history, settings)


def finish(log: Log, settings: Settings) -> None:
    """Carry out what was decided, and say so where there was something."""
    if done := carry_out(log, settings):
        settings.warn(f"{done}: this was decided by a command that was interrupted; it is in place now.")


def carry_out(log: Log, settings: Settings) -> str:
    """Place the drafts that the log states, delete all others, and return what was carried out; empty for nothing.

    May be repeated. Raises :class:`UnfinishedError` where the disk refuses a step.
    """
    if not (log.is_written or log.is_replaying) or not settings.drafts.is_dir():
        return ""
    try:
        done = _place(log.history, settings)
        remove_folder(settings.drafts)
    except OSError as error:
        what = described(log.entries[-1]) if log.entries else "A change"
        raise UnfinishedError.of(what, error) from None
    return described(log.entries[-1]) if done else ""


def is_open(history: History, settings: Settings) -> bool:
    """Return whether drafts that the log states are not in their places yet."""
    is_begun = os.path.lexists(settings.published / PUBLISHING)
    return settings.drafts.is_dir() and bool(
        is_begun or _to_place(history, settings) or _previews_to_place(history, settings)
    )


def _put_back_index(history: History, settings: Settings) -> None:
    """Write the index of an office that signs again, from the log, where it is missing."""
    path, kept = settings.published / INDEX, index.newest(history)
    if kept is not None and not os.path.lexists(path):
        temporary = settings.home / f"{TEMPORARY_PREFIX}{INDEX}"
        temporary.write_bytes(kept.encode())
        put_in_place(temporary, path)
        settings.warn(f"{path} was missing; it was put back.")


def _to_place(history: History, settings: Settings) -> list[str]:
    """Return the drafts that the log states and that are not in their places, by their paths below ``published``."""
    folder, stated = settings.drafts / PUBLISHED, history.placed
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    manifests = [name for name in names if name.endswith(f"/{MANIFEST}")]
    # The files of a revision are those of its manifest.
    others = [name.removesuffix(MANIFEST) for name in manifests if sha256_of(folder / name) != stated.get(name)]
    return [
        name
        for name in names
        if name in stated
        and not name.startswith(tuple(others))
        and (_is_of_revision(name) or sha256_of(folder / name) == stated[name])
    ]


def _is_of_revision(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 2 and bool(MONTH_NAME.fullmatch(parts[0]) and REVISION_NAME.fullmatch(parts[1]))


def _place(history: History, settings: Settings) -> bool:
    """Move every draft that the log states to its place, and delete the files that it states no more.

    What is current changes last: the files ``latest``, then the index. Meanwhile :data:`PUBLISHING` is there.
    """
    names, drafts, published = _to_place(history, settings), settings.drafts / PUBLISHED, settings.published
    previews, removed = _previews_to_place(history, settings), _removed(history, published)
    marker = published / PUBLISHING
    if names or removed:
        published.mkdir(exist_ok=True)
        marker.touch()
        synced(published)
    for name in sorted({_moved_as(drafts, published, name) for name in names}, key=_is_seen_last):
        _move(drafts / name, published / name)
        synced((published / name).parent)
    for path in removed:
        path.unlink()
        synced(path.parent)
    for month in previews:
        make_private_folder(settings.previews)
        _move(settings.drafts / PREVIEWS / month, settings.previews / month, is_replaced=True)
        synced(settings.previews)
    if os.path.lexists(marker):
        marker.unlink()
        synced(published)
    return bool(names or removed or previews)


def _moved_as(drafts: Path, published: Path, name: str) -> str:
    """Return what a draft is moved as: with its month, which appears as a whole; with its revision; or by itself."""
    month = name.partition("/")[0]
    if "/" in name and not ((published / month).is_dir() and any((published / month).iterdir())):
        return month
    revision = "/".join(name.split("/")[:2])
    return revision if _is_of_revision(name) and (drafts / revision / MANIFEST).is_file() else name


def _is_seen_last(name: str) -> tuple[int, str]:
    return 2 if name == INDEX else int(name.endswith(f"/{LATEST}") or bool(MONTH_NAME.fullmatch(name))), name


def _removed(history: History, published: Path) -> list[Path]:
    """Return the files of withdrawn months that the log states no more: ``latest`` and both numbers."""
    withdrawn = {month for month, _ in history.revisions()} - set(history.current)
    names = [f"{month}/{name}" for month in sorted(withdrawn) for name in (LATEST, "both_numbers.parquet")]
    return [published / name for name in names if name not in history.placed and os.path.lexists(published / name)]


def _previews_to_place(history: History, settings: Settings) -> list[str]:
    """Return the months whose drafted preview is the one that the log states."""
    folder, found = settings.drafts / PREVIEWS, []
    for month in sorted(path.name for path in folder.iterdir()) if folder.is_dir() else ():
        stated = history.previews.get(month)
        path = folder / month / f"r{stated['revision']}" / MANIFEST if stated else None
        try:
            if stated and path and manifest.read(path.read_bytes()).digest == stated["manifest"]:
                found.append(month)
        except (OSError, NotAManifestError):
            continue
    return found


def _move(source: Path, target: Path, *, is_replaced: bool = False) -> None:
    """Move one file or folder; a file, and a folder that ``is_replaced``, takes the place of what is there."""
    _make_folder(target.parent)
    if source.is_dir() and os.path.lexists(target):
        if is_replaced:
            remove_folder(target)
        elif not any(target.iterdir()):
            target.rmdir()
        else:
            raise AlteredError(
                f"{target} is there already, and is not the revision that was decided on. Move it out of the way, then "
                "give the command again."
            )
    source.replace(target)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, and sync the folders that hold the new ones."""
    new = [path for path in (folder, *folder.parents) if not path.is_dir()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in new:
        synced(path.parent)


def _temporary_files(settings: Settings) -> Iterator[Path]:
    """Yield what was being written: a new store, entries, originals, an index of names, what is published or shown."""
    home = settings.home
    of_home = [home, *(home / name for name in (LOG, FOLDER, SEARCH)), settings.reports]
    for folder in (*of_home, settings.previews, *_folders(settings.previews)):
        yield from (path for path in _beginning_with(folder, TEMPORARY_PREFIX) if not _is_being_made(path))
    yield from settings.published.rglob(f"{TEMPORARY_PREFIX}*")


def _is_being_made(path: Path) -> bool:
    """Return whether a living process, which its name has, is making this file: a new store, or an index of names."""
    found = re.match(r"([1-9][0-9]{0,8})-", path.name.removeprefix(TEMPORARY_PREFIX))
    if found is None:
        return False
    # Here, because only what a killed command has left needs it.
    import psutil

    return bool(psutil.pid_exists(int(found[1])))


def _sweep_previews(history: History, previews: Path) -> None:
    """Delete the previews that no entry names, and all but the newest of a month."""
    for month in _folders(previews):
        stated = history.previews.get(month.name)
        if stated is None:
            remove(month)
            continue
        for path in _folders(month):
            if path.name != f"r{stated['revision']}":
                remove(path)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _beginning_with(folder: Path, prefix: str) -> Iterator[Path]:
    """Yield the paths in a folder whose name begins with ``prefix``; a large folder is listed once, by name alone."""
    if folder.is_dir():
        yield from (folder / name for name in os.listdir(folder) if name.startswith(prefix))  # noqa: PTH208 - names alone
