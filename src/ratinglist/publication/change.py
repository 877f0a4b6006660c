"""Decide a change of what readers see by one entry of the log, then carry it out.

Before the entry nothing that readers see has changed, and all new files are finished and synced below ``HOME/drafts``,
by the paths that they will have in the home. The entry states the digest of each. From then on the change is made: by
this process, else by the next one that opens the home. Every step may be repeated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import make_private_folder, named_in_errors, sha256_of, synced
from ratinglist.home.history import LATEST, READINGS
from ratinglist.period import Period
from ratinglist.publication import index, manifest, settle
from ratinglist.publication.index import INDEX, Index
from ratinglist.publication.manifest import MANIFEST
from ratinglist.publication.signature import signed_by, signer_of
from ratinglist.settings import PUBLISHED, Settings
from ratinglist.store.database import Store


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
    settle.carry_out(store.log, settings)


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


def _sync_folders(drafts: Path) -> None:
    """Sync every folder of the drafts, up to the home; their files are synced already."""
    for folder in sorted((path for path in drafts.rglob("*") if path.is_dir()), reverse=True):
        synced(folder)
    synced(drafts)
    synced(drafts.parent)
