"""Make a home whole again from its log and its originals: the store, calculations and published files.

The store is always made again. Where a calculation or a published file is missing or altered, all recorded changes are
made again in a folder of their own; what that gives has the digests that the log states, and takes the place of what is
not whole, which is kept under ``HOME/replaced``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from ratinglist.errors import HomeError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    make_private_folder,
    put_in_place,
    remove,
    synced,
)
from ratinglist.home import log, originals
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Entry, Log
from ratinglist.publication import settle
from ratinglist.publication.manifest import INDEX, SIGNATURE
from ratinglist.publication.published_files import calculations, disagreements
from ratinglist.settings import LOG, PUBLISHED, Settings
from ratinglist.summaries import Result
from ratinglist.text import first_lines
from ratinglist.workflows import doctor
from ratinglist.workflows.doctor import REPLACED
from ratinglist.workflows.replay import put_store_in_place, replay_all


@dataclass(slots=True)
class RebuildSummary(Result):
    """A rebuild.

    ``entries``: the number of changes in the log. ``put_back``: the files of calculations and publications that were
    altered or lost, and are as recorded again. ``foreign``: what was published by no command, and stays. ``kept``: the
    folder of what was replaced; empty where nothing was.
    """

    DONE: ClassVar[str] = "The store was made again from the log and the originals."
    home: str
    entries: int
    put_back: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    kept: str = ""


def rebuild(settings: Settings) -> RebuildSummary:
    """Make the store of a home again, and put back calculations and published files that were altered or lost.

    Raises :class:`HomeError` where the log is damaged, where an original is missing, and where a change that is made
    again gives another result than the recorded one; then nothing is changed. Raises
    :class:`~ratinglist.errors.StoreInUseError` while another command writes.
    """
    home = settings.home
    with held_to_write(home):
        own, problem = log.read(home)
        entries = own.entries
        if problem or not entries:
            raise HomeError(
                f"{home} cannot be rebuilt: {problem or f'{home / LOG} is missing or empty'}. Nothing was "
                "changed. Put a copy of it back, or restore a backup: ratinglist restore DIR"
            )
        _check_originals(home, entries)
        settle.carry_out(own, settings)
        for left in home.glob(f"{TEMPORARY_PREFIX}rebuild-*"):
            remove(left)
        wrong, foreign = _not_whole(own, settings)
        stated, kept = _stated_whole(own), _next_folder(home)
        if calculated := [name for name in wrong if name not in stated]:
            with TemporaryDirectory(prefix=f"{TEMPORARY_PREFIX}rebuild-", dir=home) as scratch:
                files = {path.relative_to(home): path for path in originals.required(home, entries)}
                replay_all(entries, settings, Path(scratch), files)
                for name in calculated:
                    _set_aside(home, name, kept)
                    (Path(scratch) / name).replace(home / name)
                    synced((home / name).parent)
        put_store_in_place(own, settings)
        # A folder that was lost had signatures.
        wrong += [name for name in _not_whole(own, settings)[0] if name not in wrong] if calculated else []
        for name in (name for name in wrong if name in stated):
            _set_aside(home, name, kept)
            temporary = home / f"{TEMPORARY_PREFIX}{Path(name).name}"
            temporary.write_bytes(stated[name])
            put_in_place(temporary, home / name)
    return RebuildSummary(str(home), len(entries), wrong, foreign, str(kept) if kept.exists() else "")


def _next_folder(home: Path) -> Path:
    """Return the folder for what is replaced next; it is not made yet."""
    there = [int(path.name) for path in (home / REPLACED).glob("*") if path.name.isdigit()]
    return home / REPLACED / str(max(there, default=0) + 1)


def _check_originals(home: Path, entries: Sequence[Entry]) -> None:
    """Raise :class:`HomeError`, naming each, where originals that the entries need are missing or were altered."""
    lost = doctor.lost_originals(home, entries)
    if lost:
        raise HomeError(
            "\n".join(
                [
                    f"{home} cannot be rebuilt: these originals are missing or were altered:",
                    *first_lines([f"{path}: {what}" for path, what in lost]),
                    "Nothing was changed. Put copies of the files there, under these names; or restore a backup: "
                    "ratinglist restore DIR",
                ]
            )
        )


def _not_whole(own: Log, settings: Settings) -> tuple[list[str], list[str]]:
    """Return what is missing or altered, and the files that no command wrote, by their paths below the home."""
    every = [*calculations(own), *disagreements(own.history, settings.published)]
    wrong = [difference.path for difference in every if not difference.is_foreign]
    foreign = [difference.path for difference in every if difference.is_foreign]
    named = [sorted({path.relative_to(settings.home).as_posix() for path in some}) for some in (wrong, foreign)]
    return named[0], named[1]


def _stated_whole(own: Log) -> dict[str, bytes]:
    """Return the files of which the log has every byte: nothing has to be calculated, and nothing is signed again."""
    found = {
        f"{PUBLISHED}/{revision}/{SIGNATURE}": signer["signature"].encode()
        for revision, signer in own.history.signers.items()
    }
    newest = settle.newest_index(own.history)
    return found if newest is None else {**found, f"{PUBLISHED}/{INDEX}": newest.encode()}


def _set_aside(home: Path, name: str, kept: Path) -> None:
    """Move what has a name in the home, if anything, to the same name in ``kept``."""
    path = home / name
    if os.path.lexists(path):
        make_private_folder(kept.parent)
        make_private_folder(kept)
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        path.rename(kept / name)
    path.parent.mkdir(parents=True, exist_ok=True)
