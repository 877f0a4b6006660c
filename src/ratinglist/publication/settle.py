"""Decide a change of what readers see by one entry of the log, then bring the files of the home to what the log states.

Before the entry nothing that readers see has changed. All new files are finished and synced below ``HOME/drafts``, by
the paths that they will have in the home, and :data:`DECIDED` has the number of the entry that will decide them. From
the entry on the change is made: by this process, else by the next one that opens the home. Drafts that no entry decided
are deleted. Every step may be repeated. A command that writes does all of it when it opens the home, so that it begins
where the newest entry ends, whatever ended the command before.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path

from ratinglist.errors import AlteredError, CommandLineError, UnfinishedError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    make_private_folder,
    named_in_errors,
    read_regular_file,
    remove,
    remove_folder,
    sha256_of,
    synced,
    write_finished,
)
from ratinglist.home.history import LATEST, READINGS, History, described
from ratinglist.home.log import Entry, Log
from ratinglist.home.originals import FOLDER
from ratinglist.publication.manifest import (
    INDEX,
    KEPT,
    MANIFEST,
    PUBLISHING,
    SIGNATURE,
    Index,
    Signer,
    signer_of,
)
from ratinglist.settings import LOG, PUBLISHED, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store

PREVIEWS = "previews"
"""The folder of the home that previews are placed in."""
DECIDED = "entry"
"""The file in ``drafts`` with the number of the entry that decides them."""
_DECIDED_BYTES = 20
_OF_REVISION = re.compile(r"[^/]+/r[0-9]+/.*")


def settle(store: Store, settings: Settings) -> None:
    """Finish what was decided before, and delete what killed or failed commands have left.

    Called with the home and its store open: there is no other writer. Raises :class:`UnfinishedError` where the disk
    refuses a step.
    """
    finish(store.log, settings)
    for path in list(_temporary_files(settings)):
        remove(path)
    calculations.clean_up(store)


def finish(log: Log, settings: Settings) -> None:
    """Carry out what was decided, and say so where there was something."""
    if done := carry_out(log, settings):
        settings.warn(f"{done}: this was decided by a command that was interrupted; it is in place now.")


def carry_out(log: Log, settings: Settings) -> str:
    """Place the drafts that an entry of the log decided, delete all others, and return what the entry records.

    The text is empty where nothing was decided. May be repeated. Raises :class:`UnfinishedError` where the disk refuses
    a step.
    """
    if not (log.is_written or log.is_replaying) or not settings.drafts.is_dir():
        return ""
    entry = _entry_of_drafts(log, settings)
    try:
        if entry is not None:
            _place(entry, settings)
        remove_folder(settings.drafts)
    except OSError as error:
        raise UnfinishedError.of(described(entry) if entry else "A change", error) from None
    return described(entry) if entry else ""


def is_open(log: Log, settings: Settings) -> bool:
    """Return whether drafts that an entry of the log decided are not in their places yet."""
    return _entry_of_drafts(log, settings) is not None


def _entry_of_drafts(log: Log, settings: Settings) -> Entry | None:
    """Return the entry that decided the drafts; None where there are none, or none did."""
    text = read_regular_file(settings.drafts / DECIDED, _DECIDED_BYTES) or b""
    number = int(text) if text.isdigit() else 0
    return log.entries[number - 1] if 0 < number <= len(log.entries) else None


def _place(entry: Entry, settings: Settings) -> None:
    """Move the drafts of an entry to their places, and delete the files that it no longer states.

    While what readers see changes, :data:`PUBLISHING` is there.
    """
    drafts, published, placed = settings.drafts, settings.published, entry.facts.get("placed", {})
    marker = published / PUBLISHING
    if placed:
        published.mkdir(exist_ok=True)
        marker.touch()
        synced(published)
        _move(drafts / PUBLISHED, published)
    for path in (published / name for name, sha256 in placed.items() if not sha256):
        path.unlink(missing_ok=True)
        synced(path.parent)
    for draft in sorted((drafts / PREVIEWS).glob("*")) if not placed else ():
        make_private_folder(settings.previews)
        remove(settings.previews / draft.name)
        _move(draft, settings.previews / draft.name)
    if placed:
        marker.unlink(missing_ok=True)
        synced(published)


def _move(source: Path, target: Path) -> None:
    """Move a file or a folder. A folder that is there gets what is in the other one; what is current changes last."""
    if not target.is_dir() or not any(target.iterdir()):
        if target.is_dir():
            target.rmdir()
        source.replace(target)
        synced(target.parent)
        return
    if (source / MANIFEST).exists():
        raise AlteredError(
            f"{target} is there already, and is not the revision that was decided on. Move it out of the way, then "
            "give the command again."
        )
    for path in sorted(source.glob("*"), key=lambda draft: (draft.name in (LATEST, INDEX), draft.name)):
        _move(path, target / path.name)


def _temporary_files(settings: Settings) -> Iterator[Path]:
    """Yield what was being written: a new store, entries, originals, what is published."""
    home = settings.home
    for folder in (home, *(home / name for name in (LOG, FOLDER)), settings.reports):
        # A large folder is listed once, by name alone.
        names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - names alone
        yield from (folder / name for name in names if name.startswith(TEMPORARY_PREFIX))
    yield from settings.published.rglob(f"{TEMPORARY_PREFIX}*")


def draft_path(drafts: Path, name: str) -> Path:
    """Return where the draft of a file or folder of the home is written, and make the folders above it.

    ``drafts/`` itself is closed to other accounts: what is in it was not published.
    """
    path = drafts / name
    make_private_folder(drafts)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def decide(
    store: Store,
    settings: Settings,
    kind: str,
    facts: Mapping[str, object],
    published: Sequence[Mapping[str, object]] = (),
    current: Mapping[str, int] | None = None,
    removed: Sequence[str] = (),
) -> None:
    """Append the entry of a change of what readers see, whose drafts are finished, then carry it out.

    ``kind``, ``facts``: of the entry. ``published``: the new revisions: month, number and digest of the manifest.
    ``current``: the revision that becomes current, by month. ``removed``: the paths below ``published`` of files that
    are deleted. Raises :class:`~ratinglist.errors.CommandLineError` where the signing key cannot be used, or
    ``published`` is on another disk: then nothing has changed. :class:`UnfinishedError` where the change was decided
    and the disk refused a step.
    """
    drafts = settings.drafts
    if settings.published.exists() and settings.published.stat().st_dev != settings.home.stat().st_dev:
        raise CommandLineError(
            f"{settings.published} is on another disk than {settings.home}, and a list becomes visible by a rename. "
            "Nothing was changed. Keep both on one disk, and copy what is published to the other one."
        )
    for month, number in (current or {}).items():
        _write(drafts, f"{PUBLISHED}/{month}/{LATEST}", f"r{number}\n".encode())
    signer = signer_of(settings) if settings.office.publication.signing_key else None
    signers = _signed(drafts, signer) if signer else {}
    placed = {**_digests_of_drafts(drafts), **dict.fromkeys(removed, "")}
    facts = {**facts, "placed": placed, "signers": signers, "readings": READINGS}
    if published:
        facts["published"] = list(published)
    following = _following(store, settings, signer, kind, facts)
    if following is not None:
        placed[INDEX] = _write(drafts, f"{PUBLISHED}/{INDEX}", following.encode())
        facts["index"] = {name: getattr(following, name) for name in KEPT}
    commit(store, settings, kind, facts)


def commit(store: Store, settings: Settings, kind: str, facts: Mapping[str, object]) -> None:
    """Append the entry that decides the drafts, and place them."""
    drafts = settings.drafts
    _write(drafts, DECIDED, str(store.log.next_number).encode())
    for folder in sorted((path for path in drafts.rglob("*") if path.is_dir()), reverse=True):
        synced(folder)
    synced(drafts)
    synced(drafts.parent)
    store.record(kind, settings.today, **facts)
    carry_out(store.log, settings)


def newest_index(history: History) -> Index | None:
    """Return the index that is published, made again from the log; None where the office has none."""
    state = history.index
    if not state:
        return None
    return Index(
        **{name: state[name] for name in ("office", "counter", "day", "log", "signed_by", "signature")},
        published=_published_of(history),
        signers=_keys_of(history),
    )


def _following(
    store: Store, settings: Settings, signer: Signer | None, kind: str, facts: Mapping[str, object]
) -> Index | None:
    """Return the signed index after a change; None in what is not written, and where the index stays as it is."""
    log = store.log
    earlier = newest_index(log.history)
    if not log.is_written or log.is_replaying or (signer is None and earlier is None):
        return None
    after = deepcopy(log.history)
    after.add(log.supposed(kind, settings.today, facts))
    fingerprint = signer.fingerprint if signer else ""
    published, signers, office = _published_of(after), _keys_of(after), settings.office.name
    if earlier is not None and (earlier.published, earlier.signers, earlier.signed_by, earlier.office) == (
        *(published, signers, fingerprint, office),
    ):
        return None
    counter = earlier.counter + 1 if earlier else 1
    before = log.newest.digest if log.newest else ""
    return Index(office, counter, str(settings.today), before, fingerprint, published, signers).signed(signer)


def _published_of(history: History) -> dict[str, str]:
    """Return what an index states as published, from the log."""
    revisions = history.revisions()
    current = {
        f"{month}/{LATEST}": f"r{history.current[month]}" if month in history.current else "" for month, _ in revisions
    }
    files = {
        name: sha256
        for name, sha256 in history.placed.items()
        if name != INDEX and not _OF_REVISION.fullmatch(name) and name.rpartition("/")[2] != LATEST
    }
    return {**{f"{month}/r{number}": digest for (month, number), digest in revisions.items()}, **current, **files}


def _keys_of(history: History) -> dict[str, str]:
    return {name: signed["key"] for name, signed in history.signers.items()}


def _write(drafts: Path, name: str, data: bytes) -> str:
    """Write a draft, sync it, and return its sha256."""
    path = draft_path(drafts, name)
    with named_in_errors(path):
        path.write_bytes(data)
    synced(path)
    return hashlib.sha256(data).hexdigest()


def _digests_of_drafts(drafts: Path) -> dict[str, str]:
    """Return the sha256 of every draft of a published file, by its path below ``published``."""
    folder = drafts / PUBLISHED
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: sha256_of(path) for name, path in sorted(files.items())}


def _signed(drafts: Path, signer: Signer) -> dict[str, dict[str, str]]:
    """Sign the manifests among the drafts; return key and text of each signature by the revision's path.

    The paths are those below ``published``. A revision whose manifest is published already has its signature there.
    """
    folder = drafts / PUBLISHED
    for manifest_file in folder.glob(f"*/r*/{MANIFEST}"):
        write_finished(manifest_file.with_name(SIGNATURE), signer.sign(manifest_file.read_bytes()))
    return {
        path.parent.relative_to(folder).as_posix(): {"key": signer.fingerprint, "signature": path.read_text("utf-8")}
        for path in sorted(folder.glob(f"*/r*/{SIGNATURE}"))
    }
