"""Copy a home into a folder, or what changed since the copy before: checked, verified, all or nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import ratinglist
from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files.durable_files import LOCK_FILE, PRIVATE, TEMPORARY_PREFIX, folder_named_in_disk_errors, keep_file
from ratinglist.home import backup_folder
from ratinglist.home.backup_folder import FILES, PARTS, Backup, BackupTrace
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log
from ratinglist.pages.plain_text import first_lines
from ratinglist.publication import settle
from ratinglist.settings import LOG, Settings
from ratinglist.summaries import Summary, published_line
from ratinglist.workflows.doctor import check_home
from ratinglist.workflows.opening import opened_store

_MADE_AGAIN = (*PRIVATE, "prefect", LOCK_FILE)
"""What else a home has: made again, replaced, or true of this home alone, as its schedule is."""


@dataclass(frozen=True, slots=True)
class BackupSummary(Summary):
    """A backup.

    ``files``, ``size``: of the home, in bytes; ``copied``: how many files were not in the folder yet. ``put_back``: the
    files of the backup before that were missing there or altered, each with its name in the home. ``left_out``: the
    files of the home that are not copied.
    """

    home: str
    folder: str
    files: int
    size: int
    copied: int
    put_back: list[str]
    published: list[str]
    left_out: list[str]

    def text(self) -> str:
        """Return the summary on a few lines."""
        return "\n".join(
            [
                f"{self.folder}: a whole backup of {self.home}",
                f"  {self.files:,} files of {self.size:,} bytes, verified; {self.copied:,} were new",
                *first_lines([f"was damaged in the backup, and was copied again: {one}" for one in self.put_back]),
                published_line(self.published),
                *(f"  not copied: {name}" for name in self.left_out),
            ]
        )


def backup(settings: Settings, folder: Path) -> BackupSummary:
    """Copy the home into ``folder``, or only what changed since the backup that is there.

    The home is checked first, and held while it is copied. Raises :class:`HomeError` where it is not whole, or where
    the folder holds a backup of another home or of later changes; then the backup before stays as it was.
    :class:`StoreInUseError` while another command writes, :class:`NothingReadError` where the folder cannot hold a
    backup of this home.
    """
    home = settings.home
    if not (home / LOG).is_dir():
        raise NothingReadError(f"{home}: there is no home here to back up. Name it with --home.")
    backup_folder.prepare(folder, home)
    before = backup_folder.read(folder)
    with folder_named_in_disk_errors(home), held_to_write(home):
        log = Log.open(home)
        settle.carry_out(log, settings)
        with opened_store(log, settings):
            pass  # It is made again where it does not fit, so that the check finds it whole.
        settings.progress("checking the home", 0, 1)
        if (found := check_home(settings)).problems:
            raise HomeError(f"Not backed up, because the home is not whole:\n{found.text()}")
        entries = [entry.digest for entry in log.entries]
        if before is not None and before.log != entries[: len(before.log)]:
            raise HomeError(
                f"{folder} holds the backup of another home, or of later changes of this one, made on "
                f"{before.made_on}. Nothing was changed. Name another folder."
            )
        paths, left_out = _files(home)
        known = {path.name for path in (folder / FILES).iterdir()} | set(before.files.values() if before else ())
        files, size, written = {}, 0, list[str]()
        for done, path in enumerate(paths):
            settings.progress("copying", done, len(paths))
            files[path.relative_to(home).as_posix()] = keep_file(folder / FILES, path, written)
            size += path.stat().st_size
        published = sorted(f"{month}/r{number}" for month, number in log.history.revisions())
    made = Backup(str(settings.today), ratinglist.__version__, files, entries, published)
    backup_folder.check_files(folder, made)
    backup_folder.write(folder, made)
    backup_folder.remove_unused(folder, made)
    try:
        backup_folder.write_trace(home, BackupTrace(str(folder.absolute()), made.made_on, published))
    except OSError as error:
        settings.warn(f"the backup is whole, and status will not name it: {error.filename}: {error.strerror}.")
    names = {sha256: name for name, sha256 in files.items()}
    put_back = [f"{folder / FILES / sha256} ({names[sha256]})" for sha256 in written if sha256 in known]
    copied = len(written) - len(put_back)
    return BackupSummary(str(home), str(folder), len(files), size, copied, put_back, published, left_out)


def _files(home: Path) -> tuple[list[Path], list[str]]:
    """Return the files of a home that are copied, and the names of those that are not and that no command makes."""
    found, left_out = [], []
    for path in sorted(path for part in PARTS for path in (home / part, *(home / part).rglob("*"))):
        if any(name.startswith(TEMPORARY_PREFIX) or name == LOCK_FILE for name in path.relative_to(home).parts):
            continue
        if path.is_file() and not path.is_symlink():
            found.append(path)
        elif os.path.lexists(path) and (path.is_symlink() or not path.is_dir()):
            left_out.append(f"{path.relative_to(home)} (a link, a pipe or a device)")
    others = [path.name for path in home.iterdir() if path.name not in (*PARTS, *_MADE_AGAIN)]
    left_out += [
        f"{name} (no part of a backup: keep a copy of it in another place)"
        for name in sorted(others)
        if not name.startswith(TEMPORARY_PREFIX)
    ]
    return found, left_out
