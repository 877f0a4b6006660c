"""Decide a change of what readers see by one entry of the log, then carry it out.

Before the entry nothing that readers see has changed, and all new files are finished and synced below ``HOME/drafts``,
by the paths that they will have in the home. The entry states the digest of each. From then on the change is made: by
this process, else by the next one that opens the home. Every step may be repeated.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path

from ratinglist.config.settings import Settings
from ratinglist.errors import AlteredError, UnfinishedError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    named_in_errors,
    put_in_place,
    remove_folder,
    replace_file,
    sha256_of,
    synced,
)
from ratinglist.files.private_files import make_private_folder
from ratinglist.home.history import LATEST, History
from ratinglist.home.kinds import READINGS, described
from ratinglist.home.log import Log
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.publication import current_view, index, manifest
from ratinglist.publication.index import INDEX, Index
from ratinglist.publication.manifest import MANIFEST, NotAManifestError
from ratinglist.publication.signature import signed_by, signer_of
from ratinglist.store.database import Store

PUBLISHED, PREVIEWS = "published", "previews"
"""The folders of the home that files are placed in."""
_CHANGING = "index.changing.json"
"""The draft of the index that is in place while a change is carried out."""


@dataclass(frozen=True, slots=True)
class PublicChange:
    """A change of what readers see.

    ``kind``, ``facts``: of the entry. ``published``: the revisions that become current: month, number and digest of the
    manifest; their files are drafts or in place. ``tables``: the paths below ``published`` of further finished drafts.
    ``removed``: those of files that are deleted.
    """

    kind: str
    facts: Mapping[str, object]
    published: Sequence[Mapping[str, object]] = ()
    current: Mapping[str, int] = field(default_factory=dict)
    tables: Sequence[str] = ()
    removed: Sequence[str] = ()


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


def decide(store: Store, settings: Settings, change: PublicChange) -> None:
    """Append the entry of a change whose drafts are finished, then carry it out.

    Raises :class:`~ratinglist.errors.CommandLineError` where the signing key cannot be used: then nothing has changed.
    :class:`UnfinishedError` where the change was decided and the disk refused a step.
    """
    drafts = settings.drafts
    for month, number in change.current.items():
        _write(drafts, f"{month}/{LATEST}", f"r{number}\n".encode())
    placed = {**_digests_of_drafts(drafts), **dict.fromkeys(change.removed, "")}
    facts: dict[str, object] = {**change.facts, "placed": placed, "signers": _signers(drafts), "readings": READINGS}
    if change.published:
        facts["published"] = list(change.published)
    following = _following(store, settings, change.kind, facts)
    if following is not None:
        done = replace(following, changing={}).signed(signer_of(settings))
        _write(drafts, _CHANGING, following.encode())
        placed[INDEX] = _write(drafts, INDEX, done.encode())
        stated = ("office", "counter", "before", "digest", "signed_by", "signature")
        facts["index"] = {name: getattr(done, name) for name in stated}
    _sync_folders(drafts)
    warning = _warning(index.newest(store.log.history), following)
    store.record(change.kind, settings.today, **facts)
    if warning:
        settings.warn(warning)
    carry_out(store.log, settings)


def changes_key(store: Store, settings: Settings) -> bool:
    """Return whether the next index will be signed by another key than the newest one: the first key, or none any more.

    Raises :class:`~ratinglist.errors.CommandLineError` where the signing key cannot be used.
    """
    before, signer = store.log.history.index, signer_of(settings)
    return (before.signed_by if before else "") != (signer.fingerprint if signer else "")


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
    if not done:
        return ""
    current_view.keep(settings)
    return described(log.entries[-1])


def is_open(history: History, settings: Settings) -> bool:
    """Return whether drafts that the log states are not in their places yet."""
    return settings.drafts.is_dir() and bool(_to_place(history, settings) or _previews_to_place(history, settings))


def put_back_index(log: Log, settings: Settings) -> bool:
    """Write the index again, from the log, where it is missing; return whether it was."""
    path, kept = settings.published / INDEX, index.newest(log.history)
    if kept is None or os.path.lexists(path):
        return False
    replace_file(path, kept.encode())
    return True


def _following(store: Store, settings: Settings, kind: str, facts: Mapping[str, object]) -> Index | None:
    """Return the index after a change; None in what is not written, and where the index stays as it is."""
    log = store.log
    if not log.is_written or log.is_replaying:
        return None
    after = deepcopy(log.history)
    after.add(log.supposed(kind, settings.today, facts))
    return index.following(log.history, after, settings.office.name, str(settings.today), signer_of(settings))


def _write(drafts: Path, name: str, data: bytes) -> str:
    """Write the draft of a published file, sync it, and return its sha256."""
    path = draft_path(drafts, f"{PUBLISHED}/{name}")
    with named_in_errors(path):
        path.write_bytes(data)
    synced(path)
    return hashlib.sha256(data).hexdigest()


def _digests_of_drafts(drafts: Path) -> dict[str, str]:
    """Return the sha256 of every draft of a published file, by its path below ``published``.

    The manifest of a revision states those of its files, which were compared with it.
    """
    folder, found = drafts / PUBLISHED, dict[str, str]()
    for path in sorted(folder.rglob(MANIFEST)):
        revision = path.parent.relative_to(folder).as_posix()
        files = manifest.read(path.read_bytes()).files
        found |= {f"{revision}/{name}": entry["sha256"] for name, entry in files.items()}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in found:
            found[name] = sha256_of(path)
    return dict(sorted(found.items()))


def _signers(drafts: Path) -> dict[str, dict[str, str]]:
    """Return key and text of each signature among the drafts, by the path of the revision below ``published``."""
    home, found = drafts.parent, dict[str, dict[str, str]]()
    for path in sorted((drafts / PUBLISHED).glob(f"*/r*/{manifest.SIGNATURE}")):
        name = path.parent.relative_to(drafts / PUBLISHED).as_posix()
        data = next(one for folder in (drafts, home) if (one := folder / PUBLISHED / name / MANIFEST).is_file())
        signature = path.read_bytes()
        found[name] = {"key": signed_by(data.read_bytes(), signature), "signature": signature.decode()}
    return found


def _warning(before: Index | None, after: Index | None) -> str:
    """Return what the officer must know where another key signs, or none any more; empty where nothing changed."""
    if before is None or after is None or not before.keys or before.signed_by == after.signed_by:
        return ""
    earlier = before.keys[-1]
    by = f"key {earlier.fingerprint}, which has signed since {earlier.day}"
    if not after.signed_by:
        return (
            f"what is published is not signed any more; before it was by {by}. `verify --key` of every reader refuses "
            "it. If that was not decided, set [publication] signing_key in office.toml and publish again."
        )
    if earlier.fingerprint == after.signed_by:
        return ""
    return (
        f"what is published is now signed by another key, {after.signed_by}; before it was by {by}. Send the new "
        "public key to every reader by another way than with the lists; `verify --key` with the old one refuses them."
    )


def _to_place(history: History, settings: Settings) -> list[str]:
    """Return the drafts that the log states and that are not in their places, by their paths below ``published``."""
    folder = settings.drafts / PUBLISHED
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else ():
        name = path.relative_to(folder).as_posix()
        # The files of a revision are those of its manifest.
        if name in history.placed and (_is_of_revision(name) or sha256_of(path) == history.placed[name]):
            found.append(name)
    wrong = [
        name for name in found if name.endswith(f"/{MANIFEST}") and sha256_of(folder / name) != history.placed[name]
    ]
    return [name for name in found if not any(name.startswith(one.removesuffix(MANIFEST)) for one in wrong)]


def _is_of_revision(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 2 and bool(MONTH_NAME.fullmatch(parts[0]) and REVISION_NAME.fullmatch(parts[1]))


def _place(history: History, settings: Settings) -> bool:
    """Move every draft that the log states to its place, in the order in which readers may see them.

    The index that states what changes comes first, then revisions and tables, then the files ``latest``. Then files are
    deleted, and the index of the finished change is last.
    """
    names, drafts, published = _to_place(history, settings), settings.drafts / PUBLISHED, settings.published
    previews = _previews_to_place(history, settings)
    if names:
        published.mkdir(exist_ok=True)
    if INDEX in names and (drafts / _CHANGING).is_file():
        _move(drafts / _CHANGING, published / INDEX)
        synced(published)
    months = {name.partition("/")[0] for name in names if "/" in name}
    # A month that was never published appears as a whole: readers never see it without a current list.
    new = [month for month in sorted(months) if _is_absent(published / month)]
    content = [
        name for name in names if name.rpartition("/")[2] not in (LATEST, INDEX) and name.partition("/")[0] not in new
    ]
    folders = dict.fromkeys(
        "/".join(name.split("/")[:2]) if _is_whole_revision(drafts, name) else name for name in content
    )
    latest = [name for name in names if name.endswith(f"/{LATEST}") and name.partition("/")[0] not in new]
    for group in (list(folders), [*new, *latest]):
        for name in group:
            _move(drafts / name, published / name)
        for parent in sorted({(published / name).parent for name in group}):
            synced(parent)
    removed = _removed(history, published)
    for path in removed:
        path.unlink()
        synced(path.parent)
    if INDEX in names:
        _move(drafts / INDEX, published / INDEX)
        synced(published)
    for month in previews:
        make_private_folder(settings.previews)
        _move(settings.drafts / PREVIEWS / month, settings.previews / month, is_replaced=True)
        synced(settings.previews)
    return bool(names or removed or previews)


def _is_whole_revision(drafts: Path, name: str) -> bool:
    """Return whether a draft belongs to a revision that is placed as one folder: a later signature alone does not."""
    return _is_of_revision(name) and (drafts / "/".join(name.split("/")[:2]) / MANIFEST).is_file()


def _is_absent(month: Path) -> bool:
    return not month.is_dir() or not any(month.iterdir())


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
        elif _content(source) == _content(target):
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


def _move_to_other_disk(source: Path, target: Path) -> None:
    """Copy ``source`` into the folder of its target, sync it, rename it and delete the source."""
    temporary = target.with_name(f"{TEMPORARY_PREFIX}{target.name}")
    if source.is_dir():
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(source, temporary)
        for path in sorted(temporary.rglob("*"), reverse=True):
            synced(path)
    else:
        shutil.copy2(source, temporary)
    put_in_place(temporary, target)
    remove_folder(source) if source.is_dir() else source.unlink()


def _content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _sync_folders(drafts: Path) -> None:
    """Sync every folder of the drafts, up to the home; their files are synced already."""
    for folder in sorted((path for path in drafts.rglob("*") if path.is_dir()), reverse=True):
        synced(folder)
    synced(drafts)
    synced(drafts.parent)
