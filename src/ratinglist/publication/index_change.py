"""Write the next index of all that is published, as a part of the change that it describes.

It is written and signed before the commit, so that the command that finishes an interrupted change needs no key. It is
in place as ``index.next.json`` before the first file moves, and as ``index.json`` after the last one: at every moment a
reader finds an index that names each file as it is, or two that do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.durable_files import named_in_errors, replace_file, synced
from ratinglist.errors import CheckError
from ratinglist.publication import kept_index, policy, published_index, published_tables
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.placement import PUBLISHED, Placement, draft_path
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, NEXT_INDEX, KeyUse, PublishedIndex
from ratinglist.publication.signature import NotSignedError, Signer, signed_by
from ratinglist.store import journal
from ratinglist.store.database import Store


@dataclass(frozen=True, slots=True)
class IndexChange:
    """A change with the index that describes it. ``warning``: what the officer must know of its signature, or empty."""

    placement: Placement
    warning: str = ""


def prepared(store: Store, settings: Settings, placement: Placement, tables: Mapping[str, str]) -> IndexChange:
    """Write the index of a change as a draft, insert it into the store, and return the placement with it.

    Called in the transaction that decides the change, after its own statements. ``tables``: the digest of each file
    that is placed and that no manifest names; empty for one that is deleted. A placement that names nothing is a change
    of the index alone. No index is written where the office has never signed, where readers will see what they see now
    and the key is the same, and in a rebuild, which keeps the index that is published.
    Raises :class:`~ratinglist.errors.CommandLineError` where the signing key cannot be used, :class:`CheckError` where
    today is before the day of the index before.
    """
    names = [*placement.content, *placement.current, *placement.withdrawn]
    if journal.is_replaying() or (names and not any(name.startswith(f"{PUBLISHED}/") for name in names)):
        return IndexChange(placement)
    content, signatures = kept_index.kept(store) or kept_index.on_disk(settings.published)
    before = published_index.read(content) if content else None
    signer = policy.signer_of(settings)
    if signer is None and before is None:
        # The counter and the day are worth something signed; without them the same reports give the same bytes.
        return IndexChange(placement)
    after = _next(store, settings, tables, before, signer)
    if before is not None and before.states_the_same_as(after):
        return IndexChange(placement)
    if before is not None and after.day < before.day:
        raise CheckError(
            f"Today is {after.day}, and what is published was last changed on {before.day}: an index of an earlier day "
            "would state this change. Nothing was changed. Set the clock, or RATINGLIST_TODAY."
        )
    return IndexChange(
        _with_index(store, settings, placement, after, signer, signatures if before and before.signed_by else b""),
        _warning(before, after),
    )


def changes_key(store: Store, settings: Settings) -> bool:
    """Return whether the next index will be signed by another key than the newest one: the first key, or none any more.

    Raises :class:`~ratinglist.errors.CommandLineError` where the signing key cannot be used.
    """
    content, _ = kept_index.kept(store) or kept_index.on_disk(settings.published)
    signer = policy.signer_of(settings)
    return (published_index.read(content).signed_by if content else "") != (signer.fingerprint if signer else "")


def put_back(store: Store, published: Path) -> list[str]:
    """Write the index and its signature again where they are missing, and return the names of those written."""
    index = kept_index.kept(store)
    if index is None:
        return []
    missing = [
        (name, data)
        for name, data in zip((INDEX_SIGNATURE, INDEX), reversed(index), strict=True)
        if data and not (published / name).exists()
    ]
    for name, data in missing:
        replace_file(published / name, data)
    return [name for name, _ in missing]


def take_over(store: Store, *indexes: tuple[bytes, bytes]) -> tuple[bytes, bytes] | None:
    """Insert the first of some indexes that states the revisions of a rebuilt store, and return it; None for none."""
    store.execute("delete from published_index")
    index = next((one for one in indexes if kept_index.states(store, one)), None)
    if index is not None:
        insert(store, *index)
    return index


def _next(
    store: Store, settings: Settings, tables: Mapping[str, str], before: PublishedIndex | None, signer: Signer | None
) -> PublishedIndex:
    """Return the index after a change; ``tables``: see :func:`prepared`."""
    published = kept_index.revisions_and_current(store)
    if before is None:
        files = published_tables.digests_of_all(settings.published)
    else:
        files = {name: sha256 for name, sha256 in before.published.items() if published_tables.is_file(name)}
    signers = dict(before.signers) if before else {}
    for name in published:
        draft = settings.drafts / PUBLISHED / name / SIGNATURE
        if before is None or name not in before.published or draft.is_file():
            signers |= signer_of_revision(name, settings.drafts / PUBLISHED, settings.published)
    counter, day = before.counter + 1 if before else 1, str(settings.today)
    fingerprint = signer.fingerprint if signer else ""
    keys = keys_after(before.keys if before else (), fingerprint, counter, day)
    files = {name: sha256 for name, sha256 in {**files, **tables}.items() if sha256}
    return PublishedIndex(
        counter, day, before.digest if before else "", fingerprint, keys, {**published, **files}, signers
    )


def keys_after(keys: tuple[KeyUse, ...], fingerprint: str, counter: int, day: str) -> tuple[KeyUse, ...]:
    """Return the keys of an index after those of the one before; ``fingerprint``: of its key, empty for none."""
    if not fingerprint or (keys and keys[-1].fingerprint == fingerprint):
        return keys
    return (*keys, KeyUse(fingerprint, counter, day))


def _with_index(
    store: Store,
    settings: Settings,
    placement: Placement,
    index: PublishedIndex,
    signer: Signer | None,
    signature_before: bytes,
) -> Placement:
    """Write an index as a draft and insert it into the store; return the placement with it.

    ``signature_before``: the content of ``index.json.sig`` now, where it is the signature of the index before.
    """
    data = index.encode()
    signatures = signer.sign(data) + published_index.newest_signature(signature_before) if signer else b""
    files = {NEXT_INDEX: data, INDEX: data, **({INDEX_SIGNATURE: signatures} if signer else {})}
    for name, content in files.items():
        path = draft_path(settings.drafts, f"{PUBLISHED}/{name}")
        with named_in_errors(path):
            path.write_bytes(content)
        synced(path)
    store.execute("delete from published_index")
    insert(store, data, signatures)
    removed = (NEXT_INDEX,) if signer else (NEXT_INDEX, INDEX_SIGNATURE)
    return replace(
        placement,
        first=tuple(f"{PUBLISHED}/{name}" for name in (INDEX_SIGNATURE, NEXT_INDEX) if name in files),
        last=(f"{PUBLISHED}/{INDEX}",),
        removed=tuple(f"{PUBLISHED}/{name}" for name in removed),
    )


def _warning(before: PublishedIndex | None, after: PublishedIndex) -> str:
    """Return what the officer must know where another key signs, or none any more; empty where nothing changed."""
    if before is None or not before.keys or before.signed_by == after.signed_by:
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


def insert(store: Store, content: bytes, signatures: bytes) -> None:
    """Insert the newest index into a store that has none."""
    store.execute(
        "insert into published_index values ($content, $signature)",
        content=content.decode(),
        signature=signatures.decode(),
    )


def signer_of_revision(name: str, *folders: Path) -> dict[str, str]:
    """Return the key that signed a revision, by its name; empty where it is not signed, or its signature is wrong.

    ``folders``: the published folder, after the folders that its files may still be in.
    """
    data, signature = (
        next((path.read_bytes() for folder in folders if (path := folder / name / file).is_file()), None)
        for file in (MANIFEST, SIGNATURE)
    )
    if data is None or signature is None:
        return {}
    try:
        return {name: signed_by(data, signature)}
    except NotSignedError:
        return {}
