"""Keep the index of what is published in a home that is rebuilt: a rebuild signs nothing, so it makes no index."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ratinglist.publication import index_change
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, NEXT_INDEX
from ratinglist.store.database import Store

FILES = tuple(f"published/{name}" for name in (INDEX, INDEX_SIGNATURE, NEXT_INDEX))
"""The files of an index, by path below the home."""


@dataclass(frozen=True, slots=True)
class KeptIndex:
    """The index of a rebuilt home.

    ``put_back``: its files that were altered or lost, and are as they were published. ``is_lost``: there was an index,
    and neither the published one nor that of the store before states what was rebuilt.
    """

    put_back: list[str]
    is_lost: bool


def keep(store: Store, published: Path, before: tuple[bytes, bytes] | None, aside: Path) -> KeptIndex:
    """Insert the index into a rebuilt store, and put its files back where they are altered or missing.

    ``before``: the index of the store that is replaced, None where it had none or cannot be read. ``aside``: the folder
    that altered files are moved to.
    """
    on_disk = index_change.on_disk(published)
    index = index_change.take_over(store, *filter(None, (before, on_disk)))
    expected = {**dict.fromkeys(FILES, b""), **dict(zip(FILES, index or (), strict=False))}
    for relative, data in expected.items():
        path = published.parent / relative
        if os.path.lexists(path) and (path.is_symlink() or not path.is_file() or path.read_bytes() != data):
            (aside / relative).parent.mkdir(parents=True, exist_ok=True)
            path.rename(aside / relative)
    put_back = [f"published/{name}" for name in index_change.put_back(store, published)]
    return KeptIndex(put_back, index is None and bool(before or on_disk[0]))
