"""Decide a change of what readers see by one entry of the log, then bring the files of the home to what the log states.

Before the entry nothing that readers see has changed, and all new files are finished and synced below ``HOME/drafts``,
by the paths that they will have in the home. The entry states the digest of each. From then on the change is made: by
this process, else by the next one that opens the home, which places what was decided and deletes what was not. Every
step may be repeated. A command that writes does all of it when it opens the home, so that it begins where the
newest entry ends, whatever ended the command before.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from ratinglist.errors import AlteredError, CommandLineError, UnfinishedError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    make_private_folder,
    named_in_errors,
    put_in_place,
    remove,
    remove_folder,
    sha256_of,
    synced,
)
from ratinglist.home.history import LATEST, READINGS, History, described
from ratinglist.home.log import Log
from ratinglist.home.originals import FOLDER
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.publication import index, manifest
from ratinglist.publication.index import INDEX, Index
from ratinglist.publication.manifest import MANIFEST, NotAManifestError
from ratinglist.publication.signature import signed_by, signer_of
from ratinglist.settings import LOG, PUBLISHED, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store

PREVIEWS = "previews"
"""The folder of the home that previews are placed in."""
PUBLISHING = "being-published"
"""The file in ``published`` while files are placed there: what readers see then is no state of what is published."""


def settle(store: Store, settings: Settings) -> None:
    """Finish what was decided before, and delete what killed or failed commands have left.

    Called with the home and its store open: there is no other writer. Raises :class:`UnfinishedError` where the disk
    refuses a step.
    """
    finish(store.log, settings)
    remove(settings.published / PUBLISHING)
    for path in list(_temporary_files(settings)):
        remove(path)
    _sweep_previews(store.log.history, settings.previews)
    for month in _folders(settings.published):
        if not any(month.iterdir()):
            month.rmdir()
    calculations.clean_up(store)
    if store.log.history.index:
        _put_back_index(store.log.history, settings)


def finish(log: Log, settings: Settings) -> None:
    """Carry out what was decided, and say so where there was something."""
    if done := carry_out(log, settings):
        settings.warn(f"{done}: this was decided by a command that was interrupted; it is in place now.")


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
    return described(log.entries[-1]) if done else ""


def is_open(history: History, settings: Settings) -> bool:
    """Return whether drafts that the log states are not in their places yet."""
    is_begun = os.path.lexists(settings.published / PUBLISHING)
    return settings.drafts.is_dir() and bool(
        is_begun or _to_place(history, settings) or _previews_to_place(history, settings)
    )


def _put_back_index(history: History, settings: Settings) -> None:
    """Write the index of an office that signs again, from the log, where it is missing."""
    path, kept = settings.published / INDEX, index.newest(history)
    if kept is not None and not os.path.lexists(path):
        temporary = settings.home / f"{TEMPORARY_PREFIX}{INDEX}"
        temporary.write_bytes(kept.encode())
        put_in_place(temporary, path)
        settings.warn(f"{path} was missing; it was put back.")


def _to_place(history: History, settings: Settings) -> list[str]:
    """Return the drafts that the log states and that are not in their places, by their paths below ``published``."""
    folder, stated = settings.drafts / PUBLISHED, history.placed
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    manifests = [name for name in names if name.endswith(f"/{MANIFEST}")]
    # The files of a revision are those of its manifest.
    others = [name.removesuffix(MANIFEST) for name in manifests if sha256_of(folder / name) != stated.get(name)]
    return [
        name
        for name in names
        if name in stated
        and not name.startswith(tuple(others))
        and (_is_of_revision(name) or sha256_of(folder / name) == stated[name])
    ]


def _is_of_revision(name: str) -> bool:
    parts = name.split("/")
    return len(parts) > 2 and bool(MONTH_NAME.fullmatch(parts[0]) and REVISION_NAME.fullmatch(parts[1]))


def _place(history: History, settings: Settings) -> bool:
    """Move every draft that the log states to its place, and delete the files that it states no more.

    What is current changes last: the files ``latest``, then the index. Meanwhile :data:`PUBLISHING` is there.
    """
    names, drafts, published = _to_place(history, settings), settings.drafts / PUBLISHED, settings.published
    previews, removed = _previews_to_place(history, settings), _removed(history, published)
    marker = published / PUBLISHING
    if names or removed:
        published.mkdir(exist_ok=True)
        marker.touch()
        synced(published)
    for name in sorted({_moved_as(drafts, published, name) for name in names}, key=_is_seen_last):
        _move(drafts / name, published / name)
        synced((published / name).parent)
    for path in removed:
        path.unlink()
        synced(path.parent)
    for month in previews:
        make_private_folder(settings.previews)
        _move(settings.drafts / PREVIEWS / month, settings.previews / month, is_replaced=True)
        synced(settings.previews)
    if os.path.lexists(marker):
        marker.unlink()
        synced(published)
    return bool(names or removed or previews)


def _moved_as(drafts: Path, published: Path, name: str) -> str:
    """Return what a draft is moved as: with its month, which appears as a whole; with its revision; or by itself."""
    month = name.partition("/")[0]
    if "/" in name and not ((published / month).is_dir() and any((published / month).iterdir())):
        return month
    revision = "/".join(name.split("/")[:2])
    return revision if _is_of_revision(name) and (drafts / revision / MANIFEST).is_file() else name


def _is_seen_last(name: str) -> tuple[int, str]:
    return 2 if name == INDEX else int(name.endswith(f"/{LATEST}") or bool(MONTH_NAME.fullmatch(name))), name


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
        else:
            raise AlteredError(
                f"{target} is there already, and is not the revision that was decided on. Move it out of the way, then "
                "give the command again."
            )
    source.replace(target)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, and sync the folders that hold the new ones."""
    new = [path for path in (folder, *folder.parents) if not path.is_dir()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in new:
        synced(path.parent)


def _temporary_files(settings: Settings) -> Iterator[Path]:
    """Yield what was being written: a new store, entries, originals, what is published or shown."""
    home = settings.home
    of_home = [home, *(home / name for name in (LOG, FOLDER)), settings.reports]
    for folder in (*of_home, settings.previews, *_folders(settings.previews)):
        yield from _beginning_with(folder, TEMPORARY_PREFIX)
    yield from settings.published.rglob(f"{TEMPORARY_PREFIX}*")


def _sweep_previews(history: History, previews: Path) -> None:
    """Delete the previews that no entry names, and all but the newest of a month."""
    for month in _folders(previews):
        stated = history.previews.get(month.name)
        if stated is None:
            remove(month)
            continue
        for path in _folders(month):
            if path.name != f"r{stated['revision']}":
                remove(path)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _beginning_with(folder: Path, prefix: str) -> Iterator[Path]:
    """Yield the paths in a folder whose name begins with ``prefix``; a large folder is listed once, by name alone."""
    if folder.is_dir():
        yield from (folder / name for name in os.listdir(folder) if name.startswith(prefix))  # noqa: PTH208 - names alone


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

    Raises :class:`~ratinglist.errors.CommandLineError` where the signing key cannot be used, or ``published`` is on
    another disk: then nothing has changed.
    :class:`UnfinishedError` where the change was decided and the disk refused a step.
    """
    drafts = settings.drafts
    if settings.published.exists() and settings.published.stat().st_dev != settings.home.stat().st_dev:
        raise CommandLineError(
            f"{settings.published} is on another disk than {settings.home}, and a list becomes visible by a rename. "
            "Nothing was changed. Keep both on one disk, and copy what is published to the other one."
        )
    for month, number in change.current.items():
        _write(drafts, f"{month}/{LATEST}", f"r{number}\n".encode())
    placed = {**_digests_of_drafts(drafts), **dict.fromkeys(change.removed, "")}
    facts: dict[str, object] = {**change.facts, "placed": placed, "signers": _signers(drafts), "readings": READINGS}
    if change.published:
        facts["published"] = list(change.published)
    following = _following(store, settings, change.kind, facts)
    if following is not None:
        placed[INDEX] = _write(drafts, INDEX, following.encode())
        facts["index"] = {name: getattr(following, name) for name in index.KEPT}
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
    return str(before.get("signed_by", "")) != (signer.fingerprint if signer else "")


def _following(store: Store, settings: Settings, kind: str, facts: Mapping[str, object]) -> Index | None:
    """Return the index after a change; None in what is not written, and where the index stays as it is."""
    log = store.log
    if not log.is_written or log.is_replaying:
        return None
    after = deepcopy(log.history)
    after.add(log.supposed(kind, settings.today, facts))
    return index.following(log, after, settings.office.name, str(settings.today), signer_of(settings))


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
    """Return what the officer must know where another key signs; empty where none does.

    That nothing is signed any more is a question of its own, ``office_settings``.
    """
    if before is None or after is None or not before.keys or after.signed_by in ("", before.keys[-1].fingerprint):
        return ""
    earlier = before.keys[-1]
    return (
        f"what is published is now signed by another key, {after.signed_by}; before it was by key "
        f"{earlier.fingerprint}, which has signed since {earlier.day}. Send the new public key to every reader by "
        "another way than with the lists; `verify --key` with the old one refuses them."
    )


def _sync_folders(drafts: Path) -> None:
    """Sync every folder of the drafts, up to the home; their files are synced already."""
    for folder in sorted((path for path in drafts.rglob("*") if path.is_dir()), reverse=True):
        synced(folder)
    synced(drafts)
    synced(drafts.parent)
