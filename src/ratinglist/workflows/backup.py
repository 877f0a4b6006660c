"""Copy a home into a folder: complete, consistent, verified, and never at the cost of the backup before."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import duckdb

import ratinglist
from ratinglist.config import STORE, Settings
from ratinglist.digest_folder import keep_file, keep_stream
from ratinglist.durable_files import TEMPORARY_PREFIX, folder_named_in_disk_errors, named_in_errors
from ratinglist.errors import HomeError, NothingReadError, StoreInUseError
from ratinglist.private_files import make_private_folder
from ratinglist.publication import compared_files
from ratinglist.store import backup_folder, backup_trace, damage, replaced_parts, table_scan
from ratinglist.store.backup_folder import FILES, Backup
from ratinglist.store.backup_trace import BackupTrace
from ratinglist.store.home_lock import held_home, held_store
from ratinglist.store.opening import CONFIG, finish_interrupted, open_store
from ratinglist.store.snapshot import logs_of
from ratinglist.workflows.home_check import check_home

_NOT_COPIED = {"current", "previews", "lab", replaced_parts.FOLDER, backup_trace.NAME, compared_files.NAME}
"""What a home has that is made again, that was replaced, or that is true of this home alone."""


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """A backup.

    ``files``, ``size``: of the home, in bytes; ``copied``: how many files were not in the folder yet. ``left_out``: the
    files of the home that are not copied.
    """

    home: str
    folder: str
    files: int
    size: int
    copied: int
    published: list[str]
    left_out: list[str]

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary on a few lines."""
        newest = f", the newest list is {self.published[-1]}" if self.published else ""
        return "\n".join(
            [
                f"{self.folder}: a whole backup of {self.home}",
                f"  {self.files:,} files of {self.size:,} bytes, verified; {self.copied:,} were new",
                f"  published: {len(self.published):,} revisions{newest}",
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
    if not settings.store.exists() and not (home / "published").exists():
        raise NothingReadError(f"{home}: there is no home here to back up. Name it with --home.")
    backup_folder.prepare(folder, home)
    before = backup_folder.read(folder)
    with folder_named_in_disk_errors(home), held_home(home):
        finish_interrupted(home)
        # Opening it applies what a killed process left in the write-ahead log; closing it writes all to the one file,
        # where the disk has space for that.
        with open_store(settings.store, settings.threads):
            pass
        scan = table_scan.scan(settings.store)
        with held_store(settings.store) as store:
            if store is None:
                raise StoreInUseError(f"{home} was changed by another command. Run the command again.")
            settings.progress("checking the home", 0, 1)
            if (found := check_home(home, scan)).problems:
                raise HomeError(f"Not backed up, because the home is not whole:\n{found.text()}")
            journal = [entry.digest for entry in scan.entries]
            if before is not None and before.journal != journal[: len(before.journal)]:
                raise HomeError(
                    f"{folder} holds the backup of another home, or of later changes of this one, made on "
                    f"{before.made_on}. Nothing was changed. Name another folder."
                )
            paths, left_out = _files(settings)
            there = {path.name for path in (folder / FILES).iterdir()}
            files, size = {}, 0
            for done, path in enumerate(paths):
                settings.progress("copying", done, len(paths))
                name = path.relative_to(home).as_posix()
                files[name] = _keep_store(folder, store, path) if name == STORE else keep_file(folder / FILES, path)
                size += path.stat().st_size
            published = sorted(
                f"{path.parent.name}/{path.name}" for path in home.glob("published/*/r*") if path.is_dir()
            )
    made = Backup(str(settings.today), ratinglist.__version__, files, journal, published)
    backup_folder.check_files(folder, made)
    if (copied := table_scan.scan(folder / FILES / files[STORE])).wrong:
        raise HomeError(f"{folder}: the copy of the store {copied.wrong[0]}. The backup before stays as it was.")
    backup_folder.write(folder, made)
    backup_folder.remove_unused(folder, made)
    try:
        backup_trace.write(home, BackupTrace(str(folder.absolute()), made.made_on, published))
    except OSError as error:
        settings.warn(f"the backup is whole, and status will not name it: {error.filename}: {error.strerror}.")
    return BackupSummary(
        str(home), str(folder), len(files), size, len(set(files.values()) - there), published, left_out
    )


def _keep_store(folder: Path, opened: IO[bytes], path: Path) -> str:
    """Copy the store at ``path`` through the file that is held, and return its digest.

    On a full disk DuckDB cannot write its log into the file. Then it does so in the copy, which is one file all the
    same. Raises :class:`OSError` where the disk of the backup has no space for that either.
    """
    opened.seek(0)
    logs = logs_of(path)
    if not logs:
        return keep_stream(folder / FILES, opened)
    temporary = folder / f"{TEMPORARY_PREFIX}store"
    shutil.rmtree(temporary, ignore_errors=True)
    make_private_folder(temporary)
    copy = temporary / path.name
    try:
        with named_in_errors(copy), copy.open("wb") as target:
            shutil.copyfileobj(opened, target)
        for log in logs:
            with named_in_errors(copy):
                shutil.copyfile(log, temporary / log.name)
        with damage.opening(copy):
            duckdb.connect(str(copy), config=CONFIG).close()
        if logs_of(copy):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
        return keep_file(folder / FILES, copy)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _files(settings: Settings) -> tuple[list[Path], list[str]]:
    """Return the files of a home that are copied, and the names of those that are not: links and the private key."""
    home = settings.home
    key = settings.office.publication.signing_key
    private = {(home / key).resolve()} if key else set()
    found, left_out = [], []
    for path in _walk(home):
        if path.is_symlink() or path.resolve() in private:
            what = "a link" if path.is_symlink() else "the private key: keep a copy of it in another place"
            left_out.append(f"{path.relative_to(home)} ({what})")
        elif path.is_file():
            found.append(path)
    return found, left_out


def _walk(folder: Path, depth: int = 0) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(TEMPORARY_PREFIX) or (depth == 0 and path.name in _NOT_COPIED):
            continue
        if depth == 0 and path.name.startswith(f"{STORE}."):
            # The logs of the store, which its copy contains.
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path, depth + 1)
        else:
            yield path
