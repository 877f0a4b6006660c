"""Put a home back as a backup has it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ratinglist import private_files
from ratinglist.config import STORE, Settings
from ratinglist.durable_files import finish, link
from ratinglist.errors import HomeError, NothingReadError
from ratinglist.office import NAME as OFFICE
from ratinglist.private_files import make_private_folder
from ratinglist.publication import current_view
from ratinglist.store import backup_folder, journal, replaced_parts
from ratinglist.store.backup_folder import FILES, Backup
from ratinglist.store.home_lock import held_home, held_store
from ratinglist.store.opening import finish_interrupted

_FOLDERS = ("archive", "calculations", "previews", "published", "reports")
"""The folders of a home that a backup replaces even where it does not have them."""
_READ_ONLY = ("calculations/", "published/")


@dataclass(frozen=True, slots=True)
class RestoreSummary:
    """A restored home. ``kept``: the folder of what was in the home before, empty where it was empty."""

    home: str
    folder: str
    made_on: str
    files: int
    published: list[str]
    kept: str

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary on a few lines."""
        newest = f", the newest list is {self.published[-1]}" if self.published else ""
        lines = [
            f"{self.home}: restored from {self.folder}, the backup of {self.made_on}",
            f"  {self.files:,} files, verified",
            f"  published: {len(self.published):,} revisions{newest}",
        ]
        if self.kept:
            lines.append(f"  what was in the home before is in {self.kept}; ratinglist doctor --tidy deletes it")
        return "\n".join(lines)


def restore(settings: Settings, folder: Path, *, replace: bool = False, discard_newer: bool = False) -> RestoreSummary:
    """Put the home back as the backup in ``folder`` has it.

    ``replace``: also where the home is not empty; what it holds is kept aside. ``discard_newer``: also where it holds
    publications or changes that the backup does not have. Raises :class:`NothingReadError` where there is no complete
    backup, :class:`HomeError` where it is damaged, and where one of these two is needed; then nothing is changed.
    """
    home = settings.home
    backup = backup_folder.read(folder) if folder.is_dir() else None
    if backup is None:
        what = "holds no complete backup" if folder.is_dir() else "is no folder"
        raise NothingReadError(f"{folder} {what}: name the folder that ratinglist backup wrote.")
    settings.progress("verifying the backup", 0, 1)
    backup_folder.check_files(folder, backup)
    home.mkdir(parents=True, exist_ok=True)
    with held_home(home), held_store(settings.store):
        finish_interrupted(home)
        there = [path for path in home.iterdir() if path.name != replaced_parts.FOLDER]
        if there:
            _check_may_be_replaced(home, backup, replace=replace, discard_newer=discard_newer)
        kept = replaced_parts.next_folder(home)
        try:
            replaced_parts.make_ready(home, _write(home, folder, backup))
        finally:
            replaced_parts.remove_scratch(home)
        replaced_parts.put_in_place(home, kept)
        current_view.keep(settings)
    files, published = len(backup.files), backup.published
    return RestoreSummary(str(home), str(folder), backup.made_on, files, published, str(kept) if kept.exists() else "")


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
        restored = (
            "It has the changes and the lists of this backup already, as after a restore that was finished: check it "
            "with ratinglist doctor. "
            if _is_of(home, backup)
            else ""
        )
        raise HomeError(
            f"{home} is not empty. Nothing was changed. {restored}Restore into an empty home (--home); or replace this "
            "one with --replace, which keeps it aside."
        )


def _is_of(home: Path, backup: Backup) -> bool:
    """Return whether a home has a store, and the journal and the revisions of a backup, no more and no less."""
    entries, _ = journal.read_copies(home)
    revisions = sorted(f"{path.parent.name}/{path.name}" for path in home.glob("published/*/r*") if path.is_dir())
    is_same = [one.digest for one in entries] == backup.journal and revisions == sorted(backup.published)
    return is_same and (home / STORE).is_file()


def _newer_in(home: Path, backup: Backup) -> list[str]:
    """Return a line for each publication, and for the changes, that the home has and the backup does not."""
    lost = []
    for path in sorted(home.glob("published/*/r*")):
        name = f"{path.parent.name}/{path.name}"
        if path.is_dir() and name not in backup.published:
            lost.append(f"published/{name}, which was published since")
    newer = [number for number in journal.copies(home) if number > len(backup.journal)]
    if newer:
        lost.append(f"{len(newer):,} changes of the journal since: entries {min(newer)} to {max(newer)}")
    entries, _ = journal.read_copies(home)
    common = min(len(entries), len(backup.journal))
    if [one.digest for one in entries[:common]] != backup.journal[:common]:
        lost.append("the journal of another home, or changes that were made after another backup was restored")
    return lost


def _write(home: Path, folder: Path, backup: Backup) -> Sequence[str]:
    """Write all files into the scratch folder, and return the names of its parts."""
    scratch = home / replaced_parts.SCRATCH
    make_private_folder(scratch)
    written: dict[str, Path] = {}
    for name, sha256 in backup.files.items():
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
    for name in _FOLDERS:
        if (home / name).exists():
            (scratch / name).mkdir(exist_ok=True)
    if (home / OFFICE).exists() and OFFICE not in backup.files:
        (scratch / OFFICE).touch()
    # Before they are moved into the home, which other accounts may enter.
    private_files.close(scratch)
    return sorted(path.name for path in scratch.iterdir())
