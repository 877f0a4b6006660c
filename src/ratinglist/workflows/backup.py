"""Copy a home into a folder, or what changed since the copy before: checked, verified, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import ratinglist
from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files.durable_files import LOCK_FILE, TEMPORARY_PREFIX, folder_named_in_disk_errors, keep_file
from ratinglist.home import backup_folder
from ratinglist.home.backup_folder import FILES, Backup, BackupTrace
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log
from ratinglist.pages.plain_text import first_lines
from ratinglist.publication import settle
from ratinglist.publication.signature import signer_of
from ratinglist.publication.verify.published_files import COMPARED
from ratinglist.settings import LOG, STORE, Settings
from ratinglist.summaries import Summary, published_line
from ratinglist.workflows.doctor import check_home
from ratinglist.workflows.opening import opened_store
from ratinglist.workflows.rebuild import REPLACED

_NOT_COPIED = {
    *("current", "previews", "lab", "search", "prefect"),
    *(REPLACED, STORE, backup_folder.TRACE, COMPARED),
}
"""What a home has that is made again, that was replaced, or that is true of this home alone, as its schedule is."""


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
        paths, left_out = _files(settings)
        known = {path.name for path in (folder / FILES).iterdir()} | set(before.files.values() if before else ())
        files, size, written = {}, 0, list[str]()
        for done, path in enumerate(paths):
            settings.progress("copying", done, len(paths))
            files[path.relative_to(home).as_posix()] = keep_file(folder / FILES, path, written)
            size += path.stat().st_size
        published = sorted(f"{month}/r{number}" for month, number in log.history.revisions())
    made = Backup(str(settings.today), ratinglist.__version__, files, entries, published)
    if (signer := signer_of(settings)) is not None:
        made = replace(made, signature=signer.sign(made.signed_bytes).decode())
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
        else:
            left_out.append(f"{path.relative_to(home)} (no file: a pipe or a device)")
    return found, left_out


def _walk(folder: Path, depth: int = 0) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if (
            path.name.startswith(TEMPORARY_PREFIX)
            or path.name == LOCK_FILE
            or (depth == 0 and path.name in _NOT_COPIED)
        ):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path, depth + 1)
        else:
            yield path
