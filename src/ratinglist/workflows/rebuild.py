"""Rebuild the store and the calculations of a home from its archive and its journal.

The changes that the journal records are made again in a folder of their own. What that publishes must be, byte for
byte, what the journal recorded; then a published file that was altered or lost is put back, and the new store and
calculations replace the old ones, which are kept under ``HOME/replaced``. A rebuild that was killed is started again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ratinglist import digest_folder
from ratinglist.config import STORE, Settings
from ratinglist.durable_files import TEMPORARY_PREFIX, finish, link, sha256_of, synced
from ratinglist.errors import HomeError, StoreInUseError
from ratinglist.private_files import make_private_folder
from ratinglist.publication import current_view, index_change
from ratinglist.store import archive, baseline, journal, published_revisions, replaced_parts, table_scan
from ratinglist.store.home_lock import held_home, held_store
from ratinglist.store.journal import Entry
from ratinglist.store.opening import finish_interrupted, open_store
from ratinglist.store.required_originals import required_originals
from ratinglist.store.table_scan import TableScan
from ratinglist.workflows import rebuilt_index
from ratinglist.workflows.rebuild_summary import RebuildSummary
from ratinglist.workflows.replay import replay

_SHOWN = 20


def rebuild(settings: Settings) -> RebuildSummary:
    """Rebuild the store and the calculations of a home, and put back published files that were altered.

    Raises :class:`HomeError` where the home has no journal, where an entry or an original is missing, where the result
    is not what was published, and where something was published that the journal does not record; then nothing is
    changed. Raises :class:`StoreInUseError` while another command runs.
    """
    home = settings.home
    with held_home(home):
        finish_interrupted(home)
        before = table_scan.scan(settings.store)
        entries = read_entries(home, before)
        _check_originals(home, entries)
        with held_store(settings.store), _scratch_folder(home) as scratch:
            if len(journal.copies(home)) > len(entries):
                raise StoreInUseError(f"{home} was changed by another command. Run the command again.")
            _rebuild_in(scratch, settings, entries)
            damaged, same = _compare_published(home, scratch)
            kept = replaced_parts.next_folder(home)
            for relative in damaged:
                _put_back(home, scratch, relative, kept)
            _share_files(home, scratch, same)
            with open_store(scratch / STORE, settings.threads) as store:
                index = rebuilt_index.keep(store, settings, before.index, entries, kept)
                published_revisions.take_sizes(store, settings.published)
                damaged += index.put_back
            after = table_scan.scan(scratch / STORE)
            for entry in entries:
                if not journal.has_copy(home, entry):
                    journal.write_copy(home, entry)
            (scratch / "calculations").mkdir(exist_ok=True)
            replaced_parts.make_ready(home, ("calculations", STORE))
            replaced_parts.put_in_place(home, kept)
        current_view.keep(settings)
    return RebuildSummary(
        str(home),
        len(entries),
        len(same),
        damaged,
        [] if before.wrong else before.differences(after),
        before.wrong,
        str(kept) if kept.exists() else "",
        lost_index=index.is_lost,
        index_signed=index.is_signed,
        counter=index.counter,
        not_signed=index.not_signed,
        signed_again=index.signed_again,
        lost_signatures=index.lost_signatures,
    )


def read_entries(home: Path, store: TableScan) -> list[Entry]:
    """Return the entries of a home's journal: those of its store, or their copies where these are more.

    Raises :class:`HomeError` where there is none, where an entry is missing, and where the two are different journals.
    """
    copied, problem = journal.read_copies(home)
    longer, shorter = (store.entries, copied) if len(store.entries) >= len(copied) else (copied, store.entries)
    if [one.digest for one in shorter] != [one.digest for one in longer[: len(shorter)]]:
        raise HomeError(
            f"{home}: the store and {journal.folder(home)} are those of two homes. Nothing was changed. Restore a "
            "backup: ratinglist restore DIR"
        )
    if not longer:
        raise HomeError(
            f"{home} cannot be rebuilt: it has no journal ({problem or 'an earlier version made it'}). Nothing was "
            "changed. Restore a backup: ratinglist restore DIR"
        )
    newest = max(journal.copies(home), default=0)
    if newest > len(longer):
        raise HomeError(
            f"{home} cannot be rebuilt as it was: {problem}. Entries {len(longer) + 1} to {newest} of the journal are "
            "lost with it. Nothing was changed. Restore a backup: ratinglist restore DIR"
        )
    return longer


def _check_originals(home: Path, entries: Sequence[Entry]) -> None:
    """Raise :class:`HomeError`, naming each, where originals that the entries need are missing or were altered."""
    lost = lost_originals(home, entries)
    if lost:
        more = [f"  and {len(lost) - _SHOWN:,} more"] if len(lost) > _SHOWN else []
        raise HomeError(
            "\n".join(
                [
                    f"{home} cannot be rebuilt: these originals are missing or were altered:",
                    *(f"  {path}: {what}" for path, what in lost[:_SHOWN]),
                    *more,
                    "Nothing was changed. Give the original files to the program again where the store can still be "
                    "opened (load, import-list, import-players); or put copies of them there under these names; or "
                    "restore a backup: ratinglist restore DIR",
                ]
            )
        )


def lost_originals(home: Path, entries: Sequence[Entry]) -> list[tuple[Path, str]]:
    """Return the path and the description of each original that is missing or altered, and needed for a rebuild."""
    needed = required_originals(home, entries[_newest_baseline(entries) :])
    return [(path, what) for path, what in sorted(needed.items()) if not digest_folder.is_whole(path)]


def _newest_baseline(entries: Sequence[Entry]) -> int:
    """Return the index of the entry that a rebuild starts from."""
    return max((number for number, one in enumerate(entries) if one.kind == baseline.KIND), default=0)


@contextmanager
def _scratch_folder(home: Path) -> Iterator[Path]:
    """Make the folder of the rebuild, an empty home with the archive of this one, and delete it after the block."""
    scratch = home / replaced_parts.SCRATCH
    try:
        make_private_folder(scratch)
        (scratch / "archive").mkdir()
        for own, of_home in (("archive/inputs", archive.inputs(home)), ("reports", archive.reports(home))):
            of_home.mkdir(parents=True, exist_ok=True)
            (scratch / own).symlink_to(of_home.resolve())
        yield scratch
    finally:
        replaced_parts.remove_scratch(home)


def _rebuild_in(scratch: Path, settings: Settings, entries: Sequence[Entry]) -> None:
    """Make all changes again in the home ``scratch``."""
    start = _newest_baseline(entries)
    own = replace(settings, home=scratch)
    if entries[start].kind == baseline.KIND:
        _start_from(entries[start], settings.home, own, entries[: start + 1])
        start += 1
    replay(own, entries[start:])


def _start_from(first: Entry, home: Path, own: Settings, entries: Sequence[Entry]) -> None:
    """Fill an empty home with what a baseline kept: the rows of the store, calculations and publications."""
    lost = []
    with open_store(own.store, own.threads) as store:
        for relative, sha256 in first.facts["kept"].items():
            if relative in rebuilt_index.FILES:
                continue
            found = baseline.find(home, relative, sha256)
            if found is None:
                lost.append(relative)
                continue
            path = own.home / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            # Files of the archive are copied: a second name would share its damage.
            (link if found.is_relative_to(home / "published") else _copy)(found, path)
        if lost:
            raise HomeError(
                "\n".join(
                    [
                        f"{home} cannot be rebuilt: these files are older than the journal, and missing or altered:",
                        *(f"  {home / relative}" for relative in lost[:_SHOWN]),
                        "Nothing was changed. Put back copies of them, or restore a backup: ratinglist restore DIR",
                    ]
                )
            )
        with store.transaction():
            baseline.insert_tables(store, first)
            index_change.take_over(store)
            for entry in entries:
                journal.insert(store, entry)


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    finish(target)


def _compare_published(home: Path, scratch: Path) -> tuple[list[str], list[str]]:
    """Return the published files that are not as recorded, and those that are, by path in the home.

    Raises :class:`HomeError` where a revision was published that the journal does not record.
    """
    expected = files_below(scratch / "published", scratch)
    revisions = sorted(path.relative_to(home).as_posix() for path in home.glob("published/*/r*") if path.is_dir())
    unknown = [name for name in revisions if not (scratch / name).is_dir()]
    if unknown:
        raise HomeError(
            f"{home} cannot be rebuilt as it was: {', '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} "
            "published, and the journal does not record it: the newest changes are lost. Nothing was changed. Restore "
            "a backup (ratinglist restore DIR); or move that folder out of the home, rebuild, and make the newest "
            "changes again."
        )
    same = [name for name in expected if _is_same(home / name, scratch / name)]
    return [name for name in expected if name not in set(same)], same


def files_below(folder: Path, home: Path) -> list[str]:
    """Return the files below a folder by path in the home, sorted, without those that are not complete."""
    paths = [path for path in folder.rglob("*") if path.is_file() or path.is_symlink()]
    names = [path.relative_to(home).as_posix() for path in paths]
    return sorted(name for name in names if f"/{TEMPORARY_PREFIX}" not in name)


def _is_same(path: Path, rebuilt: Path) -> bool:
    if path.is_symlink() or not path.is_file() or path.stat().st_size != rebuilt.stat().st_size:
        return False
    return path.samefile(rebuilt) or sha256_of(path) == sha256_of(rebuilt)


def _put_back(home: Path, scratch: Path, relative: str, kept: Path) -> None:
    """Replace a published file by the rebuilt one; keep the altered one."""
    path = home / relative
    if os.path.lexists(path):
        aside = kept / relative
        aside.parent.mkdir(parents=True, exist_ok=True)
        path.rename(aside)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{path.name}")
    temporary.unlink(missing_ok=True)
    link(scratch / relative, temporary)
    synced(temporary).replace(path)
    synced(path.parent)


def _share_files(home: Path, scratch: Path, same: Sequence[str]) -> None:
    """Let the new calculations share the published files that are equal, as a publication does."""
    by_inode: dict[int, list[Path]] = {}
    for path in (scratch / "calculations").rglob("*.*"):
        by_inode.setdefault(path.stat().st_ino, []).append(path)
    for name in same:
        for path in by_inode.get((scratch / name).stat().st_ino, []):
            temporary = path.with_name(f"{TEMPORARY_PREFIX}{path.name}")
            link(home / name, temporary)
            temporary.replace(path)
