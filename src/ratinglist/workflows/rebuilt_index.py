"""The index of what is published, and the signatures, in a home that is rebuilt.

Both are kept where they are whole. What was altered or lost is put back: the index from the old store or from
``published``, the signature of a revision by the same key, which always signs the same bytes alike. Where no copy of
the index is whole, another one is made, signed where the key of the office can be used.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.durable_files import TEMPORARY_PREFIX, finish, replace_file, synced
from ratinglist.errors import CommandLineError
from ratinglist.publication import index_change, kept_index, lost_index, policy
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, NEXT_INDEX
from ratinglist.publication.signature import NotSignedError, Signer, signed_by
from ratinglist.store import published_revisions
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry
from ratinglist.workflows.recorded_signatures import signed_revisions

FILES = tuple(f"published/{name}" for name in (INDEX, INDEX_SIGNATURE, NEXT_INDEX))
"""The files of an index, by path below the home."""


@dataclass(slots=True)
class KeptIndex:
    """The index and the signatures of a rebuilt home.

    ``put_back``: the files that were altered or lost, and are as they were published. ``is_lost``: there was an index,
    and neither the published one nor that of the store before states what was rebuilt. ``counter``: that of the index
    made instead, 0 where none was made; ``is_signed``: whether that one is signed.
    ``not_signed``: why that one, or a revision, could not be signed again; empty where all is signed that was.
    ``signed_again``: the signatures made again where no index states the key of the lost one. ``lost_signatures``:
    those that could not be made again.
    """

    put_back: list[str] = field(default_factory=list)
    is_lost: bool = False
    is_signed: bool = False
    counter: int = 0
    not_signed: str = ""
    signed_again: list[str] = field(default_factory=list)
    lost_signatures: list[str] = field(default_factory=list)


def keep(
    store: Store, settings: Settings, before: tuple[bytes, bytes] | None, entries: Sequence[Entry], aside: Path
) -> KeptIndex:
    """Insert the index into a rebuilt store, and put its files and the signatures back where they are altered or lost.

    ``before``: the index of the store that is replaced, None where it had none or cannot be read. ``entries``: the
    journal. ``aside``: the folder that altered files are moved to.
    """
    published, found = settings.published, KeptIndex()
    signer, reason = _signer(settings)
    on_disk = kept_index.on_disk(published)
    there = before is not None or any(os.path.lexists(settings.home / name) for name in FILES)
    index = index_change.take_over(store, *filter(None, (before, on_disk)))
    copies = [*filter(None, (before,)), on_disk]
    # The index states which revisions are signed; the journal does where no copy of the index is whole.
    signed = set() if index else signed_revisions(settings.home, entries)
    signers = _signers(index, copies)
    for path, key in _wrong_signatures(store, published, signers, signed):
        _move_aside(path, settings.home, aside)
        name = path.relative_to(settings.home).as_posix()
        if signer is not None and key in ("", signer.fingerprint):
            _sign(path, signer)
            (found.put_back if key else found.signed_again).append(name)
        else:
            found.not_signed = reason or f"the key of this office is not the one that signed {path.parent}"
            found.lost_signatures.append(name)
    there = there or bool(signed) or any(published.glob(f"*/r*/{SIGNATURE}"))
    if index is None and there and published_revisions.known(store):
        made = lost_index.make_again(store, settings, signer, copies, len(entries))
        found.is_lost, found.is_signed, found.counter = True, signer is not None, made.counter
        found.not_signed = found.not_signed or ("" if signer else reason)
        index = kept_index.kept(store)
    expected = {**dict.fromkeys(FILES, b""), **dict(zip(FILES, index or (), strict=False))}
    # The index after its signature: where a killed rebuild is given again, no copy of it was lost.
    for relative, data in reversed(expected.items()):
        path = settings.home / relative
        is_file = path.is_file() and not path.is_symlink()
        if (is_file and path.read_bytes() == data) or not (data or os.path.lexists(path)):
            continue
        if is_file and data:
            _place_aside(path, settings.home, aside).write_bytes(path.read_bytes())
        else:
            _move_aside(path, settings.home, aside)
        if data:
            replace_file(path, data)
            # An index that was made again is another one than was published.
            found.put_back += [] if found.is_lost else [relative]
    return found


def _signer(settings: Settings) -> tuple[Signer | None, str]:
    """Return the key of the office, or None and why it cannot sign."""
    try:
        signer = policy.signer_of(settings)
    except CommandLineError as error:
        return None, str(error)
    return signer, "" if signer else "office.toml names no key"


def _signers(index: tuple[bytes, bytes] | None, copies: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the key that signed each revision, by the index; without one, by the whole copies of earlier indexes."""
    stated = [kept_index.whole(one) for one in ((index,) if index else copies)]
    return {name: key for one in stated if one for name, key in one.signers.items()}


def _wrong_signatures(
    store: Store, published: Path, signers: Mapping[str, str], signed: Collection[str]
) -> Iterator[tuple[Path, str]]:
    """Yield the path of each signature that is missing or wrong, and the key that it was made with, empty if unknown.

    ``signers``: the key that signed each revision, by the index. ``signed``: the revisions that were signed by the
    journal.
    """
    for month, number in published_revisions.known(store):
        folder = published / month / f"r{number}"
        name = f"{month}/r{number}"
        path, key = folder / SIGNATURE, signers.get(name, "")
        if not key and name not in signed and not os.path.lexists(path):
            continue
        try:
            data = b"" if path.is_symlink() or not path.is_file() else path.read_bytes()
            is_whole = signed_by((folder / MANIFEST).read_bytes(), data) == key or not key
        except NotSignedError:
            is_whole = False
        if not is_whole:
            yield path, key


def _place_aside(path: Path, home: Path, aside: Path) -> Path:
    target = aside / path.relative_to(home)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _move_aside(path: Path, home: Path, aside: Path) -> None:
    if os.path.lexists(path):
        path.rename(_place_aside(path, home, aside))


def _sign(path: Path, signer: Signer) -> None:
    """Write the signature of a revision. What a killed process leaves of it is in the folder of the month."""
    temporary = path.parent.with_name(f"{TEMPORARY_PREFIX}{path.name}")
    temporary.unlink(missing_ok=True)
    temporary.write_bytes(signer.sign((path.parent / MANIFEST).read_bytes()))
    finish(temporary)
    temporary.rename(path)
    synced(path.parent)
