"""Put a home back as a backup has it.

All files are written into ``HOME/.tmp-restore`` first and checked there. While that folder is there, no command opens
the home, and the next restore finishes, or begins again, what a killed one has left.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path

from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files.durable_files import close_to_others, finish, link, make_private_folder, synced
from ratinglist.home import backup_folder, log
from ratinglist.home.backup_folder import FILES, Backup
from ratinglist.home.location import RESTORING, held_to_write
from ratinglist.home.log import Log
from ratinglist.office import NAME as OFFICE
from ratinglist.publication import settle
from ratinglist.publication.signature import NotSignedError, signed_by
from ratinglist.settings import LOG, STORE, Settings
from ratinglist.summaries import Summary, published_line
from ratinglist.text import counted
from ratinglist.workflows.doctor import check_home
from ratinglist.workflows.opening import opened_store
from ratinglist.workflows.rebuild import REPLACED, next_folder, set_aside

_PARTS = (LOG, "originals", "reports", "calculations", "previews", "published", "current", "search", STORE, OFFICE)
"""What a backup replaces even where it does not have it."""
_READ_ONLY = ("calculations/", "published/")
_READY, _PLACING = "ready", "placing"
"""The folder in ``RESTORING`` of parts that are complete, and its name once what was there is out of the way."""


@dataclass(frozen=True, slots=True)
class RestoreSummary(Summary):
    """A restored home. ``kept``: the folder of what was in the home before; ``signed_by``: the key of the backup."""

    home: str
    folder: str
    made_on: str
    files: int
    published: list[str]
    kept: str
    signed_by: str = ""

    def text(self) -> str:
        """Return the summary on a few lines."""
        by = f"signed by key {self.signed_by}" if self.signed_by else "not signed"
        lines = [
            f"{self.home}: restored from {self.folder}, the backup of {self.made_on}, {by}",
            f"  {self.files:,} files, verified",
            published_line(self.published),
        ]
        if self.kept:
            lines.append(f"  what was in the home before is in {self.kept}; ratinglist doctor --tidy deletes it")
        return "\n".join(lines)


def restore(
    settings: Settings, folder: Path, *, replace: bool = False, discard_newer: bool = False, key: str | None = None
) -> RestoreSummary:
    """Put the home back as the backup in ``folder`` has it.

    ``replace``: also where the home is not empty; what it holds is kept aside. ``discard_newer``: also where it holds
    publications or changes that the backup does not have. ``key``: the fingerprint of the key that must have signed the
    backup. Raises :class:`NothingReadError` where there is no complete backup, :class:`HomeError` where it is damaged,
    is not signed by that key or is not the whole of a home, and where one of the other two is needed; then nothing is
    changed.
    """
    home = settings.home
    backup = backup_folder.read(folder) if folder.is_dir() else None
    if backup is None:
        what = "holds no complete backup" if folder.is_dir() else "is no folder"
        raise NothingReadError(f"{folder} {what}: name the folder that ratinglist backup wrote.")
    signer = _signer(folder, backup, key)
    settings.progress("verifying the backup", 0, 1)
    backup_folder.check_files(folder, backup)
    home.mkdir(parents=True, exist_ok=True)
    with held_to_write(home):
        interrupted = home / RESTORING
        if _is_complete(interrupted):
            _put_in_place(home, next_folder(home))
        shutil.rmtree(interrupted, ignore_errors=True)
        there = [path for path in home.iterdir() if path.name != REPLACED]
        if there:
            _check_may_be_replaced(home, backup, replace=replace, discard_newer=discard_newer)
        kept = next_folder(home)
        try:
            _write(settings, folder, backup)
            _put_in_place(home, kept)
        finally:
            if not _is_complete(interrupted):
                shutil.rmtree(interrupted, ignore_errors=True)
        own = Log.open(home)
        with opened_store(own, settings):
            pass
        settle.keep_current(settings, own.history)
    files, published = len(backup.files), backup.published
    is_kept = str(kept) if kept.exists() else ""
    return RestoreSummary(str(home), str(folder), backup.made_on, files, published, is_kept, signer)


def _is_complete(interrupted: Path) -> bool:
    return any((interrupted / name).is_dir() for name in (_READY, _PLACING))


def _signer(folder: Path, backup: Backup, key: str | None) -> str:
    """Return the key that signed a backup; empty for none. Raises :class:`HomeError` where it must be another."""
    signer = ""
    if backup.signature:
        try:
            signer = signed_by(backup.signed_bytes, backup.signature.encode(), "backup")
        except NotSignedError as error:
            raise HomeError(
                f"{folder}: the signature of this backup proves nothing: {error}. Nothing was changed."
            ) from None
    if key is not None and signer != key:
        what = f"is signed by another key, {signer}" if signer else "is not signed"
        raise HomeError(f"{folder}: this backup {what}. Nothing was changed. Use a backup that key {key} has signed.")
    return signer


def _check_may_be_replaced(home: Path, backup: Backup, *, replace: bool, discard_newer: bool) -> None:
    """Raise :class:`HomeError` where the home may not be replaced, with what would be lost."""
    lost = _newer_in(home, backup)
    if lost and not discard_newer:
        raise HomeError(
            "\n".join(
                [
                    f"{home} holds what the backup of {backup.made_on} does not have:",
                    *(f"  {one}" for one in lost),
                    "Nothing was changed. Restore into another home (--home) and look at both; or give up what is "
                    "named here with --replace --discard-newer.",
                ]
            )
        )
    if not replace:
        entries = log.read(home)[0].entries
        restored = (
            "It has the changes and the lists of this backup already, as after a restore that was finished: check it "
            "with ratinglist doctor. "
            if [one.digest for one in entries] == backup.log
            else ""
        )
        raise HomeError(
            f"{home} is not empty. Nothing was changed. {restored}Restore into an empty home (--home); or replace this "
            "one with --replace, which keeps it aside."
        )


def _newer_in(home: Path, backup: Backup) -> list[str]:
    """Return a line for each publication, and for the changes, that the home has and the backup does not."""
    lost = []
    for path in sorted(home.glob("published/*/r*")):
        name = f"{path.parent.name}/{path.name}"
        if path.is_dir() and name not in backup.published:
            lost.append(f"published/{name}, which was published since")
    entries = log.read(home)[0].entries
    if len(entries) > len(backup.log):
        numbers = f"numbers {len(backup.log) + 1} to {len(entries)} of the log"
        lost.append(f"{counted(len(entries) - len(backup.log), 'change')} since: {numbers}")
    common = min(len(entries), len(backup.log))
    if [one.digest for one in entries[:common]] != backup.log[:common]:
        lost.append("the log of another home, or changes that were made after another backup was restored")
    return lost


def _write(settings: Settings, folder: Path, backup: Backup) -> None:
    """Write all files into the scratch folder, check that they are a whole home, and make them ready."""
    scratch = settings.home / RESTORING / "new"
    make_private_folder(scratch.parent)
    make_private_folder(scratch)
    written: dict[str, Path] = {}
    for done, (name, sha256) in enumerate(backup.files.items()):
        settings.progress("restoring", done, len(backup.files))
        path = scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith(_READ_ONLY) and sha256 in written:
            # A publication shares the files of its calculation.
            link(written[sha256], path)
            continue
        shutil.copyfile(folder / FILES / sha256, path)
        if name.startswith(_READ_ONLY):
            finish(path)
            written[sha256] = path
    kept, problem = log.read(scratch)
    if problem or [one.digest for one in kept.entries] != backup.log:
        raise HomeError(f"{folder}: this backup has not the log that it states. Nothing was changed. Use another one.")
    found = check_home(replaced(settings, home=scratch))
    # The store is made again from the log, and ``current`` from what is published.
    if wrong := [one for one in found.problems if one.part != "store"]:
        lines = "\n".join(f"  {one.file}: {one.description}" for one in wrong)
        raise HomeError(f"{folder}: this backup is not the whole of a home. Nothing was changed:\n{lines}")
    close_to_others(scratch)
    for path in (*scratch.rglob("*"), scratch):
        synced(path)
    scratch.rename(scratch.with_name(_READY))
    synced(scratch.parent)


def _put_in_place(home: Path, kept: Path) -> None:
    """Move what is there to ``kept``, then the complete parts to their places, the log last. May be repeated."""
    ready, placing = (home / RESTORING / name for name in (_READY, _PLACING))
    if ready.is_dir():
        for part in sorted({*(path.name for path in ready.iterdir()), f"{STORE}.wal", *_PARTS}):
            set_aside(home, part, kept)
        synced(home)
        ready.rename(placing)
        synced(placing.parent)
    for part in sorted((path.name for path in placing.iterdir()), key=lambda name: (name == LOG, name)):
        (placing / part).rename(home / part)
    synced(home)
    shutil.rmtree(home / RESTORING)
    synced(home)
