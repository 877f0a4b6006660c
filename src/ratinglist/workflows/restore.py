"""Copy a backup back into an empty home, and check that home.

While ``HOME/.tmp-restore`` is there, no command opens the home; after a killed restore the next one begins again.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    close_to_others,
    finish,
    link,
    make_private_folder,
    remove,
    synced,
)
from ratinglist.home import backup_folder
from ratinglist.home.backup_folder import FILES, PARTS, Backup
from ratinglist.home.location import RESTORING, held_to_write
from ratinglist.home.log import Log
from ratinglist.settings import STORE, Settings
from ratinglist.summaries import Summary, published_line
from ratinglist.workflows.doctor import check_home
from ratinglist.workflows.opening import opened_store

_READ_ONLY = ("calculations/", "published/")


@dataclass(frozen=True, slots=True)
class RestoreSummary(Summary):
    """A restored home."""

    home: str
    folder: str
    made_on: str
    files: int
    published: list[str]

    def text(self) -> str:
        """Return the summary on a few lines."""
        return (
            f"{self.home}: restored from {self.folder}, the backup of {self.made_on}\n"
            f"  {self.files:,} files, verified\n{published_line(self.published)}"
        )


def restore(settings: Settings, folder: Path) -> RestoreSummary:
    """Copy the backup in ``folder`` into the home, which must be empty or missing.

    Raises :class:`NothingReadError` where there is no complete backup, :class:`HomeError` where it is damaged or is not
    the whole of a home, and where the home is not empty; then nothing is changed.
    """
    home = settings.home
    backup = backup_folder.read(folder) if folder.is_dir() else None
    if backup is None:
        what = "holds no complete backup" if folder.is_dir() else "is no folder"
        raise NothingReadError(f"{folder} {what}: name the folder that ratinglist backup wrote.")
    settings.progress("verifying the backup", 0, 1)
    backup_folder.check_files(folder, backup)
    home.mkdir(parents=True, exist_ok=True)
    with held_to_write(home):
        marker = home / RESTORING
        if not marker.is_dir() and any(home.iterdir()):
            raise HomeError(
                f"{home} is not empty. Nothing was changed. Name a new home with --home; or first move this one out of "
                "the way: what it has done since the backup is in it alone."
            )
        make_private_folder(marker)
        synced(home)
        _clear(home)
        try:
            _copy(settings, folder, backup)
            own = _check(settings, folder, backup)
            close_to_others(home)
            for path in (*home.rglob("*"), home):
                synced(path)
            with opened_store(own, settings):
                pass
        except BaseException:
            with suppress(OSError):
                _clear(home)
                remove(marker)
            raise
        remove(marker)
        synced(home)
    return RestoreSummary(str(home), str(folder), backup.made_on, len(backup.files), backup.published)


def _clear(home: Path) -> None:
    """Delete what an interrupted restore has made: the home was empty when it began."""
    for path in home.iterdir():
        is_ours = path.name in (*PARTS, STORE) or path.name.startswith(TEMPORARY_PREFIX)
        if is_ours and path.name != RESTORING:
            remove(path)


def _copy(settings: Settings, folder: Path, backup: Backup) -> None:
    written: dict[str, Path] = {}
    for done, (name, sha256) in enumerate(backup.files.items()):
        settings.progress("restoring", done, len(backup.files))
        path = settings.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith(_READ_ONLY) and sha256 in written:
            # A publication shares the files of its calculation.
            link(written[sha256], path)
            continue
        shutil.copyfile(folder / FILES / sha256, path)
        if name.startswith(_READ_ONLY):
            finish(path)
            written[sha256] = path


def _check(settings: Settings, folder: Path, backup: Backup) -> Log:
    """Return the log of the copied home; raises :class:`HomeError` where it is not the whole of a home."""
    found = check_home(settings)
    # The store is made again from the log.
    if wrong := [one for one in found.problems if one.part != "store"]:
        lines = "\n".join(f"  {one.file}: {one.description}" for one in wrong)
        raise HomeError(f"{folder}: this backup is not the whole of a home. Nothing was changed:\n{lines}")
    own = Log.open(settings.home)
    if [one.digest for one in own.entries] != backup.log:
        raise HomeError(f"{folder}: this backup has not the log that it states. Nothing was changed. Use another one.")
    return own
