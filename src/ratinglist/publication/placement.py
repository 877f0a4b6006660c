"""Move finished files from ``HOME/drafts`` to their places, in steps that may be repeated after a kill.

``drafts/`` has the paths of the home: ``drafts/published/2025-11/r2`` becomes ``published/2025-11/r2`` by one rename.
A step whose draft is gone was done before. Nothing here reads the store.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ratinglist.durable_files import TEMPORARY_PREFIX, named_in_errors, remove_folder, synced
from ratinglist.errors import AlteredError
from ratinglist.period import Period
from ratinglist.private_files import make_private_folder
from ratinglist.publication.revisions import LATEST

PUBLISHED, PREVIEWS = "published", "previews"
"""The folders of the home that files are placed in."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The files and folders to be placed, by their paths below the home, in order.

    ``content``: revisions and tables. ``current``: what makes them current: the file ``latest`` of each month, or the
    whole folder of a month that is published for the first time. All of ``content`` is in place and on the disk before
    the first of ``current`` moves. ``withdrawn``: the files that are deleted then, such as the ``latest`` of a month
    that has no list any more. ``first``: what is in place before ``content``, and ``last`` after ``withdrawn``;
    then ``removed`` are deleted. An index comes so (:mod:`ratinglist.publication.index_change`).
    """

    content: tuple[str, ...] = ()
    current: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def month_path(period: Period, name: str = "") -> str:
    """Return the path below the home of a published month, or of a file or revision in it."""
    return "/".join(filter(None, (PUBLISHED, str(period), name)))


def draft_path(drafts: Path, name: str) -> Path:
    """Return where the draft of a file or folder of the home is written, and make the folders above it.

    ``drafts/`` itself is closed to other accounts: what is in it was not published.
    """
    path = drafts / name
    make_private_folder(drafts)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write_latest(drafts: Path, period: Period, revision: int) -> str:
    """Write the file ``latest`` of a month as a draft, naming a revision, and return its path below the home."""
    name = month_path(period, LATEST)
    path = draft_path(drafts, name)
    with named_in_errors(path):
        path.write_text(f"r{revision}\n", encoding="utf-8", newline="\n")
    synced(path)
    return name


def of_revisions(home: Path, drafts: Path, revisions: Iterable[tuple[Period, int]]) -> Placement:
    """Write the file ``latest`` of each month as a draft, and return the placement of these revisions.

    In: the months, and for each the number of the revision that becomes current; its folder is a draft or in place.
    """
    content: list[str] = []
    current: list[str] = []
    for period, number in revisions:
        latest = write_latest(drafts, period, number)
        month, revision = home / month_path(period), month_path(period, f"r{number}")
        if not month.is_dir() or not any(month.iterdir()):
            # Readers never see a month without a current list.
            current.append(month_path(period))
            continue
        if (drafts / revision).is_dir():
            content.append(revision)
        current.append(latest)
    return Placement(tuple(content), tuple(current))


def sync_drafts(drafts: Path, placement: Placement) -> None:
    """Sync every folder from the drafts of a placement up to the home; their files are synced already."""
    folders = {drafts.parent, drafts}
    for name in (*placement.first, *placement.content, *placement.current, *placement.last):
        path = drafts / name
        folders |= {path} if path.is_dir() else set()
        folders |= {parent for parent in path.parents if parent.is_relative_to(drafts)}
    for folder in sorted(folders, reverse=True):
        synced(folder)


def place(home: Path, drafts: Path, placement: Placement) -> None:
    """Move everything to its place; what is there already stays.

    Raises :class:`OSError` where the disk refuses a step: then the call may be repeated, and goes on from there.
    :class:`AlteredError` where a draft and its place are both missing, or the place holds something else.
    """
    # What is removed at the end is not missing where the call is repeated after that.
    is_last_placed = bool(placement.last) and not any(os.path.lexists(drafts / name) for name in placement.last)
    first = () if is_last_placed else placement.first
    for names in (first, placement.content, placement.current):
        _place_all(home, drafts, names)
    _delete_all(home, placement.withdrawn)
    _place_all(home, drafts, placement.last)
    _delete_all(home, placement.removed)


def _place_all(home: Path, drafts: Path, names: Sequence[str]) -> None:
    for name in names:
        _place(drafts / name, home / name, is_replaced=name.startswith(f"{PREVIEWS}/"))
    _sync_parents(home, names)


def _delete_all(home: Path, names: Sequence[str]) -> None:
    for name in names:
        (home / name).unlink(missing_ok=True)
    _sync_parents(home, names)


def _place(source: Path, target: Path, *, is_replaced: bool) -> None:
    """Move one file or folder; a file, and a folder that ``is_replaced``, takes the place of what is there."""
    if not os.path.lexists(source):
        if not os.path.lexists(target):
            raise AlteredError(
                f"{target} is missing, and so is its draft {source}: one of them was deleted by hand after its "
                "publication was decided. Put back a copy of the home: ratinglist restore"
            )
        return
    _make_folder(target.parent)
    if source.is_dir() and os.path.lexists(target):
        if is_replaced:
            remove_folder(target)
        elif not any(target.iterdir()):
            target.rmdir()
        elif _is_same_folder(source, target):
            # It was copied from another disk, and the process was killed before it deleted the draft.
            remove_folder(source)
            return
        else:
            raise AlteredError(
                f"{target} is there already, and is not the revision that was decided on. Move it out of the way, then "
                "give the command again."
            )
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move_to_other_disk(source, target)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, and sync the folders that hold the new ones."""
    new = [path for path in (folder, *folder.parents) if not path.is_dir()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in new:
        synced(path.parent)


def _sync_parents(home: Path, names: Sequence[str]) -> None:
    for folder in sorted({(home / name).parent for name in names}):
        synced(folder)


def _move_to_other_disk(source: Path, target: Path) -> None:
    """Copy ``source`` into the folder of its target, sync it, rename it and delete the source."""
    if source.is_dir():
        temporary = target.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}")
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(source, temporary)
        for path in sorted(temporary.rglob("*"), reverse=True):
            synced(path)
        synced(temporary).replace(target)
        synced(target.parent)
        remove_folder(source)
    else:
        temporary = target.with_name(f"{TEMPORARY_PREFIX}{target.name}")
        shutil.copy2(source, temporary)
        synced(temporary).replace(target)
        synced(target.parent)
        source.unlink()


def _is_same_folder(one: Path, other: Path) -> bool:
    """Return whether two folders have the same files with the same bytes."""
    return _content(one) == _content(other)


def _content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
