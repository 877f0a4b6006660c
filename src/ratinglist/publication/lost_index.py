"""Make the index of what is published again where every copy of it was lost, with a counter that does not go back."""

from __future__ import annotations

from collections.abc import Sequence

from ratinglist.config import Settings
from ratinglist.publication import index_change, kept_index, published_index, published_tables
from ratinglist.publication.published_index import PublishedIndex
from ratinglist.publication.signature import Signer
from ratinglist.store.database import Store


def make_again(
    store: Store, settings: Settings, signer: Signer | None, copies: Sequence[tuple[bytes, bytes]], changes: int
) -> PublishedIndex:
    """Insert an index of what is published into a rebuilt store, and return it.

    ``signer``: None where it cannot be signed now. ``copies``: what was found of earlier indexes, each with its
    signature; those that are whole state keys and counters that were in use. ``changes``: the number of entries of the
    journal. Every change of an index has an entry, so a lost counter cannot have been higher.
    """
    whole = [one for copy in copies if (one := kept_index.whole(copy))]
    earlier = max(whole, key=lambda one: one.counter, default=None)
    counter, day = max(earlier.counter if earlier else 0, changes) + 1, str(settings.today)
    fingerprint = signer.fingerprint if signer else ""
    published = kept_index.revisions_and_current(store)
    signers: dict[str, str] = {}
    for name in published:
        signers |= index_change.signer_of_revision(name, settings.published)
    index = PublishedIndex(
        counter,
        day,
        earlier.digest if earlier else "",
        fingerprint,
        index_change.keys_after(earlier.keys if earlier else (), fingerprint, counter, day),
        {**published, **published_tables.digests_of_all(settings.published)},
        signers,
    )
    data = index.encode()
    index_change.insert(store, data, signer.sign(data) if signer else b"")
    return published_index.read(data)
